"""Small answers that are bought like a release: one charge, one look, and the ledger keeps what was
found."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from hushgram.base.exact import format_number
from hushgram.declare.unit import Neighbours, Unit
from hushgram.spending.publish import charge
from hushgram.spending.rehearsal import rehearse

if TYPE_CHECKING:
    from hushgram.trusted.engine.table import Table
    from hushgram.trusted.ledger import Ledger
    from hushgram.trusted.vault.purse import Purse


def bought(
    source: Any,
    table: Table,
    asked: Mapping[str, object],
    look: Callable[[Table, Purse], Any],
    *,
    epsilon: Fraction,
    unit: Unit,
    neighbours: Neighbours,
    account: str | None,
    ledger: Ledger | None,
    noise: str,
    request: str | None,
    cap: Any = None,
    allow_large: bool = False,
) -> Any:
    """What ``look`` finds in a table, as JSON can write it, with what was paid for in its purse.
    It is rehearsed without rows before anything is charged.

    A request that was finished before gives what was found then.
    """
    from hushgram.trusted.noise import source as noise_source
    from hushgram.trusted.vault.purse import Purse

    sampler = noise_source(noise)

    def found_in(rows: Table) -> Any:
        return look(rows, Purse(epsilon, unit=unit, neighbours=neighbours, noise=sampler))

    key = type(table), getattr(table, "reading", ()), type(unit), noise, asked["answer"]
    rehearse(lambda: found_in(table.empty()), key)
    paid = charge(
        source,
        epsilon,
        asked,
        unit=unit,
        neighbours=neighbours,
        account=account,
        ledger=ledger,
        request=request,
        cap=cap,
        allow_large=allow_large,
    )
    if isinstance(paid, bytes):
        return json.loads(paid)["found"]
    found = found_in(table)
    kept = {
        **asked,
        "found": found,
        "epsilon": format_number(epsilon),
        "unit": unit.to_json(),
        "neighbours": neighbours,
        "receipt": paid.receipt,
    }
    paid.keep(json.dumps(kept).encode())
    return found
