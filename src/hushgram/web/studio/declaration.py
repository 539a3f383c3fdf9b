"""A whole form: one release, as the page declares it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from hushgram.base.text import shorten
from hushgram.declare.about import About
from hushgram.declare.condition import Where
from hushgram.declare.degrees import check_degrees
from hushgram.declare.domain import Domain
from hushgram.declare.epsilon import as_epsilon
from hushgram.declare.measure import OPTIONS, Sum
from hushgram.declare.measure_grammar import parse_measure
from hushgram.declare.read import read
from hushgram.declare.source import Source
from hushgram.declare.text_format import Text
from hushgram.declare.unit import Neighbours, Rows, Unit, User, as_neighbours
from hushgram.errors import BadInput
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.measured import Measuring
from hushgram.mechanisms.registry import as_mechanism
from hushgram.web.studio.axis_forms import DeclaredAxis, declare_axis
from hushgram.web.studio.fields import (
    Form,
    check_number,
    exact_text,
    form_in,
    form_list,
    is_set,
    maybe_text,
    text_of,
    whole_number,
)
from hushgram.web.studio.problems import Checks

if TYPE_CHECKING:
    from hushgram.spending.publish import Options

TEXT_OPTIONS = ("separator", "decimal", "encoding", "date_format", "line_breaks")
ABOUT = ("publisher", "source", "contact", "licence", "date")


@dataclass(frozen=True)
class TableForm:
    """What is read: a table, or some of its rows."""

    source: str
    where: str | None
    text: Mapping[str, str]
    """How its texts are written, where that is declared."""

    @classmethod
    def read(cls, form: Form, checks: Checks) -> TableForm:
        source = where = None
        with checks.field("source"):
            source = maybe_text(form, "source")
            if source is None:
                raise BadInput("Choose a table: a file, a folder or a URL.")
            if source.startswith("~"):  # as a shell does it
                source = os.path.expanduser(source)  # noqa: PTH111 - a name may be of any bytes
        with checks.field("where"):
            where = maybe_text(form, "where")
        given = {}
        for name in TEXT_OPTIONS:
            with checks.field(name):
                value = form_in(form, "text").get(name, "")
                if isinstance(value, str) and value:
                    given[name] = value
                    Text("table.csv", **{name: value})
        if where is not None:
            with checks.field("where"):
                _ = Where("table.csv", where).parsed
        return cls(source or "", where, given)

    def as_source(self) -> Source:
        return read(self.source, where=self.where, **self.text)


@dataclass(frozen=True)
class Declaration:
    """What is published, and whom that protects: all that does not concern the account."""

    table: TableForm
    axes: tuple[DeclaredAxis, ...]
    domain: Domain
    mechanism: Mechanism
    mechanism_text: str
    workload: str | None
    unit: Unit
    neighbours: Neighbours
    measures: tuple[Sum, ...]
    measure_texts: tuple[str, ...]
    share: str | None
    about: About

    @classmethod
    def read(cls, form: Form, checks: Checks) -> Declaration | None:
        """None if something is wrong, which the checks then know."""
        before = len(checks.problems)
        table = TableForm.read(form, checks)
        axes = read_axes(form, checks)
        domain = None
        with checks.field("axes"):
            domain = read_domain(axes, missing=len(checks.problems) > before)
        unit, neighbours = read_unit(form, checks)
        texts, measures = read_measures(form, checks)
        share = workload = mechanism = None
        with checks.field("share"):
            share = maybe_text(form, "share")
            Measuring.of(measures, share)
        with checks.field("mechanism"):
            workload = maybe_text(form, "workload")
            mechanism = as_mechanism(text_of(form, "mechanism") or "auto", workload)
            if domain is not None:
                mechanism.check(domain)
        about = read_about(form, checks)
        if len(checks.problems) > before or domain is None or mechanism is None:
            return None
        return cls(
            table, axes, domain, mechanism, text_of(form, "mechanism") or "auto", workload,
            unit, neighbours, measures, texts, share, about,
        )  # fmt: skip

    @property
    def candidates(self) -> tuple[str, ...]:
        """What may run; a noisy number of rows decides between several."""
        may_run = Measuring(self.measures).candidates(self.mechanism, self.domain)
        return tuple(one.name for one in may_run)

    def options(self, payment: ChargeForm, request: str | None = None) -> Options:
        """The keywords for `hushgram.publish`."""
        return {
            "epsilon": payment.epsilon_text,
            "account": payment.account,
            "cap": payment.cap,
            "allow_large": payment.allow_large,
            "mechanism": self.mechanism,
            "unit": self.unit,
            "neighbours": self.neighbours,
            "measures": self.measures,
            "share": self.share,
            "about": self.about,
            "request": request,
        }


@dataclass(frozen=True)
class ChargeForm:
    """What a call may spend, and which account pays."""

    account: str
    epsilon: Fraction
    epsilon_text: str
    cap: str | None
    allow_large: bool

    @classmethod
    def read(cls, form: Form, checks: Checks) -> ChargeForm | None:
        before = len(checks.problems)
        account, text, cap, epsilon = "", "", None, Fraction(1)
        with checks.field("account"):
            account = read_account(form)
        with checks.field("epsilon"):
            text = text_of(form, "epsilon")
            if not text:
                raise BadInput(
                    "Epsilon is missing. It is the budget of this release, such as 1 or 0.5."
                )
            epsilon = as_epsilon(text)
        with checks.field("cap"):
            cap = maybe_text(form, "cap")
            if cap is not None:
                as_epsilon(cap, "The cap")
        if len(checks.problems) > before:
            return None
        return cls(account, epsilon, text, cap, is_set(form, "allow_large"))


def read_account(form: Form) -> str:
    from hushgram.trusted.ledger.account import check_name

    name = text_of(form, "account")
    if not name:
        raise BadInput(
            "The account is missing. Every table needs one, so that its budget is recorded. "
            "Choose a name."
        )
    return check_name(name)


def read_axes(form: Form, checks: Checks) -> tuple[DeclaredAxis, ...]:
    found = []
    with checks.field("axes"):
        for number, one in enumerate(form_list(form, "axes")):
            with checks.field(f"axes.{number}"):
                found.append(declare_axis(one))
    return tuple(found)


def read_domain(axes: tuple[DeclaredAxis, ...], missing: bool) -> Domain | None:
    names = [one.name for one in axes]
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"Two axes are called {name!r}. Remove one.")
    if not axes:
        if missing:
            return None
        raise BadInput("Declare an axis: the column to publish, and its bounds.")
    domain = Domain({one.name: one.axis for one in axes})
    check_degrees(domain)
    return domain


def read_unit(form: Form, checks: Checks) -> tuple[Unit, Neighbours]:
    unit: Unit = Rows()
    neighbours: Neighbours = "add-remove"
    with checks.field("unit"):
        column = exact_text(form, "unit")
        if column:
            with checks.field("max_rows"):
                title = "The number of rows per person"
                unit = User(column, whole_number(form, "max_rows", title, "5"))
    with checks.field("neighbours"):
        neighbours = as_neighbours(text_of(form, "neighbours") or "add-remove")
    return unit, neighbours


def read_about(form: Form, checks: Checks) -> About:
    with checks.field("about"):
        return About(**{one: text_of(form_in(form, "about"), one) for one in ABOUT})
    return About()


def read_measures(form: Form, checks: Checks) -> tuple[tuple[str, ...], tuple[Sum, ...]]:
    texts, found = [], []
    with checks.field("measures"):
        for number, one in enumerate(form_list(form, "measures")):
            with checks.field(f"measures.{number}"):
                text, column = measure_text(one), exact_text(one, "column")
                check_measure(one)
                found.append(parse_measure(text))
                texts.append(text)
                if found[-1].column != column:
                    raise BadInput(
                        f"A measure cannot name the column {shorten(column)!r}: it has spaces "
                        "in odd places, or looks like a range. Rename it, or use Python."
                    )
    return tuple(texts), tuple(found)


MEASURE_NUMBERS = {
    "lo": "The lowest value",
    "hi": "The highest value",
    "missing": "What rows without a value count as",
}


def check_measure(form: Form) -> None:
    """Whether the fields of a measure hold what they ask for."""
    if not exact_text(form, "column"):
        raise BadInput("Choose the column of this sum or mean.")
    for name, title in MEASURE_NUMBERS.items():
        value = text_of(form, name)
        if not value and name != "missing":
            raise BadInput(f"{title} is missing. It is public: declare it.")
        if value and value != "drop":
            check_number(title, value)


def measure_text(form: Form) -> str:
    """A measure's form in the words of the command line.

    >>> measure_text({"kind": "mean", "column": "hours", "lo": "0", "hi": "80", "missing": "40"})
    'mean hours 0:80 missing=40'
    """
    kind, column = text_of(form, "kind"), exact_text(form, "column")
    options = [f" {name}={value}" for name in OPTIONS if (value := text_of(form, name))]
    return f"{kind} {column} {text_of(form, 'lo')}:{text_of(form, 'hi')}{''.join(options)}"
