from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hushgram.trusted.vault.scores.projection import Projection
from hushgram.trusted.vault.scores.ranks import rank_scores

BOXES = st.lists(
    st.tuples(st.integers(0, 50), st.lists(st.integers(0, 4), min_size=2, max_size=12)), max_size=6
)


@given(BOXES)
def test_scores_of_all_cuts(boxes: Any) -> None:
    first = np.array([start for start, _ in boxes], dtype=np.int64)
    last = np.array([start + len(counts) - 1 for start, counts in boxes], dtype=np.int64)
    occupied = [[(start + i, c) for i, c in enumerate(counts) if c] for start, counts in boxes]
    starts = np.cumsum([0, *map(len, occupied)])
    slices, rows = np.array([*chain.from_iterable(occupied)], dtype=np.int64).reshape(-1, 2).T
    scores, many = rank_scores(first, last, Projection(starts[:-1], starts[1:], slices, rows))
    expected = [
        -abs(sum(counts[:cut]) - sum(counts[cut:]))
        for _, counts in boxes
        for cut in range(1, len(counts))
    ]
    assert np.repeat(scores, many).tolist() == expected
