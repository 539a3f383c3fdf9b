"""What a release means for one person, in plain language."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hushgram.base.exact import format_number
from hushgram.declare.unit import User
from hushgram.show.report.html import Html, join_html, listing, tag

if TYPE_CHECKING:
    from hushgram.release.release import Release

WEAK = 20
"""If odds can change by more than this factor, the promise to one person is weak."""


def odds(epsilon: float) -> str:
    """The largest factor by which odds can change, as text.

    >>> odds(0.1), odds(1.0), odds(10.0), odds(900.0)
    ('1.11', '2.72', '22,026', 'more than a billion')
    """
    factor = math.exp(min(epsilon, 700.0))
    if factor > 1e9:
        return "more than a billion"
    return f"{factor:.2f}" if factor < 100 else f"{factor:,.0f}"


def percent(share: float) -> str:
    """A share as text, never rounded to 100 % or 0 %.

    >>> percent(0.731), percent(0.9999999), percent(0.5)
    ('73 %', 'more than 99.9 %', '50 %')
    """
    if share > 0.999:
        return "more than 99.9 %"
    return f"{100 * share:.3g} %" if share > 0.99 else f"{100 * share:.2g} %"


def surest(prior: float, epsilon: float) -> float:
    """The largest posterior probability of a guess whose probability was ``prior`` before.

    >>> round(surest(0.5, 1.0), 3)
    0.731
    """
    return 1 / (1 + (1 - prior) / prior * math.exp(-min(epsilon, 700.0)))


def privacy_section(release: Release) -> Html:
    epsilon = float(release.epsilon)
    words = [
        tag(
            "p",
            "Random noise was added to the counts before they were published. It protects "
            f"{who(release)}: this result was almost as likely {otherwise(release)}. The "
            "two probabilities differ by a factor of at most ",
            tag("strong", odds(epsilon)),
            ". This is differential privacy with ",
            tag("strong", f"ε = {format_number(release.epsilon)}"),
            "; the factor is e to the power of ε.",
        ),
        tag("p", *guesses(release)),
        tag(
            "p",
            "This holds whatever else someone knows, and whatever anyone computes from "
            "the release, now or later.",
        ),
    ]
    if math.exp(min(epsilon, 700.0)) > WEAK:
        words.append(
            tag("p", "That is a weak promise: with this ε, a lot can be learned about one person.",
                class_="warning")
        )  # fmt: skip
    words += [tag("h3", "What is not protected"), listing(unprotected_facts(release))]
    return join_html(words)


def guesses(release: Release) -> list[str]:
    """Sentences on how certain someone can become of a guess about one person.

    Changing a person's data means removing them and adding them again. If neighbours differ by one
    of the two, the content of their data is protected with twice the ε.
    """
    epsilon = float(release.epsilon)
    if release.neighbours == "replace-one":
        return [f"Suppose someone guesses something about that person's data. {example(epsilon)}"]
    return [
        f"Suppose someone guesses that this person is in the table. {example(epsilon)} ",
        (
            "For a guess about the data of a person who is known to be in the table, the "
            f"factor applies twice, {odds(2 * epsilon)} in total: from 50 % to at most "
            f"{percent(surest(0.5, 2 * epsilon))}."
        ),
    ]


def example(epsilon: float) -> str:
    return (
        "If they thought it 50 % likely, the release can make them at most "
        f"{percent(surest(0.5, epsilon))} sure; if they thought it 1 % likely, at most "
        f"{percent(surest(0.01, epsilon))}."
    )


def who(release: Release) -> str:
    if isinstance(release.unit, User):
        return (
            f"each person, with all rows that have the same “{release.unit.column}” (at "
            f"most {release.unit.max_rows:,} of them are counted)"
        )
    return "each row, and so each person who has one row in the table"


def otherwise(release: Release) -> str:
    if release.neighbours == "replace-one":
        return "if that person's data had been different"
    return "with or without that person"


def unprotected_facts(release: Release) -> list[str]:
    """Facts that readers might expect to be protected, but are not."""
    found = [
        (
            "What is true of many people. If the release shows that most people of some kind "
            "have something in common, anyone can guess it of each of them, in the table or "
            "not."
        ),
        "What was declared: the names of the axes, their bounds, bins and categories.",
        (
            "Anything published besides. If several releases are about the same people, their "
            "ε add up."
        ),
    ]
    if isinstance(release.unit, User):
        found.append(
            f"People with several names in “{release.unit.column}”: the release treats "
            "each name as a person."
        )
    else:
        twice = format_number(2 * release.epsilon)
        found.append(
            "People with several rows. Someone with two rows is protected as with ε = "
            f"{twice}, and so on: the promise applies to each row."
        )
    if release.neighbours == "replace-one":
        found.append(
            "Whether someone is in the table: the promise is about their data, and the "
            "number of people may be known."
        )
    if release.unaccounted:
        found.append(
            "The total spent: no permanent ledger was charged, so nothing limits what "
            "further releases add up to."
        )
    return found
