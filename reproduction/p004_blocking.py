"""Fig. 18 of paper 004: blocks for record linkage. NONPRIVATE."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from hushgram.mechanisms.dpcube import DPCube
from hushgram.mechanisms.kd_standard import KDStandard
from reproduction.adult import LINKED, Adult, Linked, adult, halves, link_once
from reproduction.drawing import Panel, lines
from reproduction.findings import Claim, Numbers, PaperFinding, Picture
from reproduction.judged import Judged, Runs, every, format_mean, less, mean, times

BUDGETS = ("0.01", "0.03", "0.1", "0.3", "1")
FIXED = "0.1"
"""The budget when the number of attributes varies."""

MARGIN = 2.0
"""The margin added to the noisy sizes of blocks, in standard deviations."""

OURS, TREE, LITERAL = "DPCube", "hierarchical kd-tree", "DPCube, ξ₀ = 3"
INAN = KDStandard(budgets="equal", inference="none", prune=0)
"""The tree of Inan et al.: equal budgets for all levels, its leaves' counts as they are."""

SMALL, MIDDLE = "kd-tree of height 2", "kd-tree of height 3"
BLOCKERS: dict[str, Any] = {OURS: "dpcube", TREE: INAN}

OTHERS: dict[str, Any] = {
    LITERAL: DPCube(estimator="uniform", stop="variance", xi=3.0),
    SMALL: replace(INAN, height=2),
    MIDDLE: replace(INAN, height=3),
}
"""Rules that test explanations: the threshold of the paper's Fig. 14, independent of the noise; and
trees with few blocks."""

Blocked = list[Linked]
"""The quality of blocks for each run."""

ByRule = dict[str, list[Blocked]]


def blocking(runs: int) -> PaperFinding:
    """Fig. 18: blocks for record linkage."""
    table = adult()
    axes = list(range(2, len(LINKED) + 1))
    by_budget = measure_rules(table, {**BLOCKERS, **OTHERS}, [(2, e) for e in BUDGETS], runs)
    by_axes = measure_rules(table, BLOCKERS, [(many, FIXED) for many in axes], runs)
    why = why_tree(by_budget)
    return PaperFinding(
        "Fig. 18: blocking for record linkage",
        f"{table.about}: two parties have half of the rows each, and half of those in common. The "
        "paper compares blocks by their true sizes, which leak information. Here, each party "
        f"pads or cuts its blocks to noisy sizes plus {MARGIN:g} standard deviations of the "
        "noise, and comparisons with dummies count. Recall is the share of the common rows that "
        "are still compared.",
        [*budget_claims(by_budget, why), *axes_claims(by_axes, why)],
        [
            blocks_table(by_budget, by_axes, axes),
            tested_numbers(by_budget),
        ],
        [blocks_picture(by_budget, by_axes, axes)],
    )


def measure_rules(
    table: Adult, rules: Mapping[str, Any], settings: list[tuple[int, str]], runs: int
) -> ByRule:
    found: ByRule = {name: [] for name in rules}
    for axes, epsilon in settings:
        sides, matches, shape = halves(table, axes)
        for name, rule in rules.items():
            found[name].append(
                [link_once(sides, matches, shape, epsilon, rule, (MARGIN,))[0] for _ in range(runs)]
            )
    return found


def reductions(found: list[Blocked]) -> list[Runs]:
    return [[run.reduction for run in one] for one in found]


def recalls(found: list[Blocked]) -> list[Runs]:
    return [[run.recall for run in one] for one in found]


def true(found: list[Blocked]) -> list[Runs]:
    return [[run.true for run in one] for one in found]


def ahead(first: list[Runs], second: list[Runs]) -> list[Judged]:
    """Return where the first are larger."""
    return [less(b, a) for a, b in zip(first, second, strict=True)]


def format_span(found: list[Runs]) -> str:
    """Format the range of means."""
    means = [mean(one) for one in found]
    return f"{100 * min(means):.0f} % to {100 * max(means):.0f} %"


def budget_claims(found: ByRule, why: str) -> list[Claim]:
    ours, theirs = reductions(found[OURS]), reductions(found[TREE])
    enough = [one for one, e in zip(ours, BUDGETS, strict=True) if float(e) >= 0.1]
    means = [mean(one) for one in ours]
    literal = true(found[LITERAL])
    return [
        Claim(
            "reduction ratio of DPCube on two attributes at α ≥ 0.1",
            "around 85 %",
            format_span(enough),
            min(map(mean, enough)) > 0.8,
        ),
        Claim(
            "its reduction ratio is steady, α from 0.01 to 1",
            "yes",
            format_span(ours),
            max(means) - min(means) < 0.1,
            "with little budget, our DPCube keeps few cuts, because a cut must be worth its "
            "noise. Tested: with the paper's fixed threshold ξ₀ = 3, which cuts regardless of "
            f"the noise, and with true sizes as in equation 10, it is {format_span(literal)}; "
            f"with sizes that do not leak, it is {format_span(reductions(found[LITERAL]))}. True "
            f"sizes alone do not make our DPCube steady: {format_span(true(found[OURS]))}.",
        ),
        Claim(
            "DPCube outperforms the hierarchical kd-tree by budget",
            "at all α",
            times(ahead(ours, theirs), "α"),
            every(ahead(ours, theirs)),
            why,
        ),
        Claim(
            "beyond the paper: DPCube finds more of the common rows",
            "–",
            times(ahead(recalls(found[OURS]), recalls(found[TREE])), "α"),
            every(ahead(recalls(found[OURS]), recalls(found[TREE]))),
        ),
    ]


