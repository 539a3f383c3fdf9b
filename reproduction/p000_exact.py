"""Statements of paper 000 that can be checked without noise. NONPRIVATE."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, product

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.geometry.hilbert import cells
from reproduction.findings import Claim, PaperFinding, short
from reproduction.line import generalisation_error

ROWS, PLACES = 4, 5
"""Tables have this many rows at this many places of the unit interval."""

BITS = 5
"""Bits per side of the Hilbert curve, all of whose cells are compared."""


def exact_statements(runs: int) -> PaperFinding:
    """Sensitivities, bounds and standard deviations."""
    sorting, grouping = sensitivities()
    stretch = longest_stretch()
    blur = worst_generalisation()
    bounds = [0.005 ** (1 / axes) for axes in (2, 3)]
    deviation = math.sqrt(2)
    return PaperFinding(
        "Statements without noise",
        f"Sensitivities over all pairs of neighbouring tables of {ROWS} rows at {PLACES} places; "
        f"the curve over all pairs of its {4**BITS:,} cells.",
        [
            Claim("sorting has sensitivity 1 (Theorem 1)", "1", short(sorting), sorting == 1),
            Claim("sums over any partition of the sorted list have sensitivity 1 (Corollary 1)",
                  "1", f"{short(max(grouping))}, over {len(grouping)} partitions",
                  max(grouping) == 1),
            Claim("points of the square are at most 3 √d apart, d along the Hilbert curve (§2.3)",
                  "≤ 3", short(stretch), stretch <= 3),
            Claim("the generalization error is at most k / (2 n) (§5.3)", "≤ 1 times that",
                  f"{short(blur)} times", blur <= 1 + 1e-9),
            Claim("an error of 0.005 along the curve bounds that in space by 0.07 c and 0.17 c "
                  "(§7.2)", "0.07, 0.17", ", ".join(map(short, bounds)),
                  [round(one, 2) for one in bounds] == [0.07, 0.17]),
            Claim("Laplace noise of scale Δ / ε has the standard deviation 2 Δ / ε (§2.1)", "2",
                  short(deviation), abs(deviation - 2) < 0.01,
                  "its variance is 2 (Δ / ε)², and its standard deviation √2 Δ / ε."),
        ],
    )  # fmt: skip


def sensitivities() -> tuple[float, list[float]]:
    """Return the sensitivity of sorting, and of the sums over each partition of the sorted list."""
    tables = np.array(list(combinations_with_replacement(range(PLACES), ROWS))) / (PLACES - 1)
    held = np.array([[(one == place / (PLACES - 1)).sum() for place in range(PLACES)]
                     for one in tables])  # fmt: skip
    apart = np.abs(held[:, None] - held).sum(axis=2)
    first, second = np.nonzero(apart == 2)
    moved = tables[first] - tables[second]
    found = []
    for labels in partitions(ROWS):
        sums = np.stack([moved[:, np.array(labels) == label].sum(axis=1) for label in set(labels)])
        found.append(float(np.abs(sums).sum(axis=0).max()))
    return float(np.abs(moved).sum(axis=1).max()), found


def partitions(many: int) -> Iterator[Sequence[int]]:
    """Yield all partitions of a number of things, as labels. A new label is one more than all
    before.

    >>> len(list(partitions(4)))
    15
    """
    for labels in product(range(many), repeat=many):
        if all(one <= max(labels[:n], default=-1) + 1 for n, one in enumerate(labels)):
            yield labels


def longest_stretch() -> float:
    """Return the largest distance in the square, divided by the root of the distance along the
    curve."""
    at = cells(np.arange(4**BITS), axes=2, bits=BITS) / 2**BITS
    worst = 0.0
    for way in range(1, 4**BITS):
        far = np.linalg.norm(at[way:] - at[:-way], axis=1).max()
        worst = max(worst, float(far) / math.sqrt(way / 4**BITS))
    return worst


def worst_generalisation() -> float:
    """Return the largest generalization error, divided by k / (2 n): a group with half of its rows
    at each end of the axis."""
    group = 10

    def of(points: Floats) -> float:
        return generalisation_error(points, group) * 2 * len(points) / group

    rng = np.random.default_rng(53)
    ends = np.repeat([0.0, 1.0], [45, 55])
    return max(of(ends), *(of(np.sort(rng.beta(0.2, 0.2, 100))) for _ in range(50)))
