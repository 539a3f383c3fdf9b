"""The stated variance of a range answer is the one that repeated publishing shows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.lab.memory import IndexedTable
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.hb import HB
from hushgram.mechanisms.hierarchical import Hierarchical
from hushgram.mechanisms.identity import Identity
from hushgram.mechanisms.privelet import Privelet
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault

BINS, RUNS, RANGES = 37, 12_000, 200


def estimate(mechanism: Mechanism) -> Estimate:
    domain = Domain(x=Integer(0, BINS - 1))
    table = IndexedTable(domain, np.arange(200)[:, None] % BINS)
    vault = TableVault(
        table, domain, Fraction(1), unit=Rows(), neighbours="add-remove", noise=Native()
    )
    return mechanism.estimate(vault)


def ranges() -> np.ndarray:
    """Random ranges, as 0 and 1 for each cell."""
    rng = np.random.default_rng(8)
    lengths = rng.integers(1, BINS + 1, RANGES)
    starts = rng.integers(0, BINS - lengths + 1)
    places = np.arange(BINS)
    return ((places >= starts[:, None]) & (places < (starts + lengths)[:, None])).astype(float)


SLOW = [pytest.param(m, marks=pytest.mark.slow) for m in (Hierarchical(branching=3), Privelet())]


@pytest.mark.parametrize("mechanism", [Identity(), HB(), *SLOW], ids=str)
def test_variances_of_ranges(mechanism: Mechanism) -> None:
    questions = ranges()
    answers = np.array([questions @ estimate(mechanism).values for _ in range(RUNS)])
    one = estimate(mechanism)
    stated = np.array([one.moments(question)[0] for question in questions])
    ratios = answers.var(axis=0) / stated
    assert abs(ratios.mean() - 1) < 0.05
    assert np.quantile(np.abs(ratios - 1), 0.9) < 0.05  # twelve thousand runs scatter by 1.5 %
    assert np.abs(ratios - 1).max() < 0.12
    true = questions @ (np.bincount(np.arange(200) % BINS))
    assert np.abs((answers.mean(axis=0) - true) / np.sqrt(stated / RUNS)).max() < 5
