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
        if read is None:  # not where it was found out: errors of parsers quote what they read
            raise LedgerError(
                "Cannot read the address of the ledger. Write it like "
                "postgresql://user:password@host:5432/database, with special characters "
                "of the password percent-encoded (%40 for @), or keep the password in a "
                ".pgpass file."
            )
        self.where, given = read
        self._given: dict[str, Any] = {**_DEFAULTS, **given, **_OURS}

    def connect(self) -> Any:
        """A new connection, in which every statement is sent as it is written."""
        import psycopg

        return psycopg.connect("", autocommit=True, prepare_threshold=None, **self._given)

    def reason(self, error: Exception) -> str:
        """The server's own words, unless the password is among them."""
        words = " ".join(str(error).split())
        secrets = [str(self._given.get(name) or "") for name in ("password", "sslpassword")]
        if any(secret and secret in words for secret in secrets):
            return ""
        return f" (PostgreSQL: {words})" if words else ""


def _read(url: str) -> tuple[str, dict[str, Any]] | None:
    """What may be shown, and the full address, if both are certain."""
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
