"""Paper 003: clusters of similar counts, compared with four rivals. NONPRIVATE."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np

from hushgram.mechanisms.inference.clustering import greedy_clusters, optimal_clusters
from reproduction.drawing import Panel, lines
from reproduction.findings import (
    Claim,
    Numbers,
    Paper,
    PaperFinding,
    Picture,
    rank_names,
    short,
)
from reproduction.judged import (
    Judged,
    Runs,
    every,
    format_mean,
    in_order,
    less,
    lowest,
    mean,
    times,
)
from reproduction.p003_factors import SHUFFLED, SHUFFLED_GIVEN, table
from reproduction.p003_headlines import headlines
from reproduction.p003_measured import EPSILONS, At, best_of, cases, measure_set
from reproduction.p003_rivals import COARSE, ETA, FIVE, OURS, POSTERIOR, RIVALS
from reproduction.p003_sets import SETS, PaperSet
from reproduction.p003_sets import facts_line as facts_of

DRAWN = (*FIVE, "identity", "privtree-hb")

SMALL = 16
"""The maximum number of bins of a short range."""


def example(runs: int) -> PaperFinding:
    """Check Example 3.1 exactly."""
    counts = np.array([1, 1, 3, 3, 4, 6, 7])
    printed = "{1, 1}, {3, 3, 4}, {6, 7}"
    claims = []
    for name, clusters in (("greedy", greedy_clusters), ("optimal", optimal_clusters)):
        starts = clusters(counts, 2 / 0.5**2)
        groups = ", ".join(
            "{" + ", ".join(map(str, group)) + "}" for group in np.split(counts, starts[1:])
        )
        claims.append(Claim(f"clusters, {name}", printed, groups, groups == printed))
    return PaperFinding("Example 3.1", "Clusters of 1, 1, 3, 3, 4, 6, 7 at ε₂ = 1/2.", claims)


def on_set(histogram: PaperSet, runs: int) -> PaperFinding:
    """Recompute a set's lines of Tables 2 to 4, and its figure."""
    about, counts = histogram.make()
    found = measure_set(histogram, EPSILONS, runs)
    printed = [value for line in histogram.printed.values() for value in line]
    above = sum(value > histogram.even for value in printed)
    stands = (
        f"Stands in for *{histogram.name}*: {about}, raised to a power and scaled to match the "
        f"figures in Table 1: {facts_of(counts)}. By Table 1 alone, a histogram with the same "
        f"count in every bin has a KLD of at most {short(histogram.even)}, the logarithm of 1 + "
        f"variance / mean²; {above} of the {len(printed)} printed KLDs are larger."
    )
    return PaperFinding(
        f"Tables 2–4 and Fig. {histogram.figure}: {histogram.name}",
        stands,
        [
            *(orders(histogram, epsilon, at) for epsilon, at in found.items()),
            *(in_random_order(name, found) for name in (SHUFFLED, SHUFFLED_GIVEN)),
            view(found),
            *ranges(found),
        ],
        [
            divergences(histogram, found),
            winners(found),
            table({epsilon: at.factors for epsilon, at in found.items()}),
        ],
        [picture(histogram, found)],
    )


def orders(histogram: PaperSet, epsilon: str, found: At) -> Claim:
    five = {name: found.divergence[name] for name in FIVE}
    return Claim(
        f"AHP has the lowest KLD of the five at ε = {epsilon}",
        rank_names(dict(zip(FIVE, histogram.printed[epsilon], strict=True))),
        in_order(five),
        lowest(five, "AHP"),
        "neighbouring bins are alike, especially on a sorted set, and methods that cut the axis "
        "get for free what AHP pays for. Tested: the lines on bins in random order, and the "
        "other factors in the last table. The paper itself says that PHP suits sorted sets best, "
        "but prints a larger KLD for it.",
    )


def in_random_order(name: str, found: dict[str, At]) -> Claim:
    judged = [at.factors[name].lowest for at in found.values()]
    return Claim(
        f"AHP has the lowest KLD of the five, {name}",
        "at every ε, in the order of the data",
        f"{times(judged, 'ε')}; "
        + "; ".join(
            f"{epsilon}: {in_order(at.factors[name].found)}" for epsilon, at in found.items()
        ),
        every(judged),
        "if every bin holds many rows and ε is 1, it is best to leave plain noise unchanged. NF "
        "does that when it chooses its own clusters, while AHP spends a part of ε on clusters. "
        "Tested: the next line gives NF its number of clusters in advance, as the paper "
        "describes it.",
    )


def view(found: dict[str, At]) -> Claim:
    """Check the accuracy of a non-negative view, which is not in the paper."""
    judged = [less(at.divergence[POSTERIOR], at.divergence["AHP"]) for at in found.values()]
    return Claim(
        f"beyond the paper: a non-negative view ({POSTERIOR}) has a lower KLD than AHP",
        "–",
        f"{times(judged, 'ε')}: "
        + "; ".join(
            f"{format_mean(at.divergence[POSTERIOR])} against {format_mean(at.divergence['AHP'])}"
            for at in found.values()
        ),
        every(judged),
    )


