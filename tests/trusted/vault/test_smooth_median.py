"""The smooth-sensitivity median: its bound by definition, and its privacy on all small tables."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import digamma

from hushgram.declare.axis import Category, Integer
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, User
from hushgram.errors import DomainError
from hushgram.lab.memory import IndexedTable
from hushgram.queries import SmoothMedian
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import Sensitivity, TableVault
from hushgram.trusted.vault.operations import OPERATIONS
from hushgram.trusted.vault.operations.smooth_median import RATE, SHIFT, STEPS
from hushgram.trusted.vault.ranked import Ranked, smooth_spread
from tests.strategies import up_to

Rows_ = tuple[int, ...]
EPSILONS = [Fraction(1, 20), Fraction(1, 2), Fraction(1), Fraction(3), Fraction(9)]


def ranked(rows: Rows_, highest: int) -> Ranked:
    return Ranked(np.bincount(np.array(rows, dtype=np.int64), minlength=highest + 1))


def padded(rows: Rows_, highest: int, i: int) -> int:
    return 0 if i < 1 else highest if i > len(rows) else rows[i - 1]


def reach_by_definition(rows: Rows_, highest: int, k: int) -> int:
    """The widest of all pairs of rows that the proof allows."""
    n = len(rows)
    near = [i for i in range(-k - 3, n + k + 4) if abs(2 * i - n - 1) <= k + 2]
    return max(
        padded(rows, highest, j) - padded(rows, highest, i)
        for i in near
        for j in near
        if i <= j <= i + k + 1
    )


tables = st.integers(0, 9).flatmap(
    lambda highest: st.tuples(
        st.lists(st.integers(0, highest), max_size=9).map(sorted).map(tuple), st.just(highest)
    )
)


@settings(max_examples=up_to(300))
@given(tables)
def test_the_median_and_its_reach(table: tuple[Rows_, int]) -> None:
    rows, highest = table
    found = ranked(rows, highest)
    assert found.median_twice == (2 * np.median(rows) if rows else highest)
    reach = found.reach(np.arange(16)).tolist()
    assert reach == [reach_by_definition(rows, highest, k) for k in range(16)]
    turns = set(found.turns(10**9).tolist())
    assert {k for k, (a, b) in enumerate(pairwise(reach), start=1) if b > a} <= turns
    assert 0 in turns


@settings(max_examples=up_to(300))
@given(tables, st.integers(0, 9))
def test_what_the_proof_says_of_one_row(table: tuple[Rows_, int], row: int) -> None:
    """Lemmas 1 and 2."""
    rows, highest = table
    less = ranked(rows, highest)
    more = ranked(tuple(sorted((*rows, min(row, highest)))), highest)
    k = np.arange(12)
    moved = abs(less.median_twice - more.median_twice)
    assert moved <= less.reach(k[:1])[0]
    assert moved <= more.reach(k[:1])[0]
    assert (less.reach(k) <= more.reach(k + 1)).all()
    assert (more.reach(k) <= less.reach(k + 1)).all()


@settings(max_examples=up_to(200))
@given(tables, st.sampled_from(EPSILONS))
def test_the_spread_is_the_smooth_bound_and_hardly_more(
    table: tuple[Rows_, int], epsilon: Fraction
) -> None:
    rows, highest = table
    shift, rate = SHIFT * epsilon, RATE * epsilon
    found = float(smooth_spread(ranked(rows, highest), shift, rate))
    terms = [
        reach_by_definition(rows, highest, k) * math.exp(-float(rate) * k) / float(shift)
        for k in range(len(rows) + 2)
    ]
    assert max(1.0, *terms) * (1 - 1e-12) <= found
    assert found <= max(1.0, *terms) * (1 + float(rate) / 100)


def test_the_reach_is_the_local_sensitivity_of_all_tables_so_far_away() -> None:
    """No bound could be lower: A_k is attained."""
    highest = 4
    everything = [t for n in range(6) for t in combinations_with_replacement(range(highest + 1), n)]
    twice = {t: ranked(t, highest).median_twice for t in everything}

    def neighbours(rows: Rows_) -> Iterator[Rows_]:
        yield from (tuple(sorted((*rows, v))) for v in range(highest + 1))
        yield from (rows[:i] + rows[i + 1 :] for i in range(len(rows)))

    def local(rows: Rows_) -> int:
        return max(abs(twice[rows] - ranked(t, highest).median_twice) for t in neighbours(rows))

    for rows in [t for t in everything if len(t) <= 4]:
        around = {rows, *(t for t in neighbours(rows) if t in twice)}
        assert max(map(local, [rows])) == reach_by_definition(rows, highest, 0)
        assert max(map(local, around)) == reach_by_definition(rows, highest, 1)


def test_the_shares_are_catheti_that_leave_room_for_the_normaliser() -> None:
    """Steps 4 and 5 of the proof: costs add up by their squares, then comes 0.0235 of the rate."""
    both = Fraction(60, 61)
    assert both**2 == SHIFT**2 + RATE**2
    assert Fraction(999, 1000) < both + Fraction(235, 10_000) * RATE < 1


# Privacy, exactly ---------------------------------------------------------------------------------


Law = Callable[[Rows_, int, Fraction], np.ndarray]
"""The logarithms of the probabilities of all that a table can come to."""


def spread_of(found: Ranked, scale: Fraction) -> float:
    return float(smooth_spread(found, SHIFT / scale / STEPS, RATE / scale))


def before_rounding(rows: Rows_, highest: int, scale: Fraction) -> np.ndarray:
    """Where laws differ the most: around every half an index, from one step to many times the axis
    away; the last is the probability of infinity, but for a constant."""
    found = ranked(rows, highest)
    s = spread_of(found, scale)
    halves = np.arange(2 * highest + 1)[:, None]
    away = 2.0 ** np.arange(-20, math.log2(60 * highest))
    where = (halves + np.concatenate([-away, [0], away])).ravel()
    inside = -np.log(s * s + ((where - found.median_twice) * STEPS) ** 2)
    return np.append(inside, 0.0) + math.log(s * math.tanh(math.pi * s))


def as_published(rows: Rows_, highest: int, scale: Fraction) -> np.ndarray:
    """Rounded to half an index and moved into the axis: sums of 1 / (s² + z²) are those of ψ."""
    found = ranked(rows, highest)
    s = spread_of(found, scale)
    edges = (np.arange(1, 2 * highest + 1) - found.median_twice) * STEPS - STEPS // 2
    below = -digamma(edges + 1j * s).imag
    everything = math.pi / math.tanh(math.pi * s)
    return np.log(np.diff(below, prepend=-everything, append=0) / everything)


def worst_loss(
    highest: int,
    most: int,
    sensitivity: Sensitivity,
    epsilon: Fraction,
    law_of: Law = before_rounding,
) -> float:
    """The largest loss between tables that differ by one unit."""
    distance = sensitivity.counts
    scale = distance / epsilon
    everything = [
        t for n in range(most + 1) for t in combinations_with_replacement(range(highest + 1), n)
    ]
    laws = np.array([law_of(t, highest, scale) for t in everything])
    counts = np.array([np.bincount(t, minlength=highest + 1) for t in everything])
    worst = 0.0
    for law, count in zip(laws, counts, strict=True):
        apart = np.abs(counts - count)
        near = apart.sum(axis=1) <= distance
        if sensitivity.neighbours == "replace-one":
            gone = np.maximum(count - counts, 0).sum(axis=1)
            come = np.maximum(counts - count, 0).sum(axis=1)
            near = (gone <= distance // 2) & (come <= distance // 2)
        worst = max(worst, float(np.abs(laws[near] - law).max()))
    return worst


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.parametrize(("highest", "most"), [(5, 4), (2, 6), (23, 2)])
def test_no_row_loses_more_than_epsilon(highest: int, most: int, epsilon: Fraction) -> None:
    loss = worst_loss(highest, most, Sensitivity(Rows(), "add-remove", loses_rows=True), epsilon)
    assert 0.15 * float(epsilon) < loss <= float(epsilon)


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.parametrize(("highest", "most"), [(5, 4), (1, 9), (12, 3)])
def test_no_row_loses_more_by_what_is_published(highest: int, most: int, epsilon: Fraction) -> None:
    rows = Sensitivity(Rows(), "add-remove", loses_rows=True)
    inner = worst_loss(highest, most, rows, epsilon)
    loss = worst_loss(highest, most, rows, epsilon, as_published)
    assert 0 < loss <= inner + 1e-6 <= float(epsilon) + 1e-6


def test_the_law_of_what_is_published() -> None:
    operation, query = OPERATIONS[SmoothMedian], SmoothMedian(Fraction(1))
    counts = np.bincount([0, 1, 1, 4], minlength=6)
    drawn = [int(operation.perturb(query, counts, Fraction(1), Native())[0]) for _ in range(3000)]
    chances = np.exp(as_published((0, 1, 1, 4), 5, Fraction(1)))
    assert chances.sum() == pytest.approx(1)
    seen = np.bincount(drawn, minlength=11)
    assert (np.abs(seen - 3000 * chances) <= 5 * np.sqrt(3000 * chances) + 5).all()


def test_hardly_anything_of_a_small_epsilon_is_wasted() -> None:
    rows = Sensitivity(Rows(), "add-remove", loses_rows=True)
    assert worst_loss(40, 2, rows, Fraction(1, 20)) > 0.96 / 20


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(2)], ids=str)
@pytest.mark.parametrize(
    "sensitivity",
    [
        Sensitivity(Rows(), "replace-one", loses_rows=True),
        Sensitivity(User("u", 2), "add-remove", loses_rows=True),
        Sensitivity(User("u", 2), "replace-one", loses_rows=True),
    ],
    ids=str,
)
def test_no_unit_loses_more_than_epsilon(sensitivity: Sensitivity, epsilon: Fraction) -> None:
    assert 0 < worst_loss(4, 5, sensitivity, epsilon) <= float(epsilon)


def test_the_comparison_convicts_a_spread_of_the_table_at_hand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The local sensitivity itself is not private."""

    def local(found: Ranked, shift: Fraction, rate: Fraction) -> Fraction:
        return max(Fraction(1), int(found.reach(np.zeros(1, dtype=np.int64))[0]) / shift)

    monkeypatch.setattr("tests.trusted.vault.test_smooth_median.smooth_spread", local)
    rows = Sensitivity(Rows(), "add-remove", loses_rows=True)
    assert worst_loss(5, 4, rows, Fraction(1, 2)) > 1


