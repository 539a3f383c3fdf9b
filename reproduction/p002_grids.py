"""Paper 002: grids for points on a map, beside kd-trees and wavelets. NONPRIVATE."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import hushgram as hg
from hushgram.declare.axis import Floats
from hushgram.mechanisms.adaptive_grid import AdaptiveGrid
from hushgram.mechanisms.grid_sizing import slices_per_axis
from hushgram.mechanisms.privelet import Privelet
from hushgram.mechanisms.uniform_grid import UniformGrid
from reproduction.drawing import candles
from reproduction.findings import (
    Claim,
    Numbers,
    Paper,
    PaperFinding,
    Picture,
    short,
)
from reproduction.judged import Runs, format_mean, in_order, lowest
from reproduction.points import SETS, SIZES, AskedPoints, Points

EPSILONS = ("0.1", "1")

CONSTANTS = (4.0, 25.0)
"""Other constants than the suggested c = 10, that the best sizes are looked for among."""

SUGGESTED = {"1": (400, 316, 300, 30), "0.1": (126, 100, 95, 10)}
"""Table II: the suggested sizes of uniform grids."""

FEW, FEW_TIMES = 50_000, 5
"""Sets of fewer points are noisier, and quicker: they have so many times the runs."""

METHODS = ("KD-hybrid", "UG best", "Privelet", "AG best", "UG", "AG", "privtree-hb")
"""As in Fig. 5, from left to right, and one more."""


def table_two(runs: int) -> PaperFinding:
    plane = hg.Domain(x=(0.0, 1.0), y=(0.0, 1.0))
    claims = []
    for epsilon, sizes in SUGGESTED.items():
        for points, printed in zip(SETS.values(), sizes, strict=True):
            (here, _) = slices_per_axis(plane, points.paper_rows * float(epsilon) / 10)
            what = f"{points.name}, {points.paper_rows:,} points, ε = {epsilon}"
            claims.append(Claim(what, str(printed), str(here), here == printed))
    return PaperFinding("Table II", "Suggested sizes of uniform grids, from N and ε.", claims)


def on_set(points: Points, runs: int) -> PaperFinding:
    asked = AskedPoints.of(points)
    many = runs * (FEW_TIMES if len(asked.rows) < FEW else 1)
    found = {epsilon: compare_methods(asked, epsilon, many) for epsilon in EPSILONS}
    about = (
        f"Stands in for *{points.name}*: {asked.about}, {len(asked.rows):,} points "
        f"(the paper: {points.paper_rows:,}). Means of {many} runs."
    )
    return PaperFinding(
        f"Fig. 5: {points.name}",
        about,
        [claim for epsilon in EPSILONS for claim in orders(epsilon, found[epsilon])],
        [table(found)],
        [picture(points, found)],
    )


def compare_methods(asked: AskedPoints, epsilon: str, runs: int) -> dict[str, Floats]:
    """The errors of all methods. Best sizes are those with the least observed error, as in the
    paper, which gives them an advantage."""
    tried: dict[str, dict[float, Floats]] = {"UG": {}, "AG": {}}
    kinds: dict[str, Any] = {"UG": UniformGrid, "AG": AdaptiveGrid}
    for name, kind in kinds.items():
        for constant in (10.0, *CONSTANTS):
            errors = asked.errors(kind(constant=constant), epsilon, runs)
            tried[name][constant] = errors
    best = {name: min(by, key=lambda c, by=by: by[c].mean()) for name, by in tried.items()}  # type: ignore[misc]
    ratio = len(asked.rows) * float(epsilon) / best["UG"]
    (side, _) = slices_per_axis(asked.points.domain, ratio)
    cells = hg.Domain(x=hg.Regular(side, *asked.points.x), y=hg.Regular(side, *asked.points.y))
    return {
        "KD-hybrid": asked.errors("kd-hybrid", epsilon, runs),
        "UG best": tried["UG"][best["UG"]],
        "Privelet": asked.errors(Privelet(axes="ordered"), epsilon, runs, cells),
        "AG best": tried["AG"][best["AG"]],
        "UG": tried["UG"][10.0],
        "AG": tried["AG"][10.0],
        "privtree-hb": asked.errors("privtree-hb", epsilon, runs),
    }


def orders(epsilon: str, found: dict[str, Floats]) -> list[Claim]:
    three, rest = (
        {name: by_run(found[name]) for name in names}
        for names in (("AG", "UG", "KD-hybrid"), ("AG", "UG best", "Privelet", "KD-hybrid", "UG"))
    )
    return [
        Claim(
            f"AG has a lower mean relative error than UG and KD-hybrid at ε = {epsilon}",
            "AG < UG ≈ KD-hybrid",
            f"{in_order(three)} "
            f"({', '.join(f'{name} {format_mean(y)}' for name, y in three.items())})",
            lowest(three, "AG"),
        ),
        Claim(
            f"AG of the suggested size outperforms all methods but AG at ε = {epsilon}",
            "AG lowest",
            in_order(rest),
            lowest(rest, "AG"),
        ),
    ]


def by_run(errors: Floats) -> Runs:
    """The mean error of all queries, run by run."""
    return [float(one) for one in errors.mean(axis=(1, 2))]


def table(found: dict[str, dict[str, Floats]]) -> Numbers:
    rows = []
    for epsilon, methods in found.items():
        for name in METHODS:
            errors = methods[name]
            quantiles = np.quantile(errors, (0.25, 0.5, 0.75, 0.95))
            by_size = errors.mean(axis=(0, 2))
            rows.append(
                (epsilon, name, format_mean(by_run(errors)), *map(short, map(float, quantiles)),
                 *(short(float(one)) for one in by_size))
            )  # fmt: skip
    sizes = tuple(f"q{n + 1}" for n in range(SIZES))
    heads = ("ε", "method", "mean", "25 %", "median", "75 %", "95 %", *sizes)
    return Numbers("Relative errors, and their means by query size", heads, rows)


def picture(points: Points, found: dict[str, dict[str, Floats]]) -> Picture:
    panels = {
        f"{points.name}, ε = {epsilon}": {name: methods[name].ravel() for name in METHODS}
        for epsilon, methods in found.items()
    }
    return Picture(
        f"002-fig5-{points.name}",
        f"Fig. 5 on the stand-in for {points.name}: 25 %, median, 75 %, 95 % of the relative "
        "errors of 1,200 queries, and their mean as a diamond.",
        partial(candles, panels, "relative error"),
    )


PAPER = Paper(
    "002",
    "grids for points on a map (UG, AG)",
    "Qardaji, Yang & Li, *Differentially private grids for geospatial data*, ICDE 2013.",
    6,
    [table_two, *(partial(on_set, points) for points in SETS.values())],
    [
        "UG and AG buy a noisy N with 2 % of ε; the paper takes the true N for free. *Best* is the "
        f"constant with the least observed error among 10, {CONSTANTS[0]:g} and {CONSTANTS[1]:g}; "
        "*Privelet* works on the grid of UG best. Figures of the paper are plots without printed "
        "numbers.",
    ],
)
