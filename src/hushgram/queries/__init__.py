"""What a mechanism may ask a vault, and what comes back. Only the trusted zone answers."""

from hushgram.queries.catalogue import (
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
    Vault,
)
from hushgram.queries.measurement import MAX_VARIANCE, Measurement, NoisyTotal

__all__ = [
    "Bisections",
    "Boundaries",
    "CellSums",
    "PartCounts",
    "PartSums",
    "Decomposition",
    "MAX_VARIANCE",
    "Linear",
    "Measurement",
    "Medians",
    "NestedCounts",
    "NodeCounts",
    "NoisyTotal",
    "Query",
    "SmoothMedian",
    "SortedSums",
    "Total",
    "Vault",
]
