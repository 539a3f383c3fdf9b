"""``hushgram suggest`` and ``hushgram explain``."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from hushgram.declare.axis import Category, Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, User
from hushgram.mechanisms.identity import Identity
from hushgram.suggest.expected import CELLS, coarser, expect_errors
from tests.surface.conftest import Run, history


def test_suggest_opens_and_spends_nothing(run: Run, folder: Path) -> None:
    before = sorted(folder.iterdir())
    result = run("suggest", "--rows", "5000", "--axis", "age=0..99", "-e", "0.1", "-e", "1")
    assert (result.code, result.err) == (0, "")
    for words in ("privtree-hb", "a cell", "10 %", "half", "5,000 rows", "2.72", "73 %"):
        assert words in result.out
    assert sorted(folder.iterdir()) == before
    assert history() == {}


def test_suggest_as_json(run: Run) -> None:
    words = ("suggest", "--rows", "20000", "-a", "x=0:1", "-a", "y=0:1", "-e", "1", "--json")
    told = json.loads(run(*words).out)
    (one,) = told["expected"]
    assert (told["rows"], one["epsilon"], one["mechanisms"]) == (20000, "1", ["privtree-hb"])
    assert list(one["errors"]) == ["0.01 %", "1 %", "10 %", "half", "all"]
    assert all(0 <= low <= high for low, high in one["errors"].values())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--rows", "-1", "-a", "x=0:1"), "0 to 10^15 rows"),
        (("--rows", "10", "-a", "x=0:1", "-e", "0"), "epsilon"),
        (("--rows", "10", "-a", "x=0:1", "-m", "magic"), "Unknown mechanism"),
        (("--rows", "10", "-a", "x=0:1", "--workload", "all"), "workload='all' is not known"),
        (("--rows", "10", "-a", "x"), "x"),
    ],
)
def test_suggest_refuses(run: Run, words: tuple[str, ...], message: str) -> None:
    result = run("suggest", *words)
    assert result.code == 2
    assert message in result.err
    assert result.err.count("\n") == 1


def test_the_noise_of_single_cells_is_as_computed() -> None:
    """Identity's cells have a mean error of 1/ε, twenty times that for people with 20 rows."""
    domain = Domain(x=Integer(0, 63))
    for unit, factor in ((Rows(), 1), (User("who", 20), 20)):
        (one,) = expect_errors(Identity(), domain, 10**6, [Fraction(1, 10)], unit, "add-remove")
        low, high = one.errors["a cell"]
        assert 6 * factor < low <= high < 14 * factor
        assert one.mechanisms == ("identity",)


def test_stand_ins_have_the_kind_of_axes_and_few_cells() -> None:
    domain = Domain(x=Interval(0, 5), s=Category(["a", "b"], outside="other"), n=Integer(0, 9999))
    found = coarser(domain)
    assert found.cells <= CELLS
    assert [axis.kind for axis in found.axes] == [axis.kind for axis in domain.axes]
    assert found["s"].bins == 2


def test_explain_prints_why(run: Run, published: Path) -> None:
    result = run("explain", "out.hush.parquet")
    assert (result.code, result.err) == (0, "")
    assert "Why: There are 10 cells" in result.out
    told = json.loads(run("explain", "out.hush.parquet", "--json").out)
    assert told["mechanism"] == "identity"
    assert told["text"] in result.out
