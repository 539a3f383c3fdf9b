"""Descriptions of a source: what distinguishes it from others, and which of its rows are
counted."""

from __future__ import annotations

from pathlib import Path

from hushgram.declare.condition import Where
from hushgram.declare.source import Source
from hushgram.declare.text_format import Text


def source_identity(source: Source) -> str:
    """Return what identifies a source in a request, without the secrets of a URL."""
    from hushgram.trusted.engine.sources.address import ServerAddress
    from hushgram.trusted.engine.sources.remote import is_remote, remote_identity

    if isinstance(source, Where):
        return f"{source_identity(source.source)} WHERE {source.condition}"
    if isinstance(source, Text):
        declared = f" WITH {source.declared}" if source.declared else ""
        return f"{source_identity(source.source)}{declared}"
    if isinstance(source, str) and is_remote(source):
        return remote_identity(source)
    if isinstance(source, str) and "://" in source:
        return ServerAddress.parse(source).identity
    return str(source) if isinstance(source, str | Path) else type(source).__name__


def filter_text(source: Source, *more: str) -> str:
    """Return the condition on published rows, for people to read; "" if all rows are published."""
    conditions = [*more]
    while isinstance(source, Where | Text):
        if isinstance(source, Where):
            conditions.insert(0, source.condition)
        source = source.source
    known = [condition for condition in conditions if condition]
    return known[0] if len(known) == 1 else " AND ".join(f"({one})" for one in known)
