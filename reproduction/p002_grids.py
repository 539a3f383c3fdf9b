"""Paper 002: grids for points on a map, compared with kd-trees and wavelets. NONPRIVATE."""

from __future__ import annotations

from functools import partial

import hushgram as hg
from hushgram.declare.axis import Floats
from hushgram.mechanisms.grid_sizing import slices_per_axis
from reproduction.drawing import candles
from reproduction.findings import Claim, Numbers, Paper, PaperFinding, Picture, short
from reproduction.judged import (
    Judged,
    Runs,
    close,
    every,
    format_mean,
    in_order,
    less,
    lowest,
    times,
)
from reproduction.p002_adaptive import parameters
from reproduction.p002_formulas import formulas
from reproduction.p002_hierarchies import ON, hierarchies, methods, privelet_headline
from reproduction.p002_sizes import grid_sizes
from reproduction.p002_trials import (
    EPSILONS,
    Trials,
    best_of,
    by_run,
    by_size,
    quantiles,
    trials,
)
from reproduction.points import SETS, SIZES

SUGGESTED = {"1": (400, 316, 300, 30), "0.1": (126, 100, 95, 10)}
"""Table II: the suggested sizes of uniform grids."""

METHODS = ("KD-hybrid", "UG best", "Privelet", "AG best", "UG", "AG", "privtree-hb")
"""The methods of Fig. 5, from left to right, and one more."""

PAPERS = METHODS[:-1]

WHY_HYBRID = (
    "KD-hybrid is more accurate here than in the paper if points are concentrated in few places "
    "(*checkin*, *landmark*), and less accurate if there are few points (*storage*, and *road* at "
    "ε = 0.1)."
)


def headlines(runs: int) -> PaperFinding:
    """Check the abstract and the conclusions, over all sets and both ε."""
    settings = [(trials(name, runs), epsilon) for name in SETS for epsilon in EPSILONS]
    relative = [compare_methods(one, epsilon) for one, epsilon in settings]
    absolute = [to_absolute(one, epsilon) for one, epsilon in settings]
    runs_of = [{name: by_run(errors) for name, errors in found.items()} for found in relative]
    ag = [every(less(one["AG"], one[name]) for name in ("UG", "KD-hybrid")) for one in runs_of]
    ag_absolute = [
        every(less(by_run(one["AG"]), by_run(one[name])) for name in ("UG", "KD-hybrid"))
        for one in absolute
    ]
    ug = [is_as_good(one["UG"], one["KD-hybrid"]) for one in runs_of]
    return PaperFinding(
        "Headline claims",
        "These lines summarise the paper's abstract and conclusions over its four sets and both "
        "ε: 8 settings, each of which has its own line below.",
        [
            Claim(
                "AG consistently and significantly outperforms UG and KD-hybrid",
                "everywhere",
                times(ag, "settings"),
                every(ag),
                WHY_HYBRID,
            ),
            Claim(
                "the same by absolute errors",
                "everywhere",
                times(ag_absolute, "settings"),
                every(ag_absolute),
                WHY_HYBRID,
            ),
            Claim(
                "UG performs as well as, and often better than, KD-hybrid",
                "everywhere",
                times(ug, "settings"),
                every(ug),
                WHY_HYBRID,
            ),
            privelet_headline([methods(trials(name, runs), e) for name in ON for e in EPSILONS]),
        ],
    )


def is_as_good(first: Runs, second: Runs) -> Judged:
    """Return whether one mean is close to the other, or below it."""
    return True if close(first, second) else less(first, second)


def table_two(runs: int) -> PaperFinding:
    plane = hg.Domain(x=(0.0, 1.0), y=(0.0, 1.0))
    claims = []
    for epsilon, sizes in SUGGESTED.items():
        for points, printed in zip(SETS.values(), sizes, strict=True):
            (here, _) = slices_per_axis(plane, points.paper_rows * float(epsilon) / 10)
            what = f"{points.name}, {points.paper_rows:,} points, ε = {epsilon}"
            claims.append(Claim(what, str(printed), str(here), here == printed))
    return PaperFinding("Table II", "Suggested sizes of uniform grids, from N and ε.", claims)


