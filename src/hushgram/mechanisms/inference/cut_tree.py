"""The tree of cuts above the parts of an estimate, node by node, for inferences that walk it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hushgram.errors import BadInput
from hushgram.geometry.partition import Boxes, Cuts, Grid, Halving, Ints, Partition, Raster


@dataclass(frozen=True, eq=False)
class CutTree:
    """Nodes in preorder, the lower half before the upper one. A node is a range of leaves.

    Unordered categories have no halves, and neither has an axis together with its "other" index. So
    there is a tree for each combination of categories, and nodes that join several combinations are
    left out.

    >>> from hushgram.declare.axis import Integer
    >>> from hushgram.declare.domain import Domain
    >>> tree = CutTree.of(Cuts(Domain(x=Integer(0, 7)), (np.array([0, 2, 3, 4]),)))
    >>> tree.starts.tolist(), tree.stops.tolist(), tree.right.tolist()
    ([0, 0, 0, 1, 1, 2, 3], [4, 3, 1, 3, 2, 3, 4], [6, 3, 0, 5, 0, 0, 0])
    """

    leaves: Boxes
    places: Ints
    """The number of each node among all nodes of the boxes."""
    right: Ints
    """The upper half of each node; 0 for a leaf. The lower half is the next node."""
    starts: Ints
    stops: Ints
    roots: Ints

    @classmethod
    def of(cls, parts: Partition) -> CutTree:
        """The tree of boxes, or of the halves of a single axis."""
        from hushgram.mechanisms.inference.cut_tree_kernels import walk_cuts

        boxes = as_boxes(parts)
        ordered = np.array([axis.ordered for axis in boxes.domain.axes], dtype=np.bool_)
        shape = np.array(boxes.raster.shape, dtype=np.int64)
        declared = np.array(boxes.raster.slices, dtype=np.int64)
        places, right, starts, stops, is_root = walk_cuts(
            boxes.axes, boxes.cuts, shape, declared, ordered
        )
        return cls(boxes, places, right, starts, stops, np.flatnonzero(is_root))

    def __len__(self) -> int:
        return len(self.right)

    @cached_property
    def ends(self) -> Ints:
        """The nodes without halves, in the order of the leaves."""
        return np.flatnonzero(self.right == 0)

    @cached_property
    def is_whole(self) -> bool:
        """Whether each leaf is in a tree: none joins categories, or "other" with the rest."""
        return len(self.ends) == self.leaves.size

    @cached_property
    def depths(self) -> Ints:
        """The depth of each node: the number of nodes above it."""
        from hushgram.mechanisms.inference.cut_tree_kernels import fill_depths

        found = np.zeros(len(self), dtype=np.int64)
        fill_depths(self.right, found)
        return found

    def find(self, starts: Ints, stops: Ints) -> Ints:
        """The nodes that are these ranges of leaves. Raises unless all of them are nodes. O(depth)
        for each, and less on average."""
        from hushgram.mechanisms.inference.cut_tree_kernels import find_nodes

        ends = np.full(self.leaves.size, -1)
        ends[self.starts[self.ends]] = self.ends
        found = np.empty(len(starts), dtype=np.int64)
        if not find_nodes(ends, self.starts, self.stops, starts, stops, found):
            raise BadInput("The measured nodes are not those of the tree that defines the parts.")
        return found

    def places_in(self, other: CutTree) -> Ints:
        """The number of each node in another tree that has the same cuts, as far as both go; -1 for
        nodes that it does not have. O(nodes)

        >>> from hushgram.declare.axis import Integer
        >>> from hushgram.declare.domain import Domain
        >>> line = Domain(x=Integer(0, 7))
        >>> tree = CutTree.of(Cuts(line, (np.array([0, 2, 3, 4]),)))
        >>> tree.places_in(CutTree.of(Cuts(line, (np.array([0, 4, 6]),)))).tolist()
        [0, 1, -1, -1, -1, -1, 2]
        """
        from hushgram.mechanisms.inference.cut_tree_kernels import match_nodes

        found = np.full(len(self), -1)
        found[self.roots] = other.roots
        match_nodes(self.right, other.right, found)
        return found

    def cut_off(self, last: npt.NDArray[np.bool_]) -> Boxes:
        """Coarser boxes, in which these nodes are leaves."""
        from hushgram.geometry.partition.cutting import keep_inner

        inner = self.leaves.axes >= 0
        inner[self.places[last]] = False
        axes, cuts = np.empty((2, len(inner)), dtype=np.int64)
        size = keep_inner(self.leaves.axes, self.leaves.cuts, inner, axes, cuts)
        return Boxes(self.leaves.raster, axes[:size], cuts[:size])

    def above(self, last: npt.NDArray[np.bool_]) -> tuple[CutTree, npt.NDArray[np.bool_]]:
        """The tree in which these nodes are leaves, and which nodes it keeps. O(nodes)

        >>> from hushgram.declare.axis import Integer
        >>> from hushgram.declare.domain import Domain
        >>> tree = CutTree.of(Cuts(Domain(x=Integer(0, 7)), (np.array([0, 2, 3, 4]),)))
        >>> rest, kept = tree.above(np.arange(7) == 1)
        >>> rest.right.tolist(), np.flatnonzero(kept).tolist()
        ([2, 0, 0], [0, 1, 6])
        """
        from hushgram.mechanisms.inference.cut_tree_kernels import fill_kept

        kept = np.zeros(len(self), dtype=np.bool_)
        fill_kept(self.right, last, kept)
        return CutTree.of(self.cut_off(last & kept)), kept


def as_boxes(parts: Partition) -> Boxes:
    """The parts as boxes of a tree; on one axis, of the tree of halves."""
    if isinstance(parts, Boxes):
        return parts
    if not isinstance(parts, Cuts | Grid) or len(parts.domain) > 1:
        raise BadInput("A tree of cuts needs boxes, or slices of one axis.")
    halving = Halving.of(Raster.of_cells(parts.domain))
    return halving.leaves(halving.places(parts.cuts(0)[:-1]))


def as_parts(boxes: Boxes) -> Boxes | Cuts:
    """The parts to publish for these boxes: slices on one axis, else the boxes."""
    if len(boxes.domain) > 1:
        return boxes
    starts = boxes.boxes()[0][:, 0]
    return Cuts(boxes.domain, (starts[starts < boxes.domain.axes[0].bins],))
