"""A plan: many releases of one table, and what each may spend. Public; it reads no table."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path
from typing import Any

from hushgram.base.exact import format_number
from hushgram.declare.axis import Axis, Category, Date, Integer
from hushgram.declare.degrees import check_degrees
from hushgram.declare.domain import Domain
from hushgram.declare.epsilon import as_epsilon
from hushgram.declare.grammar import parse_axis
from hushgram.declare.unit import Unit, User, as_neighbours, as_unit
from hushgram.errors import BadInput, BudgetError, EpsilonError
from hushgram.mechanisms.registry import as_mechanism

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")

MOST_KEYS = 1000
"""Values of a key, at the most: each becomes a file."""

LONGEST = 100
"""Bytes of a key's value in a file's name."""

PLAN_KEYS = ("epsilon", "unit", "max_rows", "neighbours", "release")
RELEASE_KEYS = (
    "name", "axes", "outside", "epsilon", "share", "per", "mechanism", "workload",
)  # fmt: skip


@dataclass(frozen=True)
class Planned:
    """One release of a plan, or one for each value of a public key.

    Parameters
    ----------
    name
        What it is called, and its file: letters, digits, ``_``, ``-`` and ``.``.
    domain
        The axes, as for `hushgram.publish`; the key is one of them.
    epsilon, share
        What it may spend: an epsilon, or a share of the plan's.
    per
        The axis that is the key, a category, a date or whole numbers: there is one release of the
        other axes for each of its values. Rows lie under one key each, so all of them together
        cost what one costs.
    mechanism, workload
        As for `hushgram.publish`.

    Examples
    --------
    >>> ages = Planned("ages", Domain(age=Integer(0, 99), sex=Category(["F", "M"])), 1, per="sex")
    >>> ages.published, ages.keys
    (Domain(age=Integer(0, 99)), ('F', 'M'))
    """

    name: str
    domain: Any
    epsilon: Any = None
    share: Any = None
    per: str | None = None
    mechanism: Any = "auto"
    workload: Any = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not NAME.fullmatch(self.name):
            raise BadInput(
                f"a release of a plan is called by up to 64 letters, digits, _, - and ., not "
                f"{self.name!r}."
            )
        with within(f"release {self.name!r}"):
            self._settle()

    def _settle(self) -> None:
        if (self.epsilon is None) == (self.share is None):
            raise BadInput('give it either an epsilon, or a share of the plan\'s, such as "1/2".')
        for field in ("epsilon", "share"):
            if getattr(self, field) is not None:
                object.__setattr__(self, field, as_epsilon(getattr(self, field)))
        domain = self.domain if isinstance(self.domain, Domain) else Domain(self.domain)
        check_degrees(domain)
        object.__setattr__(self, "domain", domain)
        object.__setattr__(self, "mechanism", as_mechanism(self.mechanism, self.workload))
        if self.per is not None:
            check_key(domain, self.per)
        self.mechanism.check(self.published)

    @property
    def published(self) -> Domain:
        """What each release is about: the domain without the key."""
        return Domain({name: axis for name, axis in self.domain.items() if name != self.per})

    @property
    def keys(self) -> tuple[str, ...]:
        """The key's values in words, "other" last; none without a key."""
        if self.per is None:
            return ()
        axis = self.domain[self.per]
        named = tuple(label(axis, index) for index in range(axis.bins))
        return (*named, "other") if axis.other else named

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "domain": self.domain.to_json(),
            "epsilon": format_number(self.epsilon),
            "per": self.per,
            "mechanism": self.mechanism.name,
            "parameters": self.mechanism.parameters(),
        }


@dataclass(frozen=True)
class Output:
    """One release that a plan makes."""

    name: str
    """Unique in the plan, and fit for a file's name."""
    where: str
    """Which rows it counts, if not all: ``region = north``."""


