"""Blocks for record linkage: the parts of two releases that can contain the same people.

Two parties want to find the records that belong together, and compare records by a secure protocol
that is too slow for all pairs. Records that belong together agree on the axes that both publish, so
only records in overlapping blocks need to be compared.

The blocks are the parts of a release, or larger boxes whose cells have the same value (`dpcube`).
Everything here is computed from two public files and costs nothing. What each party then does with
its own records is in `hushgram.private.linkage`.

Xiao, Xiong, Fan, Goryczka & Li, *DPCube: differentially private histogram release through
multidimensional partitioning*, Transactions on Data Privacy 2014, section 5. Inan, Kantarcioglu,
Ghinita & Bertino, *Private record matching using differential privacy*, EDBT 2010.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.tables.olap import takes_whole_parts
from hushgram.answers.unevenness.evidence import unevenness_of
from hushgram.declare.axis import Floats
from hushgram.errors import NotAnswerable, QuestionError
from hushgram.geometry.partition import Boxed, Ints
from hushgram.mechanisms.estimate import Estimate

if TYPE_CHECKING:
    from hushgram.release.release import Release

COMPARED = 1 << 22
"""The number of pairs of blocks that are compared at a time."""

LARGEST = 1 << 53
"""The most records of a block: no table has more, but a forged release may claim so."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """The blocks of one party, and its number of records in each. Both are public."""

    partition: Boxed
    sizes: Ints
    """The noisy, rounded, non-negative sizes to which a party pads or cuts its records."""
    rows: float
    """The total number of records according to the release."""


@dataclass(frozen=True, eq=False)
class BlockPairs:
    """The blocks of two parties, and the pairs of blocks to compare."""

    first: Blocks
    second: Blocks
    pairs: Ints
    """The numbers of the two blocks: pairs x 2."""

    @cached_property
    def comparisons(self) -> int:
        """The number of pairs of records to compare, including those with dummy records."""
        return int((self.first.sizes[self.pairs[:, 0]] * self.second.sizes[self.pairs[:, 1]]).sum())

    @property
    def reduction_ratio(self) -> float:
        """The share of all pairs of records that need not be compared, according to the releases'
        counts. Negative if there are more comparisons, including dummies, than pairs of records."""
        every = max(self.first.rows, 1.0) * max(self.second.rows, 1.0)
        return 1 - self.comparisons / every

    def to_arrow(self) -> Any:
        """A row for each pair of blocks: their numbers, sizes and bounds."""
        import pyarrow as pa

        columns: dict[str, Any] = {}
        for place, (side, blocks) in enumerate(
            {"first": self.first, "second": self.second}.items()
        ):
            rows = self.pairs[:, place]
            columns[f"{side}_block"] = pa.array(rows)
            columns[f"{side}_size"] = pa.array(blocks.sizes[rows])
            for name, values in labels(blocks.partition).items():
                columns[f"{side}_{name}"] = values.take(pa.array(rows))
        return pa.table(columns)


def labels(partition: Boxed) -> dict[str, Any]:
    from hushgram.geometry.labels import label_columns

    return label_columns(partition)


def match_blocks(
    first: Release, second: Release, *, shared: bool = False, margin: float = 2.0
) -> BlockPairs:
    """Find the pairs of blocks of two releases that can contain the same people.

    Use it for private record linkage: only records in these pairs of blocks need to be compared.
    Blocks without records in one of the releases are skipped.

    Parameters
    ----------
    first, second
        Two releases of the same domain, one from each party.
    shared
        Use the blocks of the first release for both parties. The parts of the second release must
        be inside them, such as the cells of ``identity``.
    margin
        How many standard deviations of its error to add to the noisy size of each block. With 0,
        half of the blocks are too small and lose records; with 2 (the default) about one in
        thirty, at the cost of more dummy records.

    Examples
    --------
    >>> import numpy as np, hushgram as hg
    >>> ages = hg.Counts(np.repeat([900, 0, 700, 20], 25))
    >>> ours, theirs = (hg.publish(ages, epsilon=1, mechanism="dpcube") for _ in range(2))
    >>> matched = hg.match_blocks(ours, theirs)
    >>> 0.4 < matched.reduction_ratio < 0.6
    True
    """
    if first.domain != second.domain:
        raise QuestionError(
            "The two releases have different domains, so their blocks cannot be matched. "
            "Both parties must declare the same axes, with the same names, bounds and "
            "bins."
        )
    if not (isinstance(margin, int | float) and 0 <= margin < math.inf):
        raise QuestionError(f"margin must be a non-negative number. Found {margin!r}.")
    ours = blocks_of(first.estimate, margin)
    if shared:
        theirs = counted_in(second.estimate, ours.partition, margin)
        pairs = np.repeat(np.arange(len(ours.sizes))[:, None], 2, axis=1)
    else:
        theirs = blocks_of(second.estimate, margin)
        pairs = overlapping(ours.partition, theirs.partition)
    filled = (ours.sizes[pairs[:, 0]] > 0) & (theirs.sizes[pairs[:, 1]] > 0)
    return BlockPairs(ours, theirs, pairs[filled])


def blocks_of(estimate: Estimate, margin: float) -> Blocks:
    """The blocks of one release."""
    groups = estimate.inference.groups()
    if groups is not None and groups.boxes is not None:
        cells = np.bincount(groups.labels).astype(np.float64)
        first = np.unique(groups.labels, return_index=True)[1]
        values, deviations = estimate.values[first], np.sqrt(estimate.variances()[first])
        return Blocks(groups.boxes, *block_sizes(cells * values, cells * deviations, margin))
    layout = estimate.partition
    if not isinstance(layout, Boxed):
        raise NotAnswerable(f"A {layout.kind} layout has no blocks to match.")
    every = np.arange(layout.size)
    errors = np.sqrt(estimate.variances() + uneven_variances(estimate, every, layout.size))
    return Blocks(layout, *block_sizes(estimate.values, errors, margin))


def uneven_variances(estimate: Estimate, blocks: Ints, size: int) -> Floats:
    """The additional variance of each block due to cells with the same value, or to parts cut by a
    view; ``blocks`` is the number of each part's block."""
    if takes_whole_parts(estimate):
        return np.zeros(size)
    from scipy.sparse import csr_array

    parts = np.arange(len(blocks))
    rows = csr_array((np.ones(len(blocks)), (blocks, parts)), shape=(size, len(blocks)))
    uneven = unevenness_of(estimate).of_weights(rows)
    return np.asarray(uneven.variance + uneven.seen**2, dtype=np.float64)


