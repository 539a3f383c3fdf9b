"""What the noise of an estimate is made of, for the scripts of a page.

Each inference is described by what its `terms` are found from: the variances of independent errors
that add up to the error of a weighted sum of parts. Six kinds of descriptions serve all of them;
`scripts/noise/` has a class for each.

==========  ==========================================================================
kind        inference
==========  ==========================================================================
direct      `Direct`: a count for each part
tree        `Tree`: levels of counts, reconciled
groups      `Pooled`, `Averaged`, `EvenLeaves`: a sum for each group of cells
wavelet     `Wavelet`: contrasts of cells
lists       `SortedSequence`, `Zoomed`: positions of sorted rows
errors      `PosteriorMeans`: a tree of errors
view        `Summed`: shares of the parts of another estimate
==========  ==========================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import singledispatch
from typing import Any

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import NotAnswerable
from hushgram.geometry.partition import Ints
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.averaged import Averaged
from hushgram.mechanisms.inference.base import Inference
from hushgram.mechanisms.inference.direct import Direct
from hushgram.mechanisms.inference.even import EvenLeaves
from hushgram.mechanisms.inference.pooled import Pooled
from hushgram.mechanisms.inference.posterior_means import PosteriorMeans
from hushgram.mechanisms.inference.sorted_sequence import SortedSequence
from hushgram.mechanisms.inference.summed import Summed
from hushgram.mechanisms.inference.tree import Tree
from hushgram.mechanisms.inference.wavelet import Wavelet
from hushgram.mechanisms.inference.zoomed import Zoomed
from hushgram.queries import Measurement
from hushgram.web.explorer.packing import Packing

Described = dict[str, Any]
Measured = Sequence[Measurement]
Coefficients = tuple[Ints, Floats, float]
"""The group that each measured number belongs to, its weight for a weight of 1 in every cell of
that group, and the variance of its noise."""

MOST_SHARES = 1 << 22
"""Shares of parts that a view may consist of."""


def describe_noise(estimate: Estimate, packing: Packing) -> Described:
    """What the scripts need to find values and errors."""
    return describe(estimate.inference, estimate.measurements, packing)


@singledispatch
def describe(inference: Inference, measured: Measured, packing: Packing) -> Described:
    raise NotAnswerable(
        f"The Explorer does not know how errors follow from the inference {inference.kind!r}. "
        "Use release.report() instead."
    )


@describe.register
def _(inference: Direct, measured: Measured, packing: Packing) -> Described:
    values = packing.add(measured[0].values)
    return {"kind": "direct", "values": values, "variance": measured[0].variance}


@describe.register
def _(inference: Tree, measured: Measured, packing: Packing) -> Described:
    return {
        "kind": "tree",
        "measured": [packing.add(one.values) for one in measured],
        "variances": [one.variance for one in measured],
        "noise": list(inference.noise),
        "parents": [packing.add(parents) for parents in inference.parents],
    }


@describe.register
def _(inference: Pooled, measured: Measured, packing: Packing) -> Described:
    sizes, weight = inference.sizes, np.zeros(len(inference.sizes))
    if isinstance(inference, Averaged):
        weight = inference.weight
    labels = inference.labels
    found = [(labels, ((1 - weight) / sizes)[labels], measured[0].variance)]
    if weight.any():
        cells = inference.cells
        found.append((cells, (weight / sizes)[cells], measured[1].variance))
    values = first_values(inference.cells, inference.push(measured))
    return describe_groups(inference.cells, values, found, len(measured), packing)


@describe.register
def _(inference: EvenLeaves, measured: Measured, packing: Packing) -> Described:
    per_cell = 1 / inference.sizes / inference.precision
    leaves, cells = inference.leaf_of, inference.inside
    own = inference.shares * per_cell[leaves] / inference.noise[0]
    found = [(leaves, own, measured[0].variance)]
    for noise, one in zip(inference.noise[1:], measured[1:], strict=True):
        found.append((cells, (per_cell / (inference.sizes * noise))[cells], one.variance))
    values = inference.values(measured)
    return describe_groups(cells, values, found, len(measured), packing)


def describe_groups(
    labels: Ints, values: Floats, found: list[Coefficients], measurements: int, packing: Packing
) -> Described:
    """Groups of cells whose errors are independent: for a weight s in a group, its terms add up to
    s² times its variance, and their squares to s⁴ times its ``squares``."""
    groups = len(values)
    variances, squares = np.zeros((2, groups))
    for members, weights, noise in found:
        terms = weights**2 * noise
        variances += np.bincount(members, terms, groups)
        squares += np.bincount(members, terms**2, groups)
    described = {
        "kind": "groups",
        "labels": packing.add(labels),
        "values": packing.add(values),
        "variances": packing.add(variances, rounded=True),
        "squares": packing.add(squares, rounded=True),
    }
    if measurements == 1:  # all noise is alike, and moves in steps
        members, weights, _ = found[0]
        least, largest = np.full((2, groups), [[np.inf], [-np.inf]])
        np.minimum.at(least, members, weights)
        np.maximum.at(largest, members, weights)
        steps = {"least": packing.add(least), "largest": packing.add(largest)}
        described["steps"] = steps
    return described


def first_values(labels: Ints, values: Any) -> Floats:
    """The value that the cells of each group have."""
    found = np.empty(int(labels.max()) + 1)
    found[labels] = values
    return found


@describe.register
def _(inference: Wavelet, measured: Measured, packing: Packing) -> Described:
    axes = inference.contrasts.domain.axes
    return {
        "kind": "wavelet",
        "measured": packing.add(measured[0].values),
        "variance": measured[0].variance,
        "rows": list(inference.contrasts.kinds),
        "bins": [axis.bins for axis in axes],
        "sizes": [axis.size for axis in axes],
    }


@describe.register
def _(inference: SortedSequence, measured: Measured, packing: Packing) -> Described:
    parts = len(inference.parts.numbers)
    ends = np.array([0, parts])
    lists = [(inference, inference.parts.numbers)]
    return describe_lists(ends, np.zeros(1, dtype=np.int64), lists, inference, measured, packing)


@describe.register
def _(inference: Zoomed, measured: Measured, packing: Packing) -> Described:
    zoomed = inference.cells.zoomed
    lists = []
    for place, number in enumerate(zoomed.tolist()):
        sequence = inference.sequence(place)
        lists.append((sequence, inference.offsets[number] + sequence.parts.numbers))
    return describe_lists(inference.offsets, zoomed, lists, inference, measured, packing)


def describe_lists(
    offsets: Ints,
    zoomed: Ints,
    lists: list[tuple[SortedSequence, Ints]],
    inference: SortedSequence | Zoomed,
    measured: Measured,
    packing: Packing,
) -> Described:
    """Cells that have parts from ``offsets`` on, some of them with a list of sorted rows. A list
    has its parts in order, a cut between any two of them, and blocks of groups that move
    together."""
    lines = [sequence.linearisation for sequence, _ in lists]
    crossings = [line.crossings for line in lines]

    def join(arrays: Iterator[Any], *, rounded: bool = False) -> dict[str, int]:
        return packing.add(np.concatenate([np.zeros(0), *arrays]), rounded=rounded)

    return {
        "kind": "lists",
        "values": packing.add(inference.push(measured)),
        "partVariances": packing.add(inference.variances(measured), rounded=True),
        "variances": [one.variance for one in measured],
        "offsets": packing.add(offsets),
        "zoomed": packing.add(zoomed),
        "parts": packing.add([len(numbers) for _, numbers in lists]),
        "numbers": join(numbers for _, numbers in lists),
        "low": join(one.low for one in crossings),
        "high": join(one.high for one in crossings),
        "byLow": join((one.by_low for one in crossings), rounded=True),
        "byHigh": join((one.by_high for one in crossings), rounded=True),
        "byTotal": join((line.by_total for line in lines), rounded=True),
        "blocks": packing.add([len(line.rows) for line in lines]),
        "blockRows": join(line.rows for line in lines),
        "blockGroups": join(np.bincount(line.blocks) for line in lines),
    }


@describe.register
def _(inference: PosteriorMeans, measured: Measured, packing: Packing) -> Described:
    tree, errors = inference.tree, inference.errors
    inner = tree.right > 0
    return {
        "kind": "errors",
        "values": packing.add(inference.push(measured)),
        "right": packing.add(np.where(inner, tree.right - np.arange(len(tree)), 0)),
        "roots": packing.add(tree.roots),
        "totals": packing.add(errors.totals[tree.roots], rounded=True),
        "shares": packing.add(errors.shares[inner], rounded=True),
        "own": packing.add(errors.own[inner], rounded=True),
    }


@describe.register
def _(inference: Summed, measured: Measured, packing: Packing) -> Described:
    shares = inference.view.rows.tocsr()
    if shares.nnz > MOST_SHARES:
        raise NotAnswerable(
            f"This view takes {shares.nnz:,} shares of parts, more than a page can hold "
            f"({MOST_SHARES:,}). Explore the release that it is a view of, or ask for fewer bins."
        )
    return {
        "kind": "view",
        "values": packing.add(inference.push(measured)),
        "partVariances": packing.add(inference.variances(measured), rounded=True),
        "starts": packing.add(shares.indptr),
        "parts": packing.add(shares.indices),
        "shares": packing.add(shares.data),
        "size": int(shares.shape[1]),
        "below": describe(inference.viewed, measured, packing),
    }
