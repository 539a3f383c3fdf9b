"""Sums over the trees of a forest: what least squares say of them, where the prior contradicts it.

The prior pulls the two halves of a node together. In a single tree with few rows that is right, or
hardly matters. But if hundreds of trees with few rows each are alike, for example with most rows in
the lower half, every tree is pulled the same way, and sums over trees are far off. Such sums are
known well from the noisy counts alone. So nodes at the same place in their trees are corrected
together, by as much as their sum differs from that of least squares beyond its noise.
"""

from __future__ import annotations

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints
from hushgram.mechanisms.inference.cut_tree import CutTree
from hushgram.mechanisms.inference.tree_sizes import FEWEST_TREES

DOUBT = 1.0
"""A difference counts as noise up to this multiple of its variance, when squared."""


def align_trees(
    tree: CutTree, fitted: Floats, fitted_variances: Floats, means: Floats, variances: Floats
) -> Floats:
    """The means with corrections from the roots downwards; halves still add up to their node.
    ``fitted`` has the values of least squares. O(nodes)"""
    found = means.copy()
    nodes, places = tree.roots, np.zeros(len(tree.roots), dtype=np.int64)
    changes = find_changes(
        places, fitted[nodes] - means[nodes], fitted_variances[nodes], variances[nodes]
    )
    found[nodes] += changes
    while True:
        inner = tree.right[nodes] > 0
        nodes, places, changes = nodes[inner], places[inner], changes[inner]
        if not len(nodes):
            return found
        low, high = nodes + 1, tree.right[nodes]
        whole = variances[nodes]
        share = np.where(whole > 0, 0.5 + (variances[low] - variances[high]) / 2 / whole, 0.5)
        share = np.clip(share, 0.0, 1.0)
        found[low] += share * changes
        found[high] += (1 - share) * changes
        missing = (fitted[low] - fitted[high] - found[low] + found[high]) / 2
        apart, apart_fitted = (
            np.maximum(2 * known[low] + 2 * known[high] - known[nodes], 0.0) / 4
            for known in (variances, fitted_variances)
        )
        moved = find_changes(places, missing, apart_fitted, apart)
        found[low] += moved
        found[high] -= moved
        changes = np.concatenate([share * changes + moved, (1 - share) * changes - moved])
        nodes = np.concatenate([low, high])
        places = np.unique(np.concatenate([2 * places, 2 * places + 1]), return_inverse=True)[1]


def find_changes(places: Ints, missing: Floats, noise: Floats, variances: Floats) -> Floats:
    """What is added to each node, given its place in its tree: a share of what is missing from all
    nodes of that place together, the larger the less is known of the node."""
    total = np.bincount(places, missing)
    doubt = DOUBT * np.bincount(places, noise)
    share = np.maximum(1 - doubt / np.maximum(total**2, 1e-300), 0.0)
    share[np.bincount(places) < FEWEST_TREES] = 0.0
    unknown = np.bincount(places, variances)
    each = total * share / np.where(unknown > 0, unknown, 1.0)
    return np.asarray(each[places] * variances)
