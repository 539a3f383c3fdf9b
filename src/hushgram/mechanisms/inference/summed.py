"""Views: fewer, cut or coarser axes, whose parts are sums of an estimate's parts.

A view is linear in what it views, so it is an inference too: first that of the estimate, then the
sums. Weights on the view's parts become weights on the estimate's parts, and from there weights on
the measurements: every covariance is the right one. A part that a view cuts through is divided in
proportion, as if its rows lay evenly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial, reduce, singledispatch
from typing import Any, ClassVar

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.declare.domain import Domain
from hushgram.errors import BadInput, NotAnswerable
from hushgram.geometry.partition import (
    MAX_PARTS,
    Boxed,
    Ints,
    Lattice,
    Partition,
    pack,
    partition_from_json,
    unpack,
    whole_number,
)
from hushgram.mechanisms.estimate import Direct, Inference
from hushgram.mechanisms.inference.even import Even
from hushgram.mechanisms.inference.pooled import Pooled
from hushgram.mechanisms.inference.tree import Tree
from hushgram.mechanisms.inference.wavelet import Wavelet, ascend, unsettle
from hushgram.queries import Measurement

Matrix = Any
"""A sparse matrix of SciPy: the view's parts x the estimate's."""

MOST_PULLED = 4096
"""Variances that are found one at a time, at the most: each takes as long as all parts do."""

DEEPEST = 64
"""Views of views of views, at the most: each asks the one below it."""

MOST_PIECES = 1 << 26
"""Pieces that boxes are cut into, at the most: a gigabyte."""


@dataclass(frozen=True, eq=False)
class Side:
    """What a view takes from one axis: stretches of its indices, disjoint and in order, and the
    slice of the view that each belongs to.

    >>> side = Side(np.array([0, 4]), np.array([2, 8]), np.array([1, 0]), 2)
    >>> side.shares(np.array([0, 3]), np.array([3, 8])).toarray().round(3).tolist()
    [[0.0, 0.8], [0.667, 0.0]]
    """

    lower: Ints
    upper: Ints
    slices: Ints
    size: int
    """How many slices the view has."""

    @classmethod
    def between(cls, cuts: Ints) -> Side:
        """A slice between each cut and the next."""
        return cls(cuts[:-1], cuts[1:], np.arange(len(cuts) - 1), len(cuts) - 1)

    def touched(self, lower: Ints, upper: Ints) -> tuple[Ints, Ints]:
        """The first stretch that each of some other stretches meets, and how many it meets."""
        first = np.searchsorted(self.upper, lower, side="right")
        last = np.searchsorted(self.lower, upper, side="left")
        return first, np.maximum(last - first, 0)

    def inside(self, lower: Ints, upper: Ints, numbers: Ints) -> Floats:
        """The share of each of some other stretches that lies in the stretch of that number."""
        stop = np.minimum(upper, self.upper[numbers])
        start = np.maximum(lower, self.lower[numbers])
        return np.asarray((stop - start) / (upper - lower), dtype=np.float64)

    def shares(self, lower: Ints, upper: Ints) -> Matrix:
        """The share of each of some other stretches that each slice takes: slices x stretches."""
        first, many = self.touched(lower, upper)
        source = np.repeat(np.arange(len(lower)), many)
        numbers = first[source] + counted(many)
        shares = self.inside(lower[source], upper[source], numbers)
        return by_column(shares, self.slices[numbers], many, self.size)

    def to_json(self) -> dict[str, Any]:
        return {
            "size": self.size,
            "stretches": len(self.lower),
            "lower": pack(self.lower),
            "upper": pack(self.upper),
            "slices": pack(self.slices),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Side:
        size, many = whole_number(data["size"]), whole_number(data["stretches"])
        if not 1 <= size <= many <= MAX_PARTS:
            raise BadInput("a view has at least one stretch for each slice.")
        lower, upper, slices = (unpack(data[key], many) for key in ("lower", "upper", "slices"))
        rising = (lower >= 0).all() and (lower < upper).all() and (upper[:-1] <= lower[1:]).all()
        if not rising or slices.min() < 0 or slices.max() >= size:
            raise BadInput("the stretches of a view are disjoint and in order.")
        return cls(lower, upper, slices, size)


@dataclass(frozen=True, eq=False)
class Summed:
    """The inference of a view of an estimate with parts ``source``."""

    kind: ClassVar[str] = "summed"
    inner: Inference
    source: Boxed
    sides: tuple[Side, ...]
    """One for each axis of the source."""
    order: tuple[int, ...]
    """The axes that are kept, in the view's order; the others have one slice."""

    def __post_init__(self) -> None:
        if self.depth > DEEPEST:
            raise NotAnswerable(
                f"this would be the {self.depth}th view of a view of a view. Take a view of the "
                f"release itself: {DEEPEST} at the most may lie on each other."
            )

    @cached_property
    def depth(self) -> int:
        """How many views lie between this and what was published, itself included."""
        return 1 + (self.inner.depth if isinstance(self.inner, Summed) else 0)

    def push(self, measurements: Sequence[Measurement]) -> Floats:
        return self.add_up(self.inner.push(measurements))

    def pull(self, weights: Floats) -> Sequence[Floats]:
        return self.inner.pull(self.spread_out(weights))

    def add_up(self, values: Any) -> Floats:
        """The values of the view's parts, from those of the source's: O(parts)."""
        values = np.asarray(values, dtype=np.float64)
        if self._along is None:
            return np.asarray(self.matrix @ values, dtype=np.float64)
        table = values.reshape([along.shape[1] for along in self._along])
        for axis in self._by_gain:
            table = apply(self._along[axis], table, axis)
        return np.ascontiguousarray(table.transpose(self._moved)).reshape(-1)

    def spread_out(self, weights: Floats) -> Floats:
        """The weights on the source's parts, from those on the view's: the transpose."""
        weights = np.asarray(weights, dtype=np.float64)
        if self._along is None:
            return np.asarray(self.matrix.T @ weights, dtype=np.float64)
        table = weights.reshape([self.sides[axis].size for axis in self._moved])
        table = table.transpose(np.argsort(self._moved))
        for axis in reversed(self._by_gain):
            table = apply(self._along[axis].T, table, axis)
        return np.ascontiguousarray(table).reshape(-1)

    @cached_property
    def _moved(self) -> tuple[int, ...]:
        """All axes, those that are kept first."""
        gone = (axis for axis in range(len(self.sides)) if axis not in self.order)
        return (*self.order, *gone)

    @cached_property
    def _along(self) -> tuple[Matrix, ...] | None:
        """The shares along each axis, if the source has slices along each axis."""
        if not isinstance(self.source, Lattice):
            return None
        cuts = [self.source.cuts(axis) for axis in range(len(self.sides))]
        found = zip(self.sides, cuts, strict=True)
        return tuple(side.shares(cut[:-1], cut[1:]) for side, cut in found)

    @cached_property
    def _by_gain(self) -> list[int]:
        """The axes, those first along which the most is added up."""
        assert self._along is not None
        gains = [along.shape[0] / along.shape[1] for along in self._along]
        return sorted(range(len(gains)), key=gains.__getitem__)

    @cached_property
    def matrix(self) -> Matrix:
        """The share of each of the source's parts that each of the view's parts takes."""
        if self._along is None:
            return pieces(self.source, self.sides, self._moved)
        from scipy.sparse import csr_array, kron

        sizes = [side.size for side in self.sides]
        rows = np.arange(np.prod(sizes)).reshape(sizes).transpose(self._moved).reshape(-1)
        return reduce(lambda a, b: csr_array(kron(a, b, format="csr")), self._along)[rows]

    @cached_property
    def rows(self) -> Matrix:
        """The same for the parts of what is viewed by views of views, in the end."""
        return self.matrix @ self.inner.rows if isinstance(self.inner, Summed) else self.matrix

    @cached_property
    def viewed(self) -> Inference:
        """The inference that is viewed, in the end."""
        return self.inner.viewed if isinstance(self.inner, Summed) else self.inner

    def combined(self, facts: Callable[[Matrix], Floats]) -> Floats:
        """A fact about each part's shares that is a product over the axes: one number for each
        row of a matrix of shares."""
        if self._along is None or isinstance(self.inner, Summed):
            return facts(self.rows)
        return self.products([facts(along) for along in self._along])

    def products(self, factors: Sequence[Floats]) -> Floats:
        """For each part the product of its slices' factors."""
        table = reduce(np.multiply.outer, factors)
        return np.ascontiguousarray(table.transpose(self._moved)).reshape(-1)

    def variances(self, measurements: Sequence[Measurement]) -> Floats:
        if isinstance(self.inner, Direct):
            return measurements[0].variance * self.combined(partial(powers, power=2))
        if isinstance(self.inner, Wavelet) and self._along is not None:
            return measurements[0].variance * self.products(wavelet_norms(self.inner, self._along))
        return variances_of(self.viewed, self.rows, measurements)

    def check(self, partition: Partition, measurements: Sequence[Measurement]) -> None:
        shape = tuple(self.sides[axis].size for axis in self.order)
        if not isinstance(partition, Lattice) or partition.shape != shape:
            raise BadInput("the parts of a view are the products of its slices.")
        self.inner.check(self.source, measurements)

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "domain": self.source.domain.to_json(),
            "layout": self.source.to_json(),
            "inference": self.inner.to_json(),
            "sides": [side.to_json() for side in self.sides],
            "order": list(self.order),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], inner: Inference) -> Summed:
        domain = Domain.from_json(data["domain"])
        source = partition_from_json(domain, data["layout"])
        sides, order = tuple(map(Side.from_json, data["sides"])), tuple(data["order"])
        if not isinstance(source, Boxed) or len(sides) != len(domain):
            raise BadInput("a view is one of boxes, and has a side for each axis.")
        sizes = [axis.size for axis in domain.axes]
        if any(side.upper[-1] > size for side, size in zip(sides, sizes, strict=True)):
            raise BadInput("a view reaches beyond what it views.")
        gone = set(range(len(sides))) - set(map(whole_number, order))
        if len(gone) + len(order) != len(sides) or any(sides[axis].size > 1 for axis in gone):
            raise BadInput("a view keeps each axis once or not at all.")
        return cls(inner, source, sides, order)


