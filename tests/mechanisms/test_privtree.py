"""PrivTree, and the tree of counts over its leaves."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hushgram as hg
from hushgram.axis import Integer
from hushgram.domain import Domain
from hushgram.errors import BadInput, DomainError
from hushgram.inference.tree import Tree
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.privtree import PrivTree
from hushgram.mechanisms.privtree_hb import PrivTreeHB, levels_above
from hushgram.partition import Cuts

BOTH = pytest.mark.parametrize("kind", [PrivTree, PrivTreeHB])


def spiky(bins: int = 1000) -> Any:
    counts = np.zeros(bins, dtype=np.int64)
    counts[bins // 3] = 20_000
    return counts


@BOTH
def test_a_spike_is_published_as_one(kind: type[Mechanism]) -> None:
    counts = spiky()
    release = hg.publish(hg.Counts(counts), epsilon=1, mechanism=kind())
    assert isinstance(release.estimate.partition, Cuts)
    assert len(release.estimate.values) < 200
    assert abs(release.to_array()[333] - 20_000) < 200


@BOTH
@pytest.mark.parametrize("bins", [1, 2, 3, 5, 100])
def test_any_number_of_bins(kind: type[Mechanism], bins: int) -> None:
    release = hg.publish(hg.Counts(np.full(bins, 50)), epsilon=2, mechanism=kind())
    assert release.to_array().shape == (bins,)
    assert release.to_array().sum() == pytest.approx(50 * bins, abs=400)


@BOTH
def test_bad_parameters_are_refused(kind: Any) -> None:
    for share in (0, 1, -1, "x"):
        with pytest.raises(BadInput, match="share"):
            kind(share=share)
    for threshold in (-1, 1.5, True, "0"):
        with pytest.raises(BadInput, match="threshold"):
            kind(threshold=threshold)


@BOTH
def test_only_one_axis_with_an_order(kind: type[Mechanism]) -> None:
    with pytest.raises(DomainError, match="one axis"):
        kind().check(Domain(x=Integer(0, 3), y=Integer(0, 3)))


def test_a_threshold_makes_leaves_fewer() -> None:
    counts = hg.Counts(np.full(4096, 20))
    sizes = [
        len(hg.publish(counts, epsilon=1, mechanism=PrivTree(threshold=t)).estimate.values)
        for t in (0, 2000)
    ]
    assert sizes[1] < sizes[0] / 4


@given(st.lists(st.integers(1, 5), max_size=2000), st.booleans())
def test_levels_nest_down_to_the_leaves(widths: list[int], other: bool) -> None:
    starts = np.concatenate([[0], np.cumsum(widths, dtype=np.int64)])
    outside = "other" if other else "drop"
    leaves = Cuts(Domain(x=Integer(0, int(starts[-1]), outside=outside)), (starts,))
    levels = levels_above(leaves)
    assert levels[-1] is leaves
    for above, below in pairwise(levels):
        assert set(above.starts[0].tolist()) <= set(below.starts[0].tolist())
        counts = np.bincount(np.searchsorted(above.starts[0], leaves.starts[0], side="right") - 1)
        assert counts.max() - counts.min() <= 1


def test_the_levels_are_fitted_together() -> None:
    """Ranges of whole upper nodes are known better than their leaves alone would tell."""
    release = hg.publish(hg.Counts(np.full(4096, 100)), epsilon=1, mechanism=PrivTreeHB())
    measured = release.estimate.measurements
    assert isinstance(release.estimate.inference, Tree)
    assert len(measured) > 1
    assert sum(m.scale**-1 for m in measured) == Fraction(4, 5)
    weights = np.ones(len(release.estimate.values))
    variance, _ = release.estimate.moments(weights)
    assert variance < measured[-1].variance * len(weights) / 10


def test_it_beats_a_tree_over_all_cells_on_sparse_data() -> None:
    counts = spiky(4096)
    errors = {}
    for name in ("privtree-hb", "hb"):
        runs = [hg.publish(hg.Counts(counts), epsilon=1, mechanism=name) for _ in range(5)]
        sums = [np.cumsum(release.to_array()) - np.cumsum(counts) for release in runs]
        errors[name] = float(np.sqrt(np.mean(np.square(sums))))
    assert errors["privtree-hb"] < errors["hb"]
