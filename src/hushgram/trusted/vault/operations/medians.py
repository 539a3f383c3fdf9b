"""Cuts near the medians of boxes, drawn by the exponential mechanism."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

import numpy as np

from hushgram.declare.domain import Domain
from hushgram.errors import BadInput
from hushgram.geometry.partition import Boxes, Ints
from hushgram.queries import Medians
from hushgram.trusted.engine.occupied import Occupied, firsts
from hushgram.trusted.engine.table import Table
from hushgram.trusted.noise import Noise
from hushgram.trusted.vault.sensitivity import Sensitivity


class MediansOperation:
    """One cut in every box that has an axis; boxes share no row, so all cost as one.

    The score of a cut is twice its rank score: minus |rows below it - rows at or above it|. It
    changes only where there are rows, so that all cuts from one occupied slice to the next are
    drawn as one, with their number as weight. O(n log n) for n occupied cells, and a draw for
    each box.
    """

    proof: ClassVar[str] = "medians"
    additive: ClassVar[bool] = False

    def check(self, query: Medians, domain: Domain) -> None:
        if query.boxes.domain != domain:
            raise BadInput("the boxes are cut from another domain than the vault's.")
        axes = np.array(query.axes, dtype=np.int64)
        if axes.shape != (query.boxes.size,) or (axes < -1).any() or (axes >= len(domain)).any():
            raise BadInput("every box is cut along one axis of the domain, or along none, -1.")
        lower, upper = query.boxes.corners
        widths = np.take_along_axis(upper - lower, axes[:, np.newaxis], axis=1)[:, 0]
        if (widths[axes >= 0] < 2).any():
            raise BadInput("a box is cut along an axis on which it has two slices or more.")

    def sensitivity(self, query: Medians, table: Sensitivity) -> int:
        """How far one unit moves twice the rank scores of all boxes together."""
        return int(2 * table.rank)

    def look(self, query: Medians, table: Table, domain: Domain) -> Occupied:
        return table.occupied_cells(query.boxes.raster)

    def perturb(self, query: Medians, exact: Occupied, scale: Fraction, noise: Noise) -> Ints:
        """The first slice above the cut of each box that is cut, in the order of boxes."""
        rate = 1 / (2 * scale)
        cuts = [
            first + 1 + noise.exponential(scores, rate, many)
            for first, scores, many in candidates(query, exact)
        ]
        return np.array(cuts, dtype=np.int64)

    def answer(self, query: Medians, noisy: Ints, scale: Fraction) -> Boxes:
        axes = np.array(query.axes, dtype=np.int64)
        places = np.zeros(len(axes), dtype=np.int64)
        places[axes >= 0] = noisy
        return query.boxes.cut(axes, places)


def candidates(query: Medians, exact: Occupied) -> Iterator[tuple[int, Ints, Ints]]:
    """For every box that is cut: its first slice, the scores of the cuts above it, in order, and
    how many cuts in a row have each score."""
    from hushgram.trusted.vault.scores.ranks import rank_scores

    axes = np.array(query.axes, dtype=np.int64)
    boxes = np.flatnonzero(axes >= 0)
    lower, upper = (corner[boxes, axes[boxes]] for corner in query.boxes.corners)
    found, slices, rows = project_slices(query.boxes, axes, exact)
    starts = np.append(np.searchsorted(found, boxes), len(found))
    scores, many = rank_scores(lower, upper - 1, starts, slices, rows)
    places = (starts + np.arange(len(starts))).tolist()
    for first, start, stop in zip(lower.tolist(), places, places[1:], strict=False):
        yield first, scores[start:stop], many[start:stop]


def project_slices(boxes: Boxes, axes: Ints, exact: Occupied) -> tuple[Ints, Ints, Ints]:
    """The occupied slices of each box along its axis, in order: the box, the slice and its rows."""
    parts = boxes.parts_of_slices(exact.slices)
    cut = np.flatnonzero(axes[parts] >= 0)
    parts, rows = parts[cut], exact.rows[cut]
    longest = max(boxes.raster.shape)
    keys = parts * longest + exact.slices[cut, axes[parts]]
    order = np.argsort(keys)
    keys = keys[order]
    new = firsts(keys)
    sums = np.add.reduceat(rows[order], new) if len(new) else rows[:0]
    return (*np.divmod(keys[new], longest), sums)