@dataclass(frozen=True)
class Plan:
    """Many releases of one table under one charge.

    Parameters
    ----------
    releases
        One or more of `Planned`, each with a name of its own.
    epsilon
        What all of them spend together. Shares are shares of it; what the releases may spend must
        add up to it exactly. Without it, it is the sum of their epsilons.
    unit, neighbours
        Who is protected, as for `hushgram.publish`: the same in all releases.

    Examples
    --------
    >>> plan = Plan(
    ...     [
    ...         Planned("ages", {"age": Integer(0, 99)}, share="1/3"),
    ...         Planned("sexes", {"sex": Category(["F", "M"])}, share="2/3"),
    ...     ],
    ...     epsilon="0.3",
    ... )
    >>> [(one.name, format_number(one.epsilon)) for one in plan.releases]
    [('ages', '0.1'), ('sexes', '0.2')]
    """

    releases: Any
    epsilon: Any = None
    unit: Any = "rows"
    neighbours: Any = "add-remove"

    def __post_init__(self) -> None:
        releases = tuple(self.releases)
        if not releases or not all(isinstance(one, Planned) for one in releases):
            raise BadInput("a plan is a list of one or more releases, each a Planned(…).")
        object.__setattr__(self, "unit", as_unit(self.unit))
        object.__setattr__(self, "neighbours", as_neighbours(self.neighbours))
        whole = None if self.epsilon is None else as_epsilon(self.epsilon)
        prices = settled(releases, whole)
        object.__setattr__(self, "epsilon", sum(prices, Fraction(0)))
        object.__setattr__(
            self,
            "releases",
            tuple(
                replace(one, epsilon=price, share=None)
                for one, price in zip(releases, prices, strict=True)
            ),
        )
        names = [one.name.casefold() for one in releases]
        for one, name in zip(releases, names, strict=True):
            if names.count(name) > 1:
                raise BadInput(f"two releases of the plan are called {one.name!r}.")

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """The plan in a TOML file: see ``docs/guides/plans.md``."""
        file = Path(path)
        try:
            text = file.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise BadInput(f"the plan {file.name} does not exist.") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
            raise BadInput(f"the plan {file.name} cannot be read: {reason}.") from None
        with within(file.name):
            return cls.from_toml(text)

    @classmethod
    def from_toml(cls, text: str) -> Plan:
        """A plan as it is written.

        >>> plan = Plan.from_toml('''
        ... epsilon = 1
        ... [[release]]
        ... name = "ages"
        ... axes = { region = "north,south", age = "0..99" }
        ... per = "region"
        ... share = 1
        ... ''')
        >>> [output.name for output in plan.outputs()]
        ['ages-north', 'ages-south']
        """
        try:
            data = tomllib.loads(text, parse_float=Decimal)
        except tomllib.TOMLDecodeError as error:
            raise BadInput(f"it is no TOML: {error}.") from None
        except (ArithmeticError, ValueError, RecursionError):  # bounds of Python and decimal
            raise BadInput(
                "it holds a number of thousands of digits, or lists within lists without end."
            ) from None
        check_known(data, PLAN_KEYS, "a plan")
        listed = data.get("release", [])
        if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
            raise BadInput("releases are written [[release]], each with a name and axes.")
        return cls(
            [planned(one, number) for number, one in enumerate(listed, start=1)],
            data.get("epsilon"),
            written_unit(data),
            data.get("neighbours", "add-remove"),
        )

    def outputs(self) -> list[Output]:
        """What it publishes, in order."""
        found: list[Output] = []
        taken = {one.name.casefold() for one in self.releases if one.per is None}
        for one in self.releases:
            if one.per is None:
                found.append(Output(one.name, ""))
            for key in one.keys:
                name = free_name(f"{one.name}-{safe(key)}", taken)
                found.append(Output(name, f"{one.per} = {key}"))
        return found

    def to_json(self) -> dict[str, Any]:
        return {"releases": [one.to_json() for one in self.releases]}


def as_plan(plan: Any) -> Plan:
    """A plan as given, or in a file."""
    if isinstance(plan, Plan):
        return plan
    if isinstance(plan, str | Path):
        return Plan.load(plan)
    raise BadInput(f"a plan is a Plan(…) or the path of a TOML file, not {type(plan).__name__}.")


def settled(releases: tuple[Planned, ...], whole: Fraction | None) -> list[Fraction]:
    """What each release may spend, exactly; together it is the whole, if one was named.

    >>> parts = Planned("a", {"x": Integer(0, 1)}, "0.1"), Planned("b", {"x": Integer(0, 1)}, "0.2")
    >>> sum(settled(parts, None))
    Fraction(3, 10)
    """
    if whole is None:
        for one in releases:
            if one.share is not None:
                raise EpsilonError(
                    f"release {one.name!r} has a share, and the plan has no epsilon to share. "
                    "Write epsilon at its top."
                )
    prices = [one.epsilon or one.share * whole for one in releases]
    total = sum(prices, Fraction(0))
    if whole is not None and total != whole:
        found, given, off = map(format_number, (total, whole, abs(total - whole)))
        raise EpsilonError(
            f"the releases add up to epsilon {found}, and the plan has {given}: {off} too "
            f"{'much' if total > whole else 'little'}. Make the shares add up to 1, exactly."
        )
    return prices


