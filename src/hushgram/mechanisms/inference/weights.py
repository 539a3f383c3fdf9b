"""Sparse matrices of weights, with one row per weighted sum and one column per part."""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints

Matrix = Any
"""A sparse matrix of SciPy."""


def sum_powers(rows: Matrix, power: int) -> Floats:
    """The sum of a power of each row's entries."""
    return np.asarray((rows**power).sum(axis=1), dtype=np.float64).reshape(-1)


def matrix_by_column(entries: Floats, rows: Ints, counts: Ints, size: int) -> Matrix:
    """A matrix from its entries column by column, with ``counts`` entries in each. Duplicate
    entries are added up."""
    from scipy.sparse import csc_array

    places = np.concatenate([[0], np.cumsum(counts)])
    found = csc_array((entries, rows, places), shape=(size, len(counts)))
    found.sum_duplicates()
    return found.tocsr()


def membership(groups: Ints, shares: Floats) -> Matrix:
    """The matrix members x groups, with the share of each member in its group."""
    from scipy.sparse import csr_array

    places = np.arange(len(groups) + 1)
    return csr_array((shares, groups, places), shape=(len(groups), int(groups.max()) + 1))


def apply_along(matrix: Matrix, table: Floats, axis: int) -> Floats:
    """Apply a matrix along one axis of a table, with shortcuts for the identity and for the sum of
    everything."""
    rows, columns = matrix.shape
    ones = (matrix.data == 1).all()
    if ones and matrix.nnz == rows == columns and (matrix.diagonal() == 1).all():
        return table
    if ones and matrix.nnz == rows * columns:
        whole = table.sum(axis=axis, keepdims=True)
        return np.asarray(np.repeat(whole, rows, axis=axis))
    lines = np.moveaxis(table, axis, 0)
    found = matrix @ np.ascontiguousarray(lines).reshape(columns, -1)
    return np.moveaxis(found.reshape(rows, *lines.shape[1:]), 0, axis)
