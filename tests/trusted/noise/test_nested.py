"""Noise that agrees: no row changes a probability by more than it may, and draws have that law."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from assurance.nested_law import as_decimal, largest_loss, sinh
from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.errors import BadInput
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.inference.cut_tree import CutTree
from hushgram.mechanisms.node_plan import nested_nodes
from hushgram.trusted.noise import entropy, nested
from hushgram.trusted.noise.nested import NestedLaw, add_nested_laplace
from tests.trusted.interpreted import interpret

PAIR = np.array([2, 0, 0]), np.array([3, 5, 5])
THREE = np.array([4, 3, 0, 0, 0]), np.array([1, 2, 4, 1, 3])
FOREST = np.array([0, 3, 0, 0]), np.array([6, 2, 4, 4])
"""A single leaf, and a pair."""

TREES = {"pair": PAIR, "three": THREE, "forest": FOREST}


def p_value(seen: Any, expected: Any) -> float:
    """How likely numbers of this law fit no better; rare cells are taken together."""
    rare = expected < 8
    groups = np.where(rare, 0, np.cumsum(~rare))
    sums = [np.bincount(groups, one) for one in (seen, expected)]
    kept = sums[1] > 0
    return float(stats.chisquare(sums[0][kept], sums[1][kept], sum_check=False).pvalue)


def law_of(tree: Any, scale: Fraction) -> NestedLaw:
    return NestedLaw.of(*tree, scale)


@pytest.mark.parametrize("tree", TREES.values(), ids=list(TREES))
@pytest.mark.parametrize("scale", [Fraction(1, 20), Fraction(1), Fraction(7), Fraction(50, 7)])
def test_no_row_changes_a_probability_by_more_than_it_may(
    tree: Any, scale: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Near zero, half a ring away, and beyond it, on a small ring; and something comes close."""
    monkeypatch.setattr(nested, "LONGEST", 3)
    lost, limit = largest_loss(law_of(tree, scale)), as_decimal(1 / scale)
    assert lost <= limit
    assert lost > Decimal("0.99") * min(limit, Decimal(8))


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(9)])
@pytest.mark.parametrize("tree", [PAIR, THREE], ids=["pair", "three"])
def test_draws_have_the_law(tree: Any, scale: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first leaf together with the sum of all, against the definition: likelihoods that fall
    with every node's distance from zero."""
    monkeypatch.setattr(nested, "TAIL", 9)  # all numbers on the ring are tried
    law = law_of(tree, scale)
    draws = np.array([law.draw_multiples() for _ in range(6000)]).astype(np.int64)
    reach = law.ring // 2
    axis = np.arange(-reach, reach + 1)
    rates = -np.log(law.decays)
    if len(law.leaves) == 2:
        a, b = np.meshgrid(axis, axis, indexing="ij")
        logs = -rates[1] * abs(a) - rates[2] * abs(b) - rates[0] * abs(a + b)
        first, total = a, a + b
        likely = np.exp(logs)
    else:
        a, b, c = np.meshgrid(axis, axis, axis, indexing="ij")
        logs = -rates[2] * abs(a) - rates[3] * abs(b) - rates[4] * abs(c)
        logs -= rates[1] * abs(a + b) + rates[0] * abs(a + b + c)
        first, total, likely = a, a + b + c, np.exp(logs)
    likely /= likely.sum()
    cuts = [-4, -2, -1, 0, 1, 3]
    cell = np.searchsorted(cuts, first) * 7 + np.searchsorted(cuts, total)
    expected = np.bincount(cell.ravel(), likely.ravel(), minlength=49) * len(draws)
    seen = np.searchsorted(cuts, draws[:, 0]) * 7 + np.searchsorted(cuts, draws.sum(axis=1))
    found = np.bincount(seen, minlength=49)
    assert p_value(found, expected) > 1e-6


def test_sums_of_a_full_tree_stay_on_its_ring(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sum more than half a ring from zero looks small to the nodes above. With half a ring of 9
    leaves' noise, one draw in 70 had one, and several times the error."""
    rng = np.random.default_rng(3)
    monkeypatch.setattr(
        entropy, "words", lambda count: rng.integers(0, 2**64, count, dtype=np.uint64)
    )
    tree = CutTree.of(Grid.of_cells(Domain(x=Integer(0, 4095))))
    law = law_of((tree.right, nested_nodes(tree).nodes.weights), Fraction(1))
    sums = [int(law.draw_multiples().sum()) for _ in range(300)]
    assert max(map(abs, sums)) <= law.ring // 2


def test_words_that_do_not_decide_are_settled_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the compiled loops leave open, exact arithmetic finds from the same words."""
    law = law_of(THREE, Fraction(3))

    def draw(seed: int) -> list[int]:
        rng = np.random.default_rng(seed)
        monkeypatch.setattr(
            entropy, "words", lambda count: rng.integers(0, 2**64, count, dtype=np.uint64)
        )
        return law.draw_places().tolist()

    decided = [draw(seed) for seed in range(60)]
    doubtful = interpret(monkeypatch, "hushgram.trusted.noise.nested_kernel", DOUBT=0.04)
    asked: list[int] = []
    settle = NestedLaw.settle

    def counting(self: NestedLaw, node: int, whole: int, u: Any) -> int:
        asked.append(node)
        return settle(self, node, whole, u)

    monkeypatch.setattr(NestedLaw, "settle", counting)
    assert doubtful.DOUBT == 0.04
    assert [draw(seed) for seed in range(60)] == decided
    assert len(asked) > 30


def test_a_word_at_the_end_of_a_share_does_not_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = interpret(monkeypatch, "hushgram.trusted.noise.nested_kernel")
    weights = np.array([1.0, 2.0, 1.0])
    quarter = 1 << 62
    assert kernel.choose(weights, np.uint64(0)) == 0
    assert kernel.choose(weights, np.uint64(quarter)) == -1
    assert kernel.choose(weights, np.uint64(quarter + (1 << 20))) == -1
    assert kernel.choose(weights, np.uint64(quarter + (1 << 30))) == 1
    assert kernel.choose(weights, np.uint64(2**64 - 1)) == 2


@pytest.mark.parametrize("place", [0, 2, -3])
def test_numbers_at_one_place_of_the_ring_have_their_law(place: int) -> None:
    decay, ring, runs = 0.75, 7, 4000
    rng = np.random.default_rng(5)
    words = rng.integers(0, 2**64, runs, dtype=np.uint64).tolist()
    found = [nested.lift(place, decay, ring, word) for word in words]
    numbers = [place + ring * k for k in range(-4, 5)]
    likely = np.array([decay ** abs(z) for z in numbers])
    expected = likely / likely.sum() * runs
    seen = np.array([found.count(z) for z in numbers])
    assert {(z - place) % ring for z in found} == {0}
    assert p_value(seen, expected) > 1e-6


@pytest.mark.parametrize("spacing", [2, 7, 1 << 62])
def test_what_lies_between_multiples_has_its_law(spacing: int) -> None:
    cost = Fraction(1, 2 * spacing)
    found = np.array([int(t) for t in nested.spread_each(spacing, cost, 3000)], dtype=object)
    if spacing < 9:
        numbers = range(1 - spacing, spacing)
        likely = np.array([math.sinh(0.5 * (1 - abs(t) / spacing)) for t in numbers])
        expected = likely / likely.sum() * len(found)
        seen = np.array([(found == t).sum() for t in numbers])
    else:
        shares = [k / 4 - 1 for k in range(9)]
        edges = [spacing * share for share in shares]
        mass = [math.copysign(math.cosh(0.5) - math.cosh(0.5 * (1 - abs(s))), s) for s in shares]
        expected = np.diff(mass) / (mass[-1] - mass[0]) * len(found)
        seen = np.histogram(found.astype(float), bins=edges)[0]
    assert p_value(seen, expected) > 1e-6


@pytest.mark.parametrize("cost", [Fraction(1, 14), Fraction(1, 100), Fraction(3, 1000)])
def test_bounds_on_the_share_of_accepted_numbers_hold(cost: Fraction) -> None:
    with localcontext() as context:
        context.prec = 60
        for drawn in (0, 1, -5, 6):
            low, high = nested.enclose_ratio(7, cost, drawn, 80)
            x, whole = cost * (7 - abs(drawn)), 7 * cost
            exact = sinh(x) / as_decimal(x) * as_decimal(whole) / sinh(whole) * 2**80
            assert low <= exact <= high <= low + 16
            near = float(nested.sinh_ratio(np.array(float(x))))
            assert abs(near * float(as_decimal(x) / sinh(x)) - 1) < 2**-45


def test_decays_are_exponentials(exp100: Callable[[Fraction], Decimal]) -> None:
    weights, share = np.array([1, 7, 1000, 65536]), Fraction(8)
    for weight, decay in zip(
        weights.tolist(), nested.decays_for(weights, 65536, share), strict=True
    ):
        exact = exp100(share * weight / 65536)
        assert abs(Decimal(float(decay)) / exact - 1) < Decimal(2) ** -40


def test_subtrees_that_are_alike_share_a_table() -> None:
    right = np.array([4, 3, 0, 0, 6, 0, 0])
    law = law_of((right, np.array([1, 2, 3, 3, 2, 3, 3])), Fraction(1))
    assert law.alike.tolist() == [2, 1, 0, 0, 1, 0, 0]
    assert len(law.tables) == 3


def test_noise_is_small_where_weights_are_large() -> None:
    """The sum of two leaves that hardly count by themselves."""
    tree = np.array([2, 0, 0]), np.array([8, 1, 1])
    draws = np.array([add_nested_laplace(np.zeros(2, int), *tree, Fraction(1)) for _ in range(500)])
    assert draws.sum(axis=1).std() < 3 < draws[:, 0].std()


def test_sums_end_where_64_bits_end() -> None:
    top = np.array([2**63 - 1, -(2**63)])
    scale = Fraction(10**30)
    found = np.array([add_nested_laplace(top, *PAIR, scale) for _ in range(30)])
    assert found[:, 0].max() == 2**63 - 1
    assert found[:, 1].min() == -(2**63)


def test_what_cannot_be_drawn_is_refused() -> None:
    values = np.zeros(2, dtype=np.int64)
    with pytest.raises(BadInput, match="scale must be positive"):
        add_nested_laplace(values, *PAIR, Fraction(0))
    with pytest.raises(BadInput, match="2 leaves need as many values"):
        add_nested_laplace(values[:1], *PAIR, Fraction(1))
    with pytest.raises(BadInput, match="too large or too deep"):
        add_nested_laplace(values, PAIR[0], np.array([3, 0, 5]), Fraction(1))
    with pytest.raises(BadInput, match="exact rational"):
        add_nested_laplace(values, *PAIR, 0.5)  # type: ignore[arg-type]
