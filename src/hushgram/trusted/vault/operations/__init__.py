"""The closed catalogue: one trusted operation, one proof and one audit per kind of query."""

from hushgram.queries import Counts, Query, Total
from hushgram.trusted.vault.operations.counts import CountsOperation
from hushgram.trusted.vault.operations.operation import Operation
from hushgram.trusted.vault.operations.total import TotalOperation

OPERATIONS: dict[type[Query], Operation] = {
    Total: TotalOperation(),
    Counts: CountsOperation(),
}

__all__ = ["OPERATIONS", "Operation"]
