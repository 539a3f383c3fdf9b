"""The address of the server, and the part of it that may be shown."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from hushgram.errors import LedgerError
from hushgram.trusted.url import hosts, pieces

_DEFAULTS = {
    "connect_timeout": "10",
    "target_session_attrs": "read-write",  # a standby may not know the newest charges
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
}
_OURS = {"application_name": "hushgram", "client_encoding": "utf8"}


class PostgresAddress:
    """A URL that may hold a password; `where` is the part of it that may be shown."""

    def __init__(self, url: str) -> None:
        read = _read(url)
        if read is None:  # not raised in the parser's handler: its error quotes the URL
            raise LedgerError(
                "Cannot read the address of the ledger. Write it like "
                "postgresql://user:password@host:5432/database, with special characters "
                "of the password percent-encoded (%40 for @), or keep the password in a "
                ".pgpass file."
            )
        self.where, given = read
        self._given: dict[str, Any] = {**_DEFAULTS, **given, **_OURS}

    def connect(self) -> Any:
        """Open a new connection. Statements are never prepared."""
        import psycopg

        return psycopg.connect("", autocommit=True, prepare_threshold=None, **self._given)

    def reason(self, error: Exception) -> str:
        """Return the server's message, or nothing if it contains the password."""
        message = " ".join(str(error).split())
        secrets = [str(self._given.get(name) or "") for name in ("password", "sslpassword")]
        if any(secret and secret in message for secret in secrets):
            return ""
        return f" (PostgreSQL: {message})" if message else ""


def _read(url: str) -> tuple[str, dict[str, Any]] | None:
    """Return the part that may be shown and the connection options, or None if the URL is
    ambiguous."""
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    found = pieces(url)
    try:
        given = conninfo_to_dict(url)
    except psycopg.Error:
        return None
    if found is None:
        return None
    user = f"{quote(str(given['user']))}@" if given.get("user") else ""
    return f"postgresql://{user}{hosts(found)}{found.path}", given
