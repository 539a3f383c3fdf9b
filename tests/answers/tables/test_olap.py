"""Tables of groups, sums, averages and shares, against plain arithmetic."""

from __future__ import annotations

import contextlib
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hushgram as hg
from hushgram.answers.counting.counts import spread_of
from hushgram.answers.tables.olap import (
    covariances,
    one_by_one,
    shares_and_widths,
    takes_whole_parts,
)
from hushgram.answers.unevenness.widths import MARGIN
from hushgram.errors import NotAnswerable, QuestionError
from hushgram.geometry.partition import Boxes, Cuts, Grid, Raster
from hushgram.mechanisms.estimate import Estimate
from hushgram.queries import Measurement
from hushgram.release import Release
from hushgram.release.parquet import read
from tests.answers.tables.test_views import as_release, estimates, map_of, measured
from tests.samples import cells, release_of

PEOPLE = cells(age=hg.Integer(20, 25), sex=hg.Category(["F", "M"]), x=hg.Regular(4, 0, 2))
VALUES = np.arange(48).reshape(6, 2, 4) + 1000


def people(values: Any = VALUES) -> Release:
    return release_of(PEOPLE, values)


def test_a_table_of_groups_has_the_counts_and_their_intervals() -> None:
    release = people()
    table = release.group_by("sex", "age")
    assert list(table.columns) == ["sex", "age", "value", "lower", "upper"]
    assert len(table) == 12
    for _, row in table.iterrows():
        answer = release.count(sex=row["sex"], age=row["age"])
        assert (row["value"], (row["lower"], row["upper"])) == (answer.value, answer.interval)
    narrow = release.group_by("sex", confidence=0.5)
    wide = release.group_by("sex", confidence=0.5, simultaneous=True)
    each = release.count(sex="F", confidence=0.75).interval
    assert (wide["upper"][0], wide["lower"][0]) == (each[1], each[0])
    assert (narrow["upper"] < wide["upper"]).all()


def test_a_table_of_groups_tells_the_noise_on_request() -> None:
    """A slice that is cut has a wider interval than its noise."""
    release = release_of(Cuts(hg.Domain(x=hg.Regular(4, 0, 4)), (np.array([0, 2]),)), [300, 500])
    table = release.group_by("x", noise=True)
    names = ["x_lo", "x_hi", "value", "lower", "upper", "noise_lower", "noise_upper"]
    assert table.columns.tolist() == names
    width, noise = (table[name] - table["value"] for name in ("upper", "noise_upper"))
    assert width.tolist() == pytest.approx((MARGIN * noise).tolist())
    cut = release.rollup(x=[1, 3]).group_by("x", noise=True)
    assert (cut["upper"] > cut["noise_upper"]).all()
    assert (cut["lower"] < cut["noise_lower"]).all()
    assert cut["value"].tolist() == [150, 400, 250]
    shares = release.rollup(x=[1, 3]).group_by("x", share=True, noise=True)
    assert (shares["upper"] > shares["noise_upper"]).all()
    assert "noise_upper" in release.top(1, "x", noise=True)
    assert "noise_upper" not in release.group_by("x")


def test_which_views_take_whole_parts() -> None:
    release = people()
    assert takes_whole_parts(release.estimate)
    assert takes_whole_parts(release.project("age").estimate)
    assert takes_whole_parts(release.rollup(age=2).slice(sex="F").project("age").estimate)
    cuts = release_of(Cuts(hg.Domain(x=hg.Regular(4, 0, 4)), (np.array([0, 2]),)), [300, 500])
    assert not takes_whole_parts(cuts.rollup(x=[1, 3]).estimate)
    assert not takes_whole_parts(cuts.rollup(x=[1, 3]).rollup(x=[1]).estimate)
    assert not takes_whole_parts(map_of("boxes").project("x").estimate)
    pooled = hg.publish(hg.Counts(np.full(60, 500)), epsilon=1, mechanism="noise-first")
    assert not takes_whole_parts(pooled.estimate)
    assert not takes_whole_parts(pooled.rollup(x0=10).estimate)


def test_shares_of_a_view_allow_for_what_is_not_known_of_all_its_rows() -> None:
    """The view cuts the second part, so that the share of the first is not known either."""
    release = release_of(Cuts(hg.Domain(x=hg.Regular(4, 0, 4)), (np.array([0, 2]),)), [300, 500])
    shares = release.slice(x=(0, 3)).group_by("x", share=True, noise=True)
    assert shares["upper"][0] > 1.5 * shares["noise_upper"][0] - 0.5 * shares["value"][0]


