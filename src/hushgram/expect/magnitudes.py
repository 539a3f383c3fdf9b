"""The errors to expect of sums and means, where every declared cell is measured by itself.

With k cells in a range of n rows, prices q for counts and p for sums, and L rows of a unit, the
noise of a mean has the variance k (2 r² / p² + 2 d² L² / q²) / n²: r is how far one unit can move a
sum, and d how far the range's mean is from the centre. That distance is guessed, and public.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hushgram.base.exact import format_number
from hushgram.declare.domain import Domain
from hushgram.declare.measure import Sum
from hushgram.declare.unit import Neighbours, Unit
from hushgram.errors import NotAnswerable
from hushgram.expect.questions import question_shares
from hushgram.mechanisms.measured import MANY, best_centre, usual_share

SURE = 1.96
"""Standard deviations of a 95 % interval."""


@dataclass(frozen=True)
class ExpectedMagnitude:
    """Half the width of the 95 % intervals of means and sums, by how much a range covers."""

    epsilon: Fraction
    measure: Sum
    means: dict[str, float]
    sums: dict[str, float]

    def to_json(self) -> dict[str, Any]:
        return {
            "epsilon": format_number(self.epsilon),
            "measure": str(self.measure),
            "means": {size: float(f"{width:.3g}") for size, width in self.means.items()},
            "sums": {size: float(f"{width:.3g}") for size, width in self.sums.items()},
        }


def expect_magnitudes(
    domain: Domain,
    rows: int,
    epsilons: Sequence[Fraction],
    measures: Sequence[Sum],
    spread: float | None,
    unit: Unit,
    neighbours: Neighbours,
) -> Iterator[ExpectedMagnitude]:
    """What to expect of each measure at each ε. ``spread`` is how far means of ranges are from the
    middle of the bounds; a quarter of the distance between these if it is not given."""
    if domain.continuous or domain.cells >= MANY:
        raise NotAnswerable(
            f"errors of sums and means are predicted for fewer than {MANY:,} declared cells, which "
            "are measured one by one. Declare fewer bins, or leave the measures out."
        )
    moved = (2 if neighbours == "replace-one" else 1) * unit.rows
    share = float(usual_share(len(measures)))
    for epsilon in epsilons:
        price, counted = float(epsilon) * share / len(measures), float(epsilon) * (1 - share)
        for measure in measures:
            amount, step = measure.amount, float(measure.amount.step)
            centre = best_centre(measure, price / counted, unit.rows)
            reach = step * amount.reach_of(unit.rows, centre) * moved / unit.rows
            apart = step * (amount.high - amount.low) / 4 if spread is None else spread
            noise = (2 * (reach / price) ** 2, 2 * (moved / counted) ** 2)
            means, sums = {}, {}
            for size, part in question_shares(domain).items():
                part = part or 1 / domain.cells
                cells = max(part * domain.cells, 1.0)
                added = cells * (noise[0] + (step * centre) ** 2 * noise[1])
                sums[size] = SURE * added**0.5
                width = SURE * (cells * (noise[0] + apart**2 * noise[1])) ** 0.5
                means[size] = min(
                    width / max(part * rows, 1e-300), step * (amount.high - amount.low)
                )
            yield ExpectedMagnitude(epsilon, measure, means, sums)
