"""Noise drawn in advance, so that millions of runs of a mechanism are affordable. NONPRIVATE."""

from __future__ import annotations

from collections import OrderedDict
from fractions import Fraction

import numpy as np

from hushgram.geometry.partition import Ints
from hushgram.trusted.noise import Native

MOST = 1 << 16
"""The maximum number of draws to make at once."""

SCALES = 1 << 10
"""The number of scales whose draws are kept."""


class Stocked(Native):
    """Native noise, drawn in large batches, with each draw used once.

    A call of the sampler costs far more than a draw, and a mechanism on a small table needs a few
    draws in each of a few calls. So each batch for a scale is twice as large as all before it.
    Nothing that publishes may do this: a stock is noise that is known before its use, and forked
    processes would share it.
    """

    def __init__(self) -> None:
        self._stocks: OrderedDict[Fraction, Stock] = OrderedDict()

    def add_discrete_laplace(self, values: Ints, scale: Fraction) -> Ints:
        stock = self._stocks.get(scale)
        if stock is None:
            stock = self._stocks[scale] = Stock(scale)
            if len(self._stocks) > SCALES:
                self._stocks.popitem(last=False)
        return values + stock.take(len(values))


class Stock:
    """A stock of draws with one scale."""

    def __init__(self, scale: Fraction) -> None:
        self._scale = scale
        self._draws = np.empty(0, dtype=np.int64)
        self._used = 0

    def take(self, size: int) -> Ints:
        if self._used + size > len(self._draws):
            many = max(size, min(MOST, 2 * len(self._draws)))
            zeros = np.zeros(many, dtype=np.int64)
            self._draws = Native().add_discrete_laplace(zeros, self._scale)
            self._used = 0
        self._used += size
        return self._draws[self._used - size : self._used]