@settings(max_examples=40, deadline=None)
@given(estimates(), st.data())
def test_intervals_of_groups_are_those_of_counts(estimate: Estimate, data: Any) -> None:
    release = as_release(estimate)
    name = data.draw(st.sampled_from(release.domain.names))
    table, seen = release.group_by(name, bins=5), release.project(name, bins=5)
    for part in range(len(table)):
        weights = np.zeros(len(table))
        weights[part] = 1.0
        spread = spread_of(seen.estimate, weights)
        variance = seen.estimate.moments(weights)[0]
        half = (table["upper"][part] - table["lower"][part]) / 2
        assert spread.variance == pytest.approx(variance)
        assert half >= 1.9 * variance**0.5 - 1
        assert table["value"][part] == pytest.approx(seen.estimate.values[part])


def test_an_axis_may_have_a_column_s_name() -> None:
    release = release_of(cells(value=hg.Integer(0, 1), lower=hg.Category(["a"])))
    assert list(release.group_by("value", "lower").columns) == [
        "value_axis", "lower_axis", "value", "lower", "upper",
    ]  # fmt: skip


def test_the_top_is_sorted_and_holds_together() -> None:
    release = people()
    table = release.top(3, "age")
    assert table["age"].tolist() == [25, 24, 23]
    every = release.group_by("age", simultaneous=True)
    assert table["lower"].tolist() == every["lower"].tolist()[:2:-1]
    assert len(release.top(99, "age")) == 6
    assert release.top(1, "age", simultaneous=False)["upper"][0] < table["upper"][0]
    for k in (0, True, 2.5):
        with pytest.raises(QuestionError, match="top rows"):
            release.top(k, "age")  # type: ignore[arg-type]


def test_shares_add_up_and_know_that_parts_are_parts_of_all() -> None:
    release = people()
    table = release.group_by("sex", share=True, noise=True)
    assert table["value"].sum() == pytest.approx(1.0)
    answer = release.share(sex="F")
    assert answer.value == pytest.approx(table["value"][0])
    assert answer.interval == pytest.approx((table["lower"][0], table["upper"][0]), rel=1e-3)
    assert str(answer).startswith("49.9 %")
    everything = release.share()
    assert everything.interval == pytest.approx((1.0, 1.0))
    total, noise = VALUES.sum(), release.estimate.measurements[0].variance
    expected = noise * 48 / 4 / total**2  # a half of all, up to the delta method
    width = (table["noise_upper"] - table["noise_lower"])[0] / 2
    assert width == pytest.approx(1.97 * expected**0.5, rel=0.1)


@settings(max_examples=40, deadline=None)
@given(estimates())
def test_covariances_with_all_rows(estimate: Estimate) -> None:
    parts = len(estimate.values)
    shares = np.linspace(-0.5, 1.5, parts)
    with_all = covariances(estimate, np.ones(parts))
    variance = estimate.moments(np.ones(parts))[0]
    noise = estimate.variances() - 2 * shares * with_all + shares**2 * variance
    assert noise == pytest.approx(one_by_one(estimate, shares), abs=1e-9)


def test_too_few_rows_cannot_be_divided_by() -> None:
    release = people(np.zeros(48))
    for ask in (
        lambda: release.group_by("sex", share=True), lambda: release.share(sex="F"),
        lambda: release.average("age"), lambda: release.average("age", age=(24, 24)),
    ):  # fmt: skip
        with pytest.raises(NotAnswerable, match="too few rows to divide by:"):
            ask()


def test_too_many_shares_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hushgram.answers.tables.olap.MAX_ROWS", 3)
    monkeypatch.setattr("hushgram.mechanisms.inference.base.Inference.is_linear", False)
    with pytest.raises(NotAnswerable, match="48 shares"):
        shares_and_widths(people().estimate, 0.95)


AGES = np.arange(20, 26)[:, None, None]
MIDDLES = np.array([0.25, 0.75, 1.25, 1.75])


