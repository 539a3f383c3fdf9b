"""Wrong arguments in Python: each is refused with what was found and what to do instead."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

import hushgram as hg

SECRET = "postgresql://me:secret@host/ledger"


@pytest.fixture(scope="module")
def release() -> hg.Release:
    return hg.publish(hg.Counts([[50, 60], [70, 80]]), epsilon=1, account="a", ledger=ledger())


def ledger() -> hg.Ledger:
    return hg.Ledger.in_memory()


CALLS: dict[str, tuple[Callable[[], object], str]] = {
    "the path of a ledger": (
        lambda: hg.publish(hg.Counts([1]), epsilon=1, account="a", ledger=SECRET),  # type: ignore[call-overload]
        "ledger must be a Ledger. Found text. Open it first",
    ),
    "a ledger made of a path": (
        lambda: hg.Ledger(SECRET),  # type: ignore[arg-type]
        "Ledgers are opened by path or URL with Ledger.open",
    ),
    "a measure by its column": (
        lambda: hg.publish(hg.Counts([1]), epsilon=1, measures="pay"),  # type: ignore[call-overload]
        "'pay' is not a measure. Use Count",
    ),
    "bounds of a measure reversed": (
        lambda: hg.Mean("pay", 10, 0),
        "Measured column 'pay': the lower bound must be below the upper one. Found 10:0. Did you",
    ),
}


@pytest.mark.parametrize("mistake", CALLS)
def test_a_wrong_declaration_is_refused(mistake: str) -> None:
    call, said = CALLS[mistake]
    with pytest.raises(hg.BadInput) as caught:
        call()
    assert said in str(caught.value)
    assert "secret" not in str(caught.value)


QUESTIONS: dict[str, tuple[Callable[[hg.Release], object], str]] = {
    "a range reversed": (lambda r: r.count(x0=(2, 1)), "Did you mean (1, 2)?"),
    "a word for a number": (lambda r: r.cdf("x0", "two"), "need numbers as bounds. Found 'two'"),
    "compared with a number": (lambda r: r.compare(5), "with another release. Found int"),  # type: ignore[arg-type]
    "a seed": (lambda r: r.sample(5, rng=5), "such as numpy.random.default_rng(5). Found int"),  # type: ignore[arg-type]
    "panels of no axis": (lambda r: r.plot(by="x9"), "no axis 'x9'. Its axes: 'x0', 'x1'"),
    "three ends of a window": (lambda r: r.plot(bbox=(1, 2, 3)), "bbox must be west, south"),
}


@pytest.mark.parametrize("mistake", QUESTIONS)
def test_a_wrong_question_is_refused(mistake: str, release: hg.Release) -> None:
    call, said = QUESTIONS[mistake]
    with pytest.raises(hg.HushgramError) as caught:
        call(release)
    assert said in str(caught.value)


def test_a_list_is_not_a_polygon() -> None:
    pytest.importorskip("shapely")
    table = pa.table({"x": [1.0, 2.0], "y": [3.0, 4.0]})
    axes = {"x": hg.Regular(2, 0, 9), "y": hg.Regular(2, 0, 9)}
    plane = hg.publish(table, axes, epsilon=1, account="a", ledger=ledger())
    with pytest.raises(hg.QuestionError, match="'north' is not a polygon, but list"):
        plane.areas({"north": [(0, 0), (1, 1)]})
