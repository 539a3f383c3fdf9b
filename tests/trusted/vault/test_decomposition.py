"""PrivTree's decomposition: the walk, the rule, and the exact privacy loss of the rule."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushgram.axis import Category, Integer
from hushgram.domain import Domain
from hushgram.errors import BadInput
from hushgram.lab.memory import IndexedTable
from hushgram.partition import Cuts, Grid, Ints
from hushgram.queries import Decomposition
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault
from hushgram.trusted.vault.operations.decomposition import (
    LN_2,
    DecompositionOperation,
    SplitRule,
    leaves,
)
from hushgram.unit import Rows, Unit, User

EPSILONS = [Fraction(1, 20), Fraction(3, 10), Fraction(1), Fraction(2), Fraction(3), Fraction(10)]


# The exact privacy loss ---------------------------------------------------------------------


@dataclass(frozen=True)
class Chances:
    """How likely a node is to split, for its exact margin: count - threshold - depth · decay."""

    scale: float
    decay: int
    floor: float

    @classmethod
    def of(cls, rule: SplitRule) -> Chances:
        return cls(float(rule.noise), rule.decay, rule.floor)

    def margin(self, exact: int) -> float:
        return max(exact, -self.floor)

    def log_split(self, exact: int) -> float:
        """ln P[margin + noise >= 1], P[noise >= k] being r^k / (1 + r) for k >= 1."""
        margin, rate = self.margin(exact), 1 / self.scale
        norm = math.log1p(math.exp(-rate))
        if margin <= 0:
            return -(1 - margin) * rate - norm
        return math.log1p(-math.exp(-margin * rate - norm))

    def log_stay(self, exact: int) -> float:
        """By symmetry: margin + noise <= 0 is as likely as 1 - margin + noise >= 1."""
        mirrored = Chances(self.scale, self.decay, math.inf)
        return mirrored.log_split(1 - int(self.margin(exact)))

    def gain(self, exact: int) -> float:
        """How much a row more raises the logarithm of the chance to split: never negative."""
        return self.log_split(exact + 1) - self.log_split(exact)

    def drop(self, exact: int) -> float:
        """How much a row more lowers the logarithm of the chance to stay: never negative."""
        return self.log_stay(exact) - self.log_stay(exact + 1)


def worst_gains(chances: Chances, depth: int, reach: int) -> float:
    """The most that the gains of a path of so many nodes can come to.

    A programme over the margins: below a node of margin z, margins are at most z - decay, as
    counts do not grow and the decay is subtracted once more. ``best[z]`` is the most that a path
    gains whose first node has margin z.
    """
    lowest = -reach
    margins = range(lowest, reach + 1)
    gains = np.array([chances.gain(z) for z in margins])
    best = np.zeros(len(gains))
    for _ in range(depth):
        below = np.maximum.accumulate(best)
        shifted = np.concatenate([np.zeros(chances.decay), below])[: len(gains)]
        best = gains + shifted
    return float(best.max())


def worst_loss(chances: Chances, depth: int = 40) -> float:
    """The largest |log-ratio| that a row causes, whichever table is the larger: along the row's
    path all nodes split but the last, whose staying tells the other way."""
    reach = (min(depth, 8) + 1) * max(chances.decay, 1) + 8 * math.ceil(chances.scale)
    drops = max(chances.drop(z) for z in range(-reach, reach + 1))
    return max(worst_gains(chances, depth, reach), drops)


@pytest.mark.parametrize("fan_out", [2, 4, 8])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_worst_path_loses_at_most_epsilon(epsilon: Fraction, fan_out: int) -> None:
    rule = SplitRule.calibrated(0, 1 / epsilon, fan_out)
    assert worst_loss(Chances.of(rule)) <= float(epsilon) * (1 + 1e-12)


def test_hardly_any_budget_is_left_unused() -> None:
    """At small ε, where rounding matters little, the proof's constants are nearly tight."""
    rule = SplitRule.calibrated(0, Fraction(50), 2)
    assert worst_loss(Chances.of(rule)) > 0.97 / 50


@given(st.fractions(min_value=Fraction(1, 30), max_value=20, max_denominator=1000))
@settings(max_examples=60, deadline=None)
def test_any_epsilon_keeps_its_promise(epsilon: Fraction) -> None:
    rule = SplitRule.calibrated(0, 1 / epsilon, 2)
    assert worst_loss(Chances.of(rule), depth=25) <= float(epsilon) * (1 + 1e-12)


def test_the_programme_finds_the_worst_path_of_all() -> None:
    """Against every path of three counts, and every outcome, from the law of the noise itself."""
    chances = Chances(1.3, 2, 1)
    found = 0.0
    for counts in itertools.product(range(9), repeat=3):
        if list(counts) == sorted(counts, reverse=True):
            exact = [count - chances.decay * depth for depth, count in enumerate(counts)]
            gains = list(itertools.accumulate(summed_gain(chances, z) for z in exact))
            found = max(found, *gains, *(chances.drop(z) for z in exact))
    assert found == pytest.approx(worst_loss(chances, depth=3), abs=1e-9)