def measured_domain(data: Mapping[str, Any], domain: Domain) -> Domain:
    """The domain of the measurements: that of what is viewed in the end."""
    while data.get("kind") == Summed.kind:
        domain, data = Domain.from_json(data["domain"]), data["inference"]
    return domain


def is_measured_once(inference: Inference) -> bool:
    """Whether the values are sums of counts that were measured once, and nothing else."""
    return isinstance(inference.viewed if isinstance(inference, Summed) else inference, Direct)


def counted(many: Ints) -> Ints:
    """For each of ``many`` in turn, 0, 1, … up to it.

    >>> counted(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    starts = np.cumsum(many) - many
    return np.arange(many.sum()) - np.repeat(starts, many)


def apply(matrix: Matrix, table: Floats, axis: int) -> Floats:
    """A matrix times what lies along one axis; all that is kept, or added up, without it."""
    rows, columns = matrix.shape
    ones = (matrix.data == 1).all()
    if ones and matrix.nnz == rows == columns and (matrix.diagonal() == 1).all():
        return table
    if ones and matrix.nnz == rows * columns:
        whole = table.sum(axis=axis, keepdims=True)
        return np.asarray(np.repeat(whole, rows, axis=axis))
    lines = np.moveaxis(table, axis, 0)
    found = matrix @ np.ascontiguousarray(lines).reshape(columns, -1)
    return np.moveaxis(found.reshape(rows, *lines.shape[1:]), 0, axis)


def pieces(source: Boxed, sides: Sequence[Side], moved: Sequence[int]) -> Matrix:
    """The shares of boxes, one entry for each piece that the sides cut from a box: O(pieces)."""
    lower, upper = source.boxes()
    spans = [side.touched(lower[:, axis], upper[:, axis]) for axis, side in enumerate(sides)]
    expected = np.prod([count.astype(np.float64) for _, count in spans], axis=0).sum()
    if expected > MOST_PIECES:
        raise NotAnswerable(
            f"{source.size:,} parts would be cut into {expected:,.0f} pieces, more than "
            f"{MOST_PIECES:,}. Ask for fewer bins."
        )
    many = np.prod([count for _, count in spans], axis=0)
    shape = source.domain.shape
    whole = {
        axis for axis, side in enumerate(sides) if side.upper[0] - side.lower[0] == shape[axis]
    }
    boxes = np.repeat(np.arange(len(lower)), many)
    rest = counted(many)
    shares, rows, size = np.ones(len(boxes)), np.zeros(len(boxes), dtype=np.int64), 1
    for axis in reversed(moved):
        side, (first, count) = sides[axis], spans[axis]
        if axis in whole:
            continue
        rest, place = np.divmod(rest, count[boxes])
        numbers = first[boxes] + place
        shares *= side.inside(lower[boxes, axis], upper[boxes, axis], numbers)
        rows += size * side.slices[numbers]
        size *= side.size
    return by_column(shares, rows, many, size)


def by_column(entries: Floats, rows: Ints, many: Ints, size: int) -> Matrix:
    """A matrix from the entries of one column after the other; those of one place are added."""
    from scipy.sparse import csc_array

    places = np.concatenate([[0], np.cumsum(many)])
    found = csc_array((entries, rows, places), shape=(size, len(many)))
    found.sum_duplicates()
    return found.tocsr()


def powers(rows: Matrix, power: int) -> Floats:
    """The sum of a power of each row's entries."""
    return np.asarray((rows**power).sum(axis=1), dtype=np.float64).reshape(-1)


