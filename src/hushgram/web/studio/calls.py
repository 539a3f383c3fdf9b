"""What the page may ask: each call takes a form and gives JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from hushgram.base.exact import format_number
from hushgram.declare.axis.text import axis_text
from hushgram.declare.epsilon import as_epsilon
from hushgram.errors import BadInput
from hushgram.expect.least import as_share
from hushgram.expect.suggestion import meaning
from hushgram.spending.plan import Plan
from hushgram.trusted.ledger import Finished, Ledger
from hushgram.web.studio.accounts import (
    account_facts,
    find_account,
    list_accounts,
    release_facts,
    show_history,
)
from hushgram.web.studio.columns import describe_columns, list_folder
from hushgram.web.studio.curves import Curves
from hushgram.web.studio.declaration import (
    ChargeForm,
    Declaration,
    TableForm,
    read_account,
    read_unit,
)
from hushgram.web.studio.fields import form_in, is_set, text_of, whole_number
from hushgram.web.studio.plans import plan_text, read_plan
from hushgram.web.studio.problems import BadForm, Checks
from hushgram.web.studio.publishing import DONE, Found, Publishing, PublishJob
from hushgram.web.studio.words import (
    NO_WORDS,
    bounds_command,
    bounds_python,
    plan_command,
    plan_python,
    publish_command,
    publish_python,
    suggest_command,
    suggest_python,
)

if TYPE_CHECKING:
    from hushgram.spending.bounds import Kind

Form = Mapping[str, Any]


class Calls:
    """The state of one run, and the calls by name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.publishing = Publishing()
        self.curves = Curves()
        self.signed: dict[tuple[str, str], bytes] = {}
        self.known: dict[str, Callable[[Form], dict[str, Any]]] = {
            "folder": lambda form: list_folder(text_of(form, "path"), self.folder),
            "columns": read_columns,
            "check": check,
            "curve": self.curve,
            "least": self.least,
            "dry-run": dry_run,
            "publish": self.publish,
            "plan-text": show_plan,
            "plan-read": read_plan,
            "plan-review": review_plan,
            "publish-plan": self.publish_plan,
            "bounds": self.find_bounds,
            "bounds-words": describe_bounds,
            "job": self.describe_request,
            "cancel": self.cancel,
            "sign": self.sign,
            "ledger": lambda _: list_accounts(),
            "account": lambda form: show_history(read_account(form)),
            "verify": verify,
            "cap": set_cap,
        }

    def curve(self, form: Form) -> dict[str, Any]:
        """The errors to expect, as far as they are simulated."""
        checks = Checks()
        what = Declaration.read(form, checks)
        rows = 0
        with checks.field("rows"):
            rows = whole_number(form, "rows", "1,000,000")
        checks.finish()
        assert what is not None
        return self.curves.ask(what, rows).to_json()

    def least(self, asked: Form) -> dict[str, Any]:
        """The least ε that reaches an error, once it is found."""
        checks = Checks()
        what = Declaration.read(form_in(asked, "form"), checks)
        rows = error = 0
        with checks.field("rows"):
            rows = whole_number(form_in(asked, "form"), "rows", "1,000,000")
        with checks.field("error"):
            error = whole_number(asked, "error", "50")
        with checks.field("at"):
            as_share(text_of(asked, "at"))
        checks.finish()
        assert what is not None
        at, kind = text_of(asked, "at"), text_of(asked, "kind")
        found = self.curves.ask(what, rows, {"error": error, "at": at, "kind": kind}).to_json()
        words = ("--error", str(error)), ("--at", at), ("--kind", kind)
        command = suggest_command(what, rows, *(f"{name} {text}" for name, text in words))
        return {**found, "command": command or NO_WORDS}

    def publish(self, asked: Form) -> dict[str, Any]:
        """Start to publish; asked again, the same request goes on."""
        form, request = form_in(asked, "form"), text_of(asked, "request")
        what, payment = read_all(form)

        def work(ledger: Ledger) -> Found:
            from hushgram.spending.publish import publish

            options = what.options(payment, request)
            options["ledger"] = ledger
            return {"release": publish(what.table.as_source(), what.domain, **options)}

        return self.describe(self.publishing.start(request, form, work))

    def publish_plan(self, asked: Form) -> dict[str, Any]:
        """Start to publish a plan: one charge for all of it."""
        form, request = form_in(asked, "form"), text_of(asked, "request")
        table, payment, plan = read_plan_form(form)

        def work(ledger: Ledger) -> Found:
            from hushgram.spending.publish_plan import publish_plan

            return dict(
                publish_plan(
                    table.as_source(), plan, account=payment.account, ledger=ledger,
                    request=request, cap=payment.cap, allow_large=payment.allow_large,
                )
            )  # fmt: skip

        return self.describe(self.publishing.start(request, form, work))

    def find_bounds(self, asked: Form) -> dict[str, Any]:
        """Start to look for bounds, which is paid for like a release."""
        form, request = form_in(asked, "form"), text_of(asked, "request")
        checks = Checks()
        table, payment = TableForm.read(form, checks), ChargeForm.read(form, checks)
        unit, neighbours = read_unit(form, checks)
        checks.finish()
        assert payment is not None
        column, kind = text_of(form, "column"), text_of(form, "kind")

        def work(ledger: Ledger) -> Found:
            from hushgram.spending.bounds import find_bounds

            axis = find_bounds(
                table.as_source(), column, epsilon=payment.epsilon_text, account=payment.account,
                kind=cast("Kind", kind), unit=unit, neighbours=neighbours, ledger=ledger,
                request=request, cap=payment.cap, allow_large=payment.allow_large,
            )  # fmt: skip
            return {"axis": axis.to_json()}

        return self.describe(self.publishing.start(request, form, work))

    def describe_request(self, asked: Form) -> dict[str, Any]:
        """How far a request is; one of an earlier run is found in the ledger."""
        request = text_of(asked, "request")
        job = self.publishing.find(request)
        if job is not None:
            return self.describe(job)
        outcome = Ledger.open().outcome(request) if Ledger.exists() else None
        if outcome is None:
            return {"request": request, "stage": "unknown", "charged": False}
        stage = "kept" if isinstance(outcome, Finished) else "forfeited"
        return {
            "request": request,
            "stage": stage,
            "charged": True,
            "account": outcome.account,
            "epsilon": format_number(outcome.epsilon),
        }

    def describe(self, job: PublishJob) -> dict[str, Any]:
        found = {**job.to_json()}
        if job.stage == DONE:
            found["releases"] = [
                release_facts(name, one) for name, one in job.found.items() if is_release(one)
            ]
            found["axis"] = job.found.get("axis")
        return found

    def cancel(self, asked: Form) -> dict[str, Any]:
        job = self.publishing.find(text_of(asked, "request"))
        if job is None:
            raise BadInput("There is no such request.")
        return {**self.describe(job), "cancelled": job.cancel()}

    def sign(self, asked: Form) -> dict[str, Any]:
        """Sign a release with the private key in a file of the steward's."""
        from hushgram.release.signing import public_text, read_key, sign_release
        from hushgram.web.studio.results import find_release

        request, name = text_of(asked, "request"), text_of(asked, "name")
        checks = Checks()
        with checks.field("key"):
            path = text_of(asked, "key")
            if not path:
                raise BadInput("give the file of your private key: hushgram keys new makes one.")
            key = read_key(self.folder / Path(path).expanduser(), text_of(asked, "words") or None)
            release = find_release(self.publishing, request, name)
            self.signed[request, name] = sign_release(release, key)
            return {"public": public_text(key)}
        raise BadForm(checks.problems)


