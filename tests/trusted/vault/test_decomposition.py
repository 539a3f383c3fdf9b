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

from hushgram.declare.axis import Category, Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, Unit, User
from hushgram.errors import BadInput, DomainError
from hushgram.geometry.partition import Boxes, Cuts, Grid, Halving, Ints, Raster
from hushgram.lab.memory import IndexedTable
from hushgram.queries import Decomposition
from hushgram.trusted.engine.occupied import Occupied
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault
from hushgram.trusted.vault.operations import OPERATIONS
from hushgram.trusted.vault.operations.decomposition import (
    LN_2,
    LN_3,
    DecompositionOperation,
    Placed,
    SplitRule,
    leaves,
)

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


@pytest.mark.parametrize("fan_out", [2, 4, 8, 1024])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_worst_path_loses_at_most_epsilon(epsilon: Fraction, fan_out: int) -> None:
    rule = SplitRule.calibrate(0, 1 / epsilon, fan_out)
    assert worst_loss(Chances.of(rule)) <= float(epsilon) * (1 + 1e-12)


def test_hardly_any_budget_is_left_unused() -> None:
    """At small ε, where rounding matters little, the proof's constants are nearly tight."""
    rule = SplitRule.calibrate(0, Fraction(50), 2)
    assert worst_loss(Chances.of(rule)) > 0.97 / 50


@given(st.fractions(min_value=Fraction(1, 30), max_value=20, max_denominator=1000))
@settings(max_examples=60, deadline=None)
def test_any_epsilon_keeps_its_promise(epsilon: Fraction) -> None:
    rule = SplitRule.calibrate(0, 1 / epsilon, 2)
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
    rule = SplitRule.calibrate(0, 1 / epsilon, 2)
    assert worst_loss(planted(rule)) > 1.03 * float(epsilon)


def test_rounding_down_would_leak() -> None:
    rule = SplitRule.calibrate(0, Fraction(4, 3), 2)
    floor = math.floor(rule.noise * LN_2 - Fraction(1, 2))
    assert worst_loss(Chances(float(rule.noise), 2 * floor + 1, floor)) > 1.3 * 0.75


# The rule -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("bound", "number"), [(LN_2, 2), (LN_3, 3)])
def test_the_bounds_on_logarithms_are_some(bound: Fraction, number: int) -> None:
    """exp(bound) >= number by the first terms of its series, in fractions."""
    assert sum(bound**k / math.factorial(k) for k in range(25)) >= number
    assert float(bound) == pytest.approx(math.log(number), abs=1e-11)


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


def test_empty_nodes_have_less_than_one_child_on_average() -> None:
    """So a tree over nothing stays small: half a child if there are two, else two thirds."""
    for epsilon in EPSILONS:
        for fan_out, children in ((2, 1 / 2), (4, 2 / 3), (8, 2 / 3), (1024, 2 / 3)):
            chances = Chances.of(SplitRule.calibrate(0, 1 / epsilon, fan_out))
            assert fan_out * math.exp(chances.log_split(-(10**6))) <= children


# The walk -----------------------------------------------------------------------------------


class Remembering(SplitRule):
    """A rule whose noise is a function of the node's count and depth."""

    def split(self, counts: Ints, depth: int, noise: Any) -> Any:
        return np.array([splits(int(count), depth) for count in counts], dtype=bool)


def splits(count: int, depth: int) -> bool:
    return count - 3 * depth + hash((count, depth)) % 17 - 8 > 0


Sides = tuple[tuple[int, int], ...]


