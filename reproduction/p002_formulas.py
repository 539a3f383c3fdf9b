"""The formulas of paper 002, on a small example. NONPRIVATE."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

import hushgram as hg
from hushgram.geometry.partition import Grid, Refined
from hushgram.mechanisms.inference.tree import Tree
from hushgram.queries import Measurement
from reproduction.findings import Claim, PaperFinding, short

ALPHA, SIDE = 0.25, 3
"""α and m₂ of the example."""


def formulas(runs: int) -> PaperFinding:
    """Check the constrained inference of AG, and the border cells of section IV-C."""
    return PaperFinding(
        "Formulas",
        f"Section IV-B's inference on one cell that is divided into {SIDE} x {SIDE}, with α = "
        f"{ALPHA}, compared with the least squares that `adaptive-grid` uses; and the numbers of "
        "section IV-C.",
        [*inference_claims(), *border_claims()],
    )


def inference_claims() -> list[Claim]:
    coarse, fine = 100, np.arange(5, 5 + SIDE**2)
    better = least_squares(coarse, fine)
    weight = ALPHA**2 * SIDE**2 / ((1 - ALPHA) ** 2 + ALPHA**2 * SIDE**2)
    printed = weight * coarse + (1 - weight) * fine.sum()
    spread = printed - fine.sum()
    return [
        Claim(
            "v', the weighted average of a cell's count and of its parts' sum, has the least "
            "variance",
            short(printed, 5),
            short(float(better.sum()), 5),
            math.isclose(printed, better.sum()),
        ),
        Claim(
            "parts become u' = u + (v' - Σu), so that they agree with v'",
            f"they add up to {short(float((fine + spread).sum()), 5)}, v' is {short(printed, 5)}",
            f"u + (v' - Σu) / m₂² adds up to {short(float(better.sum()), 5)}",
            bool(np.allclose(fine + spread, better)),
            "the printed formula lacks the division by the number of parts: the difference "
            "should be distributed among them equally, as the sentence before it says.",
        ),
    ]


def least_squares(coarse: int, fine: np.ndarray) -> np.ndarray:
    """The parts by the least squares of `adaptive-grid`, for noise of ε's shares α and 1 - α."""
    domain = hg.Domain(x=(0.0, 1.0), y=(0.0, 1.0))
    grid = Grid(domain, (1, 1))
    cut = Refined(grid, np.array([[SIDE, SIDE]]))
    measured = [
        Measurement(grid, np.array([coarse]), 2 / ALPHA**2, Fraction(1)),
        Measurement(cut, fine, 2 / (1 - ALPHA) ** 2, Fraction(1)),
    ]
    return Tree.of(measured).push(measured)


def border_claims() -> list[Claim]:
    cells, grouped = 10_000, 4
    plane, line = 4 * math.sqrt(grouped) / math.sqrt(cells), 2 * grouped / cells
    return [
        Claim(
            "of 10,000 cells in groups of 4, the border of a query takes this share of the plane, "
            "and of a line",
            "0.08, 0.0008",
            f"{plane:g}, {line:g}",
            (round(plane, 9), round(line, 9)) == (0.08, 0.0008),
        )
    ]
