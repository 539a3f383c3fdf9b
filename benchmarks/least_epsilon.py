"""Does the smallest ε of ``hushgram suggest --error`` reach its target? On tables with known rows.

    HUSHGRAM_DATA=folder python benchmarks/least_epsilon.py              auto: half an hour
    HUSHGRAM_DATA=folder python benchmarks/least_epsilon.py hb identity  others, beside it
    HUSHGRAM_DATA=folder python benchmarks/least_epsilon.py --resume     what is missing
    HUSHGRAM_DATA=folder python benchmarks/least_epsilon.py --half choosing
    python benchmarks/least_epsilon.py --summary                         what the file says

Every table of `hushgram.lab.coverage.tables` is split at random. One half of its rows is the table
to publish; the other half is published with ε = 1 and is the release of similar data. At ε = 0.01,
0.1 and 1, ``least-epsilon-errors.csv`` has the mean error that is seen and those that are
simulated: on the generated tables, on tables drawn from the similar release (``like``), and on
tables drawn from a pilot, which is a release of the same table with a tenth of that ε. Between the
three ε all are interpolated, on logarithmic scales. For targets over the whole range of errors: how
often is the error at the suggested ε within the target, and how does that ε compare with the
smallest that the table itself needed? What a pilot spent is added to its suggestion. The rules of
`hushgram.expect.trials` were chosen for `auto` on one half of the tables; the other half confirms
them. Mechanisms that measure all cells are left out on continuous axes. NONPRIVATE: it sees true
counts.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np
from report import RESULTS, save
from suggest import as_simulated

from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.errors import HushgramError
from hushgram.expect.expected import (
    COUNTS_ONLY,
    coarser,
    fills_cells,
    generated_tables,
    simulate,
)
from hushgram.expect.least import KINDS
from hushgram.expect.places import SCATTERS, TYPICAL_SCATTERS
from hushgram.expect.questions import AskedBoxes, question_shares
from hushgram.expect.simulated import SimulatedTable
from hushgram.expect.trials import (
    BOXES,
    NOISE_ONLY,
    Belief,
    Error,
    Tables,
    chance_of,
    predict,
    predict_noise,
    spread_of,
    tables_like,
)
from hushgram.lab.coverage.tables import TableRecipe, all_recipes
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.registry import as_mechanism
from hushgram.release import Release
from hushgram.trusted.engine.remembered import Remembered
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault

EPSILONS = ("0.01", "0.1", "1")
SIMILAR = "1"
"""The ε of the release of similar data."""
PILOT = Fraction(1, 10)
"""The ε of a pilot, as a share of the one for which errors are predicted."""
GENERATED = (*SCATTERS, *TYPICAL_SCATTERS)
RELEASES = 20
"""Releases of a table by which its error is seen."""
RUNS, LIKE_RUNS = 5, 2
"""Releases of each generated table, and of each table that is drawn from a release."""
ERRORS = "least-epsilon-errors"
TARGETS = np.linspace(0.15, 0.85, 5)
"""Where targets lie, between the errors at the largest and at the smallest ε."""
LIKELY = {
    "towns": (
        "Facebook", "Houston", "Houston, bins", "Rome", "Seattle", "Seattle, bins", "Uber",
        "Uber, bins", "bikes", "checkin_256_256", "cities", "hills", "hills, 100 bins",
        "networks", "power plants", "quakes", "stations", "twitter_256_256",
    ),
    "streets": (
        "ADULTFRANK", "GrossCompenMDSalary1", "INCOME", "air time", "bids_j", "census weights",
        "delays", "fares", "fares, 100 bins", "fares, unequal bins", "gains", "gains, 50 bins",
        "heaped",
        "heaped, 100 bins", "heaped, 80 bins", "heaped, few rows", "hours", "magnitudes, 40 bins",
    ),
}  # fmt: skip
"""Tables whose steward could say how the rows lie: places, and amounts at round numbers."""
PLACES = np.log([float(epsilon) for epsilon in EPSILONS])
FINE = np.linspace(PLACES[0], PLACES[-1], 600)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mechanisms", nargs="*", default=["auto"])
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--half", choices=("choosing", "confirming"))
    parser.add_argument("--summary", action="store_true")
    asked = parser.parse_args()
    done = {(row["mechanism"], row["table"]) for row in read(ERRORS)} if asked.resume else set()
    for name in [] if asked.summary else asked.mechanisms:
        for recipe in in_turn(all_recipes()):
            if (name, recipe.name) not in done and asked.half in (None, recipe.half):
                measure(name, recipe)
    save("least-epsilon", list(summarise()))


def measure(name: str, recipe: TableRecipe) -> None:
    """The errors of one mechanism on one table, unless it refuses the table's domain."""
    try:
        rows = list(compare(name, recipe))
    except HushgramError as error:
        print(f"{name}, {recipe.name}: left out ({error})")
        return
    if rows:
        save(ERRORS, rows, by=("mechanism", "table"))


