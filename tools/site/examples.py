"""Run the examples of commands for the site, in order and in one folder."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
import sys
import tempfile
from pathlib import Path

import numpy as np

from tools.site.tutorials import working_in

LONGEST = 24
"""The maximum number of lines of output to show."""

COMMANDS = (
    "columns people.csv",
    "suggest --rows 5000 --axis age=0..99 --epsilon 0.1 --epsilon 1",
    "find-bounds people.csv earnings --account people --cap 8 --epsilon 0.1",
    "find-max-rows people.csv who --account visitors --epsilon 0.1 --release-epsilon 1 "
    "--line-breaks never",
    "publish people.csv --account people --epsilon 1 --axis age=0..99 --axis sex=F,M "
    "-o may.hush.parquet",
    "publish people.csv --account people --epsilon 1 --axis sex=F,M "
    '--measure "mean earnings 0:100000" -o pay.hush.parquet',
    'ask people.csv count --where "age < 18" --account people --epsilon 0.1',
    "ask people.csv median --axis age=0..99 --account people --epsilon 0.1",
    "median people.csv --account people --epsilon 1 --axis age=0..99 --request may",
    "mechanisms",
    "show may.hush.parquet",
    "explain may.hush.parquet",
    "count may.hush.parquet age=18..25 sex=F",
    "quantile may.hush.parquet age 0.25 0.5 0.75",
    "marginal may.hush.parquet sex",
    'sql may.hush.parquet "SELECT sex, sum(count) AS rows FROM release GROUP BY sex"',
    "sum pay.hush.parquet earnings",
    "mean pay.hush.parquet earnings sex=F",
    "publish june.csv --account people --epsilon 1 --axis age=0..99 --axis sex=F,M "
    "-o june.hush.parquet",
    "compare may.hush.parquet june.hush.parquet sex",
    "publish people.csv --account people --epsilon 1 --axis lon=9:9.1 --axis lat=48:48.1 "
    "-o map.hush.parquet",
    "areas map.hush.parquet districts.geojson",
    "plot map.hush.parquet -o map.png",
    "publish people.csv --account people --epsilon 1 --axis age=0..99 --mechanism sorted "
    "-o ages.hush.parquet",
    "points ages.hush.parquet",
    "report may.hush.parquet -o may.html",
    "explore may.hush.parquet -o explore.html",
    "export may.hush.parquet -o may.csv",
    "sample may.hush.parquet 100 -o rows.parquet",
    "keys new office.key",
    "keys show office.key",
    "sign may.hush.parquet --key office.key -o signed.hush.parquet",
    "ledger open survey --cap 2 --neighbours add-remove",
    "ledger show",
    "ledger set-cap people 10",
    "ledger verify",
)


def run_examples() -> dict[str, list[tuple[str, str]]]:
    """Return, for each command, the lines that were run and their output."""
    found: dict[str, list[tuple[str, str]]] = {}
    with tempfile.TemporaryDirectory() as folder, working_in(Path(folder)):
        prepare(Path(folder))
        for line in COMMANDS:
            found.setdefault(line.split()[0], []).append((line, run(line)))
    return found


def run(line: str) -> str:
    from hushgram.cli.app import main

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            main(shlex.split(line))
        except SystemExit as stop:
            if stop.code:
                raise RuntimeError(f"hushgram {line}: exit code {stop.code}") from None
    lines = out.getvalue().rstrip().splitlines()
    return "\n".join(lines[:LONGEST] + ["…"] * (len(lines) > LONGEST))


def prepare(folder: Path) -> None:
    """Write two tables of people, and a map of two districts."""
    rng = np.random.default_rng(1)
    rows = [
        f"{rng.integers(0, 100)},{'FM'[k % 2]},{rng.lognormal(10.3, 0.5):.0f},"
        f"{9.05 + rng.normal(0, 0.02):.5f},{48.05 + rng.normal(0, 0.02):.5f},p{k % 3000}"
        for k in range(5000)
    ]
    head = "age,sex,earnings,lon,lat,who\n"
    more = [f"{rng.integers(20, 30)},F,30000,9.05,48.05,q{k}" for k in range(200)]
    (folder / "people.csv").write_text(head + "\n".join(rows) + "\n")
    (folder / "june.csv").write_text(head + "\n".join(rows + more) + "\n")
    west, east = (9.0, 9.05), (9.05, 9.1)
    features = [
        {"type": "Feature", "properties": {"name": name}, "geometry": {
            "type": "Polygon",
            "coordinates": [[[a, 48.0], [b, 48.0], [b, 48.1], [a, 48.1], [a, 48.0]]]}}
        for name, (a, b) in {"West": west, "East": east}.items()
    ]  # fmt: skip
    collection = {"type": "FeatureCollection", "features": features}
    (folder / "districts.geojson").write_text(json.dumps(collection))


if __name__ == "__main__":
    for command, shown in run_examples().items():
        for line, printed in shown:
            sys.stdout.write(f"== {command}\n$ hushgram {line}\n{printed}\n\n")
