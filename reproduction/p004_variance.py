"""Paper 004, Fig. 13 to 15: histograms, and the effect of ξ₀ and of the division of α. NONPRIVATE.

The paper uses age x income with an income that the public table does not have; here it is age x
education, as in its own Fig. 16.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

import hushgram as hg
from hushgram.declare.axis import Floats
from hushgram.lab.evaluate.data import DataSet
from hushgram.mechanisms.dpcube import DPCube
from reproduction.adult import adult, cube
from reproduction.drawing import Panel, lines
from reproduction.findings import Claim, Numbers, PaperFinding, Picture, short
from reproduction.grids import Place, measure_grid
from reproduction.heatmaps import heatmaps
from reproduction.judged import Judged, Runs, format_mean, less, mean

ROWS = 10_000
NAME = "age x education"
BUDGETS = ("0.2", "1")
"""The budgets of both counts together: Table 2 has 0.05 + 0.15."""

THRESHOLDS = (1, 3, 10, 30, 100, 300, 1000, 3000, 10000)
SHARES = ("1/10", "1/4", "2/5", "1/2", "3/5", "3/4", "9/10")
"""The shares of the budget for the cells."""

DRAWN = 300.0
"""The ξ₀ of the histograms."""

FIXED = 3
"""The ξ₀ when α₁ varies."""


def literal(share: str = "1/4", xi: float | None = None, estimator: str = "uniform") -> DPCube:
    """Return DPCube with the paper's rules."""
    return DPCube(share=share, estimator=estimator, stop="variance", xi=xi)  # type: ignore[arg-type]


def histograms(runs: int) -> PaperFinding:
    """Fig. 13."""
    table = adult()
    counts = cube(table, NAME, ROWS)
    found = {"(a) original": counts.astype(float), **publish_histograms(counts)}
    errors = {
        name: [absolute_error(counts, name) for _ in range(max(runs, 2))]
        for name in list(found)[1:]
    }
    first, second, third = errors.values()
    return PaperFinding(
        "Fig. 13: original and released histograms",
        f"{table.about}, the first {ROWS:,} rows, {NAME} (the paper: age x income). α₁ = 0.05, α₂ "
        f"= 0.15, ξ₀ = {DRAWN:g}: the paper does not print its value, and with this one the query "
        "error of Fig. 15 (a) is near its minimum.",
        [
            Claim("cells estimated from few partitions are closer to the original than noisy cells",
                  "as drawn", f"mean error of a cell {format_mean(second)} against "
                  f"{format_mean(first)}", less(second, first)),
            Claim("beyond the paper: with least squares they are farther away than with uniform "
                  "estimation",
                  "–", f"{format_mean(third)} against {format_mean(second)}", less(second, third)),
        ],
        pictures=[
            Picture(
                "004-fig13",
                "Fig. 13: the original and the released histograms, one run.",
                partial(heatmaps, found, "age", "education", colour="rows\nper cell"),
            )
        ],
    )  # fmt: skip


def publish_histograms(counts: Any) -> dict[str, Floats]:
    """Return three histograms: of the first count, the second, and both together."""
    release = publish(counts, literal(xi=DRAWN), "0.2")
    reconciled = publish(counts, literal(xi=DRAWN, estimator="least-squares"), "0.2")
    cells = np.asarray(reconciled.estimate.measurements[-1].values, dtype=float)
    return {
        "(b) cells, α₁ = 0.05": cells.reshape(counts.shape),
        "(c) partitions, uniform estimation": np.asarray(release.to_array(), dtype=float),
        "(d) both, least squares": np.asarray(reconciled.to_array(), dtype=float),
    }


def publish(counts: Any, mechanism: Any, epsilon: str) -> hg.Release:
    return hg.publish(
        hg.Counts(counts), epsilon=epsilon, mechanism=mechanism, ledger=hg.Ledger.in_memory()
    )


def absolute_error(counts: Any, name: str) -> float:
    return float(np.abs(publish_histograms(counts)[name] - counts).mean())


def thresholds(runs: int) -> PaperFinding:
    """Fig. 14 (a) and 15 (a)."""
    rivals = {f"{xi:g}": literal(xi=float(xi)) for xi in THRESHOLDS}
    variances, errors = (
        measure_rivals(rivals, measure, runs) for measure in ("weighted-variance", "l1")
    )
    places = [float(xi) for xi in THRESHOLDS]
    return PaperFinding(
        "Fig. 14 (a), 15 (a): the threshold ξ₀",
        f"{NAME}, DPCube by the paper's rules with uniform estimation, a quarter of α for the "
        "cells. Weighted variance is Σ rows x variance over partitions; errors are means over "
        "random boxes.",
        [
            rising_claim(f"weighted variance grows with ξ₀ (α = {alpha})", variances[alpha])
            for alpha in BUDGETS
        ]
        + [
            rising_claim(
                f"the query error grows with ξ₀ (α = {alpha})",
                errors[alpha],
                "with a small ξ₀, the noise of the cells alone exceeds it, and every cell "
                "becomes a separate partition with its own noise; fewer partitions have less "
                "noise. Tested: the error is smallest at ξ₀ = "
                f"{least(errors[alpha], THRESHOLDS):g} (α = {alpha}).",
            )
            for alpha in BUDGETS
        ],
        [
            table("Weighted variance by ξ₀", [f"ξ₀ = {xi:g}" for xi in THRESHOLDS], variances),
            table("Mean absolute error by ξ₀", [f"ξ₀ = {xi:g}" for xi in THRESHOLDS], errors),
        ],
        [
            picture("004-fig14a-15a", "Fig. 14 (a) and 15 (a)", "threshold ξ₀", places, variances,
                    errors, log_x=True)
        ],
    )  # fmt: skip


