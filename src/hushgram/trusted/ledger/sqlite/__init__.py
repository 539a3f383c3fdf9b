"""A ledger in SQLite: a permanent file, or memory for experiments."""

from hushgram.trusted.ledger.sqlite.store import FileStore, MemoryStore

__all__ = ["FileStore", "MemoryStore"]
