"""Fig. 4 of paper 002: the parameters of adaptive grids. NONPRIVATE."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from hushgram.declare.axis import Floats
from hushgram.mechanisms.adaptive_grid import AdaptiveGrid
from reproduction.drawing import Panel, candles, lines
from reproduction.findings import Claim, Numbers, PaperFinding, Picture, short
from reproduction.judged import close, every, format_mean, less, mean
from reproduction.p002_trials import (
    EPSILONS,
    Trials,
    best_of,
    by_run,
    by_size,
    runs_of_size,
    sizes_around,
    trials,
)
from reproduction.points import SIZES

ON = ("checkin", "landmark")
ALPHAS = ("1/4", "1/2", "3/4")
CONSTANTS = (5, 10, 15)
BESIDE = (("1/2", 3), ("1/2", 7), ("1/5", 5), ("3/5", 5))
"""Settings that the paper tried but does not show."""

DEFAULT = ("1/2", 5)

Setting = tuple[str, int]
"""α and c₂."""

WHY_SETS = "the sets differ; for this one there is no tested reason."


def parameters(runs: int) -> PaperFinding:
    """Fig. 4: the parameters of AG."""
    tried = [trials(name, runs) for name in ON]
    return PaperFinding(
        "Fig. 4: the parameters of AG",
        "A_{m1,c2} is `adaptive-grid:m1=…,c2=…`, which does not pay for a number of rows. Two "
        "errors are *close* if they differ by at most 10 %, or if noise leaves their order open.",
        [claim for one in tried for epsilon in EPSILONS for claim in claims(one, epsilon)],
        [first_sizes_table(tried), settings_table(tried)],
        [lines_picture(tried), sizes_picture(tried), settings_picture(tried)],
    )


def by_setting(tried: Trials, epsilon: str) -> dict[Setting, Floats]:
    """Return the errors of AG with the suggested m₁, by α and c₂."""
    m1 = tried.suggested_first(epsilon)
    settings = [(alpha, c2) for alpha in ALPHAS for c2 in CONSTANTS]
    return {
        (alpha, c2): tried.relative(
            f"A{m1},{c2} α={alpha}", AdaptiveGrid(m1=m1, c2=c2, alpha=Fraction(alpha)), epsilon
        )
        for alpha, c2 in (*settings, *BESIDE)
    }


def rivals(tried: Trials, epsilon: str) -> dict[str, Floats]:
    """Return the errors of the best AG and UG, and of Privelet with UG's size: the first column."""
    uniform, adaptive = tried.uniform(epsilon), tried.adaptive(epsilon)
    size = best_of(uniform)
    return {
        "AG best": adaptive[best_of(adaptive)],
        "UG best": uniform[size],
        "Privelet": tried.wavelet(size, epsilon),
    }


def claims(tried: Trials, epsilon: str) -> list[Claim]:
    where = f"{tried.name}, ε = {epsilon}"
    return [
        across_sizes(where, rivals(tried, epsilon)),
        *first_size_claims(where, tried, epsilon),
        *setting_claims(where, by_setting(tried, epsilon)),
    ]


def across_sizes(where: str, found: dict[str, Floats]) -> Claim:
    ours = found["AG best"]
    others = [one for name, one in found.items() if name != "AG best"]
    judged = [
        every(less(runs_of_size(ours, q), runs_of_size(one, q)) for one in others)
        for q in range(SIZES)
    ]
    lower = [f"q{q + 1}" for q in range(SIZES) if judged[q]]
    return Claim(
        f"{where}: AG outperforms UG and Privelet across all sizes of queries",
        "q1 to q6",
        f"lowest at {', '.join(lower) or 'none'}"
        + (f"; {judged.count(None)} within noise" if None in judged else ""),
        every(judged),
        WHY_SETS,
    )


def first_size_claims(where: str, tried: Trials, epsilon: str) -> list[Claim]:
    adaptive, uniform = tried.adaptive(epsilon), tried.uniform(epsilon)
    suggested, best = tried.suggested_first(epsilon), best_of(adaptive)
    near = sizes_around(tried.suggested_size(epsilon), 2)
    spreads = [
        max(means) / min(means)
        for means in (
            [float(one.mean()) for one in adaptive.values()],
            [float(uniform[m].mean()) for m in near],
        )
    ]
    return [
        Claim(
            f"{where}: AG is less sensitive to m₁ than UG is to m",
            "a wider range performs well",
            "up to a factor of 2 from the suggested size, errors differ by a factor of "
            f"{short(spreads[0])} (AG) and {short(spreads[1])} (UG)",
            spreads[0] < spreads[1],
            "both are nearly flat in that range.",
        ),
        Claim(
            f"{where}: the suggested m₁ is at or close to the optimal size",
            "close",
            f"{suggested}: {format_mean(by_run(adaptive[suggested]))}; "
            f"best {best}: {format_mean(by_run(adaptive[best]))}",
            close(by_run(adaptive[suggested]), by_run(adaptive[best])),
            WHY_SETS,
        ),
    ]


