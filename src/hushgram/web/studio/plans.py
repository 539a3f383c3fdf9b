"""Plans on the page: many forms that become the TOML of `hushgram publish --plan`, and back."""

from __future__ import annotations

import json
import tomllib
from decimal import Decimal
from typing import Any

from hushgram.base.exact import format_number
from hushgram.declare.about import About
from hushgram.declare.grammar import parse_axis
from hushgram.declare.measure import OPTIONS
from hushgram.declare.measure_grammar import parse_measure
from hushgram.declare.unit import User
from hushgram.errors import BadInput
from hushgram.spending.plan import Plan
from hushgram.web.studio.axis_forms import form_of
from hushgram.web.studio.declaration import Declaration, read_about
from hushgram.web.studio.fields import Form, form_in, form_list, text_of
from hushgram.web.studio.problems import Checks


def plan_text(asked: Form) -> str:
    """The TOML of the releases on the page. Who is protected, and who publishes, is said once."""
    checks = Checks()
    about = read_about(asked, checks)
    blocks = []
    first: Declaration | None = None
    for number, one in enumerate(form_list(asked, "plan")):
        form = {**form_in(one, "form"), "source": "table.parquet", "where": "", "text": {}}
        declared = Declaration.read(form, checks)
        first = first or declared
        if declared is not None:
            with checks.field(f"plan.{number}"):
                blocks.append(release_text(text_of(one, "name"), form, declared))
    checks.finish()
    if first is None:
        raise BadInput("The plan has no releases yet.")
    text = "\n".join([*head_lines(first, about), *blocks])
    Plan.from_toml(text)  # what is written can be read
    return text


def head_lines(what: Declaration, about: About) -> list[str]:
    lines = []
    if isinstance(what.unit, User):
        lines += [f"unit = {quote(what.unit.column)}", f"max_rows = {what.unit.max_rows}"]
    if what.neighbours != "add-remove":
        lines.append(f"neighbours = {quote(what.neighbours)}")
    if about:
        credits = ", ".join(f"{name} = {quote(text)}" for name, text in about.texts.items())
        lines.append(f"about = {{ {credits} }}")
    return [*lines, ""] if lines else lines


def release_text(name: str, form: Form, what: Declaration) -> str:
    """One ``[[release]]``."""
    if what.share is not None:
        raise BadInput("A plan cannot state the share of its measures. Leave the share out.")
    for one in what.axes:
        if one.text is None:
            raise BadInput(
                f"A plan cannot express the categories of axis {one.name!r}: one of them holds a "
                "comma or begins or ends with a space. Publish it on its own."
            )
    axes = ", ".join(f"{quote(one.name)} = {quote(one.text or '')}" for one in what.axes)
    outside = ", ".join(
        f"{quote(one.name)} = {quote(one.axis.outside)}"
        for one in what.axes
        if one.axis.outside != "drop"
    )
    measures = ", ".join(map(quote, what.measure_texts))
    lines = [
        "[[release]]",
        f"name = {quote(name)}",
        f"axes = {{ {axes} }}",
        *([f"outside = {{ {outside} }}"] if outside else []),
        f"epsilon = {quote(text_of(form, 'epsilon'))}",
        *([f"mechanism = {quote(what.mechanism_text)}"] if what.mechanism_text != "auto" else []),
        *([f"workload = {quote(what.workload)}"] if what.workload else []),
        *([f"measures = [{measures}]"] if measures else []),
    ]
    return "\n".join(lines) + "\n"


def quote(text: str) -> str:
    """A text as TOML writes it: JSON's escapes are TOML's, except for characters beyond 16 bits.

    >>> print(quote('a "b" \\u202e'))
    "a \\"b\\" \\u202e"
    """
    return "".join(json.dumps(sign)[1:-1] if ord(sign) < 0x10000 else sign for sign in text).join(
        '""'
    )


def read_plan(asked: Form) -> dict[str, Any]:
    """The releases of a plan in TOML, as forms that can be changed."""
    text = text_of(asked, "toml")
    plan = Plan.from_toml(text)
    data = tomllib.loads(text, parse_float=Decimal)
    listed = []
    for planned, raw in zip(plan.releases, data["release"], strict=True):
        if planned.per is not None:
            raise BadInput(
                f"Release {planned.name!r} is one for each value of {planned.per!r}, which the "
                "page cannot show. Publish this plan with: hushgram publish --plan"
            )
        outside = raw.get("outside", {})
        axes = [
            form_of(name, parse_axis(name, axis, outside.get(name, "drop")), axis)
            for name, axis in raw["axes"].items()
        ]
        listed.append(
            {
                "name": planned.name,
                "form": {
                    "axes": axes,
                    "epsilon": format_number(planned.budget),
                    "mechanism": raw.get("mechanism", "auto"),
                    "workload": raw.get("workload", ""),
                    "measures": list(map(measure_form, raw.get("measures", []))),
                },
            }
        )
    who = (
        {"unit": plan.unit.column, "max_rows": str(plan.unit.max_rows)}
        if isinstance(plan.unit, User)
        else {"unit": "", "max_rows": ""}
    )
    said = {**who, "neighbours": plan.neighbours, "about": plan.about.texts}
    return {"plan": listed, "who": said}


def measure_form(text: str) -> dict[str, str]:
    """The form of a measure that was written as a text.

    >>> measure_form("mean usual hours 0:80 missing=40")["column"]
    'usual hours'
    """
    return {**dict.fromkeys(OPTIONS, ""), **parse_measure(text).to_json()}
