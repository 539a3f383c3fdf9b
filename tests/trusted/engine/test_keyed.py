"""The rows under one value of a key count as a table of their own; domains are counted together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushgram.declare.axis import Category, Date, Integer, Interval, Regular
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, User
from hushgram.geometry.partition import Grid, Raster
from hushgram.lab.memory import IndexedTable
from hushgram.trusted.engine import remembered
from hushgram.trusted.engine.compiled.arrow import ArrowTable
from hushgram.trusted.engine.keyed import Keyed
from hushgram.trusted.engine.remembered import Remembered, few_together
from hushgram.trusted.engine.sources.source import open_table
from tests import strategies

KEY = Category(["a", "b"], outside="other")


@given(st.data())
def test_every_partition_counts_the_rows_of_its_key(data: st.DataObject) -> None:
    rest = data.draw(strategies.domains(max_axes=2))
    place = data.draw(st.integers(0, len(rest)))
    axes = list(rest.items())
    whole = Domain(dict([*axes[:place], ("the key", KEY), *axes[place:]]))
    rows = data.draw(
        st.lists(st.tuples(*(st.integers(0, n - 1) for n in whole.shape)), max_size=20)
    )
    partition = data.draw(strategies.partitions(rest))
    raster = (
        Raster(rest, partition.slices) if isinstance(partition, Grid) else Raster.of_cells(rest)
    )
    table = IndexedTable(whole, rows)
    for ahead in ([], [whole]):
        for index in range(KEY.size):
            keyed = Keyed(Remembered(table, ahead), whole, "the key", index)
            mine = [row[:place] + row[place + 1 :] for row in rows if row[place] == index]
            alone = IndexedTable(rest, mine)
            assert keyed.count(partition).tolist() == alone.count(partition).tolist()
            found, expected = keyed.occupied_cells(raster), alone.occupied_cells(raster)
            assert found.raster == raster
            assert found.cells.tolist() == expected.cells.tolist()
            assert found.rows.tolist() == expected.rows.tolist()


FRAME = pd.DataFrame(
    {
        "day": pd.to_datetime(["2024-01-31", "2024-02-01", "2024-02-29", "2024-04-01"] * 5),
        "lon": np.linspace(-1, 2, 20),
        "sex": ["F", "M", "X", None] * 5,
        "who": [f"u{k // 2}" for k in range(20)],
    }
)
MONTHS = Date("2024-01-01", "2024-03-31", "1mo", outside="other")
MAP = Domain(lon=Interval(0, 1), sex=Category(["F", "M"]))
BY_MONTH = Domain({"day": MONTHS, **MAP})


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("unit", [Rows(), User("who", 2)])
def test_tables_of_every_path(fast: bool, unit: Any) -> None:
    """Nobody has more rows than the bound, so both units count the same."""
    table = open_table(FRAME)
    assert isinstance(table, ArrowTable)
    table.fast = fast
    bound = table.bound_to(BY_MONTH, unit)
    grid = Grid(MAP, (4, 2))
    for index, months in enumerate([(1,), (2,), (3,), (4, 5)]):
        rows = FRAME[FRAME["day"].dt.month.isin(months)]
        fits = rows["lon"].between(0, 1) & rows["sex"].isin(["F", "M"])
        slices = np.minimum(rows["lon"][fits] * 4, 3).astype(int)
        expected = np.bincount(slices * 2 + (rows["sex"][fits] == "M"), minlength=8)
        keyed = Keyed(bound, BY_MONTH, "day", index)
        assert keyed.loses_rows(MAP)
        keyed_counts = keyed.count(grid).tolist()
        assert keyed_counts == expected.tolist()


DOMAINS = [
    Domain(lon=Regular(7, 0, 1)),
    Domain(sex=Category(["F", "M"], outside="other")),
    Domain(sex=Category(["F", "M"]), lon=Regular(3, 0, 2, outside="clamp")),
    Domain(day=MONTHS, sex=Category(["F"])),
]


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("source", [FRAME, pa.Table.from_pandas(FRAME)], ids=["pandas", "arrow"])
def test_counting_together_is_counting_each(source: Any, fast: bool) -> None:
    table = open_table(source)
    assert isinstance(table, ArrowTable)
    table.fast = fast
    grids = [Grid.of_cells(domain) for domain in DOMAINS]
    for domain in DOMAINS:
        table.check(domain, Rows())
    together = [found.tolist() for found in table.count_grids(grids)]
    assert together == [table.count(grid).tolist() for grid in grids]
    assert [table.count(grid).tolist() for grid in grids[::-1]] == together[::-1]
    ahead = Remembered(table, DOMAINS)
    assert [ahead.count(grid).tolist() for grid in grids] == together


def test_boxes_of_what_was_counted_ahead_are_not_counted_again() -> None:
    whole = Domain(x=Integer(0, 5), y=Integer(0, 2))
    table = IndexedTable(whole, [[0, 0], [3, 1], [4, 1], [5, 2]])
    ahead = Remembered(table, [whole])
    box = whole.box([(3, 6), (1, 2)])
    assert ahead.count(Grid.of_cells(box)).tolist() == [1, 1, 0]
    assert ahead.count(Grid(whole, (2, 1))).tolist() == [1, 3]
    assert ahead.occupied_cells(Raster.of_cells(box.box([(1, 3), (0, 1)]))).rows.tolist() == [1]
    assert table.reads == 1


def test_a_box_lies_inside_its_domain() -> None:
    whole = Domain(x=Integer(0, 5), y=Integer(0, 2))
    part = whole.box([(1, 4), (0, 3)])
    assert part.ranges_of(part.box([(1, 2), (1, 3)])) == [(1, 2), (1, 3)]
    for other in (whole, Domain(x=Integer(0, 5)), Domain(x=Integer(1, 3), y=Integer(0, 2))):
        assert part.ranges_of(other) is None


def test_only_what_fits_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "FEW", 10)
    sizes = [4, 7, 4, 3, 2]
    domains = [Domain({f"x{n}": Integer(1, n)}) for n in sizes]
    assert [domain.cells for domain in few_together(domains)] == [4, 3, 2]


def test_to_check_a_key_leaves_the_bound_over_all_keys() -> None:
    """A user with many rows under each key has two in all, whoever checks the keys' tables."""
    rows = pa.table({"kind": ["a", "b"] * 20, "x": [1] * 40, "who": ["one"] * 40})
    whole = Domain(kind=Category(["a", "b"]), x=Integer(0, 2))
    unit = User("who", 2)
    table = open_table(rows).bound_to(whole, unit)
    rest, counted = Domain(x=Integer(0, 2)), 0
    for index in range(2):
        keyed = Keyed(table, whole, "kind", index).bound_to(rest, unit)
        counted += int(keyed.count(Grid.of_cells(rest)).sum())
    assert counted == 2
