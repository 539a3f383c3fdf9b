"""How large a choice of boundaries may be: public limits, checked before anything is charged.

Scores of boundaries are squared errors in integers (`hushgram.trusted.vault.scores.boundaries`).
"""

from __future__ import annotations

SCALE = 256
"""Errors are whole multiples of 1 / SCALE."""

LIMIT = 4 * 10**10
"""Additions that the dynamic programme may take: some ten seconds."""

PER_ERROR = 20
"""Additions that take as long as the error of one group, with its two divisions."""


def fits_64_bits(cells: int, bound: int) -> bool:
    """Whether the errors of so many counts, each up to the bound, stay inside 64 bits."""
    return max(cells * bound**2, cells**2) * SCALE < 2**62


def count_additions(cells: int, groups: int) -> int:
    """What the dynamic programme needs, in additions."""
    return cells**2 * (groups + PER_ERROR)


def max_groups(cells: int) -> int:
    """The groups that `LIMIT` allows; fewer than one if there are too many cells.

    >>> [max_groups(cells) for cells in (4096, 10_000, 40_000, 50_000)]
    [2364, 380, 5, -4]
    """
    return LIMIT // cells**2 - PER_ERROR
