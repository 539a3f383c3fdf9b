"""Releases with measures, from the table to the answers."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hushgram as hg
from hushgram.declare.measure import Mean, Sum
from hushgram.errors import BadInput, NotAnswerable, QuestionError, ReleaseCorrupted, SourceError
from hushgram.mechanisms.measured import best_centre, usual_share
from hushgram.release.parquet import read
from tests.program import run_program

N = 6000


def people() -> pa.Table:
    rng = np.random.default_rng(4)
    return pa.table({
        "region": rng.choice(["N", "S"], N), "age": rng.integers(0, 20, N),
        "pay": rng.uniform(0, 130, N), "who": rng.integers(0, 1500, N),
        "hours": rng.integers(0, 60, N), "lon": rng.normal(0, 1, N),
    })  # fmt: skip


AXES: dict[str, Any] = {"region": hg.Category(["N", "S"]), "age": hg.Integer(0, 19)}


def publish(measures: Any, axes: Any = None, **more: Any) -> hg.Release:
    terms: dict[str, Any] = {"epsilon": 4, "account": "people", "ledger": hg.Ledger.in_memory()}
    return hg.publish(people(), axes or AXES, measures=measures, **{**terms, "cap": 10, **more})


def truth(column: str, lo: float, hi: float, chosen: Any) -> Any:
    return np.clip(people()[column].to_numpy(), lo, hi)[chosen]


@pytest.fixture(scope="module")
def release() -> hg.Release:
    return publish([hg.Count(), hg.Sum("pay", 0, 100), hg.Mean("hours", 0, 60)])


def test_sums_and_means_are_near_the_truth(release: hg.Release) -> None:
    south = people()["region"].to_numpy(zero_copy_only=False) == "S"
    pay = truth("pay", 0, 100, south)
    total, mean = release.sum("pay", region="S"), release.mean("pay", region="S", confidence=0.999)
    assert abs(total.value - pay.sum()) < 4 * total.half_width
    assert mean.interval[0] < pay.mean() < mean.interval[1]
    assert mean.half_width < 3
    assert str(mean).endswith("(99.9 %)")
    assert release.average("pay", region="S").value == mean.value


def test_exact_columns_are_not_blurred(release: hg.Release) -> None:
    pay, hours = release.measured
    assert (pay.exact, hours.exact) == (False, True)
    assert hours.centre == hours.amount.middle


def test_a_type_that_pandas_took_from_the_rows_says_nothing_in_the_release() -> None:
    """A missing number makes floats of a column of whole ones, so that they cannot count as exact:
    whether one row has none would be told."""
    whole = pd.DataFrame({"age": [1, 2], "hours": [3, 4]})
    broken = pd.DataFrame({"age": [1, 2, 3], "hours": [3, 4, None]})
    assert [str(one["hours"].dtype) for one in (whole, broken)] == ["int64", "float64"]
    for frame in (whole, broken):
        for table, exact in ((frame, False), (frame.astype({"hours": "Int64"}), True)):
            terms: dict[str, Any] = {"epsilon": 1, "account": "a", "ledger": hg.Ledger.in_memory()}
            axes = {"age": hg.Integer(0, 9)}
            release = hg.publish(table, axes, measures=hg.Sum("hours", 0, 9), **terms)
            assert release.measured[0].exact is exact


@pytest.mark.parametrize("kind", [hg.Sum, hg.Mean])
@pytest.mark.parametrize("column", ["whole", "broken"])
def test_many_rows_at_a_bound_between_two_steps_are_not_too_many(column: str, kind: Any) -> None:
    """Each of them is off by less than half a step, for which intervals allow."""
    n = 400_000
    table = pa.table({"whole": np.full(n, 9), "broken": np.full(n, 0.3)})
    measure, terms = kind(column, 0, "0.3"), {"epsilon": 8, "account": "a", "cap": 9}
    answer = hg.ask(table, measure, **terms, ledger=hg.Ledger.in_memory())  # type: ignore[arg-type]
    axes = {column: hg.Integer(0, 9)}
    release = hg.publish(table, axes, measures=measure, **terms, ledger=hg.Ledger.in_memory())  # type: ignore[arg-type]
    asked = release.sum(column) if kind is hg.Sum else release.mean(column)
    truth = 0.3 * n if kind is hg.Sum else 0.3
    for low, high in (answer.interval, asked.interval):  # type: ignore[misc]
        assert low <= truth * (1 + 1e-12)
        assert truth * (1 - 1e-12) <= high
        assert high - low < truth / 1000


def test_the_budget_is_shared(release: hg.Release) -> None:
    spent = [1 / m.scale for m in release.estimate.measurements]
    sums = [
        one.amount.reach(one.centre) / one.estimate.measurements[0].scale
        for one in release.measured
    ]
    assert sum(spent) + sum(sums) == 4
    assert sum(sums) / 4 == usual_share(2)
    half = publish(hg.Sum("pay", 0, 100), share="1/4")
    assert half.estimate.measurements[0].scale == Fraction(1, 3)


def test_the_file_holds_all_of_it(release: hg.Release) -> None:
    again = read(release.to_bytes())
    assert again.to_bytes() == release.to_bytes()
    assert again.mean("pay", age=(3, 9)) == release.mean("pay", age=(3, 9))
    table = release.to_pandas()
    assert {"sum_pay", "sum_pay_variance", "sum_hours"} <= set(table)
    assert table["sum_pay"].sum() == pytest.approx(release.sum("pay").value)
    assert "sum_pay" not in publish([]).to_pandas()
    found = release.sql("SELECT sum(sum_pay) / sum(count) AS mean FROM release")["mean"][0]
    assert found == pytest.approx(release.mean("pay").value)


def test_views_keep_their_sums(release: hg.Release) -> None:
    view = release.project("region")
    assert view.sum("pay", region="S").value == pytest.approx(release.sum("pay", region="S").value)
    old = release.slice(age=(10, 20))
    assert old.mean("hours").value == pytest.approx(release.mean("hours", age=(10, 20)).value)
    assert read(view.to_bytes()).sum("pay").value == pytest.approx(release.sum("pay").value)


@pytest.mark.parametrize("kind", ["sum", "mean"])
def test_group_tables_agree_with_single_answers(release: hg.Release, kind: str) -> None:
    table = release.group_by("region", noise=True, **{kind: "pay"})
    for row in table.to_dict("records"):
        one = getattr(release, kind)("pay", region=row["region"])
        assert row["value"] == pytest.approx(one.value)
        assert (row["lower"], row["upper"]) == pytest.approx(one.interval, rel=0.05)
    top = release.top(1, "region", **{kind: "pay"})
    assert top["value"][0] == table["value"].max()


def test_too_few_rows_to_say() -> None:
    small = publish(hg.Mean("pay", 0, 100), epsilon="0.001", axes={"age": hg.Integer(0, 199)})
    with pytest.raises(NotAnswerable, match="too few rows to say"):
        small.mean("pay", age=(100, 101))
    table = small.group_by("age", mean="pay")
    unknown = table[table["value"].isna()]
    assert len(unknown) > 0
    assert set(unknown["lower"]) == {0.0}
    assert set(unknown["upper"]) == {100.0}


def test_means_stay_between_the_bounds() -> None:
    tight = publish(hg.Mean("pay", 0, 10), epsilon="0.05")
    for age in range(0, 20, 5):
        answer = tight.mean("pay", age=(age, age + 5))
        assert 0 <= answer.interval[0] <= answer.value <= answer.interval[1] <= 10


def test_cut_parts_are_allowed_for() -> None:
    release = publish(hg.Mean("pay", 0, 100), axes={"lon": (-4, 4)}, mechanism="uniform-grid")
    lon = people()["lon"].to_numpy()
    pay = truth("pay", 0, 100, (lon >= -0.513) & (lon < 0.777))
    answer = release.mean("pay", lon=(-0.513, 0.777), confidence=0.999)
    assert answer.interval[0] <= pay.mean() <= answer.interval[1]
    assert answer.half_width > (answer.noise_interval[1] - answer.noise_interval[0]) / 2


def test_people_and_plans() -> None:
    user = hg.User("who", max_rows=2)
    release = publish(hg.Mean("pay", 0, 100), unit=user)
    (measured,) = release.measured
    assert measured.estimate.measurements[0].scale == measured.amount.reach(measured.centre)
    plan = hg.Plan(
        [
            hg.Planned("counts", {"age": AXES["age"]}, 1),
            hg.Planned("pay", AXES, 3, per="region", measures=[hg.Sum("pay", 0, 100)]),
        ]
    )
    found = hg.publish_plan(people(), plan, account="plan", ledger=hg.Ledger.in_memory(), cap=4)
    south = people()["region"].to_numpy(zero_copy_only=False) == "S"
    answer = found["pay-S"].sum("pay", confidence=0.9999)
    assert answer.interval[0] < truth("pay", 0, 100, south).sum() < answer.interval[1]
    with pytest.raises(QuestionError, match="'hours' is not measured"):
        found["pay-S"].sum("hours")


def test_missing_values_leave_rows_out_or_count() -> None:
    table = pa.table({"x": [0] * 400, "v": pa.array([None, 2.0] * 200)})
    for missing, rows in (("drop", 200), (1, 400)):
        release = hg.publish(
            table, {"x": hg.Integer(0, 1)}, measures=hg.Sum("v", 0, 4, missing=missing),  # type: ignore[arg-type]
            epsilon=8, account="a", ledger=hg.Ledger.in_memory(), mechanism="identity",
        )  # fmt: skip
        assert abs(release.count().value - rows) < 20


@pytest.mark.parametrize(
    ("wrong", "error", "said"),
    [
        (lambda: publish(hg.Sum("nobody", 0, 1)), SourceError, "no column 'nobody'"),
        (lambda: publish(hg.Sum("region", 0, 1), axes={"age": hg.Integer(0, 9)}, share=2),
         BadInput, "between 0 and 1"),
        (lambda: publish([], share="1/2"), BadInput, "no measures"),
        (lambda: hg.publish(hg.Counts([1]), measures=hg.Sum("v", 0, 1), epsilon=1), SourceError,
         "cannot be added up"),
    ],
)  # fmt: skip
def test_mistakes_cost_nothing(wrong: Any, error: Any, said: str) -> None:
    with pytest.raises(error, match=said):
        wrong()


def test_a_request_id_stands_for_its_measures() -> None:
    book = hg.Ledger.in_memory()
    terms: dict[str, Any] = {"ledger": book, "request": "june", "epsilon": 1}
    first = publish(hg.Sum("pay", 0, 100), **terms)
    assert publish(hg.Sum("pay", 0, 100), **terms).to_bytes() == first.to_bytes()
    with pytest.raises(hg.RequestConflict):
        publish(hg.Sum("pay", 0, 90), **terms)


def test_a_dry_run_names_the_measures() -> None:
    planned = publish(hg.Sum("pay", 0, 100), dry_run=True)
    assert "Measures   sum pay 0:100" in planned.describe()
    assert planned.to_json()["measures"] == [
        {"kind": "sum", "column": "pay", "lo": "0", "hi": "100"}
    ]
    assert planned.mechanisms == ("identity",)


def test_questions_that_no_release_knows(release: hg.Release) -> None:
    with pytest.raises(QuestionError, match="'pya' is not measured"):
        release.group_by("region", mean="pya")
    with pytest.raises(QuestionError, match="one of share, sum and mean"):
        release.group_by("region", mean="pay", sum="pay")


def test_forged_sums_are_refused(release: hg.Release) -> None:
    from hushgram.release.parquet import build, describe

    about = json.loads(describe(release))
    for change in (
        {"centre": 10**9},
        {"exact": 1},
        {"measure": {"kind": "sum"}},
        {"measurements": []},
    ):
        forged = {**about, "measured": [{**about["measured"][0], **change}]}
        with pytest.raises(
            (BadInput, ReleaseCorrupted, TypeError, ValueError, KeyError, IndexError)
        ):
            build(forged, release.estimate.partition, release.estimate.values)


@pytest.mark.parametrize(("ratio", "expected"), [(1.0, 50), (2.0, 20), (0.1, 50)])
def test_the_centre_is_best_for_the_sum(ratio: float, expected: int) -> None:
    measure = Sum("v", 0, 100, step=1)
    best = best_centre(measure, ratio)
    noise = [(measure.amount.reach(c) / ratio) ** 2 + c**2 for c in range(101)]
    assert best == expected == int(np.argmin(noise))
    assert best_centre(Mean("v", 0, 100, step=1), ratio) == 50
    assert best_centre(Sum("v", -100, 0, step=1), ratio) == -expected
    assert best_centre(Sum("v", -50, 50, step=1), ratio) == 0


def test_the_program_publishes_and_asks(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    pq.write_table(people(), "people.parquet")
    code, out, _ = run_program(
        capsys, "hushgram", "publish", "people.parquet", "--account", "a", "--epsilon", "1",
        "--axis", "region=N,S", "--measure", "mean pay 0:100", "--share", "0.4",
        "-o", "a.hush.parquet",
    )  # fmt: skip
    assert code == 0
    assert "Measured: mean pay 0:100, in steps of 1/1024." in out
    code, out, _ = run_program(
        capsys, "hushgram", "mean", "a.hush.parquet", "pay", "region=S", "--json"
    )
    said = json.loads(out)
    assert code == 0
    assert said["interval"][0] <= said["mean"] <= said["interval"][1]
    code, out, _ = run_program(capsys, "hushgram", "sum", "a.hush.parquet", "pay")
    assert code == 0
    assert "± " in out
    code, out, _ = run_program(
        capsys, "hushgram", "marginal", "a.hush.parquet", "region", "--mean", "pay"
    )
    assert code == 0
    assert out.splitlines()[1].startswith("N ")
