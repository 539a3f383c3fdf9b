"""A ledger in PostgreSQL, for teams."""

from hushgram.trusted.ledger.postgres.store import PostgresStore

__all__ = ["PostgresStore"]