def in_turn(recipes: list[TableRecipe]) -> list[TableRecipe]:
    """One for choosing, one for confirming, and so on."""
    recipes = list(recipes)
    random.Random(1).shuffle(recipes)
    halves = ([one for one in recipes if one.half == half] for half in ("choosing", "confirming"))
    return [one for pair in zip_longest(*halves) for one in pair if one is not None]


def compare(name: str, recipe: TableRecipe) -> Iterator[dict[str, Any]]:
    """The errors that are seen and simulated, at each ε and for each size of boxes."""
    table, mechanism = recipe.make(), as_mechanism(name, None)
    if table.domain.continuous and fills_cells(mechanism):
        return
    mechanism.check(table.domain)
    known = as_simulated(table)
    rng = np.random.default_rng(6)
    mine = rng.random(len(known.rows)) < 0.5
    ours, others = (
        replace(known, places=known.places[some], rows=known.rows[some]) for some in (mine, ~mine)
    )
    many = len(ours.rows)
    stand_in = coarser(table.domain, fills_cells(mechanism))
    shares = {name: one for name, one in question_shares(table.domain).items() if name != "all"}
    seen = [(Remembered(ours), AskedBoxes.draw(ours, rng, shares, BOXES))]
    generated = list(generated_tables(stand_in, many, GENERATED, shares, BOXES))
    similar = published(others, mechanism, Fraction(SIMILAR))
    drawn = list(tables_like(similar, stand_in, many, shares))
    for epsilon in EPSILONS:
        budget = Fraction(epsilon)
        pilot = published(ours, mechanism, PILOT * budget)
        errors = [
            mean_errors(mechanism, domain, tables, budget, runs)
            for domain, tables, runs in (
                (table.domain, seen, RELEASES),
                (stand_in, generated, RUNS),
                (stand_in, drawn, LIKE_RUNS),
                (stand_in, list(tables_like(pilot, stand_in, many, shares)), LIKE_RUNS),
            )
        ]
        for place, size in enumerate(shares):
            found, simulated, alike, piloted = (one[:, :, place] for one in errors)
            yield {
                "mechanism": name,
                "table": table.name,
                "half": table.half,
                "rows": many,
                "epsilon": epsilon,
                "covers": size,
                "seen": round(float(found.mean()), 3),
                **dict(zip(GENERATED, np.round(simulated.mean(axis=1), 3).tolist(), strict=True)),
                "chance": round(chance_of(simulated), 4),
                **describe("like", alike),
                **describe("pilot", piloted),
            }


def describe(name: str, errors: Any) -> dict[str, float]:
    """The mean and the standard deviation over tables, as `hushgram.expect.trials` uses them."""
    mean, spread = spread_of(errors)
    return {name: round(float(np.exp(mean)), 3), f"{name}, sd": round(spread, 3)}


