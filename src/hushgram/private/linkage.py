"""Linking the records of two parties: what each party does with its own records.

Each party runs this on its own table, between the two published releases and a secure comparison.
Everything here reads private rows and returns private rows: publish none of it. No budget is
charged, because nothing leaves the party.

Who learns what
---------------
- Everybody learns the two releases: noisy counts, each charged to its party's own budget.
- The number of records that a party sends for each block follows from the releases alone. The
  party adds dummy records, or leaves out records at random, until it has that many. Whoever sees
  the sizes of what is compared learns nothing beyond the releases.
- This holds only if nobody can tell dummy records from real ones. Encrypt or encode them like the
  others, and make sure that they match nothing. Here they are NULL, visible to their owner only.
- Whoever gets the result of the comparison learns which records matched. No privacy budget covers
  that: it is what the parties agreed to find out. Records that were left out cannot match.
- `candidate_pairs` returns pairs of records in the clear. It is for a party that may see both
  tables, and for measurements. Two parties use a secure protocol instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.learning.blocking import BlockPairs, Blocks
from hushgram.answers.learning.synthetic import Randomness, System
from hushgram.answers.tables.rows import RowTable, row_indices
from hushgram.errors import QuestionError
from hushgram.geometry.partition import Ints

if TYPE_CHECKING:
    import pyarrow as pa

DUMMY = -1
"""The row number of a dummy record, which matches nothing."""


@dataclass(frozen=True, eq=False)
class Assigned:
    """A party's records, block by block; each block has its public size. PRIVATE."""

    records: Ints
    """The row number of each record in the party's table; -1 for a dummy."""
    starts: Ints
    """Where each block starts in ``records``; the last entry is where the last block ends."""
    rows: int
    """How many records the table has."""

    def block(self, number: int) -> Ints:
        return self.records[self.starts[number] : self.starts[number + 1]]

    def to_arrow(self) -> pa.Table:
        """Columns ``block`` and ``record``; a dummy is NULL. PRIVATE."""
        import pyarrow as pa

        blocks = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        return pa.table(
            {
                "block": pa.array(blocks),
                "record": pa.array(self.records, mask=self.records == DUMMY),
            }
        )


def assign_records(blocks: Blocks, table: RowTable, *, rng: Randomness | None = None) -> Assigned:
    """Assign a party's records to its blocks, and pad or cut each block to its public size.

    Records outside the domain belong to no block. Which records are left out, and the order of
    records and dummies, is random, from the operating system. The result is private: see the top
    of this file for who learns what.

    Parameters
    ----------
    blocks
        The party's side of `hushgram.match_blocks`: its ``first`` or its ``second``.
    table
        The party's records, with the domain's columns: a mapping, or a pandas, Polars or Arrow
        table.
    """
    domain = blocks.partition.domain
    indices = np.stack(row_indices(domain, domain.names, table), axis=1)
    kept = np.flatnonzero((indices >= 0).all(axis=1))
    parts = blocks.partition.parts(list(indices[kept].T))
    return Assigned(*fit_to_sizes(parts, kept, blocks.sizes, rng or System()), rows=len(indices))


def fit_to_sizes(parts: Ints, records: Ints, sizes: Ints, rng: Randomness) -> tuple[Ints, Ints]:
    """Return the records of each block in random order, cut or padded to the block's size, and the
    start of each block."""
    found = np.bincount(parts, minlength=len(sizes))
    dummies = np.maximum(sizes - found, 0)
    everyone = np.concatenate([records, np.full(dummies.sum(), DUMMY)])
    where = np.concatenate([parts, np.repeat(np.arange(len(sizes)), dummies)])
    order = np.lexsort((rng.random(len(where)), where))
    bounds = np.concatenate([[0], np.cumsum(np.maximum(found, sizes))])
    within = np.arange(len(where)) - bounds[where[order]]
    chosen = order[within < sizes[where[order]]]
    return everyone[chosen], np.concatenate([[0], np.cumsum(sizes)])


def candidate_pairs(matched: BlockPairs, first: Assigned, second: Assigned) -> pa.Table:
    """Return all pairs of records to compare, without dummies: an Arrow table of row numbers, with
    the columns ``first`` and ``second``. PRIVATE, and in the clear: see the top of this file.

    For the recordlinkage package:
    ``Compare.compute(pandas.MultiIndex.from_frame(pairs.to_pandas()), table, other_table)``.
    """
    import pyarrow as pa

    left, right = [], []
    for one, other in matched.pairs:
        ours, theirs = first.block(one), second.block(other)
        ours, theirs = ours[ours != DUMMY], theirs[theirs != DUMMY]
        left.append(np.repeat(ours, len(theirs)))
        right.append(np.tile(theirs, len(ours)))
    none = np.zeros(0, dtype=np.int64)
    return pa.table(
        {"first": np.concatenate([none, *left]), "second": np.concatenate([none, *right])}
    )


@dataclass(frozen=True)
class BlockingQuality:
    """How well the blocks worked, given the true matches. PRIVATE."""

    reduction_ratio: float
    """The share of all pairs of records that need not be compared; comparisons with dummies count
    as comparisons."""
    recall: float
    """The share of the true matches that are compared."""


def measure(
    matched: BlockPairs, first: Assigned, second: Assigned, matches: Any
) -> BlockingQuality:
    """Compute the reduction ratio, and the recall for known matches (pairs of row numbers)."""
    truth = np.asarray(matches, dtype=np.int64).reshape(-1, 2)
    if len(truth) == 0 or first.rows * second.rows == 0:
        raise QuestionError(
            "recall needs known matches, but none were given. Pass pairs of row numbers."
        )
    blocks = [block_of_record(side)[truth[:, n]] for n, side in enumerate((first, second))]
    size = len(second.starts)
    wanted = set((matched.pairs[:, 0] * size + matched.pairs[:, 1]).tolist())
    pairs = np.where((blocks[0] < 0) | (blocks[1] < 0), -1, blocks[0] * size + blocks[1])
    compared = np.isin(pairs, list(wanted))
    return BlockingQuality(
        1 - matched.comparisons / (first.rows * second.rows), float(compared.mean())
    )


def block_of_record(side: Assigned) -> Ints:
    """Return the block of each record of a table; -1 if the record was left out."""
    found = np.full(side.rows, -1)
    blocks = np.repeat(np.arange(len(side.starts) - 1), np.diff(side.starts))
    real = side.records != DUMMY
    found[side.records[real]] = blocks[real]
    return found
