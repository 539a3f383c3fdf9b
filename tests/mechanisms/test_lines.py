"""Values that very many rows have are seen, paid for, and cut out of a map."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.declare.axis import Category, Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.lab.checks import vault_for
from hushgram.lab.memory import IndexedTable
from hushgram.mechanisms.grid_sizing import NoisyRows
from hushgram.mechanisms.lines import ENOUGH_ROWS, find_lines
from hushgram.spending.job import Job

MAP = Domain(x=Integer(0, 127), y=Integer(0, 127, outside="other"))


def vault_of(domain: Domain, rows: Any) -> Any:
    return vault_for(
        Job(domain, Fraction(1), Rows(), "add-remove"), IndexedTable(domain, np.array(rows))
    )


def on_lines(at: tuple[int, int], off: float) -> Any:
    """100,000 rows in 128 x 128 cells, in one row or one column of cells, but for a share that lies
    anywhere."""
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 128, (100_000, 2))
    kept = rng.random(100_000) >= off
    upright = rng.random(100_000) < 0.5
    rows[kept & upright, 0] = at[0]
    rows[kept & ~upright, 1] = at[1]
    return rows


@pytest.mark.parametrize("at", [(0, 0), (0, 127), (127, 40), (127, 127)])
@pytest.mark.parametrize(("off", "yes"), [(0.0, True), (0.1, True), (0.8, False), (1.0, False)])
def test_lines_are_seen_wherever_they_are(at: tuple[int, int], off: float, yes: bool) -> None:
    vault = vault_of(MAP, on_lines(at, off))
    expected = [[at[0]], [at[1]]] if yes else [[], []]
    assert find_lines(vault, NoisyRows(100_000, 1.0)) == expected
    assert vault.remaining == 1 - Fraction(50, 100_000)


def test_lines_beside_categories() -> None:
    domain = Domain(kind=Category(["a", "b"]), x=Integer(0, 127), y=Integer(0, 127))
    rows = np.column_stack([np.arange(100_000) % 2, on_lines((5, 7), 0.1)])
    assert find_lines(vault_of(domain, rows), NoisyRows(100_000, 1.0)) == [[], [5], [7]]


@pytest.mark.parametrize(
    "domain",
    [
        Domain(x=Integer(0, 127)),
        Domain(x=Integer(0, 127), y=Integer(0, 20)),
        Domain(x=Integer(0, 127), y=Interval(0, 1)),
        Domain(x=Integer(0, 127), y=Category([str(k) for k in range(60)])),
    ],
)
def test_nothing_is_spent_where_lines_do_not_matter(domain: Domain) -> None:
    vault = vault_of(domain, np.zeros((10, len(domain)), dtype=int))
    assert not any(find_lines(vault, NoisyRows(100_000, 1.0)))
    assert vault.remaining == 1


def test_few_rows_are_not_asked() -> None:
    vault = vault_of(MAP, np.zeros((10, 2), dtype=int))
    assert not any(find_lines(vault, NoisyRows(ENOUGH_ROWS - 1, 1.0)))
    assert vault.remaining == 1


def test_noise_alone_seldom_makes_a_line() -> None:
    rows = NoisyRows(ENOUGH_ROWS, 1.0)
    domain = Domain(x=Integer(0, 999), y=Integer(0, 999))
    even = np.column_stack([np.arange(1000), np.arange(1000)])
    seen = sum(len(one) for _ in range(60) for one in find_lines(vault_of(domain, even), rows))
    assert seen <= 12  # 3 are expected, if not less


def test_a_line_is_told_from_the_cells_beside_it() -> None:
    counts = np.zeros((128, 128), dtype=np.int64)
    counts[3] = 500
    counts[:, 90] = 400
    release = hg.publish(hg.Counts(counts), epsilon=1, mechanism="bayes-tree")
    assert np.abs(release.to_array()[[2, 4]].sum(axis=1) - 400).max() < 100
    assert abs(release.to_array()[3].sum() - 127 * 500 - 400) < 300
