"""What a party does with its own records, between two releases and a secure comparison.

Everything here sees private rows and gives back private rows: it is run by each party for itself,
and nothing of it is published. It is no answer of a release.

Who learns what
---------------
- Everybody learns the two releases: noisy counts, each paid for with its party's own budget.
- How many records a party brings to each block follows from the releases alone: it adds dummy
  records, or leaves out records at random, until the number is the public one. So whoever sees the
  sizes of what is compared learns nothing that the releases did not tell.
- That holds only if dummy records cannot be told from others. They must be encrypted or encoded
  like the rest, and match nothing; this module marks them by NULL, for their owner only.
- Whoever gets the result of the comparison learns which records matched. No budget covers that: it
  is what the parties agreed to find out. Records that were left out cannot match.
- Pairs of records in the clear, as `candidate_pairs` gives them, are for a party that may see both
  tables, or for measuring; two parties use a secure protocol instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hushgram.answers.learning.blocking import BlockPairs, Blocks
from hushgram.answers.learning.synthetic import Randomness, System
from hushgram.answers.tables.rows import row_indices
from hushgram.errors import QuestionError
from hushgram.geometry.partition import Ints

DUMMY = -1


@dataclass(frozen=True, eq=False)
class Assigned:
    """A party's records block by block, each block as long as the public size says. PRIVATE."""

    records: Ints
    """The number of a record in the party's table, or -1 for a dummy."""
    starts: Ints
    """Where each block starts, and last where all end."""
    rows: int
    """How many records the table has."""

    def block(self, number: int) -> Ints:
        return self.records[self.starts[number] : self.starts[number + 1]]

    def to_arrow(self) -> Any:
        """Columns ``block`` and ``record``; a dummy is NULL. PRIVATE."""
        import pyarrow as pa

        blocks = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        return pa.table(
            {
                "block": pa.array(blocks),
                "record": pa.array(self.records, mask=self.records == DUMMY),
            }
        )


def assign_records(blocks: Blocks, table: Any, *, rng: Randomness | None = None) -> Assigned:
    """Put a party's records into its blocks, and pad or cut each at random to its public size.

    Records that do not lie in the domain are in no block. Which records are left out, and the order
    of records and dummies, is drawn with the operating system's randomness. The result is private:
    see the top of this file for who learns what.

    Parameters
    ----------
    blocks
        The party's own side of `hushgram.match_blocks`.
    table
        Its records: a mapping, or a pandas, Polars or Arrow table, with the domain's columns.
    """
    domain = blocks.partition.domain
    indices = np.stack(row_indices(domain, domain.names, table), axis=1)
    kept = np.flatnonzero((indices >= 0).all(axis=1))
    parts = blocks.partition.parts(list(indices[kept].T))
    return Assigned(*fitted(parts, kept, blocks.sizes, rng or System()), rows=len(indices))


def fitted(parts: Ints, records: Ints, sizes: Ints, rng: Randomness) -> tuple[Ints, Ints]:
    """Each block's records in random order, cut to its size or padded; and where blocks start."""
    found = np.bincount(parts, minlength=len(sizes))
    dummies = np.maximum(sizes - found, 0)
    everyone = np.concatenate([records, np.full(dummies.sum(), DUMMY)])
    where = np.concatenate([parts, np.repeat(np.arange(len(sizes)), dummies)])
    order = np.lexsort((rng.random(len(where)), where))
    bounds = np.concatenate([[0], np.cumsum(np.maximum(found, sizes))])
    within = np.arange(len(where)) - bounds[where[order]]
    chosen = order[within < sizes[where[order]]]
    return everyone[chosen], np.concatenate([[0], np.cumsum(sizes)])


def candidate_pairs(matched: BlockPairs, first: Assigned, second: Assigned) -> Any:
    """All pairs of records to compare, without dummies, as an Arrow table with the columns
    ``first`` and ``second``: numbers of rows. PRIVATE, and in the clear: see the top of this file.

    For the package recordlinkage:
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
class Measured:
    """How well blocks did, against the truth. PRIVATE."""

    reduction_ratio: float
    """The share of all pairs of records that were not compared; comparisons with dummies count."""
    recall: float
    """The share of the matches that were compared."""


def measure(matched: BlockPairs, first: Assigned, second: Assigned, matches: Any) -> Measured:
    """Reduction ratio and recall, if the matches are known: pairs of row numbers of both tables."""
    truth = np.asarray(matches, dtype=np.int64).reshape(-1, 2)
    if len(truth) == 0 or first.rows * second.rows == 0:
        raise QuestionError("recall is measured on known matches, and there are none.")
    blocks = [place_of(side)[truth[:, n]] for n, side in enumerate((first, second))]
    size = len(second.starts)
    wanted = set((matched.pairs[:, 0] * size + matched.pairs[:, 1]).tolist())
    pairs = np.where((blocks[0] < 0) | (blocks[1] < 0), -1, blocks[0] * size + blocks[1])
    compared = np.isin(pairs, list(wanted))
    return Measured(1 - matched.comparisons / (first.rows * second.rows), float(compared.mean()))


def place_of(side: Assigned) -> Ints:
    """The block of each record of a table, -1 if it was left out."""
    found = np.full(side.rows, -1)
    blocks = np.repeat(np.arange(len(side.starts) - 1), np.diff(side.starts))
    real = side.records != DUMMY
    found[side.records[real]] = blocks[real]
    return found
