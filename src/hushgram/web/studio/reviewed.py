"""What a review has shown. If a file changes before the steward confirms, nothing is published."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256

from hushgram.declare.domain import Domain
from hushgram.declare.unit import Unit, User
from hushgram.errors import DomainError
from hushgram.web.studio.declaration import TableForm


def fingerprint(table: TableForm, domains: Sequence[Domain], unit: Unit) -> str:
    """A hash of the axes, with the areas of their files, and of the types of the columns."""
    from hushgram.trusted.engine.sources.source import open_table

    people = [unit.column] if isinstance(unit, User) else []
    names = sorted({*people, *(name for domain in domains for name in domain.columns)})
    types = open_table(table.as_source()).column_types(names)
    axes = [[[name, axis.to_json()] for name, axis in domain.items()] for domain in domains]
    return sha256(json.dumps([axes, types]).encode()).hexdigest()


def check_unchanged(reviewed: str, table: TableForm, domains: Sequence[Domain], unit: Unit) -> None:
    """Refuse to publish something else than was reviewed."""
    if reviewed not in ("", fingerprint(table, domains, unit)):
        raise DomainError(
            "The columns of the table or a file of areas have changed since the review. Review "
            "again."
        )
