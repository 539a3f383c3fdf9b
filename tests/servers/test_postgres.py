"""The fixture itself."""

from __future__ import annotations

import pytest

from tests.servers.postgres import PASSWORD, Postgres

pytestmark = pytest.mark.engines


def test_it_answers(postgres: Postgres) -> None:
    with postgres.connect() as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_fresh_databases_share_nothing(postgres: Postgres) -> None:
    first, second = postgres.fresh(), postgres.fresh()
    with postgres.connect(first) as connection:
        connection.execute("CREATE TABLE here (x int)")
    with postgres.connect(second) as connection:
        assert connection.execute("SELECT to_regclass('here')").fetchone() == (None,)


def test_a_wrong_password_is_refused(postgres: Postgres) -> None:
    import psycopg

    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        postgres.connect(postgres.url.replace(PASSWORD, "wrong"))
