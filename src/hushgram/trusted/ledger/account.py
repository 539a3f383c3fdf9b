"""An account: what may be spent on one body of data, and what was.

The rules of the book are here, as pure steps from one frozen state to the next. A ledger only has
to store the states, and an audit replays the same steps.
"""

from __future__ import annotations

import shlex
import unicodedata
from dataclasses import dataclass, replace
from fractions import Fraction

from hushgram.epsilon import LARGE
from hushgram.errors import (
    AccountMismatch,
    BadInput,
    BudgetError,
    BudgetExceeded,
    EpsilonError,
    UnknownAccount,
)
from hushgram.exact import format_number
from hushgram.unit import present_key

NEIGHBOURS = ("add-remove", "replace-one")

_NAME_LENGTH = 100
_UNIT_LENGTH = 1000
_DENOMINATOR_BITS = 10_000


@dataclass(frozen=True)
class Account:
    """A name, a cap, who is protected (unit, neighbours), and what is spent."""

    name: str
    cap: Fraction
    unit: str
    neighbours: str
    spent: Fraction = Fraction(0)

    @property
    def remaining(self) -> Fraction:
        return self.cap - self.spent

    def charged(self, epsilon: Fraction) -> Account:
        """The account after a charge; the charge is checked before anything changes."""
        spent = self.spent + epsilon
        if spent > self.cap:
            flag = " --allow-large" if spent > LARGE else ""
            raise BudgetExceeded(
                epsilon,
                self.remaining,
                f"account {self.name!r}",
                "What was published can be asked for nothing. A higher cap is a weaker promise to "
                "everybody in the table; if that is decided: "
                f"hushgram ledger set-cap {shlex.quote(self.name)} {format_number(spent)}{flag}",
            )
        if spent.denominator.bit_length() > _DENOMINATOR_BITS:
            # Sums of many unrelated fractions grow without end, and must stay storable.
            raise EpsilonError(
                f"adding epsilon {format_number(epsilon)} makes the sum in account {self.name!r} a "
                "fraction of thousands of digits. Use a short decimal such as 0.33 instead."
            )
        return replace(self, spent=spent)

    def recapped(self, cap: Fraction) -> Account:
        """The account under another cap, which can never forget what is spent."""
        if cap < self.spent:
            raise BudgetError(
                f"the cap of account {self.name!r} cannot be {format_number(cap)}: "
                f"{format_number(self.spent)} is spent already. "
                f"Choose a cap of {format_number(self.spent)} or more."
            )
        return replace(self, cap=cap)

    def require(self, unit: str, neighbours: str) -> None:
        """Epsilons add up only if they protect the same thing: a person with all their rows is
        the same, however many of them a release counts."""
        if (present_key(unit), neighbours) != (present_key(self.unit), self.neighbours):
            raise AccountMismatch(
                f"account {self.name!r} protects unit {self.unit!r} with neighbours "
                f"{self.neighbours!r}, and unit {unit!r} with neighbours {neighbours!r} was asked "
                f"for. Ask for the account's own{asked_for(self.unit)}. A second account for the "
                "same people is a second budget: they lose the sum."
            )


def asked_for(unit: str) -> str:
    """How a unit is asked for on the command line.

    >>> asked_for("user:person_id"), asked_for("rows")
    (', with --unit person_id --max-rows N', '')
    """
    column = present_key(unit).removeprefix("user:")
    return f", with --unit {shlex.quote(column)} --max-rows N" if column != unit else ""


def checked_name(name: str) -> str:
    """The name in Unicode's composed form, so that two spellings of "é" share one budget."""
    if isinstance(name, str):
        plain = unicodedata.normalize("NFC", name)
        fits = 1 <= len(plain) <= _NAME_LENGTH and all(map(_allowed, plain))
        if fits and (plain[0].isalnum() or plain[0] == "_") and plain[-1] != " ":
            return plain
    raise BadInput(
        f"an account cannot be called {_short(name)}. A name has 1 to {_NAME_LENGTH} letters, "
        "digits, spaces, '.', '_' or '-', begins with a letter, a digit or '_' and does not end "
        "with a space. Choose one such as 'checkins 2024'."
    )


def checked_promise(unit: str, neighbours: str) -> tuple[str, str]:
    """The unit and the neighbours, if they are such."""
    if not isinstance(unit, str) or not 1 <= len(unit) <= _UNIT_LENGTH or not _storable(unit):
        raise BadInput(
            f"a privacy unit is a text such as 'rows' or 'user:user_id', found {_short(unit)}. "
            "Give one of these."
        )
    if neighbours not in NEIGHBOURS:
        raise BadInput(
            f"neighbours are {' or '.join(map(repr, NEIGHBOURS))}, found {_short(neighbours)}. "
            "Give one of these."
        )
    return unit, neighbours


def unknown(name: str, known: list[str]) -> UnknownAccount:
    """The error that helps to find the name that was meant."""
    listed = ", ".join(map(repr, known[:10])) + (", …" if len(known) > 10 else "")
    return UnknownAccount(
        f"the ledger has no account {name!r}. Known: {listed or 'none yet'}. "
        "The first publish that names an account opens it."
    )


def _storable(text: str) -> bool:
    """Whether every database can keep it: no NUL, no half of a surrogate pair."""
    return not any(character == "\0" or "\ud800" <= character <= "\udfff" for character in text)


def _allowed(character: str) -> bool:
    # Combining marks spell letters in many scripts.
    mark = unicodedata.category(character).startswith("M")
    return character.isalnum() or mark or character in " ._-"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