def on_set(name: str, runs: int) -> PaperFinding:
    """Fig. 5 and 6 on one set."""
    tried = trials(name, runs)
    relative = {epsilon: compare_methods(tried, epsilon) for epsilon in EPSILONS}
    absolute = {epsilon: to_absolute(tried, epsilon) for epsilon in EPSILONS}
    points = tried.asked.points
    about = (
        f"Stands in for *{name}*: {tried.asked.about}, {len(tried.asked.rows):,} points "
        f"(the paper: {points.paper_rows:,}). Means of {tried.runs} runs."
    )
    return PaperFinding(
        f"Fig. 5 and 6: {name}",
        about,
        [
            *(claim for epsilon in EPSILONS for claim in orders(epsilon, relative[epsilon])),
            *(claim for epsilon in EPSILONS for claim in absolute_orders(tried, epsilon)),
        ],
        [
            table("Relative errors, and their means by query size", relative),
            table("Absolute errors, and their means by query size", absolute),
        ],
        [
            picture(name, "Fig. 5", "relative", relative),
            picture(name, "Fig. 6", "absolute", absolute),
        ],
    )


def compare_methods(tried: Trials, epsilon: str) -> dict[str, Floats]:
    """Return the relative errors of all methods. Best sizes have the smallest observed error, as in
    the paper, which favours them."""
    uniform, adaptive = tried.uniform(epsilon), tried.adaptive(epsilon)
    size = best_of(uniform)
    return {
        "KD-hybrid": tried.relative("KD-hybrid", "kd-hybrid", epsilon),
        "UG best": uniform[size],
        "Privelet": tried.wavelet(size, epsilon),
        "AG best": adaptive[best_of(adaptive)],
        "UG": tried.relative("UG", "uniform-grid", epsilon),
        "AG": tried.relative("AG", "adaptive-grid", epsilon),
        "privtree-hb": tried.relative("privtree-hb", "privtree-hb", epsilon),
    }


def to_absolute(tried: Trials, epsilon: str) -> dict[str, Floats]:
    """Return the absolute errors of the same releases."""
    return {
        name: tried.asked.to_absolute(errors)
        for name, errors in compare_methods(tried, epsilon).items()
    }


def orders(epsilon: str, found: dict[str, Floats]) -> list[Claim]:
    runs = {name: by_run(found[name]) for name in PAPERS}
    three = {name: runs[name] for name in ("AG", "UG", "KD-hybrid")}
    rest = {name: runs[name] for name in PAPERS if name != "AG best"}
    return [
        Claim(
            f"AG has a lower mean relative error than UG and KD-hybrid at ε = {epsilon}",
            "AG < UG ≈ KD-hybrid",
            f"{in_order(three)} "
            f"({', '.join(f'{name} {format_mean(y)}' for name, y in three.items())})",
            lowest(three, "AG"),
            WHY_HYBRID,
        ),
        Claim(
            f"AG of the suggested size outperforms all methods but AG at ε = {epsilon}",
            "AG lowest",
            in_order(rest),
            lowest(rest, "AG"),
            WHY_HYBRID,
        ),
        Claim(
            f"UG of the suggested size is about as accurate as KD-hybrid at ε = {epsilon}",
            "UG ≈ KD-hybrid",
            f"UG {format_mean(runs['UG'])}, KD-hybrid {format_mean(runs['KD-hybrid'])}",
            close(runs["UG"], runs["KD-hybrid"]),
            WHY_HYBRID,
        ),
        Claim(
            f"AG of the suggested size is close to the best AG at ε = {epsilon}",
            "AG ≈ AG best",
            f"AG {format_mean(runs['AG'])}, AG best {format_mean(runs['AG best'])}",
            close(runs["AG"], runs["AG best"]),
            "the best of several sizes, chosen by its error, beats a size chosen in advance.",
        ),
        Claim(
            f"Privelet on the grid of UG best is worse than UG there at ε = {epsilon}",
            "UG best < Privelet, up to about 128 x 128",
            f"UG best {format_mean(runs['UG best'])}, Privelet {format_mean(runs['Privelet'])}",
            less(runs["UG best"], runs["Privelet"]),
        ),
    ]


