"""Float attacks: what neighbours can release is the same set of whole numbers.

Noise made of doubles betrays the count by the outputs that it cannot reach (Mironov 2012). Here the
noise is an exact integer, so every integer is reachable from every count.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import hushgram as hg
from hushgram.declare.unit import Rows
from hushgram.geometry.partition import Grid
from hushgram.lab.memory import IndexedTable
from hushgram.queries import PartCounts
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault

DRAWS = 20_000
DOMAIN = hg.Domain(x=hg.Integer(0, DRAWS - 1))


def released(rows: int, epsilon: Fraction) -> set[int]:
    """Noisy counts of many cells that hold so many rows each."""
    indices = np.repeat(np.arange(DRAWS), rows).reshape(-1, 1)
    vault = TableVault(
        IndexedTable(DOMAIN, indices), DOMAIN, epsilon,
        unit=Rows(), neighbours="add-remove", noise=Native(),
    )  # fmt: skip
    values = vault.ask(PartCounts(Grid.of_cells(DOMAIN), epsilon)).values
    assert values.dtype == np.int64
    return set(values.tolist())


@pytest.mark.parametrize("epsilon", ["1", "1/3", "0.1", "0.7071067811865476"])
def test_neighbours_release_the_same_whole_numbers(epsilon: str) -> None:
    """Each of these is missed by 20,000 draws with a chance of less than 10^-50."""
    budget = Fraction(epsilon)
    near = set(range(int(-1 / budget), int(1 / budget) + 2))
    assert near <= released(0, budget)
    assert near <= released(1, budget)


@pytest.mark.parametrize("mechanism", ["identity", "hb", "privtree-hb", "ahp", "noise-first"])
def test_what_is_measured_is_whole_numbers(mechanism: str) -> None:
    release = hg.publish(hg.Counts(np.arange(16)), epsilon="0.1", mechanism=mechanism)
    for measurement in release.estimate.measurements:
        assert measurement.values.dtype == np.int64
        assert isinstance(measurement.scale, Fraction)
