"""What a reader without Hushgram can tell from the table of a release."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import hushgram as hg
from hushgram.answers.tables.part_columns import part_columns, round_up
from hushgram.declare.unit import Rows
from hushgram.lab.checks import vault_for
from hushgram.lab.coverage.tables import JudgedTable
from hushgram.release import Release
from hushgram.spending.job import Job, release_from_vault
from hushgram.trusted.engine.remembered import Remembered
from tests.samples import cells, release_of

RNG = np.random.default_rng(3)
BINS = hg.Regular(40, 0, 200)


def heaped() -> Any:
    """Two in five at a multiple of 10, a third at one of 2, as people report numbers."""
    exact = RNG.lognormal(4, 0.6, 20_000)
    kind = RNG.random(len(exact))
    step = np.where(kind < 0.4, 10.0, np.where(kind < 0.73, 2.0, 0.01))
    rounded = np.rint(exact / step) * step
    return rounded[rounded < 200]


TABLES = {
    "heaped": heaped(),
    "even": RNG.uniform(0, 200, 20_000),
    "a spike": np.full(5_000, 73.2),
    "hills": np.clip(RNG.normal(RNG.choice([30, 90, 95], 20_000), 8), 0, 199.9),
}


def reader_error(frame: pd.DataFrame, w: Any) -> float:
    """The formula of the guide."""
    variance, uneven = frame["variance"].to_numpy(), frame["uneven"].to_numpy()
    if "uneven_group" in frame:
        groups = frame["uneven_group"].to_numpy()
        first, size = np.unique(groups, return_index=True)[1], np.bincount(groups)
        w = np.bincount(groups, w) / size
        variance, uneven = size**2 * variance[first], uneven[first]
    noise = float(w**2 @ variance)
    if "uneven_whole" in frame:
        noise += float(w @ np.sqrt(frame["uneven_whole"])) ** 2
    cut = np.count_nonzero((w > 1e-9) & (w < 1 - 1e-9))
    return float(np.sqrt(4.5 * noise + max(20, 4.5 * cut**0.5) * (w * (1 - w)) @ uneven))


def held(release: Release, values: Any, ranges: Any) -> float:
    """How often the reader's interval holds the truth."""
    frame = release.to_pandas()
    low, high = frame["x_lo"].to_numpy(), frame["x_hi"].to_numpy()
    inside = []
    for start, stop in ranges:
        w = np.clip((np.minimum(high, stop) - np.maximum(low, start)) / (high - low), 0, 1)
        error = w @ frame["count"] - np.count_nonzero((values >= start) & (values < stop))
        inside.append(abs(error) <= reader_error(frame, w) + 1e-9)
    return float(np.mean(inside))


def draw_ranges() -> Any:
    return np.sort(RNG.uniform(0, 200, (100, 2)), axis=1)


def counts_of(values: Any, bins: int = 40) -> Any:
    return np.histogram(values, bins, (0, 200))[0]


@pytest.mark.parametrize("table", TABLES)
def test_a_reader_can_form_an_error_that_holds(table: str) -> None:
    counts = counts_of(TABLES[table])
    noisy = [counts + RNG.laplace(0, 2, 40).round() for _ in range(20)]
    found = [held(release_of(cells(x=BINS), n), TABLES[table], draw_ranges()) for n in noisy]
    assert np.mean(found) >= 0.95


def publish(values: Any, mechanism: str, **axes: Any) -> Release:
    """A release of a known table."""
    domain = hg.Domain(axes)
    job = Job(domain, Fraction(1), Rows(), "add-remove")
    table = Remembered(JudgedTable("a table", "choosing", domain, values).indexed)
    return release_from_vault(hg.MECHANISMS[mechanism](), vault_for(job, table), job, None)


@pytest.mark.parametrize("mechanism", ["noise-first", "ahp", "structure-first", "hb"])
@pytest.mark.parametrize("table", ["heaped", "hills"])
def test_of_groups_and_trees_too(table: str, mechanism: str) -> None:
    values = TABLES[table]
    releases = [publish(values[:, None], mechanism, x=BINS) for _ in range(4)]
    assert np.mean([held(release, values, draw_ranges()) for release in releases]) >= 0.95


