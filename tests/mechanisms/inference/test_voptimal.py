"""V-optimal groups: the paper's table, and all ways to cut."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushgram.errors import BadInput
from hushgram.mechanisms.inference.voptimal import v_optimal_groups, v_optimal_table
from tests.mechanisms.inference.programmes import cost_of, rows
from tests.strategies import up_to

D = [4, 3, 3, 7, 6, 5, 2, 3]
# The table that Fig. 4 of Shi & Zhou shows, worked out anew: the figure was not at hand.
M = {  # row s: the least error of x1 … xs in 1, 2, … s groups
    1: "0",
    2: "0.5 0",
    3: "0.67 0 0",
    4: "10.75 0.67 0 0",
    5: "13.2 1.17 0.5 0 0",
    6: "13.33 2.67 1.17 0.5 0 0",
    7: "19.43 13.33 2.67 1.17 0.5 0 0",
    8: "20.88 13.83 3.17 1.67 1 0.5 0 0",
}


def structure_error(error: float, size: int) -> float:
    return error


def least_of_all(values: list[float], groups: int) -> float:
    ways = combinations(range(1, len(values)), groups - 1)
    return min(cost_of(values, [0, *way], structure_error) for way in ways)


def test_the_papers_table() -> None:
    table = v_optimal_table(D, 8)
    for s, row in M.items():
        assert table[s, 1 : s + 1] == pytest.approx([float(m) for m in row.split()], abs=0.0051)
        assert np.isinf(table[s, s + 1 :]).all()
        for t in range(1, s + 1):
            assert table[s, t] == pytest.approx(least_of_all(D[:s], t), abs=1e-12)


@settings(max_examples=up_to(300))
@given(rows(max_size=8), st.data())
def test_groups_are_the_least_of_all(values: list[float], data: st.DataObject) -> None:
    groups = data.draw(st.integers(1, len(values)))
    starts = v_optimal_groups(values, groups)
    assert len(starts) == groups
    found = cost_of(values, starts, structure_error)
    spread = (max(values) - min(values)) ** 2
    assert found == pytest.approx(least_of_all(values, groups), rel=1e-9, abs=1e-20 * spread)


@pytest.mark.parametrize("level", [0.0, 3.0, 40.0])
@pytest.mark.parametrize("groups", [2, 9, 50])
def test_pruning_loses_no_group(level: float, groups: int) -> None:
    """Beside the programme that compares every start with every end, on noise and on steps."""
    rng = np.random.default_rng(groups)
    values = np.repeat(rng.integers(0, 9, 20), 20) * level + np.rint(rng.laplace(0, 3, 400))
    table = np.full((len(values) + 1, groups + 1), np.inf)
    table[0, 0] = 0
    for s in range(1, len(values) + 1):
        errors = [((values[k:s] - values[k:s].mean()) ** 2).sum() for k in range(s)]
        for t in range(1, groups + 1):
            table[s, t] = (table[:s, t - 1] + errors).min()
    found = v_optimal_table(values, groups)
    assert np.allclose(found[1:, 1:], table[1:, 1:], rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("groups", [0, 9])
def test_bad_number_of_groups(groups: int) -> None:
    with pytest.raises(BadInput, match="from 1 to 8"):
        v_optimal_groups(D, groups)


def test_too_large_names_what_to_do() -> None:
    with pytest.raises(BadInput, match="best_segments"):
        v_optimal_groups(np.zeros(100_000), 201)
