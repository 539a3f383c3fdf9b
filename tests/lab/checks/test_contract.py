"""Every mechanism of the registry keeps the contract; mechanisms that leak do not."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

from hushgram.geometry.partition import Grid
from hushgram.lab.checks import CHECKS, check_documented, check_replay
from hushgram.mechanisms import MECHANISMS
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.identity import Identity
from hushgram.queries import Measurement, PartCounts, Total, Vault


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", MECHANISMS)
def test_contract(name: str, check: Any) -> None:
    check(MECHANISMS[name]())


def cells(vault: Vault) -> Grid:
    """Cells that are few on every domain of the checks."""
    return Grid(vault.domain, tuple(min(axis.bins, 8) for axis in vault.domain.axes))


@dataclass(frozen=True, kw_only=True)
class Leaky(Identity):
    """Planted bugs, each caught by a named check."""

    name: ClassVar[str] = "leaky"

    def check(self, domain: Any) -> None:
        pass


class TrueCounts(Leaky):
    """Publishes true counts beside a paid question."""

    def estimate(self, vault: Any) -> Estimate:
        noisy = vault.ask(PartCounts(cells(vault), vault.remaining))
        true = vault._table.count(noisy.partition)
        return Estimate.direct(Measurement(noisy.partition, true, noisy.variance, noisy.scale))


class TrueTotal(Leaky):
    """Chooses its grid by the true number of rows."""

    def estimate(self, vault: Any) -> Estimate:
        total = int(vault._table.count(Grid(vault.domain, (1,) * len(vault.domain))).sum())
        slices = tuple(min(axis.bins, 1 + total % 5) for axis in vault.domain.axes)
        return Estimate.direct(vault.ask(PartCounts(Grid(vault.domain, slices), vault.remaining)))


class KeepsMoney(Leaky):
    """Leaves some of its budget unspent."""

    def estimate(self, vault: Any) -> Estimate:
        return Estimate.direct(vault.ask(PartCounts(cells(vault), vault.remaining / 2)))


class AsksTwice(Leaky):
    """Wants to spend its budget twice."""

    def estimate(self, vault: Any) -> Estimate:
        vault.ask(Total(vault.epsilon))
        return Estimate.direct(vault.ask(PartCounts(cells(vault), vault.epsilon)))


class SparseNoise(Leaky):
    """Adds noise to the non-empty cells only."""

    def estimate(self, vault: Any) -> Estimate:
        noisy = vault.ask(PartCounts(cells(vault), vault.remaining))
        empty = vault._table.count(noisy.partition) == 0
        values = np.where(empty, 0, noisy.values)
        return Estimate.direct(Measurement(noisy.partition, values, noisy.variance, noisy.scale))


class HalfScale(Leaky):
    """Asks with a vault whose sensitivities are half of what they should be."""

    def estimate(self, vault: Any) -> Estimate:
        vault._scale = lambda operation, query: Fraction(1, 2) / query.epsilon
        return Estimate.direct(vault.ask(PartCounts(cells(vault), vault.remaining)))


class FixedNoise(Leaky):
    """Draws the same noise each time."""

    def estimate(self, vault: Any) -> Estimate:
        grid = cells(vault)
        true = vault._table.count(grid)
        noisy = vault.ask(PartCounts(grid, vault.remaining))
        return Estimate.direct(Measurement(grid, true + 3, noisy.variance, noisy.scale))


class Biased(Leaky):
    """Loses a tenth of what it counts."""

    def estimate(self, vault: Any) -> Estimate:
        noisy = vault.ask(PartCounts(cells(vault), vault.remaining))
        fewer = (noisy.values * 9) // 10
        return Estimate.direct(Measurement(noisy.partition, fewer, noisy.variance, noisy.scale))


PLANTED = [TrueCounts, TrueTotal, KeepsMoney, AsksTwice, SparseNoise, HalfScale, FixedNoise, Biased]


@pytest.mark.parametrize("bug", PLANTED)
def test_planted_bugs_are_caught(bug: type[Mechanism]) -> None:
    caught = []
    for check in CHECKS:
        try:
            check(bug())
        except Exception:
            caught.append(check.__name__)
    assert caught, f"nothing noticed that {bug.__name__} leaks"


def test_replay_alone_catches_what_reads_the_table() -> None:
    for bug in (TrueCounts, TrueTotal, SparseNoise, HalfScale, FixedNoise):
        with pytest.raises(AssertionError):
            check_replay(bug())


def test_a_mechanism_without_proof_fails() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Unproved(Identity):
        __doc__ = Identity.__doc__
        proof: ClassVar[str] = "no-such-proof"

    with pytest.raises(AssertionError, match=r"the proof no-such-proof\.md is missing"):
        check_documented(Unproved())