def summed_gain(chances: Chances, exact: int) -> float:
    """The gain from tails that are added up term by term."""
    ratio = math.exp(-1 / chances.scale)
    law = {k: (1 - ratio) / (1 + ratio) * ratio ** abs(k) for k in range(-200, 201)}
    tail = [sum(p for k, p in law.items() if chances.margin(z) + k > 0) for z in (exact, exact + 1)]
    return math.log(tail[1] / tail[0])


@pytest.mark.parametrize(
    "planted",
    [
        lambda rule: Chances(float(rule.noise), rule.decay, math.inf),  # no floor
        lambda rule: Chances(float(rule.noise), 0, rule.floor),  # no decay
        lambda rule: Chances(float(rule.noise), rule.decay, rule.decay),  # the paper's floor
        lambda rule: Chances(float(rule.noise) / 1.5, rule.decay, rule.floor),  # less noise
    ],
)
@pytest.mark.parametrize("epsilon", [Fraction(1, 20), Fraction(1)])
def test_the_programme_sees_planted_bugs(
    epsilon: Fraction, planted: Callable[[SplitRule], Chances]
) -> None:
    rule = SplitRule.calibrated(0, 1 / epsilon, 2)
    assert worst_loss(planted(rule)) > 1.03 * float(epsilon)


def test_rounding_down_would_leak() -> None:
    rule = SplitRule.calibrated(0, Fraction(4, 3), 2)
    floor = math.floor(rule.noise * LN_2 - Fraction(1, 2))
    assert worst_loss(Chances(float(rule.noise), 2 * floor + 1, floor)) > 1.3 * 0.75


# The rule -----------------------------------------------------------------------------------


def test_the_bound_on_the_logarithm_is_one() -> None:
    """exp(LN_2) >= 2 by the first terms of its series, in fractions."""
    assert sum(LN_2**k / math.factorial(k) for k in range(25)) >= 2
    assert float(LN_2) == pytest.approx(math.log(2), abs=1e-11)


@given(
    st.lists(st.one_of(st.integers(0, 50), st.integers(2**63 - 60, 2**63 - 1)), min_size=1),
    st.integers(0, 30),
    st.one_of(st.integers(0, 40), st.just(2**62), st.just(2**70)),
    st.one_of(st.integers(0, 12), st.just(2**61), st.just(2**80)),
    st.data(),
)
def test_the_rule_is_the_formula(
    counts: list[int], depth: int, threshold: int, floor: int, data: Any
) -> None:
    """In integers of any size; where no count of 64 bits reaches the floor, none matters."""
    rule = SplitRule(threshold, Fraction(1), floor)
    draws = data.draw(st.lists(st.integers(-60, 60), min_size=len(counts), max_size=len(counts)))
    split = rule.split(np.array(counts), depth, Scripted(draws))
    for place, count in enumerate(counts):
        bar = threshold + depth * rule.decay
        unreachable = bar - floor > 2**63 - 1
        margin = 2**63 - 1 - bar if unreachable else max(count - bar, -floor)
        assert split[place] == (margin + draws[place] > 0)


class Scripted(Native):
    """Noise that was written down before."""

    def __init__(self, draws: list[int]) -> None:
        self.draws = draws

    def add_discrete_laplace(self, values: Any, scale: Fraction) -> Ints:
        sums = [min(int(v) + d, 2**63 - 1) for v, d in zip(values, self.draws, strict=True)]
        return np.array(sums, dtype=np.int64)


def test_empty_nodes_split_with_a_chance_of_a_quarter_at_most() -> None:
    """Below one half per child, so a tree over nothing stays small: for any fan-out, half of it."""
    for epsilon in EPSILONS:
        for fan_out in (2, 4, 8):
            chances = Chances.of(SplitRule.calibrated(0, 1 / epsilon, fan_out))
            assert math.exp(chances.log_split(-(10**6))) <= 1 / (2 * fan_out)


# The walk -----------------------------------------------------------------------------------


class Remembering(SplitRule):
    """A rule whose noise is a function of the node's count and depth."""

    def split(self, counts: Ints, depth: int, noise: Any) -> Any:
        return np.array([splits(int(count), depth) for count in counts], dtype=bool)


def splits(count: int, depth: int) -> bool:
    return count - 3 * depth + hash((count, depth)) % 17 - 8 > 0


def recursive_leaves(cells: list[int], start: int, stop: int, depth: int = 0) -> Iterator[int]:
    """The definition."""
    if stop - start == 1 or not splits(sum(cells[start:stop]), depth):
        yield start
        return
    middle = start + (stop - start + 1) // 2
    yield from recursive_leaves(cells, start, middle, depth + 1)
    yield from recursive_leaves(cells, middle, stop, depth + 1)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=70))
