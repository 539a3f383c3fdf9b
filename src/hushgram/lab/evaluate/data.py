"""True counts under a name, scaled to a number of rows and to a shape. NONPRIVATE.

As in DPBench, rows are sampled, then cells are merged. Fewer rows than there are get sampled
without replacement; more are drawn from the shares of the cells.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator

from hushgram.declare.domain import Domain
from hushgram.errors import BadInput
from hushgram.geometry.partition import Grid, Ints
from hushgram.lab.evaluate.patterns import Shape, normal
from hushgram.trusted.engine.sources.counted import Counts

HYPERGEOMETRIC = 10**9
"""Numpy samples without replacement from fewer rows than this."""


@dataclass(frozen=True, eq=False)
class DataSet:
    """A name and true counts. NONPRIVATE."""

    name: str
    counts: Ints

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", Counts(self.counts).array)

    def __repr__(self) -> str:
        return f"DataSet({self.name}, {self.rows} rows in {format_shape(self.shape)} cells)"

    @property
    def rows(self) -> int:
        return int(self.counts.sum())

    @property
    def shape(self) -> Shape:
        return self.counts.shape

    @property
    def domain(self) -> Domain:
        return Counts(self.counts).domain

    @cached_property
    def digest(self) -> str:
        """A hash that identifies these counts."""
        text = f"{self.shape}".encode() + self.counts.astype("<i8").tobytes()
        return hashlib.sha256(text).hexdigest()[:16]

    def rescale(
        self, rows: int | None = None, shape: Shape | None = None, seed: int = 0
    ) -> DataSet:
        """Sample this many rows, and merge cells to this shape.

        >>> wide = DataSet("mine", np.array([10, 20, 30, 40])).rescale(50, (2,))
        >>> wide.rows, wide.shape
        (50, (2,))
        """
        counts = self.counts
        if rows is not None and rows != self.rows:
            counts = sample_rows(counts, rows, np.random.default_rng(seed))
        if shape is not None and shape != self.shape:
            counts = coarsen(counts, shape, self.name)
        return DataSet(self.name, counts)


def sample_rows(counts: Ints, rows: int, rng: Generator) -> Ints:
    """Sample this many rows."""
    flat, total = counts.reshape(-1), int(counts.sum())
    if total == 0:
        raise BadInput(f"A data set without rows cannot be scaled to {rows:,} rows.")
    if rows < total < HYPERGEOMETRIC:
        found = rng.multivariate_hypergeometric(flat, rows, method="marginals")
    else:
        found = rng.multinomial(rows, normal(flat.astype(np.float64)))
    return np.asarray(found, dtype=np.int64).reshape(counts.shape)


def coarsen(counts: Ints, shape: Shape, name: str) -> Ints:
    """Merge neighbouring cells, about the same number into each new cell."""
    if len(shape) != counts.ndim or any(m > n for m, n in zip(shape, counts.shape, strict=True)):
        raise BadInput(
            f"{name} has {format_shape(counts.shape)} cells, which cannot be merged into "
            f"{format_shape(shape)}."
        )
    grid = Grid(Counts(counts).domain, shape)
    return np.asarray(grid.sum_cells(counts.reshape(-1)).reshape(shape))


def format_shape(shape: Shape) -> str:
    """Format the number of cells per axis.

    >>> format_shape((64, 32))
    '64x32'
    """
    return "x".join(map(str, shape))