# The operation ------------------------------------------------------------------------------------


def vault(rows: Any, domain: Domain, epsilon: Fraction) -> TableVault:
    return TableVault(
        IndexedTable(domain, np.reshape(rows, (-1, 1))),
        domain,
        epsilon,
        unit=Rows(),
        neighbours="add-remove",
        noise=Native(),
    )


def test_dense_rows_have_a_sharp_median() -> None:
    domain = Domain(x=Integer(0, 999))
    rows = np.repeat(np.arange(400, 600), 50)
    answers = [vault(rows, domain, Fraction(1)).ask(SmoothMedian(Fraction(1))) for _ in range(200)]
    assert all(isinstance(answer, Fraction) and 0 <= answer <= 999 for answer in answers)
    assert abs(float(np.median([float(a) for a in answers])) - 499.5) < 2


@pytest.mark.parametrize("epsilon", ["1/10", "1", "10"])
def test_many_rows_of_one_age_have_its_median_exactly(epsilon: str) -> None:
    """One row moves nothing here, and noise of a whole index would be wrong two times in three."""
    ages = np.repeat(np.arange(17, 90), 600)
    domain = Domain(age=Integer(0, 120))
    spent = Fraction(epsilon)
    answers = [vault(ages, domain, spent).ask(SmoothMedian(spent)) for _ in range(50)]
    assert set(answers) == {Fraction(53)}


