"""The ledger as the page shows it: accounts, and what their charges bought."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hushgram.base.exact import format_number, from_text
from hushgram.declare.axis.text import axis_text
from hushgram.declare.epsilon import as_epsilon
from hushgram.errors import HushgramError
from hushgram.trusted.ledger import Finished, Ledger
from hushgram.web.studio.fields import Form, is_set, text_of
from hushgram.web.studio.problems import BadForm, Checks
from hushgram.web.studio.words import NO_WORDS, cap_command

if TYPE_CHECKING:
    from hushgram.release import Release
    from hushgram.trusted.ledger.account import Account

BUDGETS = ("epsilon", "cap", "spent")

MOST = 200
"""Entries that are shown, the latest ones."""


def list_accounts() -> dict[str, Any]:
    """All accounts; none while nobody has made a ledger."""
    if not Ledger.exists():
        return {"accounts": [], "location": None}
    ledger = Ledger.open()
    return {
        "accounts": [account_facts(one) for one in ledger.accounts()],
        "location": ledger.location,
    }


def find_account(name: str) -> dict[str, Any] | None:
    """An account by its name in any spelling, or None."""
    from hushgram.errors import UnknownAccount

    if not Ledger.exists():
        return None
    try:
        return account_facts(Ledger.open().account(name))
    except UnknownAccount:
        return None


def account_facts(account: Account) -> dict[str, Any]:
    spent, cap = account.spent, account.cap
    return {
        "name": account.name,
        "spent": format_number(spent),
        "cap": format_number(cap),
        "remaining": format_number(account.remaining),
        "share": float(spent / cap) if cap else 1.0,
        "unit": account.unit,
        "neighbours": account.neighbours,
        "cap_command": cap_command(account.name) or NO_WORDS,
    }


def show_history(name: str) -> dict[str, Any]:
    """An account and its entries, with what each charge bought."""
    ledger = Ledger.open()
    account = ledger.account(name)
    entries = list(ledger.entries(account.name))
    found = []
    for entry in entries[-MOST:]:
        fields = json.loads(entry.payload)
        if entry.kind == "commit":
            continue
        line = {
            "time": entry.time[:19],
            "kind": entry.kind,
            **{one: format_number(from_text(fields[one])) for one in BUDGETS if one in fields},
        }
        if entry.kind == "charge":
            line |= {"request": fields["request"], **purchase(ledger, fields["request"])}
        found.append(line)
    return {
        "account": account_facts(account),
        "entries": found,
        "more": max(len(entries) - MOST, 0),
    }


def verify(_: Form) -> dict[str, Any]:
    if not Ledger.exists():
        return {"entries": 0}
    return {"entries": Ledger.open().verify()}


def set_cap(form: Form) -> dict[str, Any]:
    checks = Checks()
    with checks.field("cap"):
        cap = as_epsilon(text_of(form, "cap"), "The cap")
        ledger = Ledger.open()
        large = is_set(form, "allow_large")
        return {
            "account": account_facts(
                ledger.set_cap(text_of(form, "account"), cap, allow_large=large)
            )
        }
    raise BadForm(checks.problems)


def purchase(ledger: Ledger, request: str) -> dict[str, Any]:
    """What a charge bought, as the ledger keeps it; nothing if it was forfeited or still runs."""
    try:
        outcome = ledger.outcome(request)
        if not isinstance(outcome, Finished):
            return {"bought": "nothing", "releases": []}
        return describe_purchase(outcome.release)
    except HushgramError:
        return {"bought": "unreadable", "releases": []}


def describe_purchase(kept: bytes) -> dict[str, Any]:
    """A release, the releases of a plan, or an answer."""
    if kept[:1] == b"{":
        answer = json.loads(kept)
        column = answer.get("column") or answer.get("unit") or ""
        return {"bought": f"{answer.get('answer', 'answer')} {column}".strip(), "releases": []}
    releases = read_kept(kept)
    facts = [release_facts(name, one) for name, one in releases.items()]
    return {"bought": "releases", "releases": facts}


def read_kept(kept: bytes) -> Mapping[str, Release]:
    """The releases that the ledger keeps for a request: one, or those of a plan."""
    from hushgram.release.parquet import read
    from hushgram.spending.publish_plan import unpack_releases

    return unpack_releases(kept) if kept[:2] == b"PK" else {"release": read(kept)}


def release_facts(name: str, release: Release) -> dict[str, Any]:
    """What anybody may know of a release."""
    return {
        "name": name,
        "axes": [{"name": one, "text": axis_text(axis)} for one, axis in release.domain.items()],
        "mechanism": release.mechanism,
        "epsilon": format_number(release.epsilon),
        "parts": release.estimate.partition.size,
        "where": release.where,
        "measures": [str(one.measure) for one in release.measured],
        "receipt": (release.receipt or {}).get("id", ""),
        "unit": str(release.unit),
        "neighbours": release.neighbours,
    }
