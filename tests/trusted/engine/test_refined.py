"""The compiled path counts refined grids as they are defined, and reads small tables once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hushgram.declare.axis import Axis, Category, Integer, Interval, Regular
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.geometry.partition import Grid, Raster, Refined
from hushgram.trusted.engine.compiled import arrow
from hushgram.trusted.engine.compiled.arrow import ArrowTable
from hushgram.trusted.engine.remembered import Remembered
from hushgram.trusted.engine.sources.source import open_table


def refined(domain: Domain, slices: tuple[int, ...], most: int, seed: int) -> Refined:
    grid = Grid(domain, slices)
    lower, upper = grid.boxes()
    sizes = np.random.default_rng(seed).integers(1, most + 1, lower.shape)
    return Refined(grid, np.minimum(sizes, upper - lower))


def crowded(axis: Axis, cut: Refined, place: int, rng: np.random.Generator) -> np.ndarray:
    """Values everywhere, outside, at the cuts, and next to them."""
    assert isinstance(axis, Interval | Regular)
    lower, _ = cut.boxes()
    edges = axis.edges_at(np.unique(lower[:, place]).clip(max=axis.bins))
    spread = rng.uniform(axis.lo - 0.1, axis.hi + 0.1, 20_000)
    next_to = [edges, np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf)]
    values = np.concatenate([spread, *next_to, [axis.lo, axis.hi, np.nan, np.inf]])
    return rng.permutation(np.resize(values, 30_000))


@pytest.mark.parametrize("outside", ["drop", "clamp", "other"])
@pytest.mark.parametrize(("bins", "slices", "most"), [(2**20, 37, 40), (2**20, 64, 3), (97, 10, 9)])
def test_refined_grids_are_counted_as_defined(
    outside: str, bins: int, slices: int, most: int
) -> None:
    axes = {
        "x": Interval(-3, 7, resolution=bins, outside=outside),
        "y": Regular(bins, 0, 0.7, outside=outside),
    }
    domain = Domain(axes)
    cut = refined(domain, (slices, slices + 1), most, seed=bins + most)
    rng = np.random.default_rng(1)
    columns = {
        name: crowded(axis, cut, place, rng) for place, (name, axis) in enumerate(domain.items())
    }
    table = open_table(pa.table(columns))
    assert isinstance(table, ArrowTable)
    table.check(domain, Rows())
    rows = zip(*(columns[name].tolist() for name in domain), strict=True)
    indices = [[axis.index(v) for axis, v in zip(domain.axes, row, strict=True)] for row in rows]
    kept = np.array([row for row in indices if None not in row])
    expected = np.bincount(cut.parts(list(kept.T)), minlength=cut.size)
    assert np.array_equal(table.count(cut), expected)


def test_whole_numbers_and_categories_are_refined_too() -> None:
    domain = Domain(
        day=Integer(0, 364), sex=Category(("F", "M"), outside="other"), x=Interval(0, 1)
    )
    cut = refined(domain, (12, 2, 5), 7, seed=3)
    rng = np.random.default_rng(2)
    table = pa.table(
        {
            "day": rng.integers(-5, 370, 5000),
            "sex": rng.choice(["F", "M", "x"], 5000),
            "x": rng.normal(0.5, 0.4, 5000),
        }
    )
    fast, slow = open_table(table), open_table(table)
    assert isinstance(fast, ArrowTable)
    assert isinstance(slow, ArrowTable)
    slow.fast = False
    for one in (fast, slow):
        one.check(domain, Rows())
    assert np.array_equal(fast.count(cut), slow.count(cut))


def test_a_coarse_grid_over_millions_of_whole_numbers() -> None:
    """Each number's guess is its own index, far beyond the grid's cells: all are in doubt."""
    domain = Domain(n=Integer(0, 10**7))
    cut = refined(domain, (100,), 50, seed=4)
    numbers = np.random.default_rng(3).integers(-5, 10**7 + 5, 5000)
    table = open_table(pa.table({"n": numbers}))
    table.check(domain, Rows())
    kept = numbers[(numbers >= 0) & (numbers <= 10**7)]
    assert np.array_equal(table.count(cut), np.bincount(cut.parts([kept]), minlength=cut.size))


def test_a_small_domain_is_counted_once() -> None:
    domain = Domain(x=Integer(0, 40), y=Integer(0, 11))
    rng = np.random.default_rng(6)
    table = pa.table({"x": rng.integers(0, 41, 900), "y": rng.integers(0, 12, 900)})
    plain = open_table(table)
    plain.check(domain, Rows())
    cut = refined(domain, (5, 4), 4, seed=1)
    assert np.array_equal(Remembered(plain).count(cut), plain.count(cut))


@pytest.mark.parametrize("outside", ["drop", "clamp", "other"])
@pytest.mark.parametrize("slices", [(41, 6), (8, 5)])
def test_few_occupied_cells_are_counted(outside: str, slices: tuple[int, int]) -> None:
    domain = Domain(x=Integer(0, 40), y=Interval(0, 1, outside=outside))
    rng = np.random.default_rng(7)
    table = open_table(pa.table({"x": rng.integers(-2, 43, 500), "y": rng.normal(0.5, 0.5, 500)}))
    table.check(domain, Rows())
    raster = Raster(domain, slices)
    found, sorted_ = Remembered(table).occupied_cells(raster), table.occupied_cells(raster)
    assert found.cells.tolist() == sorted_.cells.tolist()
    assert found.rows.tolist() == sorted_.rows.tolist()


@pytest.mark.parametrize(("allowed", "reads"), [(1 << 28, 1), (1000, 3)])
def test_whoever_asks_for_the_whole_reads_a_small_table_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allowed: int, reads: int
) -> None:
    monkeypatch.setattr(arrow, "KEPT", allowed)
    pq.write_table(pa.table({"x": np.linspace(0, 1, 1000)}), tmp_path / "t.parquet")
    domain = Domain(x=Interval(0, 1))
    table = open_table(tmp_path / "t.parquet")
    assert isinstance(table, ArrowTable)
    table.check(domain, Rows())
    read, found = table.tasks, []

    def counted(columns: object) -> list[arrow.Task]:
        def task(one: arrow.Task) -> arrow.Task:
            def again() -> object:
                found.append(1)
                return one()

            return again  # type: ignore[return-value]

        return [task(one) for one in read(columns)]  # type: ignore[arg-type]

    table.tasks = counted
    for slices in (1, 10, 100):
        counts = table.count(Grid(domain, (slices,)))
        assert counts.sum() == 1000
        assert counts.max() - counts.min() <= 1
    assert len(found) == reads


def test_an_empty_table_is_read_too(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": np.empty(0)}), tmp_path / "t.parquet")
    domain = Domain(x=Interval(0, 1))
    table = open_table(tmp_path / "t.parquet")
    table.check(domain, Rows())
    for slices in (1, 4):
        assert table.count(Grid(domain, (slices,))).sum() == 0