def test_of_a_view_that_cuts_boxes() -> None:
    values = np.stack([TABLES["heaped"], RNG.uniform(0, 1, len(TABLES["heaped"]))], axis=1)
    axes = {"x": hg.Interval(0, 200), "y": hg.Interval(0, 1)}
    seen = publish(values, "privtree", **axes).project("x", bins=23)
    assert "uneven_whole" in seen.to_pandas()
    assert held(seen, values[:, 0], draw_ranges()) >= 0.95


def test_what_cannot_be_cut_has_no_uneven_rows() -> None:
    whole = release_of(cells(age=hg.Integer(0, 9), sex=hg.Category(["F", "M"])))
    assert not whole.to_pandas()["uneven"].any()
    assert release_of(cells(age=hg.Integer(0, 9), x=BINS)).to_pandas()["uneven"].any()
    coarse = release_of(cells(age=hg.Integer(0, 9)), np.arange(10) + 50).rollup(age=5)
    assert coarse.to_pandas()["uneven"].all()


def test_views_on_edges_need_no_further_column() -> None:
    release = release_of(cells(x=BINS, sex=hg.Category(["F", "M"])))
    assert list(part_columns(release.project("x").estimate)) == ["count", "variance", "uneven"]


def test_every_export_has_the_column(tmp_path: Any) -> None:
    release = release_of(cells(lon=hg.Regular(4, 0, 4), lat=hg.Regular(4, 0, 4)))
    expected = release.to_pandas()["uneven"].tolist()
    release.save(tmp_path / "r.hush.parquet")
    release.to_csv(tmp_path / "r.csv")
    release.to_geoparquet(tmp_path / "r.parquet")
    release.to_geojson(tmp_path / "r.geojson")
    assert pd.read_parquet(tmp_path / "r.hush.parquet")["uneven"].tolist() == expected
    assert pd.read_parquet(tmp_path / "r.parquet")["uneven"].tolist() == expected
    assert pd.read_csv(tmp_path / "r.csv")["uneven"].tolist() == expected
    assert release.sql("SELECT uneven FROM release")["uneven"].tolist() == expected
    assert '"uneven"' in (tmp_path / "r.geojson").read_text()


def test_hushgram_does_not_read_what_a_forger_wrote(tmp_path: Any) -> None:
    """Nor does it miss the column in older files."""
    import pyarrow.parquet as pq

    release = release_of(cells(x=BINS), np.arange(40) * 10)
    release.save(tmp_path / "r.hush.parquet")
    table = pq.read_table(tmp_path / "r.hush.parquet")
    place = table.column_names.index("uneven")
    forged = table.set_column(place, "uneven", [np.full(40, -1e300)])
    for changed in (forged, table.drop_columns(["uneven"])):
        pq.write_table(changed, tmp_path / "changed.hush.parquet")
        read = hg.load(tmp_path / "changed.hush.parquet")
        assert read.count(x=(3, 99)) == release.count(x=(3, 99))
        assert read.to_pandas()["uneven"].tolist() == release.to_pandas()["uneven"].tolist()


def test_rounded_numbers_are_never_less() -> None:
    numbers = np.concatenate([[0.0], RNG.lognormal(0, 30, 1000)])
    rounded = round_up(numbers)
    assert (rounded >= numbers).all()
    assert (rounded <= numbers * (1 + 2.0**-8)).all()


def test_cells_that_were_looked_at_have_the_error_of_that_look() -> None:
    """Not of all rows of their group in one of them."""
    counts = hg.Counts(np.full(60, 500))
    release = hg.publish(counts, epsilon=1, mechanism="ahp")
    table = release.group_by("x0")
    assert (table["upper"] - table["lower"]).median() / 2 < 50


@pytest.mark.parametrize(
    ("mechanism", "most"),
    [("hb", 1), ("hierarchical", 1), ("privelet", 1), ("privtree-hb", 1), ("sorted", 2)],
)
def test_variances_of_parts_add_up_to_no_less_than_that_of_their_sum(
    mechanism: str, most: float
) -> None:
    release = publish(TABLES["hills"][:3000, None], mechanism, x=hg.Regular(64, 0, 200))
    estimate, frame = release.estimate, release.to_pandas()
    low, high = frame["x_lo"].to_numpy(), frame["x_hi"].to_numpy()
    for start, stop in draw_ranges():
        w = np.clip((np.minimum(high, stop) - np.maximum(low, start)) / (high - low), 0, 1)
        assert estimate.moments(w)[0] <= most * float(w**2 @ frame["variance"]) + 1e-9
