"""What an index finds for many questions at once."""

from __future__ import annotations

from typing import NamedTuple

from hushgram.declare.axis import Floats


class Sums(NamedTuple):
    """One number per question."""

    value: Floats
    partial: Floats
    """The part of the value that comes from parts which the question cuts."""
    variance: Floats
    fourths: Floats
    """The variance again, by the fourth power of each part's weight rather than its square;
    for counts that were measured once."""
    largest: Floats
    """The largest weight of a part."""


COLUMNS = len(Sums._fields)
VALUE, PARTIAL, VARIANCE, FOURTHS, LARGEST = range(COLUMNS)
"""The columns of what a compiled loop finds, a row per question."""