def is_release(value: object) -> bool:
    from hushgram.release import Release

    return isinstance(value, Release)


def read_all(form: Form) -> tuple[Declaration, ChargeForm]:
    checks = Checks()
    what, payment = Declaration.read(form, checks), ChargeForm.read(form, checks)
    checks.finish()
    assert what is not None
    assert payment is not None
    return what, payment


def read_plan_form(form: Form) -> tuple[TableForm, ChargeForm, Plan]:
    """A table, an account and a plan."""
    checks = Checks()
    table = TableForm.read(form, checks)
    plan = Plan.from_toml(plan_text(form))
    payment = ChargeForm.read({**form, "epsilon": format_number(plan.epsilon)}, checks)
    checks.finish()
    assert payment is not None
    return table, payment, plan


def describe_bounds(form: Form) -> dict[str, Any]:
    """The same search in words, and what it would cost."""
    checks = Checks()
    table, payment = TableForm.read(form, checks), ChargeForm.read(form, checks)
    unit, neighbours = read_unit(form, checks)
    checks.finish()
    assert payment is not None
    asked = table, text_of(form, "column"), text_of(form, "kind"), payment, unit, neighbours
    after = preview(payment, None, find_account(payment.account))
    return {"command": bounds_command(*asked), "python": bounds_python(*asked), "after": after}


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
        "command": plan_command(table, account),
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
        "epsilon": format_number(plan.epsilon),
        "account": after.name,
        "remaining": format_number(after.remaining),
        "releases": [
            {"name": one.name, "epsilon": format_number(one.budget), "axes": list(one.domain)}
            for one in plan.releases
        ],
    }


