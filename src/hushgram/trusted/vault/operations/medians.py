"""Cuts near the medians of boxes, drawn by the exponential mechanism."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np

from hushgram.declare.domain import Domain
from hushgram.errors import BadInput
from hushgram.geometry.partition import Boxes, Ints
from hushgram.queries import Medians
from hushgram.trusted.engine.occupied import Occupied
from hushgram.trusted.engine.table import Table
from hushgram.trusted.noise import Noise
from hushgram.trusted.vault.sensitivity import Sensitivity


class MediansOperation:
    """One cut in every box that has an axis. Boxes are disjoint, so all cuts cost as much as one.

    The score of a cut is twice its rank score: minus |rows below it - rows at or above it|. It only
    changes at slices with rows, so all cuts between two occupied slices are one candidate, weighted
    by their number. O(n + boxes) for n occupied cells that are sorted along each axis; the cuts of
    all boxes are drawn at once.
    """

    proof: ClassVar[str] = "medians"
    additive: ClassVar[bool] = False

    def check(self, query: Medians, domain: Domain) -> None:
        if query.boxes.domain != domain:
            raise BadInput("The boxes belong to a different domain than the vault's.")
        axes = axes_of(query)
        if axes.shape != (query.boxes.size,) or (axes < -1).any() or (axes >= len(domain)).any():
            raise BadInput(
                "Every box must be cut along one axis of the domain, or along none (-1)."
            )
        lower, upper = query.boxes.corners
        widths = np.take_along_axis(upper - lower, axes[:, np.newaxis], axis=1)[:, 0]
        if (widths[axes >= 0] < 2).any():
            raise BadInput("A box can only be cut along an axis with at least two slices.")

    def sensitivity(self, query: Medians, table: Sensitivity) -> int:
        """Return how far one unit moves twice the rank scores of all boxes together."""
        return int(2 * table.rank)

    def count(self, query: Medians, table: Table, domain: Domain) -> Occupied:
        return table.occupied_cells(query.boxes.raster)

    def perturb(self, query: Medians, exact: Occupied, scale: Fraction, noise: Noise) -> Ints:
        """Return the first slice above the cut of each box that is cut, in the order of boxes."""
        first, starts, scores, many = candidates(query, exact)
        return first + 1 + noise.exponential_each(scores, starts, 1 / (2 * scale), many)

    def answer(self, query: Medians, noisy: Ints, scale: Fraction) -> Boxes:
        axes = axes_of(query)
        places = np.zeros(len(axes), dtype=np.int64)
        places[axes >= 0] = noisy
        return query.boxes.cut(axes, places)


def axes_of(query: Medians) -> Ints:
    """Return the axis of each box."""
    return np.fromiter(query.axes, np.int64, len(query.axes))


class Candidates(NamedTuple):
    """The candidate cuts of every box that is cut. Those of box k are from ``starts[k]`` to
    ``starts[k + 1]``, in the order of slices, with consecutive cuts of equal score as one."""

    first: Ints
    """Each box's first slice."""
    starts: Ints
    scores: Ints
    many: Ints
    """The number of consecutive cuts with each score."""


def candidates(query: Medians, exact: Occupied) -> Candidates:
    """Return the scores of all cuts of all boxes that are cut."""
    from hushgram.trusted.vault.scores.projection import project_slices
    from hushgram.trusted.vault.scores.ranks import rank_scores

    axes = axes_of(query)
    boxes = np.flatnonzero(axes >= 0)
    lower, upper = (corner[boxes, axes[boxes]] for corner in query.boxes.corners)
    inside = project_slices(query.boxes, axes, exact)
    scores, many = rank_scores(lower, upper - 1, inside)
    lengths = inside.stops - inside.starts + 1
    return Candidates(lower, np.append(0, np.cumsum(lengths)), scores, many)
