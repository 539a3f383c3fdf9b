"""The largest and smallest value of an axis: as far as rows surely reach, and no farther said."""

from __future__ import annotations

import numpy as np
import pytest

import hushgram as hg

PLACES = np.arange(128)
TABLES = {
    "block": np.where((PLACES > 40) & (PLACES < 90), 60, 0),
    "bell": np.rint(900 * np.exp(-(((PLACES - 50) / 12) ** 2))).astype(int),
    "spikes": np.where(np.isin(PLACES, [20, 77, 101]), 300, 0),
}

pytestmark = pytest.mark.filterwarnings("ignore::hushgram.Unaccounted")


@pytest.mark.parametrize(
    "mechanism", ["identity", "hb", "dpcube", "ahp", "noise-first", "sorted", "privtree-hb"]
)
@pytest.mark.parametrize("name", TABLES)
def test_intervals_hold_the_true_ends(mechanism: str, name: str) -> None:
    """24 ends each: four misses are far beyond 5 %."""
    counts = TABLES[name]
    first, last = np.flatnonzero(counts)[[0, -1]]
    held = []
    for _ in range(12):
        release = hg.publish(hg.Counts(counts), epsilon=0.5, mechanism=mechanism)
        for found, true in ((release.min("x0"), first), (release.max("x0"), last)):
            assert found.interval[0] <= found.value <= found.interval[1]
            held.append(found.interval[0] <= true <= found.interval[1])
    assert sum(held) >= len(held) - 3


def test_the_values_are_where_rows_are() -> None:
    """Noise far from any row used to look like a last one."""
    errors = []
    for _ in range(20):
        release = hg.publish(hg.Counts(TABLES["block"]), epsilon=0.5, mechanism="hb")
        errors += [abs(release.max("x0").value - 89), abs(release.min("x0").value - 41)]
    assert np.mean(errors) < 8


def test_much_budget_tells_that_there_are_none_beyond() -> None:
    counts = hg.Counts(TABLES["block"])
    release = hg.publish(counts, epsilon=200, mechanism="identity", allow_large=True)
    assert (release.max("x0").value, release.max("x0").interval) == (89, (89, 89))
    assert (release.min("x0").value, release.min("x0").interval) == (41, (41, 41))


def test_little_budget_leaves_the_end_of_the_axis_open() -> None:
    release = hg.publish(hg.Counts(TABLES["block"]), epsilon=0.5, mechanism="hb")
    assert release.max("x0").interval[1] == 127
    assert release.min("x0").interval[0] == 0


def test_other_axes_can_be_restricted() -> None:
    counts = np.zeros((50, 2), dtype=int)
    counts[:20, 0], counts[:40, 1] = 500, 500
    release = hg.publish(hg.Counts(counts), epsilon=200, mechanism="identity", allow_large=True)
    assert release.max("x0", where={"x1": 0}).value == 19
    assert release.max("x0").value == 39
    assert release.quantile("x0", 1) == release.max("x0")


def test_coarse_parts_end_where_they_end() -> None:
    """A part that has rows may have them anywhere: the interval covers the whole of it."""
    counts = np.zeros(100, dtype=int)
    counts[30:33] = 5000
    release = hg.publish(hg.Counts(counts), epsilon=200, mechanism="identity", allow_large=True)
    found = release.rollup(x0=10).max("x0")
    assert (found.value, found.interval) == (39, (30, 39))
    assert release.rollup(x0=10).min("x0").interval == (30, 39)


def test_no_rows_have_no_ends() -> None:
    release = hg.publish(hg.Counts([0] * 10), epsilon=200, mechanism="identity", allow_large=True)
    with pytest.raises(hg.NotAnswerable, match="the noise"):
        release.max("x0")
