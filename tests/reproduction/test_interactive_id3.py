"""The interactive tree: what it spends, what it learns, and that its scores move as stated."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hushgram as hg
from hushgram.answers.learning.id3 import grow
from hushgram.answers.tables.contingency import Contingency, noiseless
from hushgram.declare.unit import Rows
from hushgram.errors import BadInput
from hushgram.trusted.engine.sources.counted import CountedTable
from hushgram.trusted.noise import Native
from reproduction.interactive_id3 import ChoosingVault, interactive_id3, score, sensitivity


def vault_of(counts: Any, epsilon: Any, neighbours: Any = "add-remove") -> ChoosingVault:
    source = hg.Counts(counts)
    return ChoosingVault(
        CountedTable(source), source.domain, Fraction(epsilon), unit=Rows(),
        neighbours=neighbours, noise=Native(),
    )  # fmt: skip


def diseased() -> Any:
    counts = np.zeros((3, 2, 2), dtype=int)
    counts[0] = [[90, 10], [80, 20]]
    counts[1] = [[10, 90], [10, 90]]
    counts[2] = [[95, 5], [5, 95]]
    return counts * 100


@pytest.mark.parametrize("quality", ["max", "gain"])
def test_with_much_budget_it_is_the_plain_tree(quality: str) -> None:
    counts = diseased()
    tree = interactive_id3(vault_of(counts, 10**6), "x2", depth=5, quality=quality)
    codes = np.indices((3, 2)).reshape(2, -1).T
    plain = grow(Contingency(codes, counts.reshape(-1, 2).astype(float), noiseless))
    assert tree.feature == plain.feature == 0
    assert tree.leaves == 6
    assert np.allclose(tree.predict(codes), plain.predict(codes), atol=1e-3)


def test_it_spends_no_more_than_it_has_and_less_where_it_stops() -> None:
    vault = vault_of(diseased(), 1)
    interactive_id3(vault, "x2", depth=2)
    assert vault.remaining == 0
    poor = vault_of(diseased() // 100, Fraction(1, 1000))
    tree = interactive_id3(poor, "x2", depth=2)
    assert tree.leaves in (1, 2, 3, 4, 5, 6)
    assert 0 <= poor.remaining <= Fraction(4, 6000)


def test_the_target_may_be_any_axis() -> None:
    counts = np.moveaxis(diseased(), 2, 0)
    tree = interactive_id3(vault_of(counts, 10**6), "x0", depth=1)
    assert tree.feature == 0
    assert np.allclose(tree.predict(np.array([[1, 0]])), [[0.1, 0.9]], atol=1e-3)


tables = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=4)


@given(tables, st.data())
def test_one_row_moves_a_score_no_further_than_stated(table: Any, data: Any) -> None:
    before = np.array(table)
    after = before.copy()
    after[data.draw(st.integers(0, len(table) - 1)), data.draw(st.integers(0, 1))] += 1
    for quality in ("max", "gain"):
        moved = abs(score(after, quality) - score(before, quality))
        assert moved <= sensitivity(quality, int(after.sum()))


def test_what_it_refuses() -> None:
    with pytest.raises(BadInput, match="quality='best'"):
        interactive_id3(vault_of(diseased(), 1), "x2", depth=1, quality="best")
    with pytest.raises(BadInput, match="neighbours that add or remove a row"):
        interactive_id3(vault_of(diseased(), 10**3, "replace-one"), "x2", depth=1)
