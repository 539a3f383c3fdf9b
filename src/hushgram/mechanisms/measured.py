"""Sums and means on the parts that a mechanism found by counting.

A count mechanism runs first, with its share of the budget, and finds parts and counts. The rest of
the budget pays for sums of the rows' values on the same parts, and on the levels above them if
there are any. Sums are measured around a public centre c, in steps: S = Σ (v - c) over the rows of
a part. One row changes S by at most reach(c) = max(|low - c|, |high - c|), which is smallest in the
middle of the bounds, where it is half of that at an end. The sum of values is S + c N and their
mean c + S / N, with the counts N that are known anyway.

Privacy: `PartSums` queries with the budget that the count mechanism left; the parts come from its
private answers. Proof: ``docs/proofs/measured.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from hushgram.base.exact import Number, parse_number
from hushgram.declare.amount import Amount
from hushgram.declare.domain import Domain
from hushgram.declare.measure import Mean, Sum
from hushgram.errors import BadInput
from hushgram.geometry.partition import Boxed, Boxes, Grid, Partition, same_parts
from hushgram.mechanisms.allowance import Allowance
from hushgram.mechanisms.auto import Auto
from hushgram.mechanisms.base import Mechanism, Settled
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.hb import best_levels
from hushgram.mechanisms.hierarchical import shares_of
from hushgram.mechanisms.identity import Identity
from hushgram.mechanisms.inference.tree import reconcile
from hushgram.queries import Measurement, PartSums, Vault

STEPS = 64
"""The share of the budget for sums is a multiple of 1 / STEPS."""

MANY = 1024
"""With at least this many parts, sums are measured on levels above the parts, too."""

PART_WEIGHT = 3.0
"""The budget of the parts relative to that of all levels above them: a mean over many parts has
little noise anyway, and that of a single part has the most."""

FEW_CELLS = (
    "There are only {} declared cells, so each is measured separately: sums and means are often "
    "needed for single cells."
)


@dataclass(frozen=True, eq=False)
class Measured:
    """The measured sums of a column: for each part, the total distance of its rows above the
    centre, in steps."""

    measure: Sum
    centre: int
    estimate: Estimate
    exact: bool = False
    """Whether all values are known to be whole numbers of steps, so that nothing was rounded."""

    @property
    def ends(self) -> tuple[float, float]:
        """The smallest and the largest possible mean."""
        return self.measure.ends(exact=self.exact)

    @property
    def amount(self) -> Amount:
        return self.measure.amount


@dataclass(frozen=True)
class Measuring:
    """The sums and means to measure in addition to counts, and their share of the budget.

    >>> hours = Mean("hours", 0, 80)
    >>> Measuring.of([hours]).share, Measuring.of([hours] * 4).share
    (Fraction(1, 2), Fraction(23, 32))
    """

    measures: tuple[Sum, ...] = ()
    share: Fraction = Fraction(0)
    whole: frozenset[str] = frozenset()
    """The columns with a type of whole numbers."""
    rows: int = 1
    """The largest number of rows of one unit that are counted."""

    @classmethod
    def of(
        cls,
        measures: Sequence[Sum],
        share: Number | None = None,
        whole: frozenset[str] = frozenset(),
        rows: int = 1,
    ) -> Measuring:
        if not measures:
            if share is not None:
                raise BadInput(
                    "share= sets the measures' share of epsilon, but there are no measures."
                )
            return cls()
        wanted = usual_share(len(measures)) if share is None else parse_number(share)
        if wanted is None or not 0 < wanted < 1:
            raise BadInput(f"share must be between 0 and 1, such as 0.5. Found {share!r}.")
        return cls(tuple(measures), wanted, whole, rows)

    def counting(self, vault: Vault) -> Vault:
        """The vault for the count mechanism, with its share of the budget."""
        return Allowance(vault, (1 - self.share) * vault.epsilon) if self.measures else vault

    def settle(self, mechanism: Mechanism, vault: Vault) -> Settled:
        """The count mechanism that a mechanism settles on, except that ``auto`` measures each
        declared cell separately if there are few."""
        return self._for_cells(mechanism, vault.domain) or mechanism.settle(vault)

    def candidates(self, mechanism: Mechanism, domain: Domain) -> tuple[Mechanism, ...]:
        known = self._for_cells(mechanism, domain)
        return (known.mechanism,) if known else mechanism.candidates(domain)

    def _for_cells(self, mechanism: Mechanism, domain: Domain) -> Settled | None:
        few = not domain.continuous and domain.cells < MANY
        if self.measures and isinstance(mechanism, Auto) and few:
            return Settled(Identity(), FEW_CELLS.format(f"{domain.cells:,}"))
        return None

    def measure(self, vault: Vault, counts: Estimate) -> tuple[Measured, ...]:
        """Measure all columns with the rest of the budget."""
        return tuple(self._measure(vault, counts))

    def _measure(self, vault: Vault, counts: Estimate) -> Iterator[Measured]:
        levels, weights = levels_of(counts)
        counted = vault.epsilon - vault.remaining
        for number, measure in enumerate(self.measures):
            budget = vault.remaining / (len(self.measures) - number)
            amount = measure.amount
            centre = best_centre(measure, float(budget / counted), self.rows)
            exact = measure.column in self.whole and measure.keeps_whole_numbers
            estimate = measure_levels(vault, levels, weights, amount, centre, budget)
            yield Measured(measure, centre, estimate, exact)


def usual_share(measures: int) -> Fraction:
    """The share of the budget for all measures together that minimises the largest error of their
    means. The mean of a part is c + S / N. A row changes S by the reach, and a row at a bound
    changes the mean by as much through N. With k measures, a price p for each S and q for N,
    k / p² + k / q² is smallest, given k p + q = 1, at p : q = k^(-1/3) : 1."""
    share = measures ** (2 / 3) / (1 + measures ** (2 / 3))
    return Fraction(round(STEPS * share), STEPS)


def best_centre(measure: Sum, ratio: float, rows: int = 1) -> int:
    """The centre with the least noise if sums get ``ratio`` times as much budget as counts.

    For a mean, that is the middle of the bounds. A sum is S + c N: reach(c)² / ratio² + c² is
    smallest between 0 and the middle.

    A bound on the sum of a person's rows only holds around 0, so 0 is best if that bound is low
    enough. For a mean, the centre is then compared with the average row of a person at the bound.

    >>> best_centre(Mean("x", 0, 100, step=1), 1.0), best_centre(Sum("x", 0, 100, step=1), 2.0)
    (50, 20)
    >>> best_centre(Mean("x", 0, 100, step=1, per_person=120), 1.0, rows=5)
    0
    """
    amount = measure.amount
    found = usual_centre(measure, ratio)
    if amount.person is None:
        return found
    likely = min(amount.person / rows, amount.high) if isinstance(measure, Mean) else 0.0

    def error(centre: int) -> float:
        return (amount.reach_of(rows, centre) / ratio) ** 2 + (rows * (likely - centre)) ** 2

    return min(0, found, key=error)


def usual_centre(measure: Sum, ratio: float) -> int:
    """The best centre if only the number of a person's rows is bounded."""
    amount = measure.amount
    if isinstance(measure, Mean):
        return amount.middle
    far = amount.high if amount.middle >= 0 else amount.low
    towards = round(far / (1 + ratio**2))
    low, high = sorted((0, amount.middle))
    return min(max(towards, low, amount.low), high, amount.high)