def published(table: SimulatedTable, mechanism: Mechanism, epsilon: Fraction) -> Release:
    vault = vault_of(Remembered(table), table.domain, epsilon)
    chosen, _ = COUNTS_ONLY.settle(mechanism, vault)
    return Release(chosen.estimate(vault), "auto", {}, epsilon, Rows(), "add-remove")


def mean_errors(
    mechanism: Mechanism, domain: Domain, tables: Tables, epsilon: Fraction, runs: int
) -> Any:
    """Tables x releases x sizes: the mean error of the boxes of a size."""
    found = [
        [
            simulate(mechanism, [vault_of(table, domain, epsilon)], asked, intervals=False).errors
            for _ in range(runs)
        ]
        for table, asked in tables
    ]
    return np.array(found)


def vault_of(table: Remembered, domain: Domain, epsilon: Fraction) -> TableVault:
    return TableVault(table, domain, epsilon, unit=Rows(), neighbours="add-remove", noise=Native())


def logs(errors: Any) -> Any:
    return np.log(np.maximum(np.asarray(errors, dtype=float), 1e-2))


def summarise() -> Iterator[dict[str, Any]]:
    """How often targets are met, and at which cost, for each mechanism and what is known."""
    rows = read(ERRORS)
    for name in dict.fromkeys(row["mechanism"] for row in rows):
        mine = [row for row in rows if row["mechanism"] == name]
        yield from judge(name, "size and axes", mine, expected)
        if name in NOISE_ONLY:
            continue
        yield from judge(name, "a similar release", mine, partial(expected, drawn="like"))
        piloted = partial(expected, drawn="pilot")
        yield from judge(name, "a pilot of a tenth, included", mine, piloted, float(PILOT))
        for kind, tables in LIKELY.items():
            some = [row for row in mine if row["table"] in tables]
            for said in ("unknown", kind):
                predicted = partial(expected, generated=KINDS[said])
                yield from judge(name, f"size and axes: {kind}, kind {said}", some, predicted)


def expected(row: dict[str, str], drawn: str = "", generated: Iterable[str] = GENERATED) -> Error:
    """What is predicted for a setting."""
    seen = [float(row[name]) for name in generated if row[name]]
    if row["mechanism"] in NOISE_ONLY:
        return predict_noise(seen)
    spread = float(np.sqrt(max(logs(seen).var() - float(row["chance"]), 0)))
    beliefs = [Belief.of_generated(float(logs(seen).mean()), spread)]
    if drawn:
        ratio = float(1 / PILOT) if drawn == "pilot" else float(row["epsilon"]) / float(SIMILAR)
        mean = float(logs(float(row[drawn])))
        beliefs.append(Belief.of_like(mean, float(row[f"{drawn}, sd"]), ratio))
    return predict(beliefs)


def judge(
    mechanism: str,
    given: str,
    rows: list[dict[str, str]],
    predicted: Callable[[dict[str, str]], Error],
    more: float = 0.0,
) -> Iterator[dict[str, Any]]:
    """Shares and ratios over all targets of all tables, by half. ``more`` is what was spent before,
    as a share of the suggested ε."""
    curves: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for row in rows:
        place = row["half"], row["table"], row["covers"]
        curves.setdefault(place, []).append((predicted(row).with_reserve, float(row["seen"])))
    for half in ("choosing", "confirming"):
        within, ratios = [], []
        for place, pairs in curves.items():
            if place[0] != half:
                continue
            expected, true = logs(pairs).T
            for share in TARGETS:
                target = expected[0] + share * (expected[-1] - expected[0])
                found, needed = least(expected, target), least(true, target)
                if found is not None:
                    within.append(np.interp(found, PLACES, true) <= target + 1e-9)
                if found is not None and needed is not None:
                    ratios.append((1 + more) * np.exp(found - needed))
        low, middle, high = np.quantile(ratios, (0.25, 0.5, 0.75))
        yield {
            "mechanism": mechanism,
            "given": given,
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


def read(name: str) -> list[dict[str, str]]:
    path = RESULTS / f"{name}.csv"
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


if __name__ == "__main__":
    main()
