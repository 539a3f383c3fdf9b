"""Paper 000: the sorted sequence as an adaptive histogram. NONPRIVATE."""

from __future__ import annotations

import numpy as np

from hushgram.mechanisms.inference.sorted_model import modelled_error, paper_group
from hushgram.mechanisms.sorted import measured_group
from reproduction.findings import Claim, Numbers, Paper, PaperFinding
from reproduction.p000_density import figure_eight, figures_six_and_seven, table_two
from reproduction.p000_errors import EPSILONS, figure_five, figure_four, figure_three
from reproduction.p000_exact import exact_statements
from reproduction.p000_headline import headline
from reproduction.p000_medians import figure_ten
from reproduction.p000_ranges import ranges_on_line, ranges_on_map

PRINTED = {
    2_000: (44, 29, 20, 12),
    5_000: (59, 37, 27, 18),
    10_000: (79, 51, 36, 27),
    20_000: (121, 83, 61, 41),
    100_000: (234, 150, 98, 73),
    180_000: (300, 177, 110, 94),
}
"""Table 1: the best group size by n, for ε = 0.5, 1, 2 and 3."""


def table_one(runs: int) -> PaperFinding:
    """Table 1: the group sizes of the error model, compared with the printed ones."""
    rows, apart, worse = [], [], []
    for many, sizes in PRINTED.items():
        cells = []
        for epsilon, printed in zip(EPSILONS, sizes, strict=True):
            here = paper_group(many, epsilon)
            pair = modelled_error(many, np.array([printed, here], dtype=float), epsilon)
            apart.append(abs(here / printed - 1))
            worse.append(float(pair[0] / pair[1]))
            cells.append(f"{printed} / {here} / {measured_group(many, epsilon)}")
        rows.append((f"{many:,}", *cells))
    middle = float(np.median(apart))
    return PaperFinding(
        "Table 1: group sizes",
        "Sizes follow from equation 7, with the error of isotonic regression measured here on "
        "equally spaced rows. The optimum is flat, so the comparison uses the modelled error at "
        "the printed size.",
        [
            Claim("the printed sizes are best in the model", "24 sizes",
                  f"off by a median of {100 * middle:.0f} %; modelled error at most "
                  f"{100 * (max(worse) - 1):.1f} % above the least", max(worse) < 1.05),
        ],
        [Numbers("printed / by the model / by the measured rule 2 √(n / ε)",
                 ("n", *(f"ε = {e:g}" for e in EPSILONS)), rows)],
    )  # fmt: skip


PAPER = Paper(
    "000",
    "the sorted sequence as an adaptive histogram",
    "Fang & Chang, *Adaptive differentially private histogram of low-dimensional data*, PETS 2012.",
    20,
    [
        headline,
        exact_statements,
        table_one,
        figure_three,
        figure_four,
        figure_five,
        figures_six_and_seven,
        table_two,
        figure_eight,
        ranges_on_line,
        ranges_on_map,
        figure_ten,
    ],
    [
        "Figures 3 to 5 simulate the paper's steps on a line with the usual Laplace noise; "
        "everything else uses releases of the mechanisms. The paper's figures are plots without "
        "printed numbers; Tables 1 and 2 are printed.",
    ],
)