def test_sums_and_averages_of_whole_numbers_have_the_error_of_the_noise() -> None:
    release = people()
    found = release.sum("age")
    assert found.value == (VALUES * AGES).sum()
    assert uneven_part(found) == pytest.approx(0, abs=1e-3)
    assert found.partial == 0
    variance = release.estimate.moments((AGES * np.ones(VALUES.shape)).reshape(-1))[0]
    assert found.noise_interval[1] - found.value == pytest.approx(1.96 * variance**0.5, rel=0.02)
    some = VALUES[1:3, 1:]
    assert release.sum("age", age=(21, 23), sex="M").value == (some * AGES[1:3]).sum()
    listed = release.average("age", age=[21, 24])
    chosen = VALUES[[1, 4]]
    assert listed.value == pytest.approx((chosen * AGES[[1, 4]]).sum() / chosen.sum())
    assert uneven_part(listed) == pytest.approx(0, abs=1e-6)
    average = release.average("age")
    assert average.value == pytest.approx((VALUES * AGES).sum() / VALUES.sum())
    assert str(average).startswith("22.5")
    assert "cuts" not in str(average)


def uneven_part(answer: hg.Answer) -> float:
    """Half the width of an interval but for the noise."""
    noise = answer.noise_interval[1] - answer.value
    return float(np.sqrt(max((answer.half_width / MARGIN) ** 2 - noise**2, 0)))


def test_sums_of_bins_take_the_middle_and_allow_for_the_rest() -> None:
    release = people()
    found = release.sum("x")
    assert found.value == pytest.approx((VALUES * MIDDLES).sum())
    assert 0 < uneven_part(found) <= 0.25 * VALUES.sum()
    average = release.average("x", sex="F")
    some = VALUES[:, 0]
    assert average.value == pytest.approx((some * MIDDLES).sum() / some.sum())
    assert 0 < uneven_part(average) <= 0.25
    half = release.sum("x", x=(0.25, 1))
    first, second = VALUES[..., 0].sum(), VALUES[..., 1].sum()
    assert half.value == pytest.approx(first / 2 * 0.375 + second * 0.75)
    assert half.partial == pytest.approx(first / 2 * 0.375)
    # Rows of the first bin add 0 to 0.5, those of the second 0.5 to 1.
    assert 0 < uneven_part(half) <= first * (0.5 - 0.375 / 2) + second * 0.25


def test_the_noise_of_an_average_is_that_of_a_ratio() -> None:
    rng = np.random.default_rng(7)
    truth = rng.poisson(300, VALUES.shape)
    exact = (truth * AGES).sum() / truth.sum()
    inside, widths, errors = 0, [], []
    for _ in range(400):
        noise = rng.laplace(0, 2, VALUES.shape).round()
        answer = people(truth + noise).average("age")
        inside += answer.interval[0] <= exact <= answer.interval[1]
        widths.append(answer.interval[1] - answer.value)
        errors.append(answer.value - exact)
    assert 360 <= inside <= 398  # 380 expected, with a deviation of 4.4
    assert np.mean(widths) == pytest.approx(1.96 * np.std(errors), rel=0.2)


def test_wide_slices_and_boxes_take_the_middle_of_what_they_hold() -> None:
    domain = hg.Domain(age=hg.Integer(0, 9))
    layout = Cuts(domain, (np.array([0, 4]),))
    release = as_release(Estimate.direct(measured_as(layout, [400, 600])))
    assert release.sum("age").value == 400 * 1.5 + 600 * 6.5
    # All rows at one end, and as many more as the noise may hide.
    farthest = 400 * 1.5 + 600 * 2.5 + 2 * (2 * (1.5**2 + 2.5**2)) ** 0.5
    assert 0 < uneven_part(release.sum("age")) <= farthest * (1 + 1e-9)
    assert release.sum("age", age=(2, 6)).value == 200 * 2.5 + 200 * 4.5
    assert release.sum("age", age=[0, 9]).value == 100 * 0 + 100 * 9
    boxes = Boxes(Raster.of_cells(domain), np.array([0, -1, -1]), np.array([4, 0, 0]))
    same = as_release(Estimate.direct(measured_as(boxes, [400, 600])))
    for question in ({}, {"age": (2, 6)}, {"age": [0, 9]}):
        assert same.sum("age", question) == release.sum("age", question)
        assert same.average("age", question) == release.average("age", question)


def measured_as(layout: Any, values: list[int]) -> Measurement:
    return Measurement(layout, np.array(values), 2.0, Fraction(1))


def test_other_holds_no_number() -> None:
    release = release_of(cells(age=hg.Integer(1, 2, outside="other")), [100, 100, 999])
    assert release.sum("age").value == 300
    assert release.average("age").value == 1.5
    assert release.sum("age", age=[2, "other"]).value == 200
    seen = release.slice(age=[2, "other"])
    assert seen.sum("age").value == 200


