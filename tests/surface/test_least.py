"""The least ε that reaches an error, in Python and on the command line."""

from __future__ import annotations

import json

import pytest

import hushgram as hg
from hushgram.errors import BadInput
from hushgram.expect.least import RESERVE, search
from tests.surface.conftest import Run

AGES = {"age": hg.Integer(0, 99)}


def test_noise_alone_gives_the_epsilon_of_its_error() -> None:
    """The mean size of Laplace noise is 1 / ε: with the reserve, 1.4 / ε is 20 at ε = 0.07."""
    found = hg.least_epsilon(10_000, AGES, error=20, at="cell", mechanism="identity")
    assert 0.8 * RESERVE / 20 < found.epsilon < 1.5 * RESERVE / 20
    assert found.expected[1] <= 20


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


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"error": 0}, "error must be a number of rows above 0"),
        ({"error": float("nan")}, "error must be a number of rows above 0"),
        ({"at": "150%"}, "at is the share"),
        ({"at": "many"}, "at is the share"),
        ({"kind": "town"}, "Did you mean 'towns'?"),
        ({"error": 0.001, "unit": hg.User("person", 1000)}, "No epsilon up to 10 reaches"),
    ],
)
def test_odd_wishes_are_refused(wrong: dict[str, object], said: str) -> None:
    asked: dict[str, object] = {"error": 10, "at": "1%", "mechanism": "identity", **wrong}
    with pytest.raises(BadInput, match=said):
        hg.least_epsilon(100, AGES, **asked)  # type: ignore[arg-type]


def test_the_search_finds_where_errors_are_small_enough() -> None:
    for bend in (0.5, 1.0, 2.0):
        found = search(lambda epsilon, bend=bend: 3 / epsilon**bend, 10.0)
        assert found is not None
        assert 1 <= found / 0.3 ** (1 / bend) < 1.1
    assert search(lambda _: 1.0, 2.0) == 0.001
    assert search(lambda _: 3.0, 2.0) is None
