"""What a plan comes to, and what it would cost."""

from __future__ import annotations

from typing import Any

from hushgram.base.exact import format_number
from hushgram.declare.domain import Domain
from hushgram.spending.plan import Plan
from hushgram.web.studio.declaration import ChargeForm, TableForm
from hushgram.web.studio.fields import Form, text_of
from hushgram.web.studio.plans import plan_text
from hushgram.web.studio.problems import Checks
from hushgram.web.studio.reviewed import fingerprint
from hushgram.web.studio.words import NO_WORDS, plan_command, plan_python


def show_plan(asked: Form) -> dict[str, Any]:
    """The plan as TOML, and what it comes to."""
    text = plan_text(asked)
    plan = Plan.from_toml(text)
    table = TableForm.read(asked, Checks())
    account = text_of(asked, "account")
    return {
        "toml": text,
        "epsilon": format_number(plan.epsilon),
        "releases": len(plan.outputs()),
        "command": plan_command(table, account) or NO_WORDS,
        "python": plan_python(table, account),
    }


def review_plan(form: Form) -> dict[str, Any]:
    """What a plan would cost, after all that can be checked without the table's rows."""
    from hushgram.spending.charge import Spending, preview_charge
    from hushgram.trusted.engine.sources.source import open_table

    table, payment, plan = read_plan_form(form)
    for planned in plan.releases:
        open_table(table.as_source()).check(planned.domain, plan.unit)
    spending = Spending.of(
        epsilon=plan.epsilon, unit=plan.unit, neighbours=plan.neighbours, account=payment.account,
        ledger=None, noise="native", request=None, cap=payment.cap,
        allow_large=payment.allow_large,
    )  # fmt: skip
    after = preview_charge(table.as_source(), spending)
    assert after is not None
    return {
        "reviewed": fingerprint(table, domains_of(plan), plan.unit),
        "epsilon": format_number(plan.epsilon),
        "account": after.name,
        "remaining": format_number(after.remaining),
        "releases": [
            {"name": one.name, "epsilon": format_number(one.budget), "axes": list(one.domain)}
            for one in plan.releases
        ],
    }


def domains_of(plan: Plan) -> list[Domain]:
    return [one.domain for one in plan.releases]


def read_plan_form(form: Form) -> tuple[TableForm, ChargeForm, Plan]:
    """A table, an account and a plan."""
    checks = Checks()
    table = TableForm.read(form, checks)
    plan = Plan.from_toml(plan_text(form))
    payment = ChargeForm.read({**form, "epsilon": format_number(plan.epsilon)}, checks)
    checks.finish()
    assert payment is not None
    return table, payment, plan