def read_columns(form: Form) -> dict[str, Any]:
    checks = Checks()
    table = TableForm.read(form, checks)
    found: dict[str, Any] = {}
    if not checks.problems:
        with checks.field("source"):
            found = describe_columns(table)
    checks.finish()
    return found


def check(form: Form) -> dict[str, Any]:
    """Everything that can be said of a form without opening the table, and all that is wrong."""
    checks = Checks()
    what = Declaration.read(form, checks)
    mine = list(checks.problems)
    payment = ChargeForm.read(form, checks)
    found: dict[str, Any] = {
        "problems": [one.to_json() for one in checks.problems],
        "account": read_account_facts(form),
    }
    if payment is not None:
        found["after"] = preview(payment, what, found["account"])
    if what is None or mine:
        return found
    domain, rows = what.domain, None
    with suppress(BadInput):
        rows = whole_number(form, "rows", "1,000,000")
    request = text_of(form, "request") or None
    return {
        **found,
        "cells": None if domain.continuous else f"{domain.cells:,}",
        "continuous": list(domain.continuous),
        "mechanism": what.mechanism.name,
        "candidates": list(what.candidates),
        "command": publish_command(what, payment, request) or NO_WORDS,
        "python": publish_python(what, payment),
        "suggest": suggest_command(what, rows) or NO_WORDS,
        "suggest_python": suggest_python(what, rows),
    }


def read_account_facts(form: Form) -> dict[str, Any] | None:
    try:
        return find_account(read_account(form))
    except BadInput:
        return None


def preview(
    payment: ChargeForm, what: Declaration | None, account: dict[str, Any] | None
) -> dict[str, Any]:
    """What the gauge shows: what is spent, what this adds, and the cap."""
    cap = as_epsilon(payment.cap, "the cap") if payment.cap else max(as_epsilon(1), payment.epsilon)
    spent = as_epsilon(account["spent"]) if account and account["spent"] != "0" else 0
    if account:
        cap = as_epsilon(account["cap"])
    left = cap - spent - payment.epsilon
    return {
        "new": account is None,
        "spent": format_number(spent + 0 * cap),
        "epsilon": format_number(payment.epsilon),
        "cap": format_number(cap),
        "left": format_number(left),
        "fits": left >= 0,
        "meaning": meaning(payment.epsilon),
        "shares": [float(spent / cap), float(payment.epsilon / cap)],
    }


def dry_run(form: Form) -> dict[str, Any]:
    """Check all that is public: the table's schema, the account, a run without rows."""
    from hushgram.spending.publish import publish

    what, payment = read_all(form)
    options = what.options(payment)
    planned = publish(what.table.as_source(), what.domain, **options, dry_run=True)
    return {
        **planned.to_json(rows=()),
        "axes": [f"{name}: {axis_text(axis)}" for name, axis in what.domain.items()],
        "measured": list(map(str, planned.measures)),
    }


def verify(_: Form) -> dict[str, Any]:
    if not Ledger.exists():
        return {"entries": 0}
    return {"entries": Ledger.open().verify()}


def set_cap(form: Form) -> dict[str, Any]:
    checks = Checks()
    with checks.field("cap"):
        cap = as_epsilon(text_of(form, "cap"), "the cap")
        ledger = Ledger.open()
        large = is_set(form, "allow_large")
        return {
            "account": account_facts(
                ledger.set_cap(text_of(form, "account"), cap, allow_large=large)
            )
        }
    raise BadForm(checks.problems)
