"""Do the errors that ``hushgram suggest`` predicts hold? On tables whose rows are known.

    HUSHGRAM_DATA=folder python benchmarks/suggest.py              auto: half an hour
    HUSHGRAM_DATA=folder python benchmarks/suggest.py hb identity  some mechanisms, next to it
    python benchmarks/suggest.py --summary                         what the file says

For every table of `hushgram.lab.coverage.tables` and ε = 0.01, 0.1 and 1, the range that is
predicted from the number of rows and the axes alone, and the mean error that is seen: eight
releases of the table, sixty questions of each size, drawn as for the generated tables. The margin
of the prediction was chosen on one half of the tables; the other half confirms it. Mechanisms that
measure all cells are left out on continuous axes. NONPRIVATE: it sees true counts.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from report import RESULTS, save

from hushgram.declare.unit import Rows
from hushgram.errors import HushgramError
from hushgram.expect.expected import MARGIN, expect_errors, fills_cells, simulate
from hushgram.expect.questions import AskedBoxes
from hushgram.expect.simulated import SimulatedTable
from hushgram.lab.coverage.numbers import positions_of
from hushgram.lab.coverage.tables import JudgedTable, all_recipes
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.registry import as_mechanism
from hushgram.trusted.engine.remembered import Remembered
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault

EPSILONS = ("0.01", "0.1", "1")
RELEASES = 8
MARGINS = (1, 1.2, 1.4, 1.5, 1.75, MARGIN)
BY = ("table", "mechanism")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mechanisms", nargs="*", default=["auto"])
    parser.add_argument("--summary", action="store_true")
    asked = parser.parse_args()
    for name, recipe in product([] if asked.summary else asked.mechanisms, all_recipes()):
        rows = list(compare(recipe.make(), name, as_mechanism(name, None)))
        if rows:
            save("suggest", rows, by=BY)
    with (RESULTS / "suggest.csv").open(newline="") as file:
        summarise(list(csv.DictReader(file)))


def compare(table: JudgedTable, name: str, mechanism: Mechanism) -> Iterator[dict[str, Any]]:
    """What is predicted and what is seen, for each ε and size; nothing if a domain is refused."""
    if table.domain.continuous and fills_cells(mechanism):
        return
    many = len(table.rows)
    epsilons = [Fraction(epsilon) for epsilon in EPSILONS]
    try:
        predicted = expect_errors(mechanism, table.domain, many, epsilons, Rows(), "add-remove")
    except HushgramError:
        return
    known = as_simulated(table)
    asked = AskedBoxes.draw(known, np.random.default_rng(5))
    source = Remembered(known)
    for expected in predicted:
        vaults = [
            TableVault(
                source,
                table.domain,
                expected.epsilon,
                unit=Rows(),
                neighbours="add-remove",
                noise=Native(),
            )
            for _ in range(RELEASES)
        ]
        seen = simulate(mechanism, vaults, asked, intervals=True)
        assert seen.half_widths is not None
        for size, error, width in zip(asked.sizes, seen.errors, seen.half_widths, strict=True):
            low, high = expected.errors[size]
            narrow, wide = expected.half_widths[size]
            yield {
                "table": table.name,
                "half": table.half,
                "rows": many,
                "mechanism": name,
                "epsilon": str(float(expected.epsilon)),
                "covers": size,
                "low": round(low, 3),
                "high": round(high, 3),
                "seen": round(float(error), 3),
                "narrow": round(narrow, 3),
                "wide": round(wide, 3),
                "half width": round(float(width), 3),
            }


def as_simulated(table: JudgedTable) -> SimulatedTable:
    """The rows by their places, in units of indices; those without a value drop out."""
    inside = table.rows[~np.isnan(table.rows).any(axis=1)]
    columns = [
        np.minimum(positions_of(axis, column), np.nextafter(axis.bins, 0))
        if axis.ordered
        else column + 0.5
        for axis, column in zip(table.domain.axes, inside.T, strict=True)
    ]
    rows = np.ones(len(inside), dtype=np.int64)
    return SimulatedTable(table.domain, np.stack(columns, axis=1), rows)


def summarise(rows: list[dict[str, str]]) -> None:
    """How often what is seen lies inside, and the ratio of the ends."""
    for half in ("choosing", "confirming"):
        some = [row for row in rows if row["half"] == half]
        print(f"\n{half}: {len(some)} means")
        for margin in MARGINS:
            print(f"  margin {margin}: {share_inside(some, margin)}")
        for column in ("mechanism", "epsilon", "covers"):
            for value in dict.fromkeys(row[column] for row in some):
                print(f"  {value}: {share_inside([r for r in some if r[column] == value])}")
        widths = share_inside(some, MARGIN, ("narrow", "half width", "wide"))
        print(f"  half widths: {widths}")


def share_inside(
    rows: list[dict[str, str]],
    margin: float = MARGIN,
    columns: tuple[str, str, str] = ("low", "seen", "high"),
) -> str:
    ends = np.array([[float(row[column]) for column in columns] for row in rows])
    low, seen, high = ends.T * np.array([[MARGIN / margin], [1], [margin / MARGIN]])
    inside = (low <= seen + 1e-3) & (seen <= high + 1e-3)
    ratio = np.where(high > 0, high / np.maximum(low, 1e-3), 1)
    middle, most = np.quantile(ratio, (0.5, 0.9))
    return (
        f"{100 * inside.mean():.1f} % inside ({100 * (seen < low - 1e-3).mean():.1f} % below, "
        f"{100 * (seen > high + 1e-3).mean():.1f} % above), high / low {middle:.1f}, "
        f"{most:.0f} at the 90th percentile"
    )


if __name__ == "__main__":
    main()
