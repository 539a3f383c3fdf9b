"""Overflow: at the edges of 64 bits a count stops, and never comes back on the other side."""

from __future__ import annotations

import numpy as np
import pytest

import hushgram as hg
from hushgram.errors import DomainError, SourceError

LAST = 2**63 - 1


@pytest.mark.parametrize("epsilon", ["1", "0.000000000000000005"])
def test_counts_at_the_edge_do_not_wrap(epsilon: str) -> None:
    """Of 40 draws about half are beyond the edge, where the noise is about 2 × 10^17, and stay at
    it; to come below zero by noise alone has a chance of 10^-20."""
    counts = hg.Counts([LAST])
    drawn = [hg.publish(counts, epsilon=epsilon, mechanism="identity") for _ in range(40)]
    values = np.concatenate([release.estimate.values for release in drawn])
    assert values.dtype == np.int64
    assert values.min() > 0
    assert (values == LAST).any()
    assert (values < LAST).any()


@pytest.mark.parametrize("name", ["hb", "hierarchical", "privelet", "ahp", "isotonic"])
def test_sums_near_the_edge_do_not_wrap(name: str) -> None:
    release = hg.publish(hg.Counts([LAST - 9, 1, 2, 3]), epsilon=1, mechanism=name)
    assert release.count().value == pytest.approx(2.0**63, rel=1e-6)


@pytest.mark.parametrize("counts", [[LAST, 1], [LAST] * 3, [2**63], [2**64], [-1], [10**30]])
def test_counts_beyond_the_edge_are_refused(counts: list[int]) -> None:
    with pytest.raises(SourceError):
        hg.Counts(counts)


@pytest.mark.parametrize("bounds", [(-(2**63), -(2**63) + 3), (2**63 - 4, LAST), (2**53, 2**53)])
def test_axes_beyond_exact_doubles_are_refused(bounds: tuple[int, int]) -> None:
    with pytest.raises(DomainError, match=r"2\^53"):
        hg.Integer(*bounds)


def test_values_at_the_edge_fall_outside() -> None:
    import pyarrow as pa

    table = pa.table({"x": pa.array([-(2**63), LAST, LAST, 2, 2], pa.int64())})
    domain = hg.Domain(x=hg.Integer(0, 3, outside="other"))
    found = hg.publish(
        table, domain, epsilon=10, account="a", mechanism="identity", ledger=hg.Ledger.in_memory()
    ).to_array()
    assert np.abs(found - [0, 0, 2, 0, 3]).max() < 10
