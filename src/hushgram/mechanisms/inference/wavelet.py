"""Cells from their contrasts: the inverse of the transform, or least squares if it has more rows.

Given a node's sum S and its difference D, left minus right, the children's sums are (S + D) / 2 and
(S - D) / 2. From the total down to the leaves, this is the inverse Haar transform: O(cells). With a
total T in addition to all n cells, least squares divides the discrepancy, T minus their sum, into
n + 1 equal parts, and adds one to each cell. With several axes, the inverse is applied to one axis
after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.errors import BadInput
from hushgram.geometry.measured.contrasts import Contrasts, levels, nodes
from hushgram.geometry.partition import Grid, Partition
from hushgram.mechanisms.inference.base import Inference
from hushgram.mechanisms.inference.weights import Matrix
from hushgram.queries import Measurement

Step = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Wavelet(Inference):
    """The cells with the measured contrasts, or the closest ones in the sense of least squares."""

    kind: ClassVar[str] = "wavelet"
    contrasts: Contrasts

    @classmethod
    def of(cls, measurements: Sequence[Measurement]) -> Wavelet:
        measured = measurements[0].partition
        if not isinstance(measured, Contrasts):
            raise BadInput("The coefficients of a wavelet must be contrasts.")
        return cls(measured)

    def push(self, measurements: Sequence[Measurement]) -> Floats:
        rows = measurements[0].values.astype(np.float64).reshape(self.contrasts.shape)
        return self._along_axes(rows, INVERSES)

    def pull(self, weights: Floats) -> Sequence[Floats]:
        """The transpose of `push`."""
        cells = np.array(weights, dtype=np.float64).reshape(self.contrasts.domain.shape)
        return [self._along_axes(cells, TRANSPOSES)]

    def _along_axes(self, table: Floats, steps: Mapping[str, Step]) -> Floats:
        """Apply the steps along each axis in turn, except to "other"."""
        for place, axis in enumerate(self.contrasts.domain.axes):
            kind = self.contrasts.kinds[place]
            if kind in steps:
                lines = np.moveaxis(table, place, 0)
                end = len(lines) - axis.other
                lines = np.concatenate([steps[kind](lines[:end]), lines[end:]])
                table = np.moveaxis(lines, 0, place)
        return table.reshape(-1)

    def variances(self, measurements: Sequence[Measurement]) -> Floats:
        """The variance of each cell, a product over axes because the inverse is one."""
        found = np.full(1, measurements[0].variance)
        for kind, axis in zip(self.contrasts.kinds, self.contrasts.domain.axes, strict=True):
            factors = np.ones(axis.size)
            if kind == "haar":
                factors[: axis.bins] = inverse_norms(axis.bins)
            if kind == "flat":
                factors[: axis.bins] = axis.bins / (axis.bins + 1)
            found = np.multiply.outer(found, factors).reshape(-1)
        return found

    def slice_norms(self, along: Sequence[Matrix]) -> list[Floats]:
        """The inverse is applied axis by axis, so the weights of a product of slices on the
        contrasts are a product, too. The factors are the sums of their squares for each axis.
        """
        axes = zip(self.contrasts.kinds, self.contrasts.domain.axes, along, strict=True)
        return [
            squared_norms(shares, TRANSPOSES.get(kind), axis.bins) for kind, axis, shares in axes
        ]

    def check(self, partition: Partition, measurements: Sequence[Measurement]) -> None:
        if len(measurements) != 1 or partition != Grid.of_cells(self.contrasts.domain):
            raise BadInput("The parts of a wavelet must be the cells of its domain.")

    @classmethod
    def from_json(cls, data: Mapping[str, Any], measurements: Sequence[Measurement]) -> Wavelet:
        if len(measurements) != 1:
            raise BadInput(f"A wavelet needs one measurement. Found {len(measurements)}.")
        return cls.of(measurements)


def fit_total(rows: Floats) -> Floats:
    """The least squares estimate of the cells from a total and all cells, along the first axis.

    >>> fit_total(np.array([12.0, 5.0, 4.0])).tolist()
    [6.0, 5.0]
    """
    total, cells = rows[:1], rows[1:]
    return np.asarray(cells + (total - cells.sum(axis=0)) / len(rows), dtype=np.float64)


def fit_total_transposed(weights: Floats) -> Floats:
    """The transpose of `fit_total`."""
    shared = weights.sum(axis=0, keepdims=True) / (len(weights) + 1)
    return np.concatenate([shared, weights - shared])


def inverse_haar(rows: Floats) -> Floats:
    """The inverse Haar transform along the first axis.

    >>> inverse_haar(np.array([11.0, 3.0, 3.0])).tolist()
    [5.0, 2.0, 4.0]
    """
    sums = rows[:1]
    for level in range(levels(len(rows))):
        children, parted, left, right = branches(len(rows), level)
        whole, difference = sums[parted], rows[2**level : 2 ** (level + 1)]
        sums = np.repeat(sums, children, axis=0)
        sums[left], sums[right] = (whole + difference) / 2, (whole - difference) / 2
    return sums


def inverse_haar_transposed(weights: Floats) -> Floats:
    """The transpose of `inverse_haar`: its steps in reverse, each transposed."""
    found = np.empty_like(weights)
    for level in reversed(range(levels(len(found)))):
        _, parted, left, right = branches(len(found), level)
        first, second = weights[left], weights[right]
        found[2**level : 2 ** (level + 1)] = (first - second) / 2
        weights = np.delete(weights, right, axis=0)
        weights[parted] = (first + second) / 2
    found[:1] = weights
    return found


class Branches(NamedTuple):
    """The step from one level of the tree to the next, where a leaf is its own only child."""

    children: Any
    """The number of children of each node."""
    parted: Any
    """Which nodes have two children."""
    left: Any
    """The positions of the left children on the next level."""
    right: Any
    """The positions of the right children on the next level."""


def branches(cells: int, level: int) -> Branches:
    """The branches from a level of a tree over ``cells`` cells. Only on the last inner level, some
    nodes are leaves."""
    if 2 ** (level + 1) <= cells:
        return Branches(2, slice(None), slice(0, None, 2), slice(1, None, 2))
    parted = np.diff(nodes(cells, level)) > 1
    right = np.cumsum(1 + parted)[parted] - 1
    return Branches(1 + parted, parted, right - 1, right)


def inverse_norms(cells: int) -> Floats:
    """The sum of squares of each cell's row of the inverse Haar transform.

    At depth d, the total has the weight 2^-d and the differences above ±2^-d, …, ±1/2. The squares
    add up to (1 + 2 / 4^d) / 3.

    >>> inverse_norms(3).tolist()                         # cells at depths 2, 2 and 1
    [0.375, 0.375, 0.5]
    """
    depths = np.zeros(1)
    for level in range(levels(cells)):
        children, parted, _, _ = branches(cells, level)
        depths[parted] += 1
        depths = np.repeat(depths, children)
    return np.asarray((1 + 2 * 0.25**depths) / 3, dtype=np.float64)


def squared_norms(rows: Matrix, transpose: Step | None, bins: int) -> Floats:
    """The sum of squares of each row of weights after the transpose of an axis's inverse, which is
    not applied to "other" after the bins."""
    norms = np.empty(rows.shape[0])
    batch = max((1 << 22) // rows.shape[1], 1)
    for start in range(0, len(norms), batch):
        lines = rows[start : start + batch].toarray().T
        head, tail = lines[:bins], lines[bins:]
        head = transpose(head) if transpose else head
        norms[start : start + batch] = (head**2).sum(axis=0) + (tail**2).sum(axis=0)
    return norms


INVERSES: Mapping[str, Step] = {"haar": inverse_haar, "flat": fit_total}
TRANSPOSES: Mapping[str, Step] = {"haar": inverse_haar_transposed, "flat": fit_total_transposed}
"""The inverse of each kind of rows along an axis, and its transpose; single cells need none."""
