"""The audit convicts planted bugs and acquits the registry."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

from hushgram.geometry.partition import Grid, Merged
from hushgram.lab.audit import (
    ALPHA,
    FAST_RUNS,
    Finding,
    audit_mechanism,
    audit_operation,
    mechanism_pairs,
    operation_pairs,
    power,
)
from hushgram.lab.audit.operations import SLOWER
from hushgram.lab.bound import lower_bound
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.grid_sizing import slices_per_axis
from hushgram.mechanisms.identity import Identity
from hushgram.mechanisms.registry import BUILT_IN
from hushgram.mechanisms.uniform_grid import UniformGrid
from hushgram.queries import Measurement, PartCounts
from hushgram.trusted.noise import discrete_laplace
from hushgram.trusted.vault.operations import OPERATIONS

LEVEL = ALPHA / 100
"""Enough for a hundred findings, more than the tests make."""


def test_power_is_as_stated() -> None:
    assert power(1.25, FAST_RUNS, LEVEL) > 0.99
    assert power(1.0, FAST_RUNS, LEVEL) == 0


def operations() -> list[Any]:
    """All pairs; an operation that chooses does so a run at a time, which is slow."""
    found = []
    for pair in operation_pairs():
        kind = type(pair.query)
        marks = [] if OPERATIONS[kind].additive else [pytest.mark.slow]
        found.append(pytest.param(pair, marks=marks, id=f"{kind.__name__}-{pair.name}"))
    return found


@pytest.mark.parametrize("pair", operations())
def test_operations_keep_their_promise(pair: Any) -> None:
    runs = 1_000_000 if OPERATIONS[type(pair.query)].additive else SLOWER * FAST_RUNS // 2
    finding = audit_operation(pair, runs, LEVEL)
    assert not finding.convicted, finding


def test_the_audit_sees_nearly_all_of_epsilon() -> None:
    """A bound far below the truth would acquit anybody."""
    found = {f"{type(p.query).__name__}-{p.name}": p for p in operation_pairs()}
    for name in (
        "PartCounts-added",
        "PartCounts-moved",
        "PartCounts-person",
        "PartCounts-person moved",
    ):
        assert audit_operation(found[name], 1_000_000, LEVEL).bound.epsilon > 0.93
    for name in ("Linear-added", "Linear-person"):  # three numbers must agree: rarer events
        assert audit_operation(found[name], 1_000_000, LEVEL).bound.epsilon > 0.9


FAST = {"auto", "hb", "identity"}
"""A run takes less than a fifth of a millisecond."""


@pytest.mark.parametrize(
    "name",
    [name if name in FAST else pytest.param(name, marks=pytest.mark.slow) for name in BUILT_IN],
)
def test_mechanisms_keep_their_promise(name: str) -> None:
    mechanism = BUILT_IN[name]()
    for pair in mechanism_pairs(mechanism):
        finding = audit_mechanism(mechanism, pair, FAST_RUNS, LEVEL, Fraction(1))
        assert not finding.convicted, finding


def test_an_excess_of_a_quarter_is_convicted(monkeypatch: pytest.MonkeyPatch) -> None:
    operation = OPERATIONS[PartCounts]
    right = operation.perturb
    monkeypatch.setattr(
        operation,
        "perturb",
        lambda query, exact, scale, noise: right(query, exact, scale * Fraction(4, 5), noise),
    )
    pair = next(p for p in operation_pairs() if isinstance(p.query, PartCounts))
    assert audit_operation(pair, FAST_RUNS, LEVEL).convicted


@dataclass(frozen=True, kw_only=True)
class Planted(Identity):
    name: ClassVar[str] = "planted"


class HalfScale(Planted):
    """Half of the noise."""

    def estimate(self, vault: Any) -> Estimate:
        grid = Grid.of_cells(vault.domain)
        true = vault._table.count(grid)
        scale = 1 / (2 * vault.remaining)
        noisy = vault.ask(PartCounts(grid, vault.remaining))
        values = true + discrete_laplace(scale, len(true))
        return Estimate.direct(Measurement(grid, values, noisy.variance, scale))


class TrueN(UniformGrid):
    """The paper's rule with the true number of rows."""

    def estimate(self, vault: Any) -> Estimate:
        rows = int(vault._table.count(Grid(vault.domain, (1,) * len(vault.domain))).sum())
        grid = Grid(vault.domain, slices_per_axis(vault.domain, rows / 10))
        return Estimate.direct(vault.ask(PartCounts(grid, vault.remaining)))


class DataDependentCells(Planted):
    """Publishes only as many parts as there are non-empty cells."""

    def estimate(self, vault: Any) -> Estimate:
        grid = Grid.of_cells(vault.domain)
        filled = vault._table.count(grid) > 0
        labels = np.where(filled, np.cumsum(filled), 0)
        labels = np.unique(labels, return_inverse=True)[1]
        return Estimate.direct(vault.ask(PartCounts(Merged(grid, labels), vault.remaining)))


class ReusedNoise(Planted):
    """One draw for all cells: differences between cells are exact."""

    def estimate(self, vault: Any) -> Estimate:
        grid = Grid.of_cells(vault.domain)
        true = vault._table.count(grid)
        noisy = vault.ask(PartCounts(grid, vault.remaining))
        draw = int(noisy.values[0] - true[0])
        return Estimate.direct(Measurement(grid, true + draw, noisy.variance, noisy.scale))


class SparseOnlyNoise(Planted):
    """Noise on the non-empty cells only."""

    def estimate(self, vault: Any) -> Estimate:
        noisy = vault.ask(PartCounts(Grid.of_cells(vault.domain), vault.remaining))
        empty = vault._table.count(noisy.partition) == 0
        values = np.where(empty, 0, noisy.values)
        return Estimate.direct(Measurement(noisy.partition, values, noisy.variance, noisy.scale))


BUGS = [HalfScale, TrueN, DataDependentCells, ReusedNoise, SparseOnlyNoise]


@pytest.mark.slow
@pytest.mark.parametrize("bug", BUGS)
def test_planted_bugs_are_convicted(bug: Any) -> None:
    findings: list[Finding] = []
    telling = {"line, empty cell", "plane, threshold"}
    pairs = [pair for pair in mechanism_pairs(bug(), fast=False) if pair.name in telling]
    for pair in pairs:
        findings.append(audit_mechanism(bug(), pair, 4000, LEVEL, Fraction(1)))
    assert any(finding.convicted for finding in findings), findings


def test_the_bound_holds_on_equal_distributions() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        first, second = rng.normal(size=(2, 2000, 3))
        assert lower_bound(first, second, 1e-4).epsilon == 0
