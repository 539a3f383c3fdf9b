"""What can be said of a form before anything is paid: what is wrong, what it costs, a dry run."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from hushgram.base.exact import format_number
from hushgram.declare.axis.text import axis_text
from hushgram.declare.epsilon import as_epsilon
from hushgram.declare.unit import User
from hushgram.errors import BadInput, HushgramError, SourceError
from hushgram.expect.suggestion import meaning
from hushgram.trusted.ledger import Ledger
from hushgram.web.studio.accounts import find_account
from hushgram.web.studio.columns import describe_columns
from hushgram.web.studio.declaration import (
    ChargeForm,
    Declaration,
    TableForm,
    read_account,
    read_unit,
)
from hushgram.web.studio.fields import Form, text_of, whole_number
from hushgram.web.studio.problems import BadForm, Checks, Problem
from hushgram.web.studio.reviewed import fingerprint
from hushgram.web.studio.secrets import hide_secrets
from hushgram.web.studio.words import (
    NO_WORDS,
    columns_command,
    columns_python,
    publish_command,
    publish_python,
    suggest_command,
    suggest_python,
)

ROWS = ("rows", "The number of rows", "1,000,000")
"""A field, what it is called, and an example."""


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
    if what is not None:
        with checks.field("line_breaks"):
            check_line_breaks(what)
    payment = ChargeForm.read(form, checks)
    if payment is not None:
        check_account(form, payment, checks)
    found: dict[str, Any] = {
        **table_texts(form),
        "problems": [one.to_json() for one in checks.problems],
        "account": read_account_facts(form),
    }
    if payment is not None:
        found["after"] = preview(payment, found["account"])
    if what is None or mine:
        return found
    domain, rows = what.domain, None
    with suppress(BadInput):
        rows = whole_number(form, *ROWS)
    request = text_of(form, "request") or None
    return {
        **found,
        "cells": None if domain.continuous else f"{domain.cells:,}",
        "continuous": list(domain.continuous),
        "mechanism": what.mechanism.name,
        "candidates": list(what.candidates),
        "command": publish_command(what, payment, request) or NO_WORDS,
        "python": publish_python(what, payment, request),
        "suggest": suggest_command(what, rows) or NO_WORDS,
        "suggest_python": suggest_python(what, rows),
    }


def check_account(form: Form, payment: ChargeForm, checks: Checks) -> None:
    """Whether the account could pay, as the ledger says. Nothing is charged."""
    unit, neighbours = read_unit(form, Checks())
    ledger = Ledger.open() if Ledger.exists() else Ledger.in_memory()
    try:
        ledger.preview(
            payment.account, payment.epsilon, unit=unit.key, neighbours=neighbours,
            cap=payment.cap, allow_large=payment.allow_large,
        )  # fmt: skip
    except HushgramError as error:
        checks.add(Problem.of(error))


def check_line_breaks(what: Declaration) -> None:
    """Whether what protects people in a text file is declared, which the file itself need not be
    opened for."""
    from hushgram.trusted.engine.sources.files import format_of

    is_text = format_of(Path(what.table.source)) == "CSV"
    if is_text and isinstance(what.unit, User) and "line_breaks" not in what.table.text:
        raise BadInput(
            "Values of a CSV file may contain line breaks, so that the text of one person could "
            "pass for rows of other people. Choose whether they do."
        )


def table_texts(form: Form) -> dict[str, str]:
    """How else to look at the columns of the table, once there is one."""
    checks = Checks()
    table = TableForm.read(form, checks)
    if checks.problems:
        return {}
    return {
        "columns": columns_command(table) or NO_WORDS,
        "columns_python": columns_python(table),
    }


def read_account_facts(form: Form) -> dict[str, Any] | None:
    try:
        return find_account(read_account(form))
    except BadInput:
        return None


def preview(payment: ChargeForm, account: dict[str, Any] | None) -> dict[str, Any]:
    """What the gauge shows: what is spent, what this adds, and the cap."""
    cap = as_epsilon(payment.cap, "The cap") if payment.cap else max(as_epsilon(1), payment.epsilon)
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
    read_columns(form)
    options = what.options(payment)
    try:
        planned = publish(what.table.as_source(), what.domain, **options, dry_run=True)
    except SourceError as error:  # the table can be read, so it does not fit what is declared
        raise BadForm([Problem.of(error, "axes")]) from None
    return {
        **planned.to_json(rows=()),
        "source": hide_secrets(what.table.source),
        "reviewed": fingerprint(what.table, [what.domain], what.unit),
        "axes": [f"{name}: {axis_text(axis)}" for name, axis in what.domain.items()],
        "measured": list(map(str, planned.measures)),
    }


def read_all(form: Form) -> tuple[Declaration, ChargeForm]:
    checks = Checks()
    what, payment = Declaration.read(form, checks), ChargeForm.read(form, checks)
    checks.finish()
    assert what is not None
    assert payment is not None
    return what, payment