def setting_claims(where: str, found: dict[Setting, Floats]) -> list[Claim]:
    runs = {setting: by_run(errors) for setting, errors in found.items()}
    default = runs[DEFAULT]

    def means(settings: list[Setting], named: int) -> str:
        return ", ".join(f"{one[named]}: {short(mean(runs[one]))}" for one in settings)

    constants: list[Setting] = [("1/2", c2) for c2 in (3, 5, 7, 10, 15)]
    alphas: list[Setting] = [(alpha, 5) for alpha in ("1/5", "1/4", "1/2", "3/5", "3/4")]
    return [
        Claim(
            f"{where}: c₂ = 5 significantly outperforms 10 and 15",
            "5 < 10, 15",
            means([("1/2", 5), ("1/2", 10), ("1/2", 15)], 1),
            every(less(default, runs["1/2", c2]) for c2 in (10, 15)),
            WHY_SETS,
        ),
        Claim(
            f"{where}: c₂ from 3 to 7 has almost the same accuracy",
            "close",
            means(constants[:3], 1),
            all(close(runs["1/2", c2], default) for c2 in (3, 7)),
            WHY_SETS,
        ),
        Claim(
            f"{where}: α = 0.75 performs worse than 0.25 and 0.5",
            "worse",
            means([alphas[1], alphas[2], alphas[4]], 0),
            every(less(runs[alpha, 5], runs["3/4", 5]) for alpha in ("1/4", "1/2")),
            WHY_SETS,
        ),
        Claim(
            f"{where}: α from 0.2 to 0.6 gives very similar results",
            "close",
            means(alphas[:4], 0),
            all(close(runs[one], default) for one in alphas[:4]),
            WHY_SETS,
        ),
    ]


def first_sizes_table(tried: list[Trials]) -> Numbers:
    rows = [
        (one.name, epsilon, str(m), "suggested" * (m == one.suggested_first(epsilon)),
         format_mean(by_run(errors)))
        for one in tried for epsilon in EPSILONS for m, errors in one.adaptive(epsilon).items()
    ]  # fmt: skip
    return Numbers("Mean relative errors by m₁", ("set", "ε", "m₁", "", "mean"), rows)


def settings_table(tried: list[Trials]) -> Numbers:
    rows = [
        (one.name, epsilon, alpha, str(c2), format_mean(by_run(errors)))
        for one in tried
        for epsilon in EPSILONS
        for (alpha, c2), errors in by_setting(one, epsilon).items()
    ]
    return Numbers("Mean relative errors by α and c₂", ("set", "ε", "α", "c₂", "mean"), rows)


def lines_picture(tried: list[Trials]) -> Picture:
    sizes = range(1, SIZES + 1)
    panels = [
        Panel(
            f"{one.name}, ε = {epsilon}", "size of queries, q1 to q6", "relative error",
            {name: (sizes, by_size(errors)) for name, errors in rivals(one, epsilon).items()},
            log_x=False,
        )
        for one in tried for epsilon in EPSILONS
    ]  # fmt: skip
    return Picture(
        "002-fig4-lines",
        "Fig. 4, first column: the best AG next to the best UG, and Privelet of that size.",
        partial(lines, panels, across=4),
    )


def sizes_picture(tried: list[Trials]) -> Picture:
    panels = {
        f"{one.name}, ε = {epsilon}": {
            f"m₁ = {m}": errors.ravel() for m, errors in one.adaptive(epsilon).items()
        }
        for one in tried
        for epsilon in EPSILONS
    }
    return Picture(
        "002-fig4-sizes",
        "Fig. 4, second column: AG by the size of the first grid.",
        partial(candles, panels, "relative error"),
    )


def settings_picture(tried: list[Trials]) -> Picture:
    panels = {
        f"{one.name}, ε = {epsilon}": {
            f"α = {alpha}, c₂ = {c2}": by_setting(one, epsilon)[alpha, c2].ravel()
            for alpha in ALPHAS
            for c2 in CONSTANTS
        }
        for one in tried
        for epsilon in EPSILONS
    }
    return Picture(
        "002-fig4-settings",
        "Fig. 4, third and fourth columns: AG with the suggested m₁, by α and c₂.",
        partial(candles, panels, "relative error"),
    )
