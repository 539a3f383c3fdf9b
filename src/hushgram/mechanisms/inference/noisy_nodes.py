"""The noisy counts of a tree's nodes, from measurements.

Measurements are weighted counts of nodes with independent noise, or counts of leaves with joint
noise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hushgram.errors import BadInput
from hushgram.geometry.measured.nested_nodes import NestedNodes
from hushgram.geometry.measured.weighted_nodes import Leaves, WeightedNodes
from hushgram.mechanisms.inference.cut_tree import CutTree
from hushgram.mechanisms.inference.posterior import NoisyNodes
from hushgram.queries import Measurement

MIN_SCALE = 1e-100
"""A lower limit for scales of noise, which avoids division by zero."""


def leaves_of(measurement: Measurement) -> Leaves:
    """The partition whose parts make up the measured nodes."""
    measured = measurement.partition
    if isinstance(measured, NestedNodes):
        return measured.nodes.leaves
    if isinstance(measured, WeightedNodes):
        return measured.leaves
    raise BadInput(f"Posterior means need counts of nodes. Found {measured.kind}.")


def noisy_nodes(tree: CutTree, measurements: Sequence[Measurement]) -> NoisyNodes:
    """The noisy counts of each node, with the rates and precisions of their noise."""
    found = NoisyNodes(*np.zeros((3, len(measurements), len(tree))))
    for row, one in enumerate(measurements):
        if isinstance(one.partition, NestedNodes):
            fill_nested(tree, one.partition, one, found, row)
        elif isinstance(one.partition, WeightedNodes):
            nodes = one.partition
            places = tree.find(nodes.starts, nodes.stops)
            found.counts[row, places] = one.values / nodes.weights
            found.rates[row, places] = nodes.weights / max(float(one.scale), MIN_SCALE)
            found.precisions[row] = found.rates[row] ** 2 / 2
    return found


def fill_nested(
    tree: CutTree, nested: NestedNodes, one: Measurement, found: NoisyNodes, row: int
) -> None:
    """With joint noise, the noisy count of a node is the sum over its leaves. The likelihood of a
    count falls with the distance from it, as for independent noise."""
    from hushgram.mechanisms.inference.cut_tree_kernels import fill_precisions

    nodes = nested.nodes
    places = tree.find(nodes.starts, nodes.stops)
    before = np.zeros(nested.size + 1)
    np.cumsum(one.values.astype(np.float64), out=before[1:])
    found.counts[row, places] = before[nodes.stops] - before[nodes.starts]
    scale = max(float(one.scale), MIN_SCALE) * nodes.cover
    found.rates[row, places] = nodes.weights / scale
    fill_precisions(tree.right, found.rates[row], found.precisions[row])
