"""A ledger in SQLite: a file for keeps, or memory for trials."""

from hushgram.trusted.ledger.sqlite.store import FileStore, MemoryStore

__all__ = ["FileStore", "MemoryStore"]
