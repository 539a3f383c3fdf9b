"""Plans: several releases of one table, each with its budget. Plans are public."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from hushgram.base.exact import Number, format_number
from hushgram.base.text import lower_first
from hushgram.declare.about import About, AboutOption, as_about
from hushgram.declare.axis import Category, Date, Integer
from hushgram.declare.degrees import check_degrees
from hushgram.declare.domain import AxisOption, Domain
from hushgram.declare.epsilon import as_epsilon
from hushgram.declare.measure import Measure, Sum, as_measures
from hushgram.declare.unit import Neighbours, Unit, UnitOption, as_neighbours, as_unit
from hushgram.declare.workload import Workload
from hushgram.errors import BadInput, BudgetError, EpsilonError
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.registry import as_mechanism
from hushgram.spending.plan_names import file_name_part, free_name, key_text

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")

MOST_KEYS = 1000
"""The most values of a key, because each becomes a file."""


@dataclass(frozen=True, init=False)
class Planned:
    """One release of a plan, or one for each value of a public key.

    Parameters
    ----------
    name
        The name of the release and of its file: letters, digits, ``_``, ``-`` and ``.``.
    domain
        The axes, as for `hushgram.publish`. They include the key.
    epsilon, share
        What it may spend: an epsilon, or a share of the plan's epsilon.
    per
        The axis to use as a key: a category, a date or whole numbers. There is one release of the
        other axes for each of its values. Each row belongs to one key, so all of these releases
        together cost as much as one.
    mechanism, workload, measures
        As for `hushgram.publish`.

    Examples
    --------
    >>> ages = Planned("ages", Domain(age=Integer(0, 99), sex=Category(["F", "M"])), 1, per="sex")
    >>> ages.published, ages.keys
    (Domain(age=Integer(0, 99)), ('F', 'M'))
    """

    name: str
    domain: Domain
    epsilon: Fraction | None
    share: Fraction | None
    per: str | None
    mechanism: Mechanism
    workload: Workload | None
    measures: tuple[Sum, ...]

    def __init__(
        self,
        name: str,
        domain: Domain | Mapping[str, AxisOption],
        epsilon: Number | None = None,
        share: Number | None = None,
        per: str | None = None,
        mechanism: str | Mechanism = "auto",
        workload: Workload | None = None,
        measures: Sequence[Measure] | Measure = (),
    ) -> None:
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise BadInput(
                "A release of a plan needs a name of up to 64 letters, digits, _, - and . "
                f"characters. Found {name!r}."
            )
        with within(f"release {name!r}"):
            if (epsilon is None) == (share is None):
                raise BadInput(
                    'Give either an epsilon, or a share of the plan\'s epsilon, such as "1/2".'
                )
            freeze(
                self,
                name=name,
                epsilon=None if epsilon is None else as_epsilon(epsilon),
                share=None if share is None else as_epsilon(share),
                domain=domain if isinstance(domain, Domain) else Domain(domain),
                per=per,
                workload=workload,
                measures=as_measures(measures),
            )
            check_degrees(self.domain)
            freeze(self, mechanism=as_mechanism(mechanism, workload))
            if per is not None:
                check_key(self.domain, per)
                check_rowwise(per, self.measures)
            self.mechanism.check(self.published)

    @property
    def budget(self) -> Fraction:
        """The epsilon of a release within a plan, where shares have been converted."""
        assert self.epsilon is not None
        return self.epsilon

    @property
    def published(self) -> Domain:
        """The domain of each release: all axes except the key."""
        return Domain({name: axis for name, axis in self.domain.items() if name != self.per})

    @property
    def keys(self) -> tuple[str, ...]:
        """The values of the key as text, "other" last; empty without a key."""
        if self.per is None:
            return ()
        axis = self.domain[self.per]
        named = tuple(key_text(axis, index) for index in range(axis.bins))
        return (*named, "other") if axis.other else named

    def to_json(self) -> dict[str, Any]:
        measured = [measure.to_json() for measure in self.measures]
        return {
            "name": self.name,
            "domain": self.domain.to_json(),
            "epsilon": format_number(self.budget),
            "per": self.per,
            "mechanism": self.mechanism.name,
            "parameters": self.mechanism.parameters(),
            **({"measures": measured} if measured else {}),
        }


@dataclass(frozen=True)
class Output:
    """One release that a plan produces."""

    name: str
    """Unique in the plan, and valid as a file name."""
    where: str
    """Which rows are counted, if not all: ``region = north``."""


@dataclass(frozen=True, init=False)
class Plan:
    """Several releases of one table, paid for with a single charge.

    Parameters
    ----------
    releases
        One or more `Planned` releases with different names.
    epsilon
        The total epsilon, to which shares refer. The budgets of the releases must add up to it
        exactly. By default, it is the sum of their epsilons.
    unit, neighbours
        Who is protected, as for `hushgram.publish`. The same for all releases.
    about
        Public credits of all releases, as for `hushgram.publish`.

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

    releases: tuple[Planned, ...]
    epsilon: Fraction
    unit: Unit
    neighbours: Neighbours
    about: About

    def __init__(
        self,
        releases: Iterable[Planned],
        epsilon: Number | None = None,
        unit: UnitOption = "rows",
        neighbours: Neighbours = "add-remove",
        about: AboutOption | None = None,
    ) -> None:
        listed = tuple(releases)
        if not listed or not all(isinstance(one, Planned) for one in listed):
            raise BadInput("A plan must be a list of one or more Planned(…) releases.")
        who, difference = as_unit(unit), as_neighbours(neighbours)
        budgets = share_out(listed, None if epsilon is None else as_epsilon(epsilon))
        freeze(
            self,
            releases=tuple(
                replace(one, epsilon=budget, share=None)
                for one, budget in zip(listed, budgets, strict=True)
            ),
            epsilon=sum(budgets, Fraction(0)),
            unit=who,
            neighbours=difference,
            about=as_about(about),
        )
        names = [one.name.casefold() for one in listed]
        for one, name in zip(listed, names, strict=True):
            if names.count(name) > 1:
                raise BadInput(
                    f"Two releases of the plan are named {one.name!r}. Rename one of them."
                )

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """Read a plan from a TOML file. See ``docs/guides/plans.md`` for the format."""
        file = Path(path)
        try:
            text = file.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise BadInput(f"The plan {file.name} does not exist.") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise BadInput(f"Cannot read the plan {file.name}: {reason}.") from None
        with within(file.name):
            return cls.from_toml(text)

    @classmethod
    def from_toml(cls, text: str) -> Plan:
        """Read a plan from TOML text.

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
        from hushgram.spending.plan_toml import parse_plan

        return parse_plan(text)

    def outputs(self) -> list[Output]:
        """The releases that the plan produces, in order."""
        found: list[Output] = []
        taken = {one.name.casefold() for one in self.releases if one.per is None}
        for one in self.releases:
            if one.per is None:
                found.append(Output(one.name, ""))
            for key in one.keys:
                name = free_name(f"{one.name}-{file_name_part(key)}", taken)
                found.append(Output(name, f"{one.per} = {key}"))
        return found

    def to_json(self) -> dict[str, Any]:
        return {"releases": [one.to_json() for one in self.releases]}

    def _repr_html_(self) -> str:
        from hushgram.show.report.html import table

        rows = [
            (one.name, ", ".join(one.published), one.per or "", format_number(one.budget),
             one.mechanism.name)
            for one in self.releases
        ]  # fmt: skip
        caption = f"A plan of {len(self.outputs()):,} releases, ε = {format_number(self.epsilon)}"
        heads = ("Release", "Axes", "One for each", "ε", "Mechanism")
        return table(heads, rows, caption=caption)


def as_plan(plan: object) -> Plan:
    """Return a plan, read from a file if a path is given."""
    if isinstance(plan, Plan):
        return plan
    if isinstance(plan, str | Path):
        return Plan.load(plan)
    raise BadInput(f"Expected a Plan(…) or the path of a TOML file. Found {type(plan).__name__}.")


def share_out(releases: tuple[Planned, ...], whole: Fraction | None) -> list[Fraction]:
    """Return the exact budget of each release. If a total is given, they must add up to it.

    >>> parts = Planned("a", {"x": Integer(0, 1)}, "0.1"), Planned("b", {"x": Integer(0, 1)}, "0.2")
    >>> sum(share_out(parts, None))
    Fraction(3, 10)
    """
    budgets = [budget_of(one, whole) for one in releases]
    total = sum(budgets, Fraction(0))
    if whole is not None and total != whole:
        found, given, off = map(format_number, (total, whole, abs(total - whole)))
        raise EpsilonError(
            f"The releases add up to epsilon {found}, but the plan has epsilon {given}: "
            f"{off} too {'much' if total > whole else 'little'}. The shares must add up to "
            "exactly 1."
        )
    return budgets


def budget_of(planned: Planned, whole: Fraction | None) -> Fraction:
    """Return the release's own epsilon, or its share of the plan's."""
    if planned.share is None:
        return planned.budget
    if whole is None:
        raise EpsilonError(
            f"Release {planned.name!r} has a share, but the plan has no epsilon to share. "
            "Write epsilon at the top of the plan."
        )
    return planned.share * whole


def freeze(frozen: object, **fields: object) -> None:
    """Set fields of a frozen dataclass whose constructor takes more than it stores."""
    for name, value in fields.items():
        object.__setattr__(frozen, name, value)


def check_key(domain: Domain, key: object) -> None:
    if not isinstance(key, str) or key not in domain:
        raise BadInput(
            f"per = {key!r} is not one of its axes ({', '.join(map(repr, domain))}). "
            "Declare the values of the key as an axis: they are public."
        )
    axis = domain[key]
    if not isinstance(axis, Category | Date | Integer):
        raise BadInput(
            f"The key {key!r} must be a category, a date or an integer axis. Found {axis.kind}."
        )
    if len(domain) == 1:
        raise BadInput(f"The release has no axis besides its key {key!r}. Declare one.")
    if axis.size > MOST_KEYS:
        raise BadInput(
            f"The key {key!r} has {axis.size:,} values, and each becomes a file. Use at "
            f"most {MOST_KEYS:,}: make it coarser, or publish it as an axis."
        )


def check_rowwise(key: str, measures: Iterable[Sum]) -> None:
    for measure in measures:
        if measure.per_person is not None:
            raise BadInput(
                f"per_person of {measure.column!r} does not lower the noise of releases per {key}, "
                "because a person's rows may have several of its values. Leave per_person out."
            )


@contextmanager
def within(place: str) -> Iterator[None]:
    """Prefix errors with their place in the plan."""
    try:
        yield
    except EpsilonError as error:
        raise EpsilonError(f"{place}: {lower_first(str(error))}") from None
    except (BadInput, BudgetError) as error:
        raise BadInput(f"{place}: {lower_first(str(error))}") from None