def ranges(found: dict[str, At]) -> list[Claim]:
    own = best_of({epsilon: at.errors for epsilon, at in found.items()})
    mixed = best_of({epsilon: at.mixed for epsilon, at in found.items()})
    errors = [at.errors["AHP"] for at in found.values()]
    longer = every(less(by[1], by[max(by)]) for by in errors)
    noisier = every(less(a[1], b[1]) for a, b in pairwise(errors))
    return [
        Claim(
            "AHP has the lowest MSE of the five, by range size and ε",
            "all cases",
            format_cases(own),
            every(own.values()),
            "the order of the bins again. Tested: with the bins in random order AHP has the "
            f"lowest MSE in {format_cases(mixed)}. What remains is NF, where plain noise is best, "
            "and the few segments of PHP and SF over long ranges, whose noise adds up less.",
        ),
        Claim(
            "MSE grows with the range and as ε falls (AHP)",
            "same trend in all figures",
            f"range: {WORDS[longer]}; ε: {WORDS[noisier]}",
            every([longer, noisier]),
        ),
    ]


WORDS = {True: "yes", False: "no", None: "within noise"}


def winners(found: dict[str, At]) -> Numbers:
    """Return which of the five has the lowest error, by range size, in both orders of the bins."""
    sizes = list(next(iter(found.values())).errors["AHP"])[::2]
    rows = []
    for epsilon, at in found.items():
        for order, errors in (("its own", at.errors), ("random", at.mixed)):
            best = [winner({name: errors[name][size] for name in FIVE}) for size in sizes]
            rows.append((epsilon, order, *best))
    heads = ("ε", "order of the bins", *(f"{size:,}" for size in sizes))
    return Numbers(
        "Who of the five has the lowest MSE, by range size; ≈ those within noise of it", heads, rows
    )


def winner(errors: dict[str, Runs]) -> str:
    """Return the method with the lowest error, and those within noise of it."""
    best = min(errors, key=lambda name: mean(errors[name]))
    near = [name for name in errors if name != best and less(errors[best], errors[name]) is None]
    return " ≈ ".join([best, *near])


def format_cases(judged: dict[tuple[str, int], Judged]) -> str:
    short_ones = [one for (_, size), one in judged.items() if size <= SMALL]
    return f"{cases(list(judged.values()))}; of ranges up to {SMALL} bins {cases(short_ones)}"


def divergences(histogram: PaperSet, found: dict[str, At]) -> Numbers:
    rows = []
    for place, name in enumerate([*RIVALS, *OURS]):
        cells = []
        for epsilon, at in found.items():
            printed = short(histogram.printed[epsilon][place]) if name in RIVALS else ""
            cells += [printed, format_mean(at.divergence[name])]
        rows.append((name, *cells))
    heads = [f"ε = {epsilon}, {who}" for epsilon in found for who in ("the paper", "here")]
    return Numbers("KLD, less is better", ("", *heads), rows)


def picture(histogram: PaperSet, found: dict[str, At]) -> Picture:
    panels = [
        Panel(
            f"{histogram.name}, ε = {epsilon}", "range size", "MSE",
            {name: (list(by), [mean(runs) for runs in by.values()])
             for name, by in at.errors.items() if name in DRAWN},
        )
        for epsilon, at in found.items()
    ]  # fmt: skip
    return Picture(
        f"003-fig{histogram.figure}",
        f"Fig. {histogram.figure}: MSE by range size on the stand-in for {histogram.name}. Capital "
        "names are the paper's five.",
        partial(lines, panels),
    )


PAPER = Paper(
    "003",
    "clusters of similar counts (AHP)",
    "Zhang, Chen, Xu, Meng & Xie, *Towards accurate histogram publication under differential "
    "privacy*, SDM 2014.",
    20,
    [headlines, *(partial(on_set, histogram) for histogram in SETS), example],
    [
        "KLD is the divergence of the true shares from the released ones, after norm-sub and "
        "with one extra row spread evenly over both; the paper does not say how it treats zeros "
        "and negative counts. The paper's figures are plots without printed numbers.",
        "AHP is greedy, as in the paper's experiments. The paper prints neither its threshold η, "
        "*a tuning parameter*, nor its split of ε, which it says is *normally* ½. Here η is "
        f"{ETA} and the first counts cost 0.85 of ε, as tuned in DPBench. Among the values tried "
        "(η of 0.03, 0.1, 0.35 and 1; shares of ½, 0.85 and 0.95), these are near the best for "
        "AHP on these very sets, so the comparison favours AHP. The tables of factors show the "
        "effect of other values. The rivals follow their own papers: NF chooses its clusters by "
        "its own penalty, PHP makes log₂(n) / 2 rounds, GS has groups of 100, *one of the best "
        "group sizes used by GS*. StructureFirst has a tenth as many clusters as bins, and works "
        f"on at most {COARSE:,} coarser bins, because its running time grows with bins times "
        "clusters.",
        "*Posterior means* are fitted to the released counts alone: every bin has the same "
        "unknown prior, found by 2,000 rounds of expectation and maximisation. After 150 rounds, "
        "the prior of NetTrace, where most counts are zero, has not converged, and AHP may be "
        "better.",
        "The paper's histograms may not be redistributed. Our stand-ins match the figures in its "
        "Table 1: bins, empty bins, rows, variance and, where these allow it, the largest count. "
        "Their order matches its description of each set: areas numbered from neighbour to "
        "neighbour, counts over time, and two sets that *are originally sorted*. So neighbouring "
        "bins are alike, and empty bins come in runs. No property of a stand-in was chosen by "
        "looking at results. Every section also shows results with the bins in random order.",
    ],
)
