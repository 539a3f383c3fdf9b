"""The closed catalogue of operations: one operation, one proof and one audit per kind of query."""

from hushgram.queries import (
    Bisections,
    Boundaries,
    CellSums,
    Decomposition,
    Linear,
    Medians,
    NestedCounts,
    NodeCounts,
    PartCounts,
    PartSums,
    Query,
    SmoothMedian,
    SortedSums,
    Total,
)
from hushgram.trusted.vault.operations.bisections import BisectionsOperation
from hushgram.trusted.vault.operations.boundaries import BoundariesOperation
from hushgram.trusted.vault.operations.cell_sums import CellSumsOperation
from hushgram.trusted.vault.operations.counts import CountsOperation
from hushgram.trusted.vault.operations.decomposition import DecompositionOperation
from hushgram.trusted.vault.operations.linear import LinearOperation
from hushgram.trusted.vault.operations.medians import MediansOperation
from hushgram.trusted.vault.operations.nested_counts import NestedCountsOperation
from hushgram.trusted.vault.operations.node_counts import NodeCountsOperation
from hushgram.trusted.vault.operations.operation import Operation
from hushgram.trusted.vault.operations.part_sums import PartSumsOperation
from hushgram.trusted.vault.operations.smooth_median import SmoothMedianOperation
from hushgram.trusted.vault.operations.sorted_sums import SortedSumsOperation
from hushgram.trusted.vault.operations.total import TotalOperation

OPERATIONS: dict[type[Query], Operation] = {
    Total: TotalOperation(),
    PartCounts: CountsOperation(),
    PartSums: PartSumsOperation(),
    SortedSums: SortedSumsOperation(),
    CellSums: CellSumsOperation(),
    Boundaries: BoundariesOperation(),
    Bisections: BisectionsOperation(),
    Medians: MediansOperation(),
    Decomposition: DecompositionOperation(),
    Linear: LinearOperation(),
    NodeCounts: NodeCountsOperation(),
    NestedCounts: NestedCountsOperation(),
    SmoothMedian: SmoothMedianOperation(),
}

__all__ = ["OPERATIONS", "Operation"]
