"""The results of an index for many queries at once."""

from __future__ import annotations

from typing import NamedTuple

from hushgram.declare.axis import Floats


class Sums(NamedTuple):
    """The sums of many queries, one number per query."""

    value: Floats
    partial: Floats
    """The part of the value that comes from parts that the query cuts."""
    variance: Floats
    fourths: Floats
    """The variance with fourth powers of the parts' weights instead of squares, for counts that
    were measured once."""
    largest: Floats
    """The largest weight of a part."""


COLUMNS = len(Sums._fields)
VALUE, PARTIAL, VARIANCE, FOURTHS, LARGEST = range(COLUMNS)
"""The columns of a compiled loop's result, with a row per query."""
