"""Tables that a release could be of, and how their rows are divided."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

import hushgram as hg
from hushgram.errors import NotAnswerable
from hushgram.expect.plausible import Plausible, draw_nodes
from hushgram.expect.splits import Crowds, Splitter, quantiles
from hushgram.geometry.partition import Grid, Ints, Merged
from hushgram.mechanisms.inference.split_kinds import EMPTY_HALF, KINDS, UNEVENNESS, Prior
from tests.samples import cells, estimate_of, release_of

ALWAYS_SAME = Prior(np.eye(KINDS)[EMPTY_HALF], np.eye(KINDS))


def splitter(together: float, prior: Prior = ALWAYS_SAME, seed: int = 1) -> Splitter:
    shape = np.array([64.0, 64.0])
    return Splitter(shape, prior, np.full(2, together), np.random.default_rng(seed))


def columns(kind: int, rows: int = 5) -> Crowds:
    """Sixteen tall boxes side by side, so that the first cuts are all across the second axis."""
    lower = np.array([[4 * n, 0] for n in range(16)])
    return Crowds(lower, lower + np.array([4, 64]), np.full(16, rows), np.full(16, kind))


@pytest.mark.parametrize("kind", range(KINDS))
def test_rows_stay_in_their_boxes_and_repeat_with_the_seed(kind: int) -> None:
    boxes = columns(kind)
    found = splitter(0.5).place(boxes)
    assert found.shape == (80, 2)
    assert (np.bincount((found[:, 0] // 4).astype(int), minlength=16) == boxes.rows).all()
    assert ((found >= 0) & (found < 64)).all()
    assert (found == splitter(0.5).place(boxes)).all()


def test_no_rows_have_no_places() -> None:
    nobody = columns(0).where(np.zeros(16, dtype=bool))
    assert splitter(1.0).place(nobody).shape == (0, 2)


def test_splits_together_are_alike_in_all_boxes() -> None:
    """All rows of a box are at one place. Drawn together, it is the same along the second axis."""

    def heights(together: float) -> Ints:
        found = splitter(together).place(columns(EMPTY_HALF))
        return np.unique(found[:, 1].astype(int))

    assert len(heights(1.0)) == 1
    assert len(heights(0.0)) > 8


def test_shares_are_as_uneven_as_their_kinds() -> None:
    spread = ((quantiles() - 0.5) ** 2).mean(axis=1)
    assert spread == pytest.approx(UNEVENNESS, rel=0.01, abs=1e-9)
    assert quantiles().mean(axis=1) == pytest.approx(0.5)


def test_drawn_counts_have_the_mean_and_the_variance_of_the_posterior() -> None:
    release = hg.publish(hg.Counts(np.array([40, 38, 3, 0, 0, 0, 60, 5])), epsilon=0.3)
    plausible = Plausible.of(release.estimate)
    assert plausible.tree is not None
    rng = np.random.default_rng(3)
    found = np.array([draw_nodes(plausible.tree, plausible.known, rng) for _ in range(2000)])
    means, variances = (column[plausible.tree.ends] for column in plausible.known[:2])
    deviations = np.sqrt(variances)
    assert found.min() >= 0
    assert (np.abs(found.mean(axis=0) - means) < 0.3 * deviations + 0.1).all()
    assert (found.std(axis=0) < 1.4 * deviations + 0.1).all()
    assert (found.std(axis=0) > 0.6 * deviations - 0.1).all()


def test_all_draws_agree_on_what_a_release_knows() -> None:
    counts = np.array([900_000, 0, 0, 300_000] * 4)
    release = hg.publish(hg.Counts(counts), epsilon=5)
    plausible = Plausible.of(release.estimate)
    for seed in range(3):
        drawn = plausible.draw(48_000, np.random.default_rng(seed))
        found = np.bincount(drawn[:, 0].astype(int), minlength=16)
        assert np.abs(found - counts / 100).max() <= 3


def test_rows_are_not_even_inside_of_a_part() -> None:
    """Cells that nobody counted are as uneven as those of public tables."""
    plane = hg.Domain(x=hg.Interval(0, 1), y=hg.Interval(0, 1))
    estimate = estimate_of(Grid(plane, (4, 4)), [250] * 16)
    drawn = Plausible.of(estimate).draw(4000, np.random.default_rng(1)) / 2**20
    fine = np.histogram2d(drawn[:, 0], drawn[:, 1], bins=32, range=((0, 1), (0, 1)))[0]
    parts = fine.reshape(4, 8, 4, 8).sum(axis=(1, 3))
    assert np.abs(parts - 250).max() < 10
    assert fine.var() > 4 * fine.mean()


def test_a_release_without_boxes_is_refused() -> None:
    merged = Merged(cells(age=hg.Integer(0, 3)), np.array([0, 1, 1, 0]))
    with pytest.raises(NotAnswerable, match="merged layout cannot generate rows"):
        Plausible.of(estimate_of(cast(Any, merged), [3, 4]))


def test_an_estimate_of_nothing_has_rows_anywhere() -> None:
    release = release_of(cells(age=hg.Integer(0, 9)), [-5] * 10)
    drawn = Plausible.of(release.estimate).draw(1000, np.random.default_rng(1))
    assert drawn.shape == (1000, 1)
