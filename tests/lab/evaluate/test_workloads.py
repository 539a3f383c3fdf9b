"""Questions: inside the domain, of the right sizes, and with the right answers."""

from __future__ import annotations

import numpy as np
import pytest

import hushgram as hg
from hushgram.lab.evaluate.workloads import WORKLOADS, BoxQuestions, Quantiles, questions

SHAPES = [(37,), (1,), (16, 9), (5, 4, 3)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", WORKLOADS)
def test_questions_lie_inside_and_are_answered(name: str, shape: tuple[int, ...]) -> None:
    asked = questions(name, shape)
    assert asked.digest == questions(name, shape).digest
    assert len(asked) > 0
    assert len(asked.groups) in (0, len(asked))
    counts = np.random.default_rng(1).integers(0, 50, shape)
    release = hg.publish(hg.Counts(counts), epsilon=500, allow_large=True)
    true = asked.true(counts)
    assert asked.ask(release, release.to_array()) == pytest.approx(true, abs=1e-6)
    some = np.arange(0, len(asked), max(len(asked) // 20, 1))
    low, high = asked.intervals(release, some)
    assert (low <= true[some] + 1e-6).all()
    assert (high >= true[some] - 1e-6).all()
    if isinstance(asked, BoxQuestions):
        assert (asked.starts >= 0).all()
        assert (asked.starts < asked.stops).all()
        assert (asked.stops <= np.array(shape)).all()
        for place in some:
            box = tuple(map(slice, asked.starts[place], asked.stops[place]))
            assert true[place] == counts[box].sum()


def test_the_ladder_doubles_every_side() -> None:
    asked = questions("ladder", (640, 320))
    assert isinstance(asked, BoxQuestions)
    sides = [(asked.stops - asked.starts)[places] for places in asked.members.values()]
    assert [len(side) for side in sides] == [200] * 6
    assert [side[0].tolist() for side in sides] == [
        [12, 6], [24, 12], [48, 24], [96, 48], [192, 96], [384, 192],
    ]  # fmt: skip
    assert list(asked.members) == ["q1", "q2", "q3", "q4", "q5", "q6"]


def test_sizes_and_boxes() -> None:
    asked = questions("sizes", (100,))
    assert list(asked.members) == ["1", "2", "4", "8", "16", "32", "64"]
    small = questions("small-boxes", (100, 16))
    assert isinstance(small, BoxQuestions)
    assert (small.stops - small.starts).prod(axis=1).max() <= 500
    assert len(questions("prefixes", (64,))) == 64
    assert len(questions("prefixes", (300, 300))) == 1 << 16


def test_marginals_add_up_to_all_rows_each() -> None:
    counts = np.arange(60).reshape(5, 4, 3)
    asked = questions("marginals", (5, 4, 3))
    assert list(asked.members) == ["x0", "x1", "x2", "x0,x1", "x0,x2", "x1,x2"]
    for places in asked.members.values():
        assert asked.true(counts)[places].sum() == counts.sum()


def test_quantiles_are_places() -> None:
    asked = questions("quantiles", (4, 3))
    assert isinstance(asked, Quantiles)
    counts = np.zeros((4, 3), dtype=int)
    counts[2, 1] = 10
    assert asked.true(counts).tolist() == [2.0] * 9 + [1.0] * 9
    assert not asked.counts_rows
