"""Answers, one by one and many at once."""

from __future__ import annotations

import numpy as np
import pytest

import hushgram as hg
from hushgram.answers.answer import BINNED, COARSE, CUT, SHARED, Answer, Answers, Widths
from hushgram.answers.counting.quantiles import Quantile, Share
from hushgram.answers.tables.olap import NumericAnswer


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (Answer(1234.4, (1000, 1500)), "1,234 ± 250 (95 %)"),
        (Answer(13489, (13397, 13581)), "13,489 ± 92 (95 %)"),
        (Answer(-0.3, (-5.2, 4.6), 0.999), "0 ± 5 (99.9 %)"),
        (Answer(2, (1, 3), 0.5), "2 ± 1 (50 %)"),
        (Answer(2, (1, 3), 1 / 3), "2 ± 1 (33.33333333 %)"),
        (Answer(10**12, (0, 2 * 10**12)), "1,000,000,000,000 ± 1,000,000,000,000 (95 %)"),
        (Answer(5, (-np.inf, np.inf)), "5 ± inf (95 %)"),
        (NumericAnswer(1234.5678, (1233.4444, 1235.6912)), "1,234.57 ± 1.12 (95 %)"),
        (NumericAnswer(76151342.7, (65951342.7, 86351342.7)), "76,151,300 ± 10,200,000 (95 %)"),
        (Share(0.123, (0.119, 0.127)), "12.3 % (11.9 % to 12.7 %, 95 %)"),
        (Quantile(38, (36, 41), 0.5), "38 (36 to 41, 95 %)"),
        (Quantile(38.25, (36.5, 41.123456789), 0.5, 0.9), "38.25 (36.5 to 41.1235, 90 %)"),
    ],
)
def test_an_answer_prints_itself(answer: Answer | Quantile, text: str) -> None:
    assert str(answer) == text


def test_an_answer_says_why_it_is_wide_just_if_most_of_it_is_not_noise() -> None:
    noise = (90.0, 110.0)
    mostly = Answer(100, (84, 116), noise_interval=noise)
    assert mostly.is_mostly_cut
    assert str(mostly) == f"100 ± 16 (95 %; {CUT})"
    other = Answer(100, (84, 116), noise_interval=noise, why_wide=SHARED)
    assert str(other) == f"100 ± 16 (95 %; {SHARED})"
    assert other == mostly
    hardly = Answer(100, (86, 114), noise_interval=noise)
    assert not hardly.is_mostly_cut
    assert str(hardly) == "100 ± 14 (95 %)"


def test_the_reason_is_the_one_that_applies() -> None:
    shared = hg.publish(hg.Counts([5, 900, 7, 850, 3, 800]), epsilon=10, mechanism="ahp")
    cut = hg.publish(hg.Counts([5, 900, 7, 850, 3, 800]), epsilon=10, mechanism="identity")
    table = {"x0_lo": [1.5], "x0_hi": [4]}
    for release, reason in ((shared, SHARED), (cut, CUT)):
        assert release.count(x0=(1.5, 4)).why_wide == reason
        assert release.count(table)[0].why_wide == reason
    assert shared.rollup(x0=2).count().why_wide == SHARED
    assert cut.average("x0").why_wide == BINNED


def test_parts_that_are_larger_than_cells_have_a_reason_of_their_own() -> None:
    coarse = hg.publish(hg.Counts([900] * 32 + [0] * 32), epsilon=0.1, mechanism="privtree")
    assert coarse.count(x0=(3, 41)).why_wide == COARSE


def test_an_answer_of_noise_alone_has_one_interval() -> None:
    answer = Answer(5, (2, 8))
    assert answer.noise_interval == answer.interval
    assert answer.half_width == 3
    assert answer == Answer(5, (2, 8), noise_interval=(2, 8))
    assert answer != Answer(5, (2, 8), noise_interval=(3, 7))


def many(widths: Widths) -> Answers:
    return Answers(np.array([5.0, 6.0]), 0.9, lambda: np.array([0.0, 0.5]), lambda: widths)


def test_answers_are_a_sequence_of_answers() -> None:
    answers = many(Widths(noise=np.array([3.0, 2.0]), truth=np.array([4.0, 4.0])))
    assert len(answers) == 2
    assert answers[1] == Answer(6.0, (2.0, 10.0), 0.9, 0.5, noise_interval=(4.0, 8.0))
    assert answers[-1] == answers[1]
    assert [answer.value for answer in answers] == [5.0, 6.0]
    frame = answers.to_pandas()
    assert frame.to_dict("list") == {
        "value": [5, 6], "lower": [1, 2], "upper": [9, 10], "noise_lower": [2, 4],
        "noise_upper": [8, 8], "partial": [0, 0.5],
    }  # fmt: skip


def test_intervals_of_many_answers_are_found_once_and_when_they_are_asked_for() -> None:
    found = []

    def find_widths() -> Widths:
        found.append(1)
        return Widths(np.ones(2), np.ones(2))

    answers = Answers(np.array([5.0, 6.0]), 0.9, lambda: np.zeros(2), find_widths)
    assert answers.values.tolist() == [5, 6]
    assert not found
    assert (answers.lower.tolist(), answers.upper.tolist()) == ([4, 5], [6, 7])
    assert (answers.noise_lower.tolist(), answers.noise_upper.tolist()) == ([4, 5], [6, 7])
    assert found == [1]