def recursive_leaves(cells: Ints, numbers: Sides, start: int, depth: int = 0) -> Iterator[Sides]:
    """The definition. A node is given by its number on each axis, out of so many at its depth; an
    axis whose nodes are single slices is not halved any more."""
    box = tuple(
        (-(-length * number // many), -(-length * (number + 1) // many))
        for length, (number, many) in zip(cells.shape, numbers, strict=True)
    )
    if any(first == last for first, last in box):
        return
    rows = int(cells[tuple(slice(*side) for side in box)].sum())
    single = all(last - first == 1 for first, last in box)
    if single or (depth >= start and not splits(rows, depth - start)):
        yield box
        return
    halves = [
        [(2 * number, 2 * many), (2 * number + 1, 2 * many)] if many < length else [(number, many)]
        for length, (number, many) in zip(cells.shape, numbers, strict=True)
    ]
    for child in itertools.product(*halves):
        yield from recursive_leaves(cells, child, start, depth + 1)


SHAPES = st.lists(st.integers(1, 9), min_size=1, max_size=3)


@given(SHAPES, st.integers(0, 3), st.integers(0, 2**32))
@settings(deadline=None)
def test_the_walk_is_the_recursion(shape: list[int], start: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 30, shape) * rng.integers(0, 2, shape)
    domain = Domain({f"x{n}": Integer(0, length - 1) for n, length in enumerate(shape)})
    halving = Halving(Raster.of_cells(domain))
    rows = Placed.of(halving, Occupied.among(halving.raster, cells.ravel()))
    rule = Remembering(0, Fraction(1), 1)
    found = np.concatenate(list(leaves(halving, halving.nodes_at(start), rows, rule, Native())))
    lower, upper = halving.leaves(np.sort(found)).boxes()
    boxes = [
        tuple(zip(*one, strict=True)) for one in zip(lower.tolist(), upper.tolist(), strict=True)
    ]
    assert boxes == list(recursive_leaves(cells, ((0, 1),) * len(shape), start))


def decomposed(counts: Ints, epsilon: Fraction, threshold: int = 0) -> Ints:
    """Where the leaves on an axis start."""
    grid = Grid.of_cells(Domain(x=Integer(0, len(counts) - 1)))
    query = Decomposition(grid, 0, threshold, epsilon)
    operation = DecompositionOperation()
    noisy = operation.perturb(query, Occupied.among(grid, counts), 1 / epsilon, Native())
    cuts = operation.answer(query, noisy, 1 / epsilon)
    assert isinstance(cuts, Cuts)
    return cuts.starts[0]


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
    cuts = vault.ask(Decomposition(Grid.of_cells(domain), 0, 0, Fraction(1)))
    assert isinstance(cuts, Cuts)
    assert cuts.cuts(0)[0] == 0
    assert cuts.cuts(0)[-1] == bins
    assert vault.remaining == 0


def test_other_is_a_part_of_its_own() -> None:
    """Rows there make no node heavy."""
    domain = Domain(x=Integer(0, 1023, outside="other"))
    cuts = vault_over(domain, [[1024]] * 10_000).ask(
        Decomposition(Grid.of_cells(domain), 0, 0, Fraction(1))
    )
    assert cuts.cuts(0)[-2:].tolist() == [1024, 1025]
    assert cuts.size < 200


def test_a_coarse_grid_stops_the_halving() -> None:
    domain = Domain(x=Integer(0, 99))
    grid = Grid(domain, (7,))
    cuts = vault_over(domain, [[i] for i in range(100)] * 50).ask(
        Decomposition(grid, 0, 0, Fraction(1))
    )
    assert cuts.starts[0].tolist() == grid.cuts(0)[:-1].tolist()


def test_users_get_more_noise() -> None:
    domain = Domain(x=Integer(0, 63))
    query = Decomposition(Grid.of_cells(domain), 0, 0, Fraction(1))
    operation = OPERATIONS[Decomposition]
    single = vault_over(domain, [])._scale(operation, query)
    assert vault_over(domain, [], User("who", 3))._scale(operation, query) == 3 * single


@pytest.mark.parametrize("threshold", [-1, 1.5, True, "0"])
def test_thresholds_are_whole_numbers(threshold: Any) -> None:
    domain = Domain(x=Integer(0, 3))
    vault = vault_over(domain, [])
    with pytest.raises(BadInput, match="threshold"):
        vault.ask(Decomposition(Grid.of_cells(domain), 0, threshold, Fraction(1)))
    assert vault.remaining == 1


@pytest.mark.parametrize("start", [-1, 1.5, True, "0", 14])
def test_starts_are_depths_with_nodes_that_fit(start: Any) -> None:
    domain = Domain(x=Interval(0, 1), y=Interval(0, 1))
    raster = Raster(domain, (2**16, 2**16))
    vault = vault_over(domain, [])
    with pytest.raises(BadInput, match=r"start|depth"):
        vault.ask(Decomposition(raster, start, 0, Fraction(1)))
    assert vault.remaining == 1


def test_a_start_is_public() -> None:
    """Nodes above it are halved without rows, and a table without any goes hardly further."""
    domain = Domain(x=Interval(0, 1), y=Interval(0, 1))
    query = Decomposition(Raster(domain, (2**16, 2**16)), 3, 10**6, Fraction(1))
    boxes = vault_over(domain, []).ask(query)
    assert 64 <= boxes.size < 200
    assert (boxes.boxes()[1] - boxes.boxes()[0]).max() <= 2**20 // 8


def test_a_spike_in_space_is_found() -> None:
    domain = Domain(x=Interval(0, 1), y=Integer(0, 99), z=Category(("a", "b", "c")))
    raster = Raster(domain, (2**16, 100, 3))
    boxes = vault_over(domain, [[2**19 + 3, 17, 2]] * 9000).ask(
        Decomposition(raster, 0, 0, Fraction(1))
    )
    assert isinstance(boxes, Boxes)
    assert boxes.size < 3000
    lower, upper = boxes.boxes()
    part = boxes.parts([np.array([n]) for n in (2**19 + 3, 17, 2)])[0]
    assert lower[part].tolist() == [2**19, 17, 2]
    assert upper[part].tolist() == [2**19 + 16, 18, 3]


@given(st.integers(0, 2**32))
@settings(deadline=None, max_examples=30)
def test_other_is_cut_off_on_every_axis(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sides = rng.integers(1, 7, 3)
    domain = Domain(
        x=Integer(0, int(sides[0]) - 1, outside="other"),
        y=Integer(0, int(sides[1]) - 1),
        z=Category([str(n) for n in range(sides[2])], outside="other"),
    )
    rows = rng.integers(0, domain.shape, (int(rng.integers(0, 200)), 3))
    boxes = vault_over(domain, rows).ask(Decomposition(Raster.of_cells(domain), 0, 0, Fraction(1)))
    lower, upper = boxes.boxes()
    for axis in (0, 2):
        first = domain.axes[axis].bins
        assert ((upper[:, axis] <= first) | (lower[:, axis] == first)).all()
    assert np.prod(upper - lower, axis=1).sum() == domain.cells


def test_too_many_axes_are_refused_before_a_charge() -> None:
    domain = Domain({f"x{n}": Integer(0, 1) for n in range(11)})
    vault = vault_over(domain, [])
    with pytest.raises(DomainError, match="at once"):
        vault.ask(Decomposition(Raster.of_cells(domain), 0, 0, Fraction(1)))
    assert vault.remaining == 1


def test_the_grid_is_the_vaults() -> None:
    query = Decomposition(Grid.of_cells(Domain(x=Integer(0, 5))), 0, 0, Fraction(1))
    with pytest.raises(BadInput, match="a different domain"):
        vault_over(Domain(x=Integer(0, 4)), []).ask(query)


@pytest.mark.parametrize(("fan_out", "beta"), [(2, 2), (4, 3), (8, 6), (16, 12), (64, 48)])
def test_the_calibration_is_that_of_the_proof(fan_out: int, beta: int) -> None:
    """By its formulas, with other logarithms: rounded up, and hardly more than they say."""
    scale = Fraction(1000, 7)
    rule = SplitRule.calibrate(5, scale, fan_out)
    assert rule.noise == scale * (1 + Fraction(beta**2, (2 * beta - 1) * (beta**2 - 1)))
    least = float(rule.noise) * math.log(beta) - 0.5
    assert least <= rule.floor < least + 1
    assert rule.decay == 2 * rule.floor + 1
