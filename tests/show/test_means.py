"""Pictures of sums and means: what is drawn, and what is said about what is not known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hushgram as hg
from hushgram.errors import QuestionError
from tests.program import run_program

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def release() -> hg.Release:
    rng = np.random.default_rng(2)
    n = 4000
    table = pa.table(
        {
            "region": rng.choice(["N", "S", "E"], n, p=[0.6, 0.398, 0.002]),
            "age": rng.integers(0, 30, n),
            "pay": rng.uniform(0, 50, n) + 1.5 * rng.integers(0, 30, n),
        }
    )
    return hg.publish(
        table, {"region": hg.Category(["N", "S", "E"]), "age": hg.Integer(0, 39)}, epsilon=1,
        measures=[hg.Mean("pay", 0, 100)], account="a", ledger=hg.Ledger.in_memory(),
    )  # fmt: skip


def texts(figure: Any) -> str:
    return "\n".join(t.get_text() for t in figure.findobj(lambda one: hasattr(one, "get_text")))


def test_an_axis_with_an_order_has_a_band_with_gaps(release: hg.Release) -> None:
    figure = release.plot(mean="pay", axes="age")
    said = texts(figure)
    assert "Mean of pay by age, with 95 % margins" in said
    (band,) = [one for one in figure.axes[0].collections if len(one.get_paths())]
    upper = max(path.get_extents().xmax for path in band.get_paths())
    assert upper <= 39.5
    values = figure.axes[0].patches[0].get_data().values
    table = release.group_by("age", mean="pay")
    assert values == pytest.approx(table["value"].to_numpy(), nan_ok=True)


def test_categories_are_points_with_margins(release: hg.Release) -> None:
    figure = release.plot(mean="pay", axes="region", sort=True)
    table = release.group_by("region", mean="pay").sort_values("value", ascending=False)
    named = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert named[:2] == table["region"].tolist()[:2]
    assert "±" in texts(figure)
    wide = release.plot(sum="pay", axes="region").axes[0]
    assert "," in wide.xaxis.get_major_formatter()(200_000.0, 0)


def test_two_axes_are_hatched_where_they_are_usual_and_grey_where_unknown(
    release: hg.Release,
) -> None:
    figure = release.plot(mean="pay")
    said = texts(figure)
    assert "Hatched: may be the mean of all rows" in said
    assert "Grey: too few rows to say." in said
    assert "too few" not in texts(release.plot(sum="pay"))


def test_three_axes_and_two_questions_are_refused(release: hg.Release) -> None:
    with pytest.raises(QuestionError, match="'pya' is not measured"):
        release.plot(mean="pya")
    with pytest.raises(QuestionError, match="one measured column"):
        release.plot(mean="pay", sum="pay")
    with pytest.raises(QuestionError, match="one measured column"):
        release.plot(mean="pay", kind="matrix")


def test_the_program_draws_means(release: hg.Release, tmp_path: Any, capsys: Any) -> None:
    release.save(tmp_path / "a.hush.parquet")
    code, _, _ = run_program(
        capsys, "hushgram", "plot", str(tmp_path / "a.hush.parquet"), "region", "-o",
        str(tmp_path / "a.svg"), "--mean", "pay",
    )  # fmt: skip
    assert code == 0
    assert "mean of pay" in (tmp_path / "a.svg").read_text()