def wavelet_norms(inner: Wavelet, along: Sequence[Matrix]) -> list[Floats]:
    """The inverse of a wavelet is one of each axis after the other, so that the weights of a
    product of slices on the contrasts are a product too: their squares added up, axis by axis."""
    steps = {"haar": ascend, "flat": unsettle}
    found = []
    for kind, axis, shares in zip(
        inner.contrasts.kinds, inner.contrasts.domain.axes, along, strict=True
    ):
        norms = np.empty(shares.shape[0])
        batch = max((1 << 22) // shares.shape[1], 1)
        for start in range(0, len(norms), batch):
            lines = shares[start : start + batch].toarray().T
            head, tail = lines[: axis.bins], lines[axis.bins :]
            head = steps[kind](head) if kind in steps else head
            norms[start : start + batch] = (head**2).sum(axis=0) + (tail**2).sum(axis=0)
        found.append(norms)
    return found


@singledispatch
def variances_of(inference: Inference, rows: Matrix, measurements: Sequence[Measurement]) -> Floats:
    """The variance of each row of weights: one after the other, O(rows x parts)."""
    if rows.shape[0] > MOST_PULLED:
        raise NotAnswerable(
            f"the errors of {rows.shape[0]:,} sums at once take too long where the estimate is "
            f"{inference.kind!r}; of {MOST_PULLED:,} they do not. Ask for fewer bins, or count()."
        )
    found = np.empty(rows.shape[0])
    for row in range(len(found)):
        pulled = inference.pull(rows[[row]].toarray().reshape(-1))
        terms = zip(pulled, measurements, strict=True)
        found[row] = sum(m.variance * float((weight**2).sum()) for weight, m in terms)
    return found


@variances_of.register
def _(inference: Direct, rows: Matrix, measurements: Sequence[Measurement]) -> Floats:
    """Independent parts: O(entries)."""
    return measurements[0].variance * powers(rows, 2)


@variances_of.register
def _(inference: Pooled, rows: Matrix, measurements: Sequence[Measurement]) -> Floats:
    """Groups are independent: O(entries)."""
    groups = rows @ members(inference.cells, (1 / inference.sizes)[inference.cells])
    noise = measurements[0].variance * np.bincount(inference.groups)
    return np.asarray((groups**2) @ noise, dtype=np.float64)


@variances_of.register
def _(inference: Even, rows: Matrix, measurements: Sequence[Measurement]) -> Floats:
    """Leaves are independent: O(entries)."""
    leaves = rows @ members(inference.inside, (1 / inference.sizes)[inference.inside])
    return np.asarray((leaves**2) @ (1 / inference.precision), dtype=np.float64)


@variances_of.register
def _(inference: Tree, rows: Matrix, measurements: Sequence[Measurement]) -> Floats:
    """The rule of `hushgram.answers.counting.boxes_index`, for all rows at once, from the leaves
    upwards: a node's weight is the mean of its children's, weighted by their variances. O(levels x
    entries)"""
    own, sums = inference.spreads
    found = np.asarray((rows**2) @ own[-1], dtype=np.float64)
    for level in reversed(range(len(inference.parents))):
        parents = inference.parents[level]
        rows = rows @ members(parents, own[level + 1] / sums[level][parents])
        found -= (rows**2) @ (sums[level] - own[level])
    return np.maximum(found, 0)  # rounding, where one level is far quieter than another


def members(groups: Ints, shares: Floats) -> Matrix:
    """The members of groups x the groups, with each member's share."""
    from scipy.sparse import csr_array

    places = np.arange(len(groups) + 1)
    return csr_array((shares, groups, places), shape=(len(groups), int(groups.max()) + 1))
