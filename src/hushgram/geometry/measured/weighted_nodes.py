"""Weighted nodes: unions of neighbouring parts, each counted with a weight. Public, integers.

All numbers of one answer have noise of the same scale. If the rows of a node count w times, its
count has that noise divided by w, and one of its rows changes the answer by w: weights say where
the budget goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.measured.sorted_groups import LARGEST
from hushgram.geometry.partition import (
    MAX_PARTS,
    Boxes,
    Cuts,
    Grid,
    Ints,
    Measurable,
    Refined,
    is_nested,
    pack,
    partition_from_json,
    unpack,
    whole_number,
)

MAX_WEIGHT = 1 << 16
"""The largest weight of a node."""

MAX_NODES = 2 * MAX_PARTS
"""The largest number of nodes of a tree of cuts. Their total weight stays far below 2^63."""

PACKED = ("steps", "widths", "weights")
"""The arrays of a description, with one entry per node."""

Leaves = Boxes | Cuts | Grid | Refined


@dataclass(frozen=True, eq=False)
class WeightedNodes(Measurable):
    """How many rows are in each node, times its weight?

    Node k is the union of the parts of ``leaves`` numbered ``starts[k]`` up to ``stops[k]``. In a
    tree of `Boxes`, each subtree is such a range; along one axis, each interval of slices. Nodes
    may overlap, and a leaf may be in no node. Rows in node k count ``weights[k]`` times, 1 to 2^16.

    >>> from hushgram.declare.axis import Integer
    >>> leaves = Grid(Domain(x=Integer(0, 7)), (4,))
    >>> nodes = WeightedNodes(leaves, np.array([0, 0, 2]), np.array([4, 2, 4]), np.array([1, 3, 2]))
    >>> nodes.sums(np.array([5, 0, 1, 1])).tolist()     # 7 rows in all, 5 and 2 in the halves
    [7, 15, 4]
    >>> nodes.cover                                     # a row of the first half moves 1 + 3
    4
    """

    kind = "weighted-nodes"
    leaves: Leaves
    starts: Ints
    stops: Ints
    weights: Ints

    def __post_init__(self) -> None:
        if not isinstance(self.leaves, Leaves):
            raise DomainError(
                "Leaves must be Boxes, Cuts, a Grid or a Refined grid. Found "
                f"{type(self.leaves).__name__}."
            )
        for name in ("starts", "stops", "weights"):
            values = whole_numbers(name, getattr(self, name))
            values.flags.writeable = False
            object.__setattr__(self, name, values)
        if not len(self.starts) == len(self.stops) == len(self.weights):
            raise DomainError(
                "Each node needs one start, one stop and one weight. Found "
                f"{len(self.starts)}, {len(self.stops)} and {len(self.weights)}."
            )
        check_node_count(self.size)
        self._check_nodes()

    def _check_nodes(self) -> None:
        empty = (self.starts < 0) | (self.starts >= self.stops) | (self.stops > self.leaves.size)
        if empty.any():
            node = int(np.argmax(empty))
            raise DomainError(
                f"Node {node} must start at a leaf and stop after it, within 0 to "
                f"{self.leaves.size}. Found {self.starts[node]} to {self.stops[node]}."
            )
        invalid = (self.weights < 1) | (self.weights > MAX_WEIGHT)
        if invalid.any():
            node = int(np.argmax(invalid))
            raise DomainError(
                f"Weights must be from 1 to {MAX_WEIGHT:,}. Found {self.weights[node]} for "
                f"node {node}. Scale all weights to fit."
            )

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return self.leaves.domain

    @property
    def size(self) -> int:
        return len(self.starts)

    @cached_property
    def cover(self) -> int:
        """The largest total weight of the nodes that contain one leaf: the most that one row can
        change all numbers together. Adds each weight where its node starts and subtracts it where
        the node stops: O(leaves + nodes), exact."""
        change = np.zeros(self.leaves.size + 1, dtype=np.int64)
        np.add.at(change, self.starts, self.weights)
        np.subtract.at(change, self.stops, self.weights)
        return int(np.cumsum(change).max())

    def sums(self, counts: Ints) -> Ints:
        """The rows of each node times its weight, from the rows in each leaf: O(leaves + nodes),
        exact.

        A product that does not fit in 64 bits becomes the largest multiple of the weight that fits.
        One more row then changes nothing; if the product wrapped, it could change by almost 2^64.
        """
        before = np.zeros(len(counts) + 1, dtype=np.int64)
        np.cumsum(counts, out=before[1:])
        rows = before[self.stops] - before[self.starts]
        found: Ints = self.weights * np.minimum(rows, LARGEST // self.weights)
        return found

    def over(self, finer: Leaves) -> WeightedNodes:
        """The same nodes over finer leaves. Each of these must be in one of the present leaves, and
        they must come in the same order, so that every node is a range of them again. O(leaves)

        >>> from hushgram.declare.axis import Integer
        >>> line = Domain(x=Integer(0, 7))
        >>> nodes = WeightedNodes(Grid(line, (2,)), np.array([0, 1]), np.array([2, 2]), [1, 1])
        >>> finer = nodes.over(Cuts(line, (np.array([0, 1, 4, 6]),)))
        >>> finer.starts.tolist(), finer.stops.tolist()
        ([0, 2], [4, 4])
        """
        ends = np.concatenate([[0], np.cumsum(count_inside(finer, self.leaves))])
        return WeightedNodes(finer, ends[self.starts], ends[self.stops], self.weights)

    def to_json(self) -> dict[str, Any]:
        """The description: differences of starts, and widths, since most are small in a tree's
        order."""
        return {
            "kind": self.kind,
            "leaves": self.leaves.to_json(),
            "nodes": self.size,
            "steps": pack(np.diff(self.starts, prepend=0)),
            "widths": pack(self.stops - self.starts),
            "weights": pack(self.weights),
        }

    @classmethod
    def from_json(cls, domain: Domain, data: Mapping[str, Any]) -> WeightedNodes:
        nodes = whole_number(data["nodes"])
        check_node_count(nodes)  # before anything is unpacked
        leaves: Any = partition_from_json(domain, data["leaves"])
        steps, widths, weights = (unpack(data[name], nodes) for name in PACKED)
        starts = np.cumsum(steps)
        return cls(leaves, starts, starts + widths, weights)


def check_node_count(nodes: int) -> None:
    """Raise if there are too many nodes: each gets noise, so all must fit in memory."""
    if not 1 <= nodes <= MAX_NODES:
        raise DomainError(f"The number of nodes must be from 1 to {MAX_NODES:,}. Found {nodes:,}.")


def whole_numbers(name: str, values: Any) -> Ints:
    """The values as a new array of integers. Raises for fractions instead of truncating them.

    >>> whole_numbers("weights", [1, 2.5])
    Traceback (most recent call last):
    hushgram.errors.DomainError: weights must be a list of whole numbers. Found float64.
    """
    found = np.array(values)
    if found.ndim != 1 or (len(found) and found.dtype.kind not in "iu"):
        shape = "" if found.ndim == 1 else f" with {found.ndim} axes"
        raise DomainError(f"{name} must be a list of whole numbers. Found {found.dtype}{shape}.")
    return found.astype(np.int64, copy=False)


def count_inside(finer: Leaves, leaves: Leaves) -> Ints:
    """The number of finer leaves in each leaf, if they come leaf by leaf. O(leaves); O(leaves x
    depth) if the finer tree is not the same tree with further cuts."""
    if isinstance(finer, Boxes) and isinstance(leaves, Boxes):
        inside = finer.count_inside(leaves)
        if inside is not None:
            return inside
    if not is_nested(finer, leaves):
        raise DomainError(
            "Each finer leaf must be within one leaf of the same domain. Split the leaves of "
            "the nodes further."
        )
    parents = leaves.parts(list(finer.boxes()[0].T))
    if (parents[:-1] > parents[1:]).any():
        raise DomainError(
            "The finer leaves are in a different order, so the nodes are not contiguous. "
            "Use one axis, or Boxes that are split further."
        )
    return np.bincount(parents, minlength=leaves.size)