def why_tree(found: ByRule) -> str:
    ours = reductions(found[OURS])
    two, three = (times(ahead(ours, reductions(found[name])), "α") for name in (SMALL, MIDDLE))
    literal = times(ahead(true(found[LITERAL]), true(found[TREE])), "α")
    return (
        "the more blocks, the fewer pairs. The kd-tree is cut at private medians to a depth that "
        "suits the number of rows, and has many more blocks than our DPCube, which stops where "
        f"counts do not differ. Tested: DPCube beats a tree of at most 16 blocks {two}, and of one "
        f"of at most 64 {three}; with the paper's ξ₀ = 3 and true sizes, DPCube has over a "
        f"thousand blocks at small budgets, and beats the tree {literal}."
    )


def axes_claims(found: ByRule, why: str) -> list[Claim]:
    ours, theirs = reductions(found[OURS]), reductions(found[TREE])
    drops = [less(by[-1], by[0]) for by in (ours, theirs)]
    return [
        Claim(
            "with more attributes the reduction ratio of both drops",
            "yes",
            ", ".join(
                f"{name}: {format_mean(by[0], percent=True)} to {format_mean(by[-1], percent=True)}"
                for name, by in ((OURS, ours), (TREE, theirs))
            ),
            every(drops),
        ),
        Claim(
            "DPCube outperforms the kd-tree by number of attributes",
            "2 to 6 attributes",
            times(ahead(ours, theirs), "numbers of attributes"),
            every(ahead(ours, theirs)),
            why,
        ),
    ]


def blocks_table(by_budget: ByRule, by_axes: ByRule, axes: list[int]) -> Numbers:
    heads = ("reduction", "recall", "blocks")
    rows = [
        *(row_of(f"α = {epsilon}", by_budget, n) for n, epsilon in enumerate(BUDGETS)),
        *(row_of(f"{many} attributes, α = {FIXED}", by_axes, n) for n, many in enumerate(axes)),
    ]
    columns = ("", *(f"{name}: {what}" for name in BLOCKERS for what in heads))
    return Numbers("Reduction ratio, recall, number of blocks", columns, rows)


def row_of(label: str, found: ByRule, place: int) -> tuple[str, ...]:
    cells: list[str] = []
    for one in (found[name][place] for name in BLOCKERS):
        cells += [
            format_mean([run.reduction for run in one], percent=True),
            format_mean([run.recall for run in one], percent=True),
            f"{mean([run.blocks for run in one]):.0f}",
        ]
    return (label, *cells)


def tested_numbers(found: ByRule) -> Numbers:
    """Return reduction ratios for private and for true sizes, and numbers of blocks."""
    rows = []
    for name, by in found.items():
        cells = [
            f"{format_mean(a, percent=True)} / {format_mean(b, percent=True)} / "
            f"{mean([run.blocks for run in one]):.0f}"
            for a, b, one in zip(reductions(by), true(by), by, strict=True)
        ]
        rows.append((name, *cells))
    title = "Tested on two attributes: reduction ratio / the same by true sizes / blocks"
    return Numbers(title, ("", *(f"α = {epsilon}" for epsilon in BUDGETS)), rows)


def blocks_picture(by_budget: ByRule, by_axes: ByRule, axes: list[int]) -> Picture:
    budgets = [float(epsilon) for epsilon in BUDGETS]

    def curves(found: ByRule, places: list[Any]) -> dict[str, tuple[list[Any], list[float]]]:
        return {name: (places, [mean(one) for one in reductions(found[name])]) for name in BLOCKERS}

    panels = [
        Panel("two attributes", "privacy budget α", "reduction ratio",
              curves(by_budget, budgets), log_y=False),
        Panel(f"α = {FIXED}", "number of attributes", "reduction ratio",
              curves(by_axes, axes), log_x=False, log_y=False),
    ]  # fmt: skip
    return Picture(
        "004-fig18",
        "Fig. 18: reduction ratio by budget and by number of attributes.",
        partial(lines, panels),
    )
