"""Cuts of slices in two, chosen by the exponential mechanism."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from hushgram.declare.domain import Domain
from hushgram.errors import BadInput
from hushgram.geometry.partition import Cuts, Grid, Ints
from hushgram.queries import Bisections
from hushgram.trusted.engine.table import Table
from hushgram.trusted.noise import Noise
from hushgram.trusted.vault.sensitivity import Sensitivity

PER_ROW = {"interpolation": 1, "deviation": 2}
"""The sensitivity of each score to one row, before scaling."""


class BisectionsOperation:
    """One cut in every slice of two or more cells. Slices are disjoint, so all cuts cost as much as
    one."""

    proof: ClassVar[str] = "bisections"
    additive: ClassVar[bool] = False

    def check(self, query: Bisections, domain: Domain) -> None:
        if query.cuts.domain != domain or len(domain) != 1:
            raise BadInput("The cuts must be of the vault's domain, which must have one axis.")
        if query.score not in PER_ROW:
            raise BadInput(f"Unknown score={query.score!r}. Use interpolation or deviation.")

    def sensitivity(self, query: Bisections, table: Sensitivity) -> int:
        """Return how far one unit moves the scores of all slices together."""
        from hushgram.trusted.vault.scores.bisection import SCALE

        return SCALE * PER_ROW[query.score] * table.counts

    def count(self, query: Bisections, table: Table, domain: Domain) -> Ints:
        """Return the counts of the cells without "other", limited to a public maximum."""
        from hushgram.trusted.vault.scores.bisection import ceiling

        bins = domain.axes[0].bins
        return np.minimum(table.count(Grid.of_cells(domain))[:bins], ceiling(bins))

    def perturb(self, query: Bisections, exact: Ints, scale: Fraction, noise: Noise) -> Ints:
        """Return the cells at which slices start, old and new."""
        from hushgram.trusted.vault.scores.bisection import split_scores

        old = query.cuts.starts[0]
        scores = split_scores(exact, old, query.score)
        rate = 1 / (2 * scale)
        new = [
            start + 1 + noise.exponential(scores[start + 1 : stop], rate)
            for start, stop in zip(old, [*old[1:], len(exact)], strict=True)
            if stop - start > 1
        ]
        return np.sort(np.concatenate([old, np.array(new, dtype=np.int64)]))

    def answer(self, query: Bisections, noisy: Ints, scale: Fraction) -> Cuts:
        return Cuts(query.cuts.domain, (noisy,))
