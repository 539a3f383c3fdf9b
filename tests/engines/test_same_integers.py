"""Every engine counts the same integers, those of first principles, whatever the table holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.geometry.partition import Raster
from hushgram.trusted.engine.sources.source import open_table
from hushgram.trusted.engine.table import Table
from tests import reference
from tests.engines import cases
from tests.engines.stores import PostgresStore, Store
from tests.strategies import domains, partitions
from tests.trusted.engine.tables import tables


@pytest.fixture(scope="module")
def stacked(store: Store) -> Any:
    """The ten thousand cases, in the engine."""
    return store.load(cases.stack().table())


def opened(source: Any, domain: Domain) -> Table:
    table = open_table(source)
    table.check(domain, Rows())
    return table


@pytest.mark.parametrize("number", range(len(cases.domains())))
def test_ten_thousand_cases(stacked: Any, number: int) -> None:
    partition, counts = cases.expected(number)
    found = opened(stacked, partition.domain).count(partition)
    assert np.array_equal(found, counts), partition.domain


def test_fine_rasters(stacked: Any) -> None:
    """Cells beyond all counting come back sparse: those that have rows, and no others."""
    for number in (4, 60):
        domain = cases.domains()[number]
        raster = Raster(domain, tuple(axis.bins for axis in domain.axes))
        cells, rows = np.unique(raster.parts(cases.stack().indices(domain)), return_counts=True)
        found = opened(stacked, domain).occupied_cells(raster)
        assert np.array_equal(found.cells, cells)
        assert np.array_equal(found.rows, rows)


@pytest.mark.parametrize("number", range(0, len(cases.domains()), 7))
def test_a_table_without_rows(empty: Any, number: int) -> None:
    partition, _ = cases.expected(number)
    assert not opened(empty, partition.domain).count(partition).any()


@pytest.fixture(scope="module")
def empty(store: Store) -> Any:
    return store.load(cases.stack().table().slice(0, 0))


@pytest.mark.slow
@given(st.data())
@settings(
    max_examples=50, phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
def test_fifty_tables(store: Store, data: st.DataObject) -> None:
    domain = data.draw(domains())
    assume(domain.cells < 20_000 and len({name.casefold() for name in domain}) == len(domain))
    table, rows = data.draw(tables(domain))
    assume(holds(store, table))
    partition = data.draw(partitions(domain))
    found = opened(store.load(table), domain).count(partition)
    assert found.tolist() == reference.count(partition, rows)


def holds(store: Store, table: pa.Table) -> bool:
    """PostgreSQL has no text with a NUL."""
    texts = [c for c in table.columns if pa.types.is_string(c.type)]
    nul = any("\0" in value for column in texts for value in column.to_pylist() if value)
    return not (nul and isinstance(store, PostgresStore))
