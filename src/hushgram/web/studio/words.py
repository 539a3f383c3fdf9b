"""The equivalent command and Python of what a page declares, to be copied."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import asdict

from hushgram.base.text import CONTROLS
from hushgram.declare.unit import Unit, User
from hushgram.web.studio.axis_forms import DeclaredAxis
from hushgram.web.studio.declaration import ChargeForm, Declaration, TableForm
from hushgram.web.studio.secrets import hide_secrets

NO_WORDS = (
    "The command line cannot express one of these names or categories (commas, '=', a leading "
    "dash, leading or trailing spaces, or invisible characters). Use Python."
)

UNSEEN = re.compile(rf"[\t\n]|{CONTROLS.pattern}")
"""What may do more than be typed when a command is pasted: a column's name can hold Ctrl-C."""


def publish_command(
    what: Declaration, payment: ChargeForm | None, request: str | None = None
) -> str | None:
    """``hushgram publish …``; None if the command line cannot express an axis."""
    axes = axis_options(what.axes)
    if axes is None:
        return None
    paid = payment_options(payment) if payment else ["--account NAME", "--epsilon EPSILON"]
    asked = [] if request is None else [option("request", request)]
    words = [
        *paid,
        *axes,
        *recipe_options(what),
        *unit_options(what.unit, what.neighbours),
        *about_options(what),
        *asked,
    ]
    return join(f"hushgram publish {table_words(what.table)}", *words)


def suggest_command(what: Declaration, rows: int | None, *more: str) -> str | None:
    axes = axis_options(what.axes, outside=False)
    if axes is None:
        return None
    people = [f"--max-rows {what.unit.max_rows}"] if isinstance(what.unit, User) else []
    difference = neighbours_option(what.neighbours)
    named = [] if what.mechanism_text == "auto" else [option("mechanism", what.mechanism_text)]
    asked = [option("workload", what.workload)] if what.workload else []
    size = f"hushgram suggest --rows {'ROWS' if rows is None else rows}"
    return join(size, *axes, *more, *named, *asked, *people, *difference)


def suggest_python(what: Declaration, rows: int | None) -> str:
    axes = "".join(f"    {one.name!r}: {one.python},\n" for one in what.axes)
    options = [one for one in python_options(what) if not one.startswith("about")]
    listed = "".join(f", {one}" for one in options)
    size = "ROWS" if rows is None else f"{rows:_}"
    return (
        f"import hushgram as hg\n\ndomain = hg.Domain({{\n{axes}}})\n"
        f"print(hg.suggest({size}, domain{listed}))\n"
    )


def columns_command(table: TableForm) -> str | None:
    return join(f"hushgram columns {table_words(table)}")


def columns_python(table: TableForm) -> str:
    return f"import hushgram as hg\n\nprint(hg.columns({source_python(table)}))\n"


def cap_command(account: str) -> str | None:
    return join(f"hushgram ledger set-cap {shlex.quote(account)} CAP")


def bounds_command(
    table: TableForm, column: str, kind: str, payment: ChargeForm, unit: Unit, neighbours: str
) -> str | None:
    if column.startswith("-"):  # it would be an option
        return None
    words = [*payment_options(payment), option("kind", kind), *unit_options(unit, neighbours)]
    return join(f"hushgram find-bounds {table_words(table, column)}", *words)


def bounds_python(
    table: TableForm, column: str, kind: str, payment: ChargeForm, unit: Unit, neighbours: str
) -> str:
    more = [*unit_python(unit, neighbours), *payment_python(payment)]
    listed = "".join(f"    {one},\n" for one in more)
    return (
        f"import hushgram as hg\n\naxis = hg.find_bounds(\n    {source_python(table)},\n"
        f"    {column!r},\n    kind={kind!r},\n    epsilon={payment.epsilon_text!r},\n"
        f"    account={payment.account!r},\n{listed})\n"
    )


def plan_command(table: TableForm, account: str) -> str | None:
    words = option("account", account or "NAME"), "--plan plan.toml"
    return join(f"hushgram publish {table_words(table)}", *words)


def plan_python(table: TableForm, account: str) -> str:
    return (
        f"import hushgram as hg\n\nreleases = hg.publish_plan(\n    {source_python(table)},\n"
        f"    'plan.toml',\n    account={account or 'NAME'!r},\n)\n"
    )