def test_other_domains_are_refused_for_free() -> None:
    for domain in (
        Domain(x=Integer(0, 3), y=Integer(0, 3)),
        Domain(x=Category(["a", "b"])),
        Domain(x=Integer(0, 3, outside="other")),
    ):
        sealed = vault(np.zeros((0, len(domain))), domain, Fraction(1))
        with pytest.raises(DomainError, match="A median needs exactly one axis"):
            sealed.ask(SmoothMedian(Fraction(1)))
        assert sealed.remaining == 1


def test_one_cell_no_rows_and_huge_counts() -> None:
    operation = OPERATIONS[SmoothMedian]
    query = SmoothMedian(Fraction(1))

    def noisy(counts: list[int], scale: Fraction = Fraction(1)) -> int:
        return int(operation.perturb(query, np.array(counts), scale, Native())[0])

    assert noisy([7]) == 0
    assert 0 <= noisy([0, 0, 0]) <= 4
    huge = [2**61, 0, 2**62, 0, 0, 2**61 - 1]
    assert ranked((), 5).median_twice == 5
    assert Ranked(np.array(huge)).median_twice == 4
    assert Ranked(np.array([2**62, 0, 2**62 - 1])).median_twice == 0
    assert 0 <= noisy(huge, Fraction(10**25)) <= 10
    assert Ranked(np.array([0, 2**63 - 1])).reach(np.array([0, 2**63 - 2])).tolist() == [0, 1]


def test_a_million_cells_and_a_billion_rows_take_a_moment() -> None:
    counts = np.full(2**20, 1000)
    start = time.process_time()
    spread = smooth_spread(Ranked(counts), SHIFT / 1000, RATE / 1000)
    assert time.process_time() - start < 5
    assert spread == pytest.approx(1000 / float(SHIFT), rel=0.01)


def test_the_papers_fig_10() -> None:
    """129 points: 66 exponential ones scaled to the unit interval, and 63 ones. The median is the
    65th; the local sensitivity, the gap above it, is 0.1 or 0.3 as wished."""
    rng = np.random.default_rng(10)
    for gap in (0.1, 0.3):
        points = np.sort(rng.exponential(size=66))
        points = points / points[-1]
        while not abs(points[65] - points[64] - gap) < 0.01:
            points = np.sort(rng.exponential(size=66))
            points = points / points[-1]
        cells = 2**20
        indices = np.minimum((np.concatenate([points, np.ones(63)]) * cells).astype(int), cells - 1)
        found = ranked(tuple(np.sort(indices).tolist()), cells - 1)
        assert found.median_twice / 2 / cells == pytest.approx(points[64], abs=1e-5)
        local = found.reach(np.zeros(1, dtype=np.int64))[0] / cells
        assert local == pytest.approx(gap, abs=0.01)
        for epsilon in (Fraction(1), Fraction(1, 10)):
            spread = float(smooth_spread(found, SHIFT * epsilon, RATE * epsilon)) / 2 / cells
            assert local / 2 / float(SHIFT * epsilon) <= spread < 0.75 / float(epsilon)
