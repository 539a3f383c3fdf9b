"""Limits on the size of a choice of boundaries. Public, and checked before anything is charged.

Scores of boundaries are squared errors in integers (`hushgram.trusted.vault.scores.boundaries`).
"""

from __future__ import annotations

SCALE = 256
"""Errors are integer multiples of 1 / SCALE."""

LIMIT = 2 * 10**7
"""Cells times groups: takes 160 MB and about ten seconds, or a minute on a long smooth curve."""

QUICK = 2 * 10**6
"""Cells times groups that take about a second."""


def fits_64_bits(cells: int, bound: int) -> bool:
    """Whether the errors of ``cells`` counts, each at most ``bound``, fit in 64 bits."""
    return max(cells * bound**2, cells**2) * SCALE < 2**62


def max_groups(cells: int) -> int:
    """The number of groups that `LIMIT` allows, 0 if there are too many cells.

    >>> [max_groups(cells) for cells in (4096, 32_768, 10**6, 10**8)]
    [4882, 610, 20, 0]
    """
    return LIMIT // cells