def budgets(runs: int) -> PaperFinding:
    """Fig. 14 (b) and 15 (b)."""
    rivals = {share: literal(share, FIXED) for share in SHARES}
    variances, errors = (
        measure_rivals(rivals, measure, runs) for measure in ("weighted-variance", "l1")
    )
    places = [float(Fraction(share)) for share in SHARES]
    return PaperFinding(
        "Fig. 14 (b), 15 (b): the division of the budget",
        f"{NAME}, DPCube by the paper's rules with uniform estimation, ξ₀ = {FIXED}.",
        [
            falling_claim(
                f"weighted variance decreases with α₁ (α = {alpha})",
                variances[alpha],
                "with little budget, the noise alone exceeds ξ₀ = 3, so nearly all cells are "
                "separated and little varies within a partition. The paper itself says that a "
                "fixed ξ₀ does not reflect the noise.",
            )
            for alpha in BUDGETS
        ]
        + [
            rising_claim(
                f"a small α₁ yields a smaller query error (α = {alpha})",
                errors[alpha],
                "cells that stay together share one noise, and it takes budget to see which do. "
                f"Tested: the error is smallest at α₁ = {least(errors[alpha], SHARES)} of α.",
            )
            for alpha in BUDGETS
        ],
        [
            table("Weighted variance by α₁ / α", list(SHARES), variances),
            table("Mean absolute error by α₁ / α", list(SHARES), errors),
        ],
        [
            picture("004-fig14b-15b", "Fig. 14 (b) and 15 (b)", "share of α for the cells", places,
                    variances, errors, log_x=False)
        ],
    )  # fmt: skip


def measure_rivals(rivals: dict[str, DPCube], measure: str, runs: int) -> dict[str, list[Runs]]:
    """Measure each rival at each budget."""
    data = DataSet(NAME, cube(adult(), NAME, ROWS))
    found = measure_grid(data, rivals, BUDGETS, ["boxes"], measure, runs)
    return {alpha: [found[Place(name, alpha, "boxes")] for name in rivals] for alpha in BUDGETS}


def rising_claim(what: str, found: Sequence[Runs], why: str = "") -> Claim:
    """Check that the last is above the first, and that no step goes down by more than noise."""
    down = sum(less(after, before) is True for before, after in pairwise(found))
    holds = less(found[0], found[-1])
    agrees: Judged = False if down else holds
    steps = f", {down} of {len(found) - 1} steps go down" if down else ""
    return Claim(what, "yes", f"{ends(found)}{steps}", agrees, why)


def falling_claim(what: str, found: Sequence[Runs], why: str = "") -> Claim:
    """Check that the last is below the first."""
    return Claim(what, "generally", ends(found), less(found[-1], found[0]), why)


def ends(found: Sequence[Runs]) -> str:
    return f"{short(mean(found[0]))} to {short(mean(found[-1]))}"


def least(found: Sequence[Runs], names: Sequence[Any]) -> Any:
    return names[int(np.argmin([mean(runs) for runs in found]))]


def table(title: str, heads: Sequence[str], found: dict[str, list[Runs]]) -> Numbers:
    rows = [(alpha, *map(format_mean, each)) for alpha, each in found.items()]
    return Numbers(title, ("α", *heads), rows)


def picture(
    name: str,
    caption: str,
    x: str,
    places: Sequence[float],
    variances: dict[str, list[Runs]],
    errors: dict[str, list[Runs]],
    *,
    log_x: bool,
) -> Picture:
    def panel(title: str, y: str, found: dict[str, list[Runs]]) -> Panel:
        curves = {
            f"α = {alpha}": (places, [max(mean(one), 1e-9) for one in each])
            for alpha, each in found.items()
        }
        log_y = all(min(heights) > 1 for _, heights in curves.values())
        return Panel(title, x, y, curves, log_x=log_x, log_y=log_y)

    panels = [
        panel("weighted variance", "Σ rows x variance", variances),
        panel("query error", "mean absolute error of boxes", errors),
    ]
    return Picture(name, f"{caption}: weighted variance and query error.", partial(lines, panels))
