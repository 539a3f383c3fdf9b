"""``hushgram areas``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hushgram as hg
from tests.samples import cells, release_of
from tests.surface.conftest import Run

shapely = pytest.importorskip("shapely")
pytest.importorskip("matplotlib")


def write_polygons(many: int = 3) -> None:
    features: list[dict[str, Any]] = [
        {
            "type": "Feature",
            "properties": {"name": f"district {place}", "people": 100.0},
            "geometry": shapely.geometry.mapping(shapely.box(place, 0, place + 1, 2)),
        }
        for place in range(many)
    ]
    text = json.dumps({"type": "FeatureCollection", "features": features})
    Path("districts.geojson").write_text(text)


@pytest.fixture
def releases(folder: Path) -> None:
    grid = cells(x=hg.Regular(4, 0, 4), y=hg.Regular(2, 0, 2))
    release_of(grid, np.arange(8) * 100).save("a.hush.parquet")
    release_of(grid, np.arange(8) * 200).save("b.hush.parquet")
    write_polygons()


ASK = ("areas", "a.hush.parquet", "districts.geojson")


@pytest.mark.usefixtures("releases")
def test_a_table_for_people(run: Run) -> None:
    found = run(*ASK)
    assert found.code == 0
    assert found.out.splitlines() == [
        "area        count       share   density",
        "district 0  100    ± 9  3.6 %   50 per square unit",
        "district 1  500    ± 9  17.9 %  250 per square unit",
        "district 2  900    ± 9  32.1 %  450 per square unit",
    ]
    write_polygons(45)
    lines = run(*ASK).out.splitlines()
    assert lines[6].split() == ["district", "5", "unknown"]
    assert lines[-2] == "… and 5 more. See --output or --json."
    assert lines[-1].startswith("41 areas outside the axes")


@pytest.mark.usefixtures("releases")
def test_json(run: Run) -> None:
    found = json.loads(run(*ASK, "--population", "people", "--per", "10", "--json").out)
    first = found["areas"][0]
    assert (first["name"], first["count"], first["per_10_people"]) == ("district 0", 100, 10)
    assert found["notes"] == []


@pytest.mark.usefixtures("releases")
def test_files_by_their_endings(run: Run) -> None:
    files = ("t.csv", "m.png", "o.geojson")
    options = [word for file in files for word in ("-o", file)]
    found = run(*ASK, *options, "--of", "count", "--title", "Districts")
    assert found.out.splitlines() == [f"Wrote {file}." for file in files]
    assert Path("t.csv").read_text().splitlines()[1].startswith("district 0,100.0,")
    assert Path("m.png").read_bytes()[:4] == b"\x89PNG"
    assert len(json.loads(Path("o.geojson").read_text())["features"]) == 3
    assert "exists" in run(*ASK, *options).err
    assert run(*ASK, *options, "--force").code == 0


@pytest.mark.usefixtures("releases")
def test_two_releases(run: Run) -> None:
    found = run(*ASK, "--compare", "b.hush.parquet")
    assert found.out.splitlines()[1:] == [
        "district 0  100     200    +100    ± 12.4  significant",
        "district 1  500     1,000  +500    ± 12.4  significant",
        "district 2  900     1,800  +900    ± 12.4  significant",
    ]
    shares = run(*ASK, "--compare", "b.hush.parquet", "--of", "share", "--simultaneous")
    assert "significant" not in shares.out.partition("\n")[2]
    drawn = run(*ASK, "--compare", "b.hush.parquet", "-o", "c.svg", "-o", "c.csv")
    assert drawn.code == 0
    assert Path("c.csv").read_text().startswith("name,before,after,difference,lower,upper,signif")
    write_polygons(5)
    assert run(*ASK, "--compare", "b.hush.parquet").out.splitlines()[5].split()[2] == "unknown"


@pytest.mark.usefixtures("releases")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-o", "m.bmp"), 'Unsupported format ".bmp"'),
        (("--on", "x"), "--on needs two axes"),
        (("--on", "x,z"), "Areas need two axes"),
        (("--of", "rate"), "A rate needs a population"),
        (("--of", "size"), "Unknown measure 'size'"),
        (("--name", "title"), "no column 'title'"),
        (("--where", "x=1:2"), "Remove it from where"),
        (("--confidence", "2"), "confidence must be between 0 and 1"),
    ],
)
def test_bad_input_is_refused(run: Run, words: tuple[str, ...], said: str) -> None:
    found = run(*ASK, *words)
    assert (found.code, found.out) == (2, "")
    assert said in found.err
