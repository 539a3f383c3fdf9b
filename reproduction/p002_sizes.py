"""Fig. 2 of paper 002: kd-trees and uniform grids of many sizes. NONPRIVATE."""

from __future__ import annotations

import math
from functools import partial

from hushgram.declare.axis import Floats
from hushgram.mechanisms.kd_hybrid import KDHybrid
from reproduction.drawing import Panel, candles, lines
from reproduction.findings import Claim, Numbers, PaperFinding, Picture, short
from reproduction.judged import close, every, format_mean, less, mean
from reproduction.p002_trials import EPSILONS, Trials, best_of, by_run, by_size, trials
from reproduction.points import SETS, SIZES

WORST_SIZE = {"road": "q5", "checkin": "q4", "landmark": "q3", "storage": "q3"}
"""The size of queries with the largest relative errors, in the paper."""

RANGES = {
    ("road", "1"): "400, of 96 to 192",
    ("checkin", "1"): "316, of 192 to 384",
    ("landmark", "1"): "300, of 256 to 512",
    ("storage", "1"): "30, of 32 to 64",
    ("road", "0.1"): "126, of 48 to 128",
    ("checkin", "0.1"): "100, of 64 to 128",
    ("landmark", "0.1"): "95, of 64 to 128",
    ("storage", "0.1"): "10, of 10 to 32",
}
"""Table II: the suggested size, and the sizes that perform best."""

TURNED = "quadtree first"
"""The label of KD-hybrid as this paper describes it; Cormode et al. use medians first."""

WORSE_THAN_UG = ("road", "storage")
"""The sets on which KD-hybrid has larger errors than the best UG in the paper; on the others they
are close."""

WHY_WORST = (
    "the sets differ. The paper explains it by large blank areas, which large queries hit; its "
    "*road* is two states with a blank between them, and the stand-in is one region."
)
WHY_SIZE = "no tested reason."
WHY_HYBRID = (
    "KD-hybrid is better here than in the paper if points are concentrated in few places. Its "
    "height depends on the number of rows, and it is pruned while it grows; the paper used the "
    "code of its authors."
)


def grid_sizes(runs: int) -> PaperFinding:
    """Fig. 2: kd-trees and uniform grids."""
    tried = [trials(name, runs) for name in SETS]
    claims = [worst_claim(tried), *(claim for one in tried for claim in set_claims(one))]
    return PaperFinding(
        "Fig. 2: kd-trees, and uniform grids of many sizes",
        "U_m is `uniform-grid:m=…`, which does not pay for a number of rows. The suggested size "
        "is that of Guideline 1 for the number of points used here. A size counts as *near the "
        "best* up to a factor of 2, about as wide as the paper's ranges in Table II. *KD-hybrid* "
        f"cuts at medians first, as its authors do; *{TURNED}* is "
        "`kd-hybrid:order=quadtree-first`, as this paper describes it.",
        claims,
        [sizes_table(tried)],
        [lines_picture(tried), candles_picture(tried)],
    )


def worst_claim(tried: list[Trials]) -> Claim:
    found = {one.name: worst_sizes(one) for one in tried}
    return Claim(
        "more specifically, the sizes of queries with the largest relative errors",
        ", ".join(f"{name} {WORST_SIZE[name]}" for name in found),
        ", ".join(f"{name} {' and '.join(dict.fromkeys(sizes))}" for name, sizes in found.items()),
        all(set(sizes) == {WORST_SIZE[name]} for name, sizes in found.items()),
        WHY_WORST,
    )


def worst_sizes(tried: Trials) -> list[str]:
    """Return the size of queries with the largest relative errors of UG, for each ε."""
    means = [by_size(one) for one in all_uniform(tried)]
    return [f"q{1 + max(range(SIZES), key=one.__getitem__)}" for one in means]


def set_claims(tried: Trials) -> list[Claim]:
    worst = worst_sizes(tried)
    claims = [
        Claim(
            f"{tried.name}: relative errors are largest for queries of middle sizes",
            "not the smallest, nor the largest",
            ", ".join(f"{q} at ε = {e}" for q, e in zip(worst, EPSILONS, strict=True)),
            not {"q1", f"q{SIZES}"} & set(worst),
            WHY_WORST,
        )
    ]
    for epsilon in EPSILONS:
        claims += size_claims(tried, epsilon)
    return claims