def absolute_orders(tried: Trials, epsilon: str) -> list[Claim]:
    found = to_absolute(tried, epsilon)
    rest = {name: by_run(found[name]) for name in PAPERS if name != "AG best"}
    claims = [
        Claim(
            f"AG has the lowest absolute error of all but AG at ε = {epsilon} (Fig. 6)",
            "AG lowest",
            in_order(rest),
            lowest(rest, "AG"),
            WHY_HYBRID,
        )
    ]
    if tried.name == "road":
        best = best_of(tried.uniform(epsilon))
        suggested = tried.suggested_size(epsilon)
        claims.append(
            Claim(
                "by absolute error, UG of the suggested size beats the size that is best by "
                f"relative error, ε = {epsilon}",
                "UG < UG best",
                f"U{suggested} {format_mean(rest['UG'])}, U{best} {format_mean(rest['UG best'])}",
                less(rest["UG"], rest["UG best"]),
                "the paper's *road* is highly uniform, so that its best size by relative error "
                "(96 to 192) is far from the suggested one (400). On the stand-in the two are "
                "near each other.",
            )
        )
    return claims


def table(title: str, found: dict[str, dict[str, Floats]]) -> Numbers:
    rows = [
        (epsilon, name, format_mean(by_run(methods_[name])),
         *map(short, quantiles(methods_[name])), *map(short, by_size(methods_[name])))
        for epsilon, methods_ in found.items() for name in METHODS
    ]  # fmt: skip
    sizes = tuple(f"q{n + 1}" for n in range(SIZES))
    return Numbers(title, ("ε", "method", "mean", "25 %", "median", "75 %", "95 %", *sizes), rows)


def picture(name: str, figure: str, kind: str, found: dict[str, dict[str, Floats]]) -> Picture:
    panels = {
        f"{name}, ε = {epsilon}": {method: methods_[method].ravel() for method in METHODS}
        for epsilon, methods_ in found.items()
    }
    log = kind == "absolute"
    return Picture(
        f"002-{figure.replace('. ', '').lower()}-{name}",
        f"{figure} on the stand-in for {name}: 25 %, median, 75 %, 95 % of the {kind} "
        "errors of 1,200 queries, and their mean as a diamond.",
        partial(candles, panels, f"{kind} error", log=log),
    )


NOT_AT_HAND = "the original sets are not at hand, and the stand-ins differ in it."


def not_tested(runs: int) -> PaperFinding:
    """List statements that need the original sets, or that the paper did not test either."""
    return PaperFinding(
        "What cannot be tested here",
        "Statements about the original points, and one that the paper only conjectures.",
        [
            Claim.not_tested("Fig. 1: where the points of the four sets lie", "maps", NOT_AT_HAND),
            Claim.not_tested(
                "on *road* at ε = 1, U_384 and U_512 still have lower errors than KD-hybrid, and "
                "by absolute error U_400 outperforms U_96",
                "U_384, U_512 < KD-hybrid; U_400 < U_96",
                NOT_AT_HAND,
            ),
            Claim.not_tested(
                "small benefits of hierarchies disappear with three dimensions or more",
                "a conjecture",
                "the paper has no experiment on three axes to compare ours with.",
            ),
        ],
    )


PAPER = Paper(
    "002",
    "grids for points on a map (UG, AG)",
    "Qardaji, Yang & Li, *Differentially private grids for geospatial data*, ICDE 2013.",
    6,
    [
        headlines,
        table_two,
        formulas,
        grid_sizes,
        hierarchies,
        parameters,
        *(partial(on_set, name) for name in SETS),
        not_tested,
    ],
    [
        "*UG* and *AG* are `uniform-grid` and `adaptive-grid` with their defaults, which spend 2 "
        "% of ε on a noisy N; the paper takes the true N for free. *UG best* and *AG best* are "
        "U_m and A_{m1,5} of the size with the smallest observed relative error among those of "
        "Fig. 2 and 4; *Privelet* works on the grid of UG best. Sets of fewer than 50,000 points "
        "have five times as many runs. The paper's figures are plots without printed numbers, so "
        "we compare what its text says about them.",
    ],
)