def publish_python(
    what: Declaration, payment: ChargeForm | None, request: str | None = None
) -> str:
    """The same in Python."""
    axes = "".join(f"    {one.name!r}: {one.python},\n" for one in what.axes)
    lines = [
        repr(payment.epsilon_text) if payment else '"EPSILON"',
        repr(payment.account) if payment else '"NAME"',
    ]
    keywords = [f"epsilon={lines[0]}", f"account={lines[1]}", *python_options(what)]
    if payment:
        keywords += payment_python(payment)
    if request is not None:
        keywords.append(f"request={request!r}")
    listed = "".join(f"    {one},\n" for one in keywords)
    return (
        f"import hushgram as hg\n\ndomain = hg.Domain({{\n{axes}}})\n"
        f"release = hg.publish(\n    {source_python(what.table)},\n    domain,\n{listed})\n"
    )


def python_options(what: Declaration) -> list[str]:
    found = unit_python(what.unit, what.neighbours)
    if what.mechanism_text != "auto":
        found.append(f"mechanism={what.mechanism_text!r}")
    if what.workload:
        found.append(f"workload={what.workload!r}")
    if what.measures:
        found.append(f"measures=[{', '.join(f'hg.{one!r}' for one in what.measures)}]")
    if what.share:
        found.append(f"share={what.share!r}")
    about = {name: text for name, text in asdict(what.about).items() if text}
    if about:
        found.append(f"about=hg.About({', '.join(f'{n}={t!r}' for n, t in about.items())})")
    return found


def unit_python(unit: Unit, neighbours: str) -> list[str]:
    found = []
    if isinstance(unit, User):
        found.append(f"unit=hg.User({unit.column!r}, max_rows={unit.max_rows})")
    if neighbours != "add-remove":
        found.append(f"neighbours={neighbours!r}")
    return found


def payment_python(payment: ChargeForm) -> list[str]:
    cap = [f"cap={payment.cap!r}"] if payment.cap else []
    return [*cap, *(["allow_large=True"] if payment.allow_large else [])]


def source_python(table: TableForm) -> str:
    given = "".join(f", {name}={value!r}" for name, value in table.text.items())
    shown = repr(hide_secrets(table.source))
    source = f"hg.Text({shown}{given})" if given else shown
    return source if table.where is None else f"hg.Where({source}, {table.where!r})"


def axis_options(axes: Iterable[DeclaredAxis], outside: bool = True) -> list[str] | None:
    found = []
    for one in axes:
        if one.text is None or "=" in one.name or one.name != one.name.strip():
            return None
        found.append(option("axis", f"{one.name}={one.text}"))
        if outside and one.axis.outside != "drop":
            found.append(option("outside", f"{one.name}={one.axis.outside}"))
    return found


def recipe_options(what: Declaration) -> list[str]:
    named = [] if what.mechanism_text == "auto" else [option("mechanism", what.mechanism_text)]
    asked = [option("workload", what.workload)] if what.workload else []
    measured = [option("measure", text) for text in what.measure_texts]
    share = [option("share", what.share)] if what.share else []
    return [*named, *asked, *measured, *share]


def unit_options(unit: Unit, neighbours: str) -> list[str]:
    people = []
    if isinstance(unit, User):
        people = [option("unit", unit.column), option("max-rows", str(unit.max_rows))]
    return [*people, *neighbours_option(neighbours)]


def neighbours_option(neighbours: str) -> list[str]:
    return [] if neighbours == "add-remove" else [option("neighbours", neighbours)]


def about_options(what: Declaration) -> list[str]:
    return [option(name, text) for name, text in asdict(what.about).items() if text]


def payment_options(payment: ChargeForm) -> list[str]:
    cap = [option("cap", payment.cap)] if payment.cap else []
    large = ["--allow-large"] if payment.allow_large else []
    return [
        option("account", payment.account),
        option("epsilon", payment.epsilon_text),
        *cap,
        *large,
    ]


def table_words(table: TableForm, *more: str) -> str:
    """The table and how it is read. A file that begins with a dash is not an option."""
    options = [option(name.replace("_", "-"), value) for name, value in table.text.items()]
    if table.where is not None:
        options.append(option("where", table.where))
    source = f"./{table.source}" if table.source.startswith("-") else hide_secrets(table.source)
    return " ".join([*options, *map(shlex.quote, (source, *more))])


def option(name: str, value: str) -> str:
    """An option with its value, which a dash may begin."""
    sign = "=" if value.startswith("-") else " "
    return f"--{name}{sign}{shlex.quote(value)}"


def join(*words: str) -> str | None:
    """A command over several lines, if all of it can be seen."""
    return None if any(map(UNSEEN.search, words)) else " \\\n    ".join(words)