def block_sizes(counts: Any, deviations: Floats, margin: float) -> tuple[Ints, float]:
    """The sizes of blocks with these noisy counts, and the total number of records."""
    sizes = np.clip(np.ceil(counts + margin * deviations), 0, LARGEST)
    return sizes.astype(np.int64), float(np.sum(counts))


def counted_in(estimate: Estimate, blocks: Boxed, margin: float) -> Blocks:
    """The given blocks, with sizes from another release. O(parts) for counts that were measured
    once, else O(blocks x parts)"""
    layout = estimate.partition
    if not isinstance(layout, Boxed):
        raise NotAnswerable(f"A {layout.kind} layout has no blocks to match.")
    lower, upper = layout.boxes()
    inside = blocks.parts(list(lower.T))
    if not np.array_equal(inside, blocks.parts(list(upper.T - 1))):
        raise NotAnswerable(
            "The second release has parts that span several blocks of the first, so their "
            "counts in each are unknown. Publish it with identity, or match blocks "
            "without shared=True."
        )
    counts = np.zeros(blocks.size)
    np.add.at(counts, inside, estimate.values)
    if estimate.inference.is_direct:
        parts = np.bincount(inside, minlength=blocks.size)
        variances = parts * estimate.measurements[0].variance
    else:
        every = (estimate.moments((inside == block) * 1.0)[0] for block in range(blocks.size))
        variances = np.fromiter(every, dtype=np.float64, count=blocks.size)
    errors = np.sqrt(variances + uneven_variances(estimate, inside, blocks.size))
    return Blocks(blocks, *block_sizes(counts, errors, margin))


def overlapping(first: Boxed, second: Boxed) -> Ints:
    """The pairs of boxes that share an index on every axis, in order. O(boxes x boxes x axes)"""
    ours, theirs = first.boxes(), second.boxes()
    if all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True)):
        return np.repeat(np.arange(first.size)[:, None], 2, axis=1)
    return np.concatenate(list(overlaps(ours, theirs)))


def overlaps(ours: tuple[Ints, Ints], theirs: tuple[Ints, Ints]) -> Iterator[Ints]:
    step = max(1, COMPARED // len(theirs[0]))
    for start in range(0, len(ours[0]), step):
        lower, upper = (side[start : start + step, None, :] for side in ours)
        meet = ((lower < theirs[1]) & (theirs[0] < upper)).all(axis=2)
        yield np.argwhere(meet) + np.array([start, 0])
