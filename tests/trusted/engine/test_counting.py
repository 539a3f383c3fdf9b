"""Counts of random tables on random partitions are those of plain loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from hushgram.declare.axis import Category, Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, User
from hushgram.geometry.partition import Grid, Partition, Refined
from hushgram.trusted.engine.keyed import Keyed
from hushgram.trusted.engine.remembered import Remembered
from hushgram.trusted.engine.sources.counted import Counts
from hushgram.trusted.engine.sources.source import open_table
from tests import reference
from tests.strategies import domains, grids, merged, refined
from tests.trusted.engine.tables import both_paths, counted, tables

QUERIES_ARE_SLOW = settings(
    max_examples=15, phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=list(HealthCheck),
)  # fmt: skip


@given(st.data())
@QUERIES_ARE_SLOW
def test_every_partition_of_every_domain(data: st.DataObject) -> None:
    domain = data.draw(domains())
    assume(domain.cells < 20_000)
    table, rows = data.draw(tables(domain))
    opened = open_table(table)
    opened.check(domain, Rows())
    partition: Partition = data.draw(st.one_of(grids(domain), refined(domain), merged(domain)))
    assert opened.count(partition).dtype == np.int64
    assert both_paths(opened, partition) == reference.count(partition, rows)


def test_fine_grids_of_fine_axes() -> None:
    """The products of indices and slices stay exact at the full resolution."""
    rng = np.random.default_rng(4)
    domain = Domain(x=Interval(-180, 180, outside="other"), y=Interval(0, 1, outside="clamp"))
    x, y = rng.uniform(-200, 200, 3000), rng.uniform(-0.1, 1.1, 3000)
    indices = [
        np.array([axis.index(float(v)) for v in values])
        for axis, values in zip(domain.axes, (x, y), strict=True)
    ]
    table = pa.table({"x": x, "y": y})
    for slices in ((1000, 999), (1, 2**20), (2**20, 7)):
        grid = Grid(domain, slices)
        expected = np.bincount(grid.parts(indices), minlength=grid.size)
        assert counted(table, grid) == expected.tolist()
    coarse = Grid(domain, (7, 3))
    lower, upper = coarse.boxes()
    cut = Refined(coarse, np.minimum(upper - lower, rng.integers(1, 200, lower.shape)))
    expected = np.bincount(cut.parts(indices), minlength=cut.size)
    assert counted(table, cut) == expected.tolist()


@pytest.mark.parametrize(("bins", "slices"), [(98, 2), (98, 14), (1000, 7), (187, 11), (4096, 3)])
def test_every_index_on_both_sides_of_every_cut(bins: int, slices: int) -> None:
    """Where ``index * slices / bins`` is whole, a product of rounded quotients falls short."""
    grid = Grid(Domain(x=Integer(0, bins - 1)), (slices,))
    for index in (grid.cuts(0)[:-1], grid.cuts(0)[1:] - 1):
        assert counted(pa.table({"x": index}), grid) == [1] * slices
    whole = Grid(grid.domain, (1,))
    cut = Refined(whole, np.array([[slices]]))
    assert counted(pa.table({"x": np.arange(bins)}), cut) == np.diff(grid.cuts(0)).tolist()


def test_parts_without_rows_are_zeros() -> None:
    domain = Domain(x=Integer(0, 99), c=Category([str(i) for i in range(100)]))
    grid = Grid.of_cells(domain)
    none = pa.table({"x": pa.array([], pa.int64()), "c": pa.array([], pa.string())})
    assert counted(none, grid) == [0] * 10_000
    one = pa.table({"x": [99], "c": ["99"]})
    assert counted(one, grid) == [0] * 9_999 + [1]


def test_many_long_lists_of_categories() -> None:
    words = [str(i) for i in range(50)]
    domain = Domain(
        x=Category(words), n=Integer(0, 9), y=Category(words, outside="other"), z=Category(words)
    ).box([(5, 50), (0, 10), (40, 51), (0, 50)])
    grid = Grid(domain, (9, 2, 11, 5))
    rng = np.random.default_rng(2)
    rows = [[str(v) for v in rng.integers(0, 60, 4)] for _ in range(300)]
    names = ["x", "n", "y", "z"]
    table = open_table(pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))))
    for unit in (Rows(), User("x", 10**6)):
        table.check(domain, unit)
        assert table.count(grid).tolist() == reference.count(grid, rows)
    assert sum(reference.count(grid, rows)) > 5


def test_every_pass_sees_the_same_rows() -> None:
    domain = Domain(x=Integer(0, 3))
    table = open_table(pa.table({"x": [0, 1, 1, 3, 9, None]}))
    table.check(domain, Rows())
    for _ in range(3):
        assert table.count(Grid.of_cells(domain)).tolist() == [1, 2, 0, 1]
        assert table.count(Grid(domain, (1,))).tolist() == [4]
        assert table.count(Grid.of_cells(domain.box([(1, 3)]))).tolist() == [2, 0]


def test_a_new_partition_needs_no_engine_to_know_it() -> None:
    class Mirrored(Partition):
        """The cells of a domain, numbered from the last one."""

        domain = Domain(x=Integer(0, 3))
        size = 4

        def parts(self, indices: Any) -> Any:
            return 3 - indices[0]

        @property
        def base(self) -> Grid:
            return Grid.of_cells(self.domain)

        def sums(self, counts: Any) -> Any:
            return counts[::-1]

        def to_json(self) -> dict[str, Any]:
            return {}

    table = open_table(pa.table({"x": [0, 2, 2], "y": [1, 1, 0]}))
    keyed = Keyed(table, Domain(y=Integer(0, 1), x=Integer(0, 3)), "y", 1)
    counts = open_table(Counts([1, 0, 2, 0]))
    for one in (table, Remembered(table), counts):
        assert one.count(Mirrored()).tolist() == [0, 2, 0, 1]
    assert keyed.count(Mirrored()).tolist() == [0, 1, 0, 1]


def test_a_partition_says_what_it_is_summed_from() -> None:
    class Spirals(Partition):
        domain = Domain(x=Integer(0, 3))
        size = 4

        def parts(self, indices: Any) -> Any:
            return indices[0]

        def to_json(self) -> dict[str, Any]:
            return {}

    with pytest.raises(TypeError, match="base"):
        Spirals()  # type: ignore[abstract]