@pytest.mark.parametrize("kind", ["refined", "boxes"])
def test_boxes_have_sums_too(kind: str) -> None:
    release = map_of(kind)
    lower, upper = release.estimate.partition.boxes()  # type: ignore[attr-defined]
    middles = (lower[:, 0] + upper[:, 0]) / 2 / 2**20
    values = release.estimate.values
    assert release.sum("x").value == pytest.approx(float(middles @ values))
    assert release.average("x").value == pytest.approx(float(middles @ values) / values.sum())


def test_what_holds_no_numbers_is_not_added_up() -> None:
    with pytest.raises(NotAnswerable, match="axes: 'age', 'x'"):
        people().sum("sex")
    with pytest.raises(NotAnswerable, match=r"group_by\(\)"):
        release_of(cells(day=hg.Date("2024-01-01", "2024-01-03"))).average("day")
    with pytest.raises(QuestionError, match="no axis 'height'"):
        people().sum("height")
    with pytest.raises(QuestionError, match="no axis 'height'"):
        people().average("age", height=2)


def test_a_big_table_does_without_the_shape_of_the_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    release = map_of("boxes")
    exact = release.group_by("x")
    monkeypatch.setattr("hushgram.answers.tables.olap.QUICK", 0)
    wide = release.group_by("x")
    assert (wide["upper"] >= exact["upper"] - 1e-9).all()
    assert (wide["upper"] - wide["value"] <= 1.2 * (exact["upper"] - exact["value"])).all()


def test_one_grid_and_one_part() -> None:
    rng = np.random.default_rng(0)
    release = as_release(Estimate.direct(measured(Grid(hg.Domain(x=(0, 1)), (1,)), rng)))
    assert len(release.group_by("x")) == 1
    assert release.project("x").count() == release.count()


DOMAINS = (
    hg.Domain(x=(0, 100), y=(0, 100)),
    hg.Domain(x=hg.Integer(0, 99), y=hg.Regular(10, 0, 100)),
    hg.Domain(x=hg.Integer(0, 99)),
)


def published(mechanism: str) -> Release:
    """A release of the first domain that the mechanism takes."""
    import pandas as pd

    rng = np.random.default_rng(1)
    table = pd.DataFrame({name: rng.normal(50, 12, 2000) for name in "xy"})
    for domain in DOMAINS:
        with contextlib.suppress(hg.HushgramError):
            return hg.publish(table, domain, epsilon=2, mechanism=mechanism, account="a")
    raise AssertionError(f"{mechanism} takes none of the domains")


@pytest.mark.parametrize("mechanism", hg.MECHANISMS)
def test_every_mechanism_answers(mechanism: str) -> None:
    release = published(mechanism)
    total = release.count().value
    assert release.project("x").count().value == pytest.approx(total)
    assert release.rollup(x=25, bins=8).variances().min() >= 0
    assert release.slice(x=(20, 60), bins=8).count().value == pytest.approx(
        release.count(x=(20, 60)).value, rel=1e-3
    )
    assert release.group_by("x", bins=20)["value"].sum() == pytest.approx(total)
    assert release.group_by("x", share=True, bins=20)["value"].sum() == pytest.approx(1)
    assert len(release.top(3, "x", bins=10)) == 3
    assert release.average("x").value == pytest.approx(release.sum("x").value / total)
    assert release.sum("x", x=(10, 70)).value > 0
    assert release.sql("SELECT sum(count) AS n FROM release")["n"][0] == pytest.approx(total)
    seen = release.rollup(x=25, bins=8)
    assert read(seen.to_bytes()).count() == seen.count()


@pytest.mark.parametrize("heaped", [False, True])
def test_intervals_of_sums_and_averages_hold_rows_anywhere_in_their_bins(heaped: bool) -> None:
    """Evenly in the bins, or all of a bin at one place that is anywhere in it."""
    rng = np.random.default_rng(5)
    grid = cells(x=hg.Regular(4, 0, 2))
    rows = np.array([400, 700, 300, 600])
    release = release_of(grid, rows.tolist())
    total, average = release.sum("x"), release.average("x")
    held = 0
    for _ in range(200):
        inside = rng.random(4)[:, None] if heaped else rng.random((4, 1000))
        inside = np.broadcast_to(inside, (4, 1000))
        truth = sum(0.5 * (k + inside[k, :n]).sum() for k, n in enumerate(rows))
        in_sum = total.interval[0] <= truth <= total.interval[1]
        in_average = average.interval[0] <= truth / rows.sum() <= average.interval[1]
        held += in_sum and in_average
    assert held >= 190
