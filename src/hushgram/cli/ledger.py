"""``hushgram ledger``: accounts of the privacy budget."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from hushgram.base.text import align_columns
from hushgram.cli.output import Json, show

Name = Annotated[str, typer.Argument(help="The account.")]
Large = Annotated[bool, typer.Option("--allow-large", help="Allow a cap above 10.")]


def add_to(app: typer.Typer) -> None:
    ledger = typer.Typer(
        help="Open accounts, show what is spent, change caps.\n\n"
        "\b\nExample:\n  hushgram ledger show",
        rich_markup_mode=None,
    )
    ledger.command("open")(open_account)
    ledger.command("show")(show_accounts)
    ledger.command("set-cap")(set_cap)
    ledger.command("verify")(verify)
    app.add_typer(ledger, name="ledger")


def open_account(
    name: Name,
    cap: Annotated[str, typer.Option("--cap", help="Maximum that the account may ever spend.")],
    unit: Annotated[
        str | None,
        typer.Option(
            help="Column that identifies the person, if people are protected rather than rows."
        ),
    ] = None,
    neighbours: Annotated[str, typer.Option(help="add-remove or replace-one.")] = "add-remove",
    allow_large: Large = False,
    as_json: Json = False,
) -> None:
    """Open an account. The first publish also opens one, with its --cap or a cap of 1.

    With --unit, the account pays for releases that protect the people in that column, however many
    rows of each are counted.

    \b
    Example:
      hushgram ledger open checkins --cap 3
    """
    from hushgram.declare.epsilon import as_epsilon
    from hushgram.declare.unit import Rows, User, as_neighbours
    from hushgram.trusted.ledger import Ledger

    protected = Rows() if unit is None else User(unit, max_rows=1)
    account = Ledger.open().open_account(
        name,
        as_epsilon(cap, "The cap"),
        unit=protected.key,
        neighbours=as_neighbours(neighbours),
        allow_large=allow_large,
    )
    show(facts(account), f"Opened account {account.name} with a cap of {cap}.", as_json=as_json)


def show_accounts(
    name: Annotated[
        str | None, typer.Argument(help="Account to show with its history. Default: all accounts.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show all accounts, or one of them with its history.

    \b
    Example:
      hushgram ledger show checkins
    """
    from hushgram.trusted.ledger import Ledger

    ledger = Ledger.open()
    if name is None:
        accounts = [facts(account) for account in ledger.accounts()]
        heads = ("account", "spent", "cap", "unit", "neighbours")
        rows = [tuple(str(a[head]) for head in heads) for a in accounts]
        text = align_columns(rows, heads=heads) if rows else "No accounts yet."
        show(accounts, f"{text}\n\nLedger: {ledger.location}", as_json=as_json)
        return
    account = ledger.account(name)
    entries = [{"time": e.time, "kind": e.kind, **fields(e.payload)} for e in ledger.entries(name)]
    lines = [(e["time"][:19], e["kind"], e.get("epsilon") or e.get("cap") or "") for e in entries]
    head = f"{account.name}: {facts(account)['spent']} of {facts(account)['cap']} spent"
    show({**facts(account), "entries": entries}, f"{head}\n{align_columns(lines)}", as_json=as_json)


def set_cap(
    name: Name,
    cap: Annotated[str, typer.Argument(help="The new cap.")],
    allow_large: Large = False,
    as_json: Json = False,
) -> None:
    """Raise or lower the cap of an account. The change is recorded in the ledger.

    \b
    Example:
      hushgram ledger set-cap checkins 2
    """
    from hushgram.declare.epsilon import as_epsilon
    from hushgram.trusted.ledger import Ledger

    account = Ledger.open().set_cap(name, as_epsilon(cap, "The cap"), allow_large=allow_large)
    show(facts(account), f"Account {account.name} may now spend {cap} in total.", as_json=as_json)


def verify(
    releases: Annotated[
        list[Path] | None,
        typer.Argument(help="Release files whose receipts must be in the ledger."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Verify the ledger: its hash chain, its sums and its stored releases.

    \b
    Example:
      hushgram ledger verify checkins.hush.parquet
    """
    from hushgram.errors import LedgerError
    from hushgram.release import load
    from hushgram.trusted.ledger import Ledger, Receipt

    ledger = Ledger.open()
    receipts = []
    for path in releases or []:
        release = load(path)
        if release.receipt is None:
            raise LedgerError(
                f"{path} has no receipt, so no ledger can vouch for it. It was published "
                "without an account."
            )
        receipts.append(Receipt.from_json(release.receipt))
    entries = ledger.verify(receipts, committed=True)
    data = {"entries": entries, "receipts": len(receipts), "ledger": ledger.location}
    text = f"The ledger is intact: {entries} entries checked, {len(receipts)} receipts found."
    show(data, text, as_json=as_json)


def fields(payload: str) -> dict[str, str]:
    """Return the fields of an entry with plain numbers, without the salt of the receipt."""
    from hushgram.base.exact import format_number as plain
    from hushgram.base.exact import from_text

    budgets = ("epsilon", "cap", "spent")
    found = {key: value for key, value in json.loads(payload).items() if key != "salt"}
    return {k: plain(from_text(v)) if k in budgets else v for k, v in found.items()}


def facts(account: Any) -> dict[str, str]:
    from hushgram.base.exact import format_number as plain

    return {
        "account": account.name,
        "spent": plain(account.spent),
        "cap": plain(account.cap),
        "remaining": plain(account.remaining),
        "unit": account.unit,
        "neighbours": account.neighbours,
    }
