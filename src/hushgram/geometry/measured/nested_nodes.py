"""Nested nodes: all nodes of a forest of binary trees over the leaves, each with a weight.
Public."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.measured.weighted_nodes import WeightedNodes
from hushgram.geometry.partition import Ints, Measurable

MAX_LEAVES = 1 << 17
"""Joint noise needs tables for its nodes, which must fit into memory."""


@dataclass(frozen=True, eq=False)
class NestedNodes(Measurable):
    """How many rows are in each leaf, with noise that is small for every node?

    The nodes are those of binary trees in preorder: a node is a single leaf, or it is followed by
    the subtree of its lower half and then by that of its upper half. Each leaf is in one tree. A
    node's weight says how much its noise matters: see ``docs/proofs/nested-counts.md``.

    >>> from hushgram.declare.axis import Integer
    >>> from hushgram.geometry.partition import Grid
    >>> cells = Grid.of_cells(Domain(x=Integer(0, 2)))
    >>> starts, stops = np.array([0, 0, 0, 1, 2]), np.array([3, 2, 1, 2, 3])
    >>> nested = NestedNodes(WeightedNodes(cells, starts, stops, np.array([1, 1, 2, 2, 3])))
    >>> nested.right.tolist()       # the upper half of each node, 0 for a leaf
    [4, 3, 0, 0, 0]
    >>> nested.size                 # a query returns one number per leaf
    3
    """

    kind = "nested-nodes"
    nodes: WeightedNodes

    def __post_init__(self) -> None:
        if type(self.nodes) is not WeightedNodes:
            raise DomainError(f"nodes must be WeightedNodes. Found {type(self.nodes).__name__}.")
        if self.nodes.leaves.size > MAX_LEAVES:
            raise DomainError(
                f"Nested nodes can have at most {MAX_LEAVES:,} leaves. Found "
                f"{self.nodes.leaves.size:,}. Use WeightedNodes for more."
            )
        self.right.flags.writeable = False

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return self.nodes.domain

    @property
    def size(self) -> int:
        return self.nodes.leaves.size

    @cached_property
    def right(self) -> Ints:
        """The upper half of each node, and 0 for a leaf. Raises unless the nodes form a forest.

        Goes from the last node to the first, with a stack of subtrees that have no parent yet.
        """
        starts, stops = self.nodes.starts.tolist(), self.nodes.stops.tolist()
        found = np.zeros(len(starts), dtype=np.int64)
        waiting: list[int] = []
        for node in range(len(starts) - 1, -1, -1):
            if stops[node] - starts[node] > 1:
                low = waiting.pop() if waiting else -1
                high = waiting.pop() if waiting else -1
                fits = high >= 0 and (
                    starts[low] == starts[node]
                    and stops[low] == starts[high]
                    and stops[high] == stops[node]
                )
                if not fits:
                    raise DomainError(
                        f"Node {node} must be followed by its two halves. Give all nodes of a "
                        "binary tree in preorder."
                    )
                found[node] = high
            waiting.append(node)
        ends = [0, *(stops[root] for root in reversed(waiting))]
        if [starts[root] for root in reversed(waiting)] != ends[:-1] or ends[-1] != self.size:
            raise DomainError(
                "Each leaf must be in exactly one tree. Order the trees by their leaves."
            )
        return found

    def sums(self, counts: Ints) -> Ints:
        """The counts of the leaves, which determine those of all nodes."""
        return counts

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "nodes": self.nodes.to_json()}

    @classmethod
    def from_json(cls, domain: Domain, data: Mapping[str, Any]) -> NestedNodes:
        return cls(WeightedNodes.from_json(domain, data["nodes"]))
