"""Does the least ε of ``hushgram suggest --error`` reach its target? On tables with known rows.

    python benchmarks/least_epsilon.py                                what the files say: seconds
    HUSHGRAM_DATA=folder python benchmarks/least_epsilon.py --kinds   simulates kinds of rows first

``suggest.csv`` has, for every table of `hushgram.lab.coverage.tables` and ε = 0.01, 0.1 and 1, the
mean error that is predicted and the one that is seen. Between the three ε both are interpolated, on
logarithmic scales. For targets over the whole range of errors: how often is the error at the
suggested ε within the target, and how does that ε compare with the least that the table itself
needed? The reserve was chosen on one half of the tables; the other half confirms it. With
``--kinds``, the same for those who know how their rows lie. NONPRIVATE: it sees true counts.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from report import RESULTS, save

from hushgram.declare.unit import Rows
from hushgram.errors import HushgramError
from hushgram.expect.expected import MARGIN, coarser, fills_cells, generated_tables, simulate
from hushgram.expect.least import KINDS, QUANTILE, RESERVE
from hushgram.expect.places import SCATTERS
from hushgram.lab.coverage.tables import JudgedTable, all_recipes
from hushgram.mechanisms.registry import as_mechanism
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault

EPSILONS = ("0.01", "0.1", "1")
TARGETS = np.linspace(0.15, 0.85, 5)
"""Where targets lie, between the errors at the largest and at the smallest ε."""
PLACES = np.log([float(epsilon) for epsilon in EPSILONS])
FINE = np.linspace(PLACES[0], PLACES[-1], 600)
RESERVES = (1, 1.2, RESERVE, 1.6, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", action="store_true")
    if parser.parse_args().kinds:
        for recipe in all_recipes():
            try:
                rows = list(errors_by_scatter(recipe.make()))
            except HushgramError:
                continue
            save("suggest-scatters", rows, by=("table",))
    save("least-epsilon", list(summarise()))


def errors_by_scatter(table: JudgedTable) -> Iterator[dict[str, Any]]:
    """The mean errors on generated tables of this size and shape."""
    mechanism = as_mechanism("auto", None)
    stand_in = coarser(table.domain, fills_cells(mechanism))
    made = list(generated_tables(stand_in, len(table.rows)))
    for text in EPSILONS:
        means = []
        for source, asked in made:
            vault = TableVault(
                source, stand_in, Fraction(text), unit=Rows(), neighbours="add-remove",
                noise=Native(),
            )  # fmt: skip
            means.append(simulate(mechanism, [vault], asked, intervals=False).errors)
        for place, size in enumerate(made[0][1].sizes):
            yield {
                "table": table.name,
                "half": table.half,
                "rows": len(table.rows),
                "epsilon": text,
                "covers": size,
                **{
                    name: round(float(errors[place]), 3)
                    for name, errors in zip(SCATTERS, means, strict=True)
                },
            }


def summarise() -> Iterator[dict[str, Any]]:
    """What is predicted and seen, for each reserve and half, and for each kind of rows."""
    seen = [row for row in read("suggest") if row["mechanism"] == "auto"]
    ends = [(row, float(row["high"]) / MARGIN) for row in seen]
    for reserve in RESERVES:
        yield from judge("unknown", reserve, ends, seen)
    scattered = read("suggest-scatters")
    for kind, scatters in KINDS.items():
        means = [[float(row[name]) for name in scatters] for row in scattered]
        if kind != "unknown" and means:
            ends = list(zip(scattered, np.quantile(means, QUANTILE, axis=1), strict=True))
            yield from judge(kind, RESERVE, ends, seen)


def judge(
    kind: str, reserve: float, ends: list[tuple[dict[str, str], float]], seen: list[dict[str, str]]
) -> Iterator[dict[str, Any]]:
    """Shares and ratios over all targets of all tables, by half."""
    errors = {key(row): float(row["seen"]) for row in seen}
    curves: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for row, end in ends:
        if key(row) in errors and row["covers"] != "all":
            place = row["half"], row["table"], row["covers"]
            curves.setdefault(place, []).append((reserve * end, errors[key(row)]))
    for half in ("choosing", "confirming"):
        within, ratios = [], []
        for place, pairs in curves.items():
            if place[0] != half or len(pairs) < len(EPSILONS):
                continue
            predicted, true = logs(pairs).T
            for share in TARGETS:
                target = predicted[0] + share * (predicted[-1] - predicted[0])
                found, needed = least(predicted, target), least(true, target)
                if found is not None:
                    within.append(np.interp(found, PLACES, true) <= target + 1e-9)
                if found is not None and needed is not None:
                    ratios.append(np.exp(found - needed))
        low, middle, high = np.quantile(ratios, (0.25, 0.5, 0.75))
        yield {
            "kind": kind,
            "reserve": reserve,
            "half": half,
            "settings": len(within),
            "within %": round(100 * float(np.mean(within)), 1),
            "ratio, 25 %": round(float(low), 2),
            "ratio, median": round(float(middle), 2),
            "ratio, 75 %": round(float(high), 2),
            "ratio <= 1.3, %": round(100 * float(np.mean(np.array(ratios) <= 1.3)), 1),
        }


def least(curve: Any, target: float) -> float | None:
    """The least ε at which an error is within a target; None where that is outside of the curve."""
    errors = np.minimum.accumulate(np.interp(FINE, PLACES, curve))
    good = np.flatnonzero(errors <= target)
    return None if not len(good) or good[0] == 0 else float(FINE[good[0]])


def logs(errors: Any) -> Any:
    return np.log(np.maximum(np.asarray(errors, dtype=float), 1e-2))


def key(row: dict[str, str]) -> tuple[str, str, float]:
    return row["table"], row["covers"], float(row["epsilon"])


def read(name: str) -> list[dict[str, str]]:
    path = RESULTS / f"{name}.csv"
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


if __name__ == "__main__":
    main()