def levels_of(counts: Estimate) -> tuple[list[Partition], list[float]]:
    """The partitions on which sums are measured, the coarsest first, and their weights in the
    budget: those of the counts if these were nested; else the parts and, if there are many, levels
    above them."""
    counted = [one.partition for one in counts.measurements]
    if counts.inference.kind in ("direct", "tree"):
        assert all(isinstance(one, Partition) for one in counted)
        return counted, [float(1 / one.scale) for one in counts.measurements]  # type: ignore[return-value]
    parts = counts.partition
    if parts.size < MANY:
        return [parts], [1.0]
    if isinstance(parts, Boxes):
        return [parts.join(round(parts.size**0.5)), parts], [1.0, PART_WEIGHT]
    if isinstance(parts, Grid):
        grids, weights = best_levels(parts.domain)
        above = sum(weights[:-1])
        if same_parts(parts, grids[-1]) and above:
            return list(grids), [*(weight / above for weight in weights[:-1]), PART_WEIGHT]
    return [parts], [1.0]


def measure_levels(
    vault: Vault,
    levels: Sequence[Partition],
    weights: Sequence[float],
    amount: Amount,
    centre: int,
    budget: Fraction,
) -> Estimate:
    """Measure the sums on every level, and estimate those of the last by least squares."""
    left = budget
    found: list[Measurement] = []
    for level, share in zip(levels, shares_of(weights), strict=True):
        price = left if len(found) == len(levels) - 1 else share * budget
        found.append(vault.ask(PartSums(level, amount, centre, price)))
        left -= price
    if len(found) > 1:
        assert all(isinstance(level, Boxed) for level in levels)
    return reconcile(found)


def run(
    mechanism: Mechanism, measuring: Measuring, vault: Vault
) -> tuple[Estimate, tuple[Measured, ...]]:
    """Run a count mechanism, then measure sums on its parts."""
    counts = mechanism.estimate(measuring.counting(vault))
    return counts, measuring.measure(vault, counts)
