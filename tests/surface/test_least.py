"""The least ε that reaches an error, in Python and on the command line."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.errors import BadInput
from hushgram.expect.expected import coarser
from hushgram.expect.least import search
from hushgram.expect.plausible import Plausible
from hushgram.expect.simulated import SimulatedTable
from hushgram.expect.trials import NEAREST, Belief, predict, spread_of
from hushgram.geometry.partition import Grid
from tests.samples import cells, release_of
from tests.surface.conftest import Run

AGES = {"age": hg.Integer(0, 99)}


def test_noise_alone_gives_the_epsilon_of_its_error() -> None:
    """The mean size of Laplace noise is 1 / ε, however the rows lie: with the least reserve,
    1.1 / ε is 20 at ε = 0.055."""
    found = hg.least_epsilon(10_000, AGES, error=20, at="cell", mechanism="identity")
    assert 0.85 * NEAREST / 20 < found.epsilon < 1.25 * NEAREST / 20
    assert found.expected.with_reserve <= 20


@pytest.fixture(scope="module")
def clustered() -> hg.Release:
    """Nearly all rows at one age."""
    return release_of(cells(**AGES), [5000 if age == 40 else 1 for age in range(100)])


def test_a_similar_release_shows_that_rows_are_even() -> None:
    """Ten wide bins are enough for even rows, and never for clustered ones."""
    even = release_of(cells(**AGES), [50] * 100)
    options: dict[str, Any] = {"error": 30, "at": "10%", "mechanism": "uniform-grid:m=10"}
    found = hg.least_epsilon(like=even, **options)
    assert found.rows == 5000
    assert found.epsilon < Fraction(1, 5)
    assert found.expected.with_reserve <= 30
    with pytest.raises(BadInput, match="No epsilon up to 10 reaches"):
        hg.least_epsilon(5000, AGES, **options)


def test_rows_like_those_of_a_release_lie_where_its_rows_are(clustered: hg.Release) -> None:
    domain = coarser(clustered.domain)
    table = SimulatedTable.like(
        Plausible.of(clustered.estimate), domain, 5099, np.random.default_rng(1)
    )
    counts = table.count(Grid(domain, (100,)))
    assert counts.sum() == 5099
    assert 5000 <= counts[40] <= 5099


def test_rows_of_other_values_are_left_out() -> None:
    sex = hg.Category(["F", "M"], outside="other")
    release = release_of(cells(sex=sex), [300, 100, 600])
    like = SimulatedTable.like(
        Plausible.of(release.estimate), coarser(release.domain), 1000, np.random.default_rng(1)
    )
    assert like.rows.sum() == 1000
    assert set(like.indices[:, 0]) == {0, 1}


def test_a_smaller_error_and_a_larger_box_need_more() -> None:
    options = {"mechanism": "identity", "kind": "even"}
    one, half, wide = (
        hg.least_epsilon(1000, AGES, error=error, at=at, **options)  # type: ignore[arg-type]
        for error, at in ((40, "1%"), (20, "1%"), (40, "50%"))
    )
    assert one.epsilon < half.epsilon
    assert one.epsilon < wide.epsilon


def test_the_command_says_the_same(run: Run) -> None:
    words = ["suggest", "--rows", "1000", "--axis", "age=0..99", "-m", "identity"]
    result = run(*words, "--error", "20", "--at", "cell", "--kind", "even", "--json")
    assert result.code == 0
    found = json.loads(result.out)
    python = hg.least_epsilon(
        1000, AGES, error=20, at="cell", mechanism="identity", kind="even"
    ).to_json()
    assert found["at"] == python["at"] == "one cell"
    assert abs(float(found["epsilon"]) / float(python["epsilon"]) - 1) < 0.3  # both simulate
    assert "Least epsilon: 0.0" in run(*words, "--error", "20", "--at", "cell").out
    assert "leave --epsilon out" in run(*words, "--error", "20", "-e", "1").err


def test_the_command_takes_a_similar_release(
    run: Run, clustered: hg.Release, tmp_path: Path
) -> None:
    path = tmp_path / "lastyear.hush.parquet"
    clustered.save(path)
    result = run("suggest", "--like", str(path), "--error", "20", "-m", "identity", "--json")
    assert result.code == 0, result.err
    assert json.loads(result.out)["rows"] == round(clustered.count().value)
    assert "--like needs --error" in run("suggest", "--like", str(path)).err
    assert "Missing option --rows" in run("suggest", "--axis", "age=0..99").err
    assert "Missing option --axis" in run("suggest", "--rows", "100", "--error", "5").err


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"error": 0}, "error must be a number of rows above 0"),
        ({"error": float("nan")}, "error must be a number of rows above 0"),
        ({"at": "150%"}, "at is the share"),
        ({"at": "many"}, "at is the share"),
        ({"kind": "town"}, "Did you mean 'towns'?"),
        ({"rows": 0.5}, "rows must be a whole number"),
        ({"domain": None}, "Declare the axes"),
        ({"like": "lastyear.hush.parquet"}, "like must be a release"),
        ({"error": 0.001, "unit": hg.User("person", 1000)}, "No epsilon up to 10 reaches"),
    ],
)
def test_odd_wishes_are_refused(wrong: dict[str, object], said: str) -> None:
    given = {"rows": 100, "domain": AGES, "error": 10, "at": "1%", "mechanism": "identity"}
    with pytest.raises(BadInput, match=said):
        hg.least_epsilon(**{**given, **wrong})  # type: ignore[arg-type]


def test_other_axes_than_those_of_the_release_are_refused(clustered: hg.Release) -> None:
    with pytest.raises(BadInput, match="The axes differ"):
        hg.least_epsilon(100, {"age": hg.Integer(0, 98)}, error=10, like=clustered)
    same = hg.least_epsilon(100, AGES, error=30, like=clustered, mechanism="identity")
    assert same.rows == 100


def test_a_release_counts_less_the_smaller_its_epsilon() -> None:
    generated = Belief.of_generated(math.log(100), spread=0.3)
    same, finer = (
        predict([generated, Belief.of_like(math.log(10), 0.1, ratio)]) for ratio in (1.0, 100.0)
    )
    alone = predict([generated])
    assert 10 < same.typical < finer.typical < alone.typical
    assert same.with_reserve < finer.with_reserve < alone.with_reserve


def test_chance_does_not_count_as_a_difference_between_tables() -> None:
    rng = np.random.default_rng(1)
    means = np.exp(rng.normal(0, 0.4, 400))
    for differ in (False, True):
        errors = (means[:, None] if differ else 1) * rng.gamma(16, 6, (400, 5))
        assert spread_of(errors)[1] == pytest.approx(0.4 if differ else 0.0, abs=0.06)


def test_the_search_finds_where_errors_are_small_enough() -> None:
    for bend in (0.5, 1.0, 2.0):
        found = search(lambda epsilon, bend=bend: 3 / epsilon**bend, 10.0)
        assert found is not None
        assert 1 <= found / 0.3 ** (1 / bend) < 1.1
    assert search(lambda _: 1.0, 2.0) == 0.001
    assert search(lambda _: 3.0, 2.0) is None