def check_key(domain: Domain, key: Any) -> None:
    if not isinstance(key, str) or key not in domain:
        raise BadInput(
            f"per = {key!r} is none of its axes ({', '.join(map(repr, domain))}). Declare the "
            "key's values as an axis: they are public."
        )
    axis = domain[key]
    if not isinstance(axis, Category | Date | Integer):
        raise BadInput(f"the key {key!r} is a category, a date or whole numbers, not {axis.kind}.")
    if len(domain) == 1:
        raise BadInput(f"beside the key {key!r} there is no axis to publish. Declare one.")
    if axis.size > MOST_KEYS:
        raise BadInput(
            f"the key {key!r} has {axis.size:,} values, and each becomes a file: at most "
            f"{MOST_KEYS:,}. Make it coarser, or publish it as an axis."
        )


def label(axis: Axis, index: int) -> str:
    """A key's value in words.

    >>> label(Date("2024-01-01", "2024-12-31", "1mo"), 2), label(Category(["N", "S"]), 1)
    ('2024-03', 'S')
    """
    if not isinstance(axis, Date):
        return str(axis.edge(index))
    start = axis.edge(index)
    single = axis.step.removeprefix("1")
    if single in ("mo", "y"):
        return f"{start:%Y-%m}"[: 7 if single == "mo" else 4]
    text = start.date().isoformat() if axis.whole_days else start.isoformat(sep=" ")
    return text if single == "d" else f"{text} {axis.step}"


def safe(text: str) -> str:
    """A text as part of a file's name.

    >>> safe("Île-de-France"), safe("../a b"), safe("")
    ('Île-de-France', '_a_b', '_')
    """
    plain = unicodedata.normalize("NFC", text)
    kept = "".join(sign if sign.isalnum() or sign in "._-" else "_" for sign in plain)
    short = kept.encode()[:LONGEST].decode(errors="ignore")
    return short.strip(".") or "_"


def free_name(wanted: str, taken: set[str]) -> str:
    """The name, with a number if it is taken; systems that ignore case take both spellings.

    >>> taken: set[str] = set()
    >>> free_name("a-b", taken), free_name("A-B", taken), free_name("a-b", taken)
    ('a-b', 'A-B-2', 'a-b-3')
    """
    name, number = wanted, 1
    while name.casefold() in taken:
        number += 1
        name = f"{wanted}-{number}"
    taken.add(name.casefold())
    return name


def planned(data: Mapping[str, Any], number: int) -> Planned:
    """One ``[[release]]``."""
    with within(f"release {data.get('name', number)!r}"):
        check_known(data, RELEASE_KEYS, "a release of a plan")
        if "name" not in data or "axes" not in data:
            raise BadInput('it needs a name and axes, such as axes = { age = "0..120" }.')
        domain = written_domain(data["axes"], data.get("outside", {}))
    rest = {key: data[key] for key in data if key not in ("name", "axes", "outside")}
    return Planned(data["name"], domain, **rest)


def written_domain(axes: Any, outside: Any) -> Domain:
    for table, example in ((axes, 'axes = { age = "0..120" }'), (outside, '{ age = "clamp" }')):
        if not isinstance(table, dict) or not all(isinstance(one, str) for one in table.values()):
            raise BadInput(f"axes and what lies outside are texts by name, such as {example}.")
    for name in outside:
        if name not in axes:
            raise BadInput(f"outside names {name!r}, which is none of its axes.")
    return Domain(
        {name: parse_axis(name, text, outside.get(name, "drop")) for name, text in axes.items()}
    )


def written_unit(data: Mapping[str, Any]) -> Unit:
    """``unit`` and ``max_rows``, as on the command line."""
    if ("unit" in data) != ("max_rows" in data):
        raise BadInput('unit = "COLUMN" and max_rows = N go together; without them, rows count.')
    return User(data["unit"], data["max_rows"]) if "unit" in data else as_unit("rows")


def check_known(data: Mapping[str, Any], known: tuple[str, ...], what: str) -> None:
    for key in data:
        if key not in known:
            nearest = get_close_matches(key, known, n=1, cutoff=0)[0]
            raise BadInput(
                f"{what} knows no {key!r}: did you mean {nearest!r}? It knows {', '.join(known)}."
            )


@contextmanager
def within(place: str) -> Iterator[None]:
    """Say where in a plan something is wrong."""
    try:
        yield
    except EpsilonError as error:
        raise EpsilonError(f"{place}: {error}") from None
    except (BadInput, BudgetError) as error:
        raise BadInput(f"{place}: {error}") from None
