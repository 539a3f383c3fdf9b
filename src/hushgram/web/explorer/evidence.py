"""What an estimate says about how rows are spread in its parts, for the scripts of a page.

`scripts/unevenness/` has a class for each kind of evidence of `hushgram.answers.unevenness`.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from hushgram.answers.unevenness.base import Unevenness
from hushgram.answers.unevenness.evidence import unevenness_of
from hushgram.answers.unevenness.groups import BlindGroups, GroupUnevenness
from hushgram.answers.unevenness.parts import PartUnevenness
from hushgram.answers.unevenness.ranks import RankUnevenness
from hushgram.answers.unevenness.views import ViewUnevenness
from hushgram.geometry.partition import Boxed, Lattice
from hushgram.mechanisms.estimate import Estimate
from hushgram.web.explorer.packing import Packing

Described = dict[str, Any]


class Known(NamedTuple):
    """What the scripts have already: the values of the parts below all views, and their
    variances."""

    values: Any
    variances: Any

    @classmethod
    def of(cls, estimate: Estimate) -> Known:
        viewed, measured = estimate.inference.viewed, estimate.measurements
        return cls(viewed.push(measured), viewed.variances(measured))


def describe_unevenness(estimate: Estimate, packing: Packing) -> Described:
    """What the scripts need to find out what uneven rows can do to an answer."""
    return describe(unevenness_of(estimate), Known.of(estimate), packing)


def describe_layout(layout: Boxed, packing: Packing) -> Described:
    """Where the parts lie, in units of indices: cuts along each axis, or the corners of boxes."""
    axes = range(len(layout.domain))
    if isinstance(layout, Lattice):
        cuts = [packing.add(layout.cuts(axis)) for axis in axes]
        return {"kind": "lattice", "cuts": cuts}
    lower, upper = layout.boxes()
    return {
        "kind": "boxes",
        "lower": [packing.add(lower[:, axis]) for axis in axes],
        "widths": [packing.add((upper - lower)[:, axis]) for axis in axes],
    }


@singledispatch
def describe(uneven: Unevenness, known: Known, packing: Packing) -> Described:
    raise TypeError(type(uneven))


@describe.register
def _(uneven: PartUnevenness, known: Known, packing: Packing) -> Described:
    clumping = uneven.clumping
    return {
        "kind": "parts",
        "layout": describe_layout(uneven.layout, packing),
        "rows": unless_known(uneven.rows, known.values, packing),
        "noise": unless_known(uneven.noise, known.variances, packing),
        "shares": clumping.shares.tolist(),
        "coherence": clumping.coherence.tolist(),
        "grains": clumping.grains.tolist(),
        "areCells": uneven.layout.size == uneven.layout.domain.cells,
    }


def unless_known(numbers: Any, known: Any, packing: Packing) -> dict[str, int] | None:
    return None if np.array_equal(numbers, known) else packing.add(numbers, rounded=True)


@describe.register
def _(uneven: RankUnevenness, known: Known, packing: Packing) -> Described:
    rows = uneven.rows
    return {
        "kind": "ranks",
        "parts": describe(uneven.parts, known, packing),
        "order": packing.add(rows.order),
        "firsts": packing.add(np.flatnonzero(np.diff(rows.groups, prepend=-1))),
        "longest": rows.longest,
        "rows": rows.rows,
    }


@describe.register
def _(uneven: BlindGroups, known: Known, packing: Packing) -> Described:
    return {
        "kind": "blind",
        "layout": describe_layout(uneven.layout, packing),
        "labels": packing.add(uneven.labels),
        "boxes": describe(uneven.groups, known, packing) if uneven.groups is not None else None,
        "sums": packing.add(uneven.sums, rounded=True),
        "noise": packing.add(uneven.noise, rounded=True),
    }


@describe.register
def _(uneven: GroupUnevenness, known: Known, packing: Packing) -> Described:
    return {
        "kind": "groups",
        "cells": describe(uneven.cells, known, packing),
        "blind": describe(uneven.groups, known, packing),
        "look": packing.add(uneven.first.values),
        "variance": uneven.first.variance,
    }


@describe.register
def _(uneven: ViewUnevenness, known: Known, packing: Packing) -> Described:
    """The matrix of shares is that of the noise, which comes first."""
    return {
        "kind": "view",
        "layout": describe_layout(uneven.layout, packing),
        "below": describe(uneven.below, known, packing),
        "located": locate_slices(uneven, packing),
    }


def locate_slices(uneven: ViewUnevenness, packing: Packing) -> list[Described] | None:
    """For each view in turn, where its slices start and stop in what it views; None if a box of the
    view is not a box there."""
    layout: Boxed = uneven.layout
    found = []
    for view in uneven.view.chain:
        if not (view.keeps_boxes and isinstance(layout, Lattice)):
            return None
        cuts = [layout.cuts(axis) for axis in range(len(layout.domain))]
        sides = []
        for axis, side in enumerate(view.sides):
            first = np.concatenate([[True], np.diff(side.slices) > 0])
            edges = packing.add(np.append(side.lower[first], side.upper[-1]))
            place = view.order.index(axis) if axis in view.order else None
            own = packing.add(cuts[place]) if place is not None else None
            sides.append({"place": place, "cuts": own, "edges": edges})
        found.append({"sides": sides})
        layout = view.source
    return found