def test_the_walk_is_the_recursion(cells: list[int]) -> None:
    sums = np.concatenate([[0], np.cumsum(cells)])
    found = np.concatenate(list(leaves(sums, Remembering(0, Fraction(1), 1), Native())))
    assert sorted(found.tolist()) == list(recursive_leaves(cells, 0, len(cells)))


def decomposed(counts: Ints, epsilon: Fraction, threshold: int = 0) -> Ints:
    grid = Grid.of_cells(Domain(x=Integer(0, len(counts) - 1)))
    query = Decomposition(grid, threshold, epsilon)
    return DecompositionOperation().perturb(query, counts, 1 / epsilon, Native())


def test_a_table_without_rows_has_few_leaves() -> None:
    """The root splits with a chance below 1/2, nodes below it with one of 1/4: 3 leaves or so."""
    found = [len(decomposed(np.zeros(4096, dtype=np.int64), Fraction(1, 10))) for _ in range(50)]
    assert np.mean(found) < 8


def test_a_spike_is_found_and_the_rest_left_alone() -> None:
    counts = np.zeros(1000, dtype=np.int64)
    counts[617] = 5000
    starts = decomposed(counts, Fraction(1))
    assert {617, 618} <= set(starts.tolist())
    assert len(starts) < 80


def test_a_high_threshold_leaves_splits_to_chance() -> None:
    found = [len(decomposed(np.full(4096, 10), Fraction(1), threshold=10**6)) for _ in range(50)]
    assert np.mean(found) < 8


def test_counts_at_the_edge_of_64_bits() -> None:
    counts = np.array([2**63 - 10, 3, 0, 5])
    for epsilon in (Fraction(1, 10**30), Fraction(1, 10**18), Fraction(1), Fraction(10**6)):
        starts = decomposed(counts, epsilon)
        assert starts[0] == 0
        assert (np.diff(starts) > 0).all()
    assert 1 in decomposed(counts, Fraction(1))


# In the vault -------------------------------------------------------------------------------


def vault_over(domain: Domain, rows: Any, unit: Unit | None = None) -> TableVault:
    return TableVault(
        IndexedTable(domain, rows),
        domain,
        Fraction(1),
        unit=unit or Rows(),
        neighbours="add-remove",
        noise=Native(),
    )


@pytest.mark.parametrize("bins", [1, 2, 3, 7, 64, 100])
def test_leaves_cover_the_axis(bins: int) -> None:
    domain = Domain(x=Integer(0, bins - 1))
    vault = vault_over(domain, [[0]] * 50)
    cuts = vault.ask(Decomposition(Grid.of_cells(domain), 0, Fraction(1)))
    assert isinstance(cuts, Cuts)
    assert cuts.cuts(0)[0] == 0
    assert cuts.cuts(0)[-1] == bins
    assert vault.remaining == 0


def test_other_is_a_part_of_its_own() -> None:
    """Rows there make no node heavy."""
    domain = Domain(x=Integer(0, 1023, outside="other"))
    cuts = vault_over(domain, [[1024]] * 10_000).ask(
        Decomposition(Grid.of_cells(domain), 0, Fraction(1))
    )
    assert cuts.cuts(0)[-2:].tolist() == [1024, 1025]
    assert cuts.size < 200


def test_a_coarse_grid_stops_the_halving() -> None:
    domain = Domain(x=Integer(0, 99))
    grid = Grid(domain, (7,))
    cuts = vault_over(domain, [[i] for i in range(100)] * 50).ask(
        Decomposition(grid, 0, Fraction(1))
    )
    assert cuts.starts[0].tolist() == grid.cuts(0)[:-1].tolist()


def test_users_get_more_noise() -> None:
    domain = Domain(x=Integer(0, 63))
    query = Decomposition(Grid.of_cells(domain), 0, Fraction(1))
    single = vault_over(domain, []).variance(query)
    assert vault_over(domain, [], User("who", 3)).variance(query) > 8 * single


@pytest.mark.parametrize("threshold", [-1, 1.5, True, "0"])
def test_thresholds_are_whole_numbers(threshold: Any) -> None:
    domain = Domain(x=Integer(0, 3))
    vault = vault_over(domain, [])
    with pytest.raises(BadInput, match="threshold"):
        vault.ask(Decomposition(Grid.of_cells(domain), threshold, Fraction(1)))
    assert vault.remaining == 1


@pytest.mark.parametrize(
    "domain", [Domain(x=Category(("a", "b"))), Domain(x=Integer(0, 3), y=Integer(0, 3))]
)
def test_only_one_axis_with_an_order_is_halved(domain: Domain) -> None:
    with pytest.raises(BadInput, match="one axis"):
        vault_over(domain, []).ask(Decomposition(Grid.of_cells(domain), 0, Fraction(1)))


def test_the_grid_is_the_vaults() -> None:
    query = Decomposition(Grid.of_cells(Domain(x=Integer(0, 5))), 0, Fraction(1))
    with pytest.raises(BadInput, match="another domain"):
        vault_over(Domain(x=Integer(0, 4)), []).ask(query)
