"""Amounts and measures: public, exact, and refused where they cannot be measured."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushgram.declare.amount import Amount
from hushgram.declare.measure import (
    Count,
    Mean,
    Sum,
    Weighted,
    as_measures,
    measure_from_json,
    usual_step,
)
from hushgram.declare.measure_grammar import parse_measure
from hushgram.errors import BadInput, DomainError


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**7), st.integers(-(10**7), 10**7))
def test_whole_numbers_stay_exact(lo: int, span: int, value: int) -> None:
    amount = Sum("v", lo, lo + span).amount
    clamped = min(max(value, lo), lo + span)
    assert amount.steps(value) * amount.step == clamped  # type: ignore[operator]


@given(st.floats(allow_nan=True, allow_infinity=True), st.sampled_from(["1/3", "0.01", "7"]))
def test_every_value_becomes_a_step_between_the_bounds(value: float, step: str) -> None:
    amount = Sum("v", -20, 40, step=step, missing=0).amount
    found = amount.steps(value)
    assert found is not None
    assert amount.low <= found <= amount.high
    if not math.isnan(value):
        clamped = Fraction(min(max(value, -20), 40))
        assert abs(found * amount.step - clamped) <= amount.step * Fraction(51, 100)


@pytest.mark.parametrize("value", [None, math.nan, "many", True])
def test_missing_values_are_left_out_or_filled(value: Any) -> None:
    assert Sum("v", 0, 10).amount.steps(value) is None
    assert Sum("v", 0, 10, step=1, missing=4).amount.steps(value) == 4


def test_outside_is_clamped_or_dropped() -> None:
    clamped, dropped = (
        Sum("v", 0, 10, step=1).amount,
        Sum("v", 0, 10, step=1, outside="drop").amount,
    )
    assert [clamped.steps(x) for x in (-5, 99, -math.inf, math.inf)] == [0, 10, 0, 10]
    assert [dropped.steps(x) for x in (-5, 99, -math.inf, 10)] == [None, None, None, 10]
    assert dropped.drops
    assert not Sum("v", 0, 10, missing=0).amount.drops


@pytest.mark.parametrize("step", [None, "0.1", 3])
@pytest.mark.parametrize(("lo", "hi"), [(0, "0.7"), ("-0.4", "9.3"), ("2.2", 100), (0, 20)])
def test_a_value_beyond_a_bound_is_off_by_half_a_step_at_most(lo: Any, hi: Any, step: Any) -> None:
    """As any other is, which intervals allow for. A bound that is moved outwards is off by more."""
    if step == 3 and hi == "0.7":
        return
    amount = Sum("v", lo, hi, step=step).amount
    for value, bound in ((-1e9, lo), (1e9, hi)):
        assert abs(amount.steps(value) * amount.step - Fraction(bound)) <= amount.step / 2  # type: ignore[operator]


def test_whole_numbers_are_rounded_where_what_takes_their_place_is() -> None:
    assert Sum("v", 0, 20).keeps_whole_numbers
    assert not Sum("v", 0, "0.3").keeps_whole_numbers
    assert not Sum("v", 0, 20, missing="0.3").keeps_whole_numbers
    assert not Sum("v", 0, 20, per_person="30.1").keeps_whole_numbers
    assert not Sum("v", 0, 21, step=3, outside="drop").keeps_whole_numbers


def test_the_reach_counts_both_sides() -> None:
    amount = Amount("v", -10, 3, Fraction(1))
    assert [amount.reach(c) for c in (0, 3, -10, amount.middle)] == [10, 13, 13, 7]


@given(st.fractions(-(10**9), 10**9), st.fractions(min_value="1/1000", max_value=10**12))
def test_usual_steps_are_fine_and_few(lo: Fraction, span: Fraction) -> None:
    step = usual_step(lo, lo + span)
    assert max(step.numerator, step.denominator).bit_count() == 1
    assert span / step <= 2**25
    assert max(abs(lo), abs(lo + span)) / step <= 2**46


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: Sum("v", 5, 5), "below the upper"),
        (lambda: Sum("v", "many", 5), "must be a finite number"),
        (lambda: Sum("v", 0, 10**5000), "at most 100 digits"),
        (lambda: Sum("v", 0, 1e-300), "at most two digits"),
        (lambda: Sum("v", 0, math.inf), "must be a finite"),
        (lambda: Sum("v", 0, 1, step=3), "step=3 is too large"),
        (lambda: Sum("v", 0, 5, step=0), "step must be positive"),
        (lambda: Sum("v", 0, 10**9, step=1), "too many"),
        (lambda: Sum("v", 10**15, 10**15 + 10, step=1), "steps from 0"),
        (lambda: Sum("v", 0, 5, step=1, per_person=0), "one step of 1 or more"),
        (lambda: Sum("v", 1, 5, step=1, per_person=9), "0 between the bounds"),
        (lambda: Sum("v", 0, 5, missing=6), "outside the bounds"),
        (lambda: Sum("v", 0, 5, outside="other"), "clamp or drop"),  # type: ignore[arg-type]
        (lambda: Sum("", 0, 5), "named after a column"),
        (lambda: Amount("v", 0, 5, 1.0), "whole numbers of steps"),  # type: ignore[arg-type]
        (lambda: Amount("v", 5, 5, Fraction(1)), "positive step"),
    ],
)
def test_what_cannot_be_measured_is_refused(wrong: Any, said: str) -> None:
    with pytest.raises(DomainError, match=said):
        wrong()


@pytest.mark.parametrize(
    "measure",
    [
        Sum("v", 0, 5),
        Mean("v", -1, "2.5", step="0.01", missing=0),
        Weighted("w", 0, 9, outside="drop"),
    ],
    ids=str,
)
def test_measures_come_back_from_json(measure: Sum) -> None:
    again = measure_from_json(measure.to_json())
    assert (type(again), again.amount) == (type(measure), measure.amount)
    assert Amount.from_json(measure.amount.to_json()) == measure.amount
    assert again.to_json() == measure.to_json()


def test_measures_are_listed_once() -> None:
    assert as_measures([Count(), Sum("v", 0, 1)]) == (Sum("v", 0, 1),)
    assert as_measures(Count()) == as_measures(None) == ()
    with pytest.raises(BadInput, match="measured twice"):
        as_measures([Sum("v", 0, 1), Mean("v", 0, 2)])
    with pytest.raises(BadInput, match="is not a measure"):
        as_measures(["sum v 0:1"])  # type: ignore[list-item]


def test_measures_are_written_as_on_the_command_line() -> None:
    assert parse_measure("weighted-count weight 0:5000") == Weighted("weight", "0", "5000")
    assert parse_measure("mean usual hours -1:80 step=0.5 missing=0 outside=drop") == Mean(
        "usual hours", "-1", "80", "0.5", "drop", "0"
    )
    for text, said in {
        "": "starts with one of",
        "total v 0:1": "starts with one of",
        "sum v": "expected sum COLUMN LOW:HIGH",
        "sum 0:1": "expected sum COLUMN",
        "sum v 0:1/7": "expected sum COLUMN",
        "sum v 0:1 stepp=2": "Cannot read 'stepp=2'",
        "sum v 5:1": "below the upper",
    }.items():
        with pytest.raises(DomainError, match=said):
            parse_measure(text)
