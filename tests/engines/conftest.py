"""One test body, every engine."""

from __future__ import annotations

import pytest

from tests.engines.stores import ArrowStore, DuckDBStore, PostgresStore, SparkStore, Store


@pytest.fixture(
    scope="session",
    params=[
        "arrow",
        "duckdb",
        pytest.param("postgres", marks=pytest.mark.engines),
        pytest.param("spark", marks=pytest.mark.engines),
    ],
)
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Store:
    if request.param == "postgres":
        return PostgresStore(request.getfixturevalue("postgres"))
    if request.param == "spark":
        cluster = request.getfixturevalue("spark")
        return SparkStore(cluster, tmp_path_factory.mktemp("spark"))
    return {"arrow": ArrowStore, "duckdb": DuckDBStore}[request.param]()
