"""The ledger within one transaction of PostgreSQL, on a separate connection."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

from hushgram.errors import LedgerError
from hushgram.trusted.ledger.chain import corruption_error
from hushgram.trusted.ledger.postgres.address import PostgresAddress
from hushgram.trusted.ledger.postgres.errors import explain_error, unknown_outcome_error
from hushgram.trusted.ledger.postgres.schema import field, is_guarded


class PostgresRows:
    """A connection that raises only the ledger's errors.

    They are raised outside the handler of the driver's errors, so that these are not their context:
    they refer to the connection, which contains the password.
    """

    def __init__(self, address: PostgresAddress) -> None:
        self._address = address
        # An invalid host name raises a UnicodeError.
        self.connection = self._call(address.connect, UnicodeError)

    def execute(self, statement: str, values: Sequence[object] = ()) -> Iterable[tuple[Any, ...]]:
        query = statement.replace("?", "%s").encode()
        found: Iterable[tuple[Any, ...]]
        found = self._call(lambda: self.connection.execute(query, values or None))
        return found

    def _call(self, step: Callable[[], Any], *more: type[Exception]) -> Any:
        import psycopg

        try:
            return step()
        except (psycopg.Error, *more) as error:
            explained = explain_error(self._address, error)
        raise explained

    def commit(self) -> None:
        """Commit, and raise unless the transaction is certainly durable.

        The server answers ROLLBACK for a failed transaction, and only warns if a standby did not
        confirm. Neither raises an error by default.
        """
        import psycopg

        warnings: list[str] = []
        self.connection.add_notice_handler(
            lambda notice: warnings.append(notice.severity_nonlocalized)
        )
        ended = None
        with suppress(psycopg.Error):
            ended = self.connection.execute("COMMIT").statusmessage
        if ended is None or "WARNING" in warnings:
            raise unknown_outcome_error(self._address)
        if ended != "COMMIT":
            raise LedgerError(
                f"The ledger {self._address.where} rolled back the last step ({ended}). "
                "Nothing was written. Try again."
            )

    def roll_back(self) -> None:
        """Roll back now if the server is reachable; otherwise it rolls back when the connection
        ends."""
        import psycopg

        with suppress(psycopg.Error):
            self.connection.execute("ROLLBACK")

    def close(self) -> None:
        self.connection.close()

    def field(self, name: str) -> str:
        return field(name)

    def check(self) -> None:
        if not is_guarded(self.execute):
            raise corruption_error("its tables, indexes or triggers were changed")

    def release(self, receipt_id: str) -> bytes | None:
        found = list(self.execute("SELECT release FROM releases WHERE receipt = ?", [receipt_id]))
        return found[0][0] if found else None

    def releases(self) -> set[str]:
        return {receipt for (receipt,) in self.execute("SELECT receipt FROM releases")}