def all_uniform(tried: Trials) -> list[Floats]:
    """Return the errors of UG with the suggested size, for each ε."""
    return [tried.uniform(epsilon)[tried.suggested_size(epsilon)] for epsilon in EPSILONS]


def size_claims(tried: Trials, epsilon: str) -> list[Claim]:
    found = tried.uniform(epsilon)
    best, suggested = best_of(found), tried.suggested_size(epsilon)
    ends = (min(found), max(found))
    ratio = mean(by_run(found[suggested])) / mean(by_run(found[best]))
    hybrid = by_run(kd_trees(tried, epsilon)["KD-hybrid"])
    ug = by_run(found[best])
    wants = tried.name in WORSE_THAN_UG
    return [
        Claim(
            f"{tried.name}, ε = {epsilon}: sizes far from the best are worse on both sides",
            "errors grow steadily",
            " ".join(f"U{m} {short(float(found[m].mean()))}" for m in (ends[0], best, ends[1])),
            every(less(ug, by_run(found[end])) for end in ends if end != best)
            if best not in ends
            else False,
            WHY_SIZE,
        ),
        Claim(
            f"{tried.name}, ε = {epsilon}: the suggested size is near the best",
            RANGES[tried.name, epsilon],
            f"{suggested}, best {best}; {short(ratio)} times its error",
            abs(math.log2(suggested / best)) <= 1,
            WHY_SIZE,
        ),
        Claim(
            f"{tried.name}, ε = {epsilon}: KD-hybrid against the best UG",
            "worse" if wants else "very close",
            f"{format_mean(hybrid)} against {format_mean(ug)}",
            less(ug, hybrid) if wants else close(hybrid, ug),
            WHY_HYBRID,
        ),
    ]


def kd_trees(tried: Trials, epsilon: str) -> dict[str, Floats]:
    return {
        "KD-standard": tried.relative("KD-standard", "kd-standard", epsilon),
        "KD-hybrid": tried.relative("KD-hybrid", "kd-hybrid", epsilon),
        TURNED: tried.relative(TURNED, KDHybrid(order="quadtree-first"), epsilon),
    }


def sizes_table(tried: list[Trials]) -> Numbers:
    rows = []
    for one in tried:
        for epsilon in EPSILONS:
            trees = [format_mean(by_run(errors)) for errors in kd_trees(one, epsilon).values()]
            sizes = "; ".join(
                f"{m}: {short(float(errors.mean()))}" for m, errors in one.uniform(epsilon).items()
            )
            rows.append((one.name, epsilon, *trees, sizes))
    heads = ("set", "ε", "KD-standard", "KD-hybrid", f"KD-hybrid, {TURNED}", "U_m by m")
    return Numbers("Mean relative errors", heads, rows)


def lines_picture(tried: list[Trials]) -> Picture:
    panels = []
    for one in tried:
        for epsilon in EPSILONS:
            found, suggested = one.uniform(epsilon), one.suggested_size(epsilon)
            chosen = {
                **kd_trees(one, epsilon),
                "UG, coarsest tried": found[min(found)],
                "UG, suggested": found[suggested],
                "UG, best": found[best_of(found)],
                "UG, finest tried": found[max(found)],
            }
            ends = range(1, SIZES + 1)
            curves = {name: (ends, by_size(errors)) for name, errors in chosen.items()}
            panels.append(
                Panel(f"{one.name}, ε = {epsilon}", "size of queries, q1 to q6", "relative error",
                      curves, log_x=False)
            )  # fmt: skip
    return Picture(
        "002-fig2-lines",
        "Fig. 2 on the stand-ins: mean relative errors by size of queries.",
        partial(lines, panels, across=4),
    )


def candles_picture(tried: list[Trials]) -> Picture:
    panels = {
        f"{one.name}, ε = {epsilon}": {
            **{name: errors.ravel() for name, errors in kd_trees(one, epsilon).items()},
            **{f"U{m}": errors.ravel() for m, errors in one.uniform(epsilon).items()},
        }
        for one in tried
        for epsilon in EPSILONS
    }
    return Picture(
        "002-fig2-candles",
        "Fig. 2 on the stand-ins: 25 %, median, 75 %, 95 % of the relative errors of all queries, "
        "and their mean as a diamond.",
        partial(candles, panels, "relative error"),
    )
