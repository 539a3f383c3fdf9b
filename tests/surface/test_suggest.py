"""``hushgram suggest`` and ``hushgram explain``."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hushgram as hg
from hushgram.declare.axis import Category, Floats, Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, User
from hushgram.expect.expected import (
    CELLS,
    MARGIN,
    coarser,
    expect_errors,
    fills_cells,
    simulate,
)
from hushgram.expect.places import SCATTERS, Scatter, typical
from hushgram.expect.questions import AskedBoxes
from hushgram.expect.simulated import MOST_PLACES, SimulatedTable
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.auto import Auto
from hushgram.mechanisms.identity import Identity
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault
from tests.surface.conftest import Run, history


def test_suggest_opens_and_spends_nothing(run: Run, folder: Path) -> None:
    before = sorted(folder.iterdir())
    result = run("suggest", "--rows", "5000", "--axis", "age=0..99", "-e", "0.1", "-e", "1")
    assert (result.code, result.err) == (0, "")
    for words in (
        "bayes-tree",
        "expect an error of",
        "a margin of ±",
        "a cell",
        "10 %",
        "half",
        "5,000 rows",
        "2.72",
        "73 %",
    ):
        assert words in result.out
    assert sorted(folder.iterdir()) == before
    assert history() == {}


def test_suggest_as_json(run: Run) -> None:
    words = ("suggest", "--rows", "20000", "-a", "x=0:1", "-a", "y=0:1", "-e", "1", "--json")
    told = json.loads(run(*words).out)
    (one,) = told["expected"]
    assert (told["rows"], one["epsilon"], one["mechanisms"]) == (20000, "1", ["bayes-tree"])
    assert list(one["errors"]) == ["0.01 %", "1 %", "10 %", "half", "all"]
    assert all(0 <= low <= high for low, high in one["errors"].values())
    assert list(one["half_widths"]) == list(one["errors"])
    assert all(0 <= low <= high for low, high in one["half_widths"].values())
    assert one["joined_cells"] == 1


def test_python_says_what_the_command_says(run: Run) -> None:
    words = ("suggest", "--rows", "3000", "-a", "age=0..99", "-e", "1", "-e", "1/3", "--json")
    found = hg.suggest(3000, {"age": Integer(0, 99)}, epsilon=["1/3", 1])
    table = found.to_pandas()
    assert [one["epsilon"] for one in json.loads(run(*words).out)["expected"]] == ["1/3", "1"]
    assert list(table.columns[:3]) == ["epsilon", "mechanism", "covers"]
    assert len(table) == 2 * len(found.expected[0].errors)
    assert (table.error_low <= table.error_high).all()
    assert str(found).startswith("Expected errors of counts, simulated for 3,000 rows.")
    html = found._repr_html_()
    assert html.count("<table") == 2
    assert "1/3" in html


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rows": 1.5}, "rows must be a whole number"),
        ({"epsilon": []}, "epsilon is empty"),
        ({"epsilon": [1, -1]}, "epsilon must be a positive number"),
        ({"unit": "people"}, "Unknown unit='people'"),
    ],
)
def test_suggest_in_python_refuses(options: dict[str, Any], message: str) -> None:
    with pytest.raises(hg.HushgramError, match=message):
        hg.suggest(**{"rows": 10, "domain": {"x": (0, 1)}, **options})


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--rows", "-1", "-a", "x=0:1"), "from 0 to 10^15"),
        (("--rows", "10", "-a", "x=0:1", "-e", "0"), "epsilon"),
        (("--rows", "10", "-a", "x=0:1", "-m", "magic"), "Unknown mechanism"),
        (("--rows", "10", "-a", "x=0:1", "--workload", "all"), "Unknown workload='all'"),
        (("--rows", "10", "-a", "x"), "x"),
    ],
)
def test_suggest_refuses(run: Run, words: tuple[str, ...], message: str) -> None:
    result = run("suggest", *words)
    assert result.code == 2
    assert message in result.err
    assert result.err.count("\n") == 1


def test_the_noise_of_single_cells_is_as_computed() -> None:
    """Identity's cells have a mean error of 1/ε, twenty times that for people with 20 rows. Its
    intervals reach a tenth beyond where one Laplace variable in twenty is: 3.3/ε."""
    domain = Domain(x=Integer(0, 63))
    for unit, factor in ((Rows(), 1), (User("who", 20), 20)):
        (one,) = expect_errors(Identity(), domain, 10**6, [Fraction(1, 10)], unit, "add-remove")
        low, high = one.errors["a cell"]
        assert 6 * factor < low * MARGIN <= high / MARGIN < 14 * factor
        low, high = one.half_widths["a cell"]
        assert 31 * factor < low * MARGIN <= high / MARGIN < 35 * factor
        assert one.mechanisms == ("identity",)


def heaped_earnings(rows: int, rng: np.random.Generator) -> Floats:
    """Earnings as people report them, of which no pattern knows."""
    exact = rng.lognormal(-1.8, 0.6, rows)
    step = np.where(rng.random(rows) < 0.6, 0.025, 0.005)
    return np.asarray(np.clip(np.rint(exact / step) * step, 0, 0.999))[:, None]


def street_grid(rows: int, rng: np.random.Generator) -> Floats:
    """Houses along the streets of one town."""
    places = 0.5 + rng.normal(0, 0.12, (rows, 2))
    side = rng.integers(0, 2, rows)
    places[np.arange(rows), side] = np.rint(places[np.arange(rows), side] * 50) / 50
    return np.asarray(np.clip(places, 0, 0.999))


@pytest.mark.parametrize(
    ("axes", "make"),
    [(("x",), heaped_earnings), (("x", "y"), street_grid)],
    ids=["heaps", "streets"],
)
def test_what_is_seen_on_clumped_rows_was_predicted(
    axes: tuple[str, ...], make: Callable[[int, np.random.Generator], Floats]
) -> None:
    """Where rows heap, errors are much larger than on smooth patterns; the range holds them."""
    domain = Domain({name: Interval(0, 1) for name in axes})
    rows = 30_000
    (expected,) = expect_errors(Auto(), domain, rows, [Fraction(1, 10)], Rows(), "add-remove")
    rng = np.random.default_rng(3)
    places = make(rows, rng) * np.array(domain.shape)
    table = SimulatedTable(domain, places, np.ones(rows, dtype=np.int64))
    asked = AskedBoxes.draw(table, rng)
    vaults = [
        TableVault(
            table, domain, Fraction(1, 10), unit=Rows(), neighbours="add-remove", noise=Native()
        )
        for _ in range(16)
    ]
    seen = simulate(Auto(), vaults, asked, intervals=True)
    assert seen.half_widths is not None
    for size, error, width in zip(asked.sizes, seen.errors, seen.half_widths, strict=True):
        low, high = expected.errors[size]
        assert low <= error <= high, size
        narrow, wide = expected.half_widths[size]
        assert narrow / 2 <= width <= 2 * wide, size


@pytest.mark.parametrize("make", [*SCATTERS.values(), typical], ids=[*SCATTERS, "typical"])
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_generated_places_lie_inside_and_repeat_with_the_seed(make: Scatter, axes: int) -> None:
    for rows in (0, 1, 500):
        found = make(rows, axes, np.random.default_rng(1))
        assert found.shape == (rows, axes)
        assert ((found >= 0) & (found < 1)).all()
        assert (found == make(rows, axes, np.random.default_rng(1))).all()


def test_the_true_counts_of_boxes_are_by_brute_force() -> None:
    domain = Domain(x=Interval(0, 1), n=Integer(0, 9), s=Category(["a", "b", "c"]))
    rng = np.random.default_rng(2)
    table = SimulatedTable.generate(domain, 200_000, SCATTERS["addresses"], rng)
    assert table.rows.sum() == 200_000
    assert len(table.rows) == MOST_PLACES
    asked = AskedBoxes.draw(table, rng)
    places = table.places[:, None, :]
    inside = ((places >= asked.starts) & (places < asked.stops)).all(axis=2)
    assert (asked.truth == table.rows @ inside).all()
    whole = asked.starts[:, 1:]
    assert (whole == np.floor(whole)).all()


def test_counts_of_a_simulated_table_are_those_of_its_rows() -> None:
    domain = Domain(x=Integer(0, 7), y=Integer(0, 4))
    table = SimulatedTable.generate(domain, 1000, SCATTERS["hills"], np.random.default_rng(4))
    counts = np.zeros(domain.shape, dtype=int)
    np.add.at(counts, tuple(table.indices.T), table.rows)
    assert (table.count(Grid.of_cells(domain)).reshape(domain.shape) == counts).all()
    assert table.empty().count(Grid.of_cells(domain)).sum() == 0


def test_continuous_axes_stay_fine_where_the_mechanism_chooses_parts() -> None:
    domain = Domain(x=Interval(0, 5), n=Integer(0, 10**6))
    assert not fills_cells(Auto())
    assert fills_cells(Identity())
    found = coarser(domain, all_cells=False)
    assert found["x"].bins == domain["x"].bins
    assert found["n"].bins <= CELLS


@pytest.mark.parametrize("measure", [hg.Mean("v", 0, 100), hg.Sum("v", 0, 100)], ids=str)
@pytest.mark.parametrize("unit", [Rows(), User("who", 4)], ids=str)
def test_margins_of_means_are_those_that_releases_state(measure: Any, unit: Any) -> None:
    """A table whose means are as far from the middle of the bounds as was guessed."""
    n, axes = 20_000, {"x": Integer(0, 99)}
    columns = {"x": np.arange(n) % 100, "v": np.full(n, 25.0), "who": np.arange(n) // 4}
    release = hg.publish(
        pa.table(columns), axes, epsilon=1, measures=measure, unit=unit, account="a",
        ledger=hg.Ledger.in_memory(),
    )  # fmt: skip
    found = hg.suggest(n, axes, epsilon=1, measures=measure, spread=25, unit=unit)
    (one,) = found.magnitudes
    for size, stop in (("a cell", 1), ("10 %", 10), ("half", 50), ("all", 100)):
        for kind, expected in (("mean", one.means), ("sum", one.sums)):
            stated = getattr(release, kind)("v", x=(0, stop)).half_width
            assert expected[size] == pytest.approx(stated, rel=0.35)
    assert "mean" in found.to_json()["measures"][0]["measure"] or isinstance(measure, hg.Sum)


@pytest.mark.parametrize(
    ("axes", "inside"),
    [({"x": Interval(0, 1)}, (0.25, 0.75)), ({"x": Integer(0, 1999)}, (500, 1500))],
    ids=["continuous", "many cells"],
)
def test_margins_are_predicted_whatever_mechanism_runs(axes: Any, inside: Any) -> None:
    n = 20_000
    places = (np.arange(n) + 0.5) / n * (1 if isinstance(axes["x"], Interval) else 2000)
    release = hg.publish(
        pa.table({"x": places, "v": np.full(n, 75.0)}), axes, epsilon=1,
        measures=hg.Mean("v", 0, 100), account="a", ledger=hg.Ledger.in_memory(),
    )  # fmt: skip
    (one,) = hg.suggest(n, axes, epsilon=1, measures=hg.Mean("v", 0, 100)).magnitudes
    assert one.means["half"] == pytest.approx(release.mean("v", x=inside).half_width, rel=0.5)
    assert one.means["all"] < one.means["half"] < one.means["10 %"]


def test_counts_get_what_measures_leave() -> None:
    axes: Any = {"x": Integer(0, 99)}
    alone, half, rest = (
        hg.suggest(5000, axes, epsilon=epsilon, mechanism="identity", **more).expected[0]
        for epsilon, more in (
            (1, {}),
            (2, {"measures": hg.Mean("v", 0, 1)}),
            (4, {"measures": hg.Mean("v", 0, 1), "share": "3/4"}),
        )
    )
    for size, (low, high) in alone.half_widths.items():
        assert half.half_widths[size] == pytest.approx((low, high), rel=0.05)
        assert rest.half_widths[size] == pytest.approx((low, high), rel=0.05)
    few = hg.suggest(5000, axes, epsilon=1, measures=hg.Mean("v", 0, 1)).expected[0]
    assert few.mechanisms == ("identity",)  # and not what ranges of counts are best asked of


def test_measures_are_predicted_on_few_cells(run: Run) -> None:
    words = ("suggest", "--rows", "900", "-a", "n=0..9", "-e", "1", "-m", "identity")
    told = run(*words, "--measure", "mean hours 0:80", "--spread", "9").out
    assert "Margin of means (±, 95 % confidence), if rows are evenly spread" in told
    assert "mean hours 0:80" in told


def test_joined_cells_are_told(run: Run) -> None:
    words = ("suggest", "--rows", "100", "-a", "n=0..999999", "-e", "1", "-m", "identity")
    assert "8 neighbouring cells were treated as one" in run(*words).out


def test_stand_ins_have_the_kind_of_axes_and_few_cells() -> None:
    domain = Domain(x=Interval(0, 5), s=Category(["a", "b"], outside="other"), n=Integer(0, 9999))
    found = coarser(domain)
    assert found.cells <= CELLS
    assert [axis.kind for axis in found.axes] == [axis.kind for axis in domain.axes]
    assert found["s"].bins == 2


def test_explain_prints_why(run: Run, published: Path) -> None:
    result = run("explain", "out.hush.parquet")
    assert (result.code, result.err) == (0, "")
    assert "Why: With only 10 cells" in result.out
    told = json.loads(run("explain", "out.hush.parquet", "--json").out)
    assert told["mechanism"] == "identity"
    assert told["text"] in result.out
