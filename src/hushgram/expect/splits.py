"""Divide rows between halves of halves, as the rows of public tables are divided.

A box of rows is halved on its widest side, again and again, until single rows or single indices are
left. How a half shares the rows with the other follows one of the kinds of `split_kinds`, and the
kinds of splits below each other form the Markov chain that was fitted on public tables.

Rows on a street, or at a round number, are on the same side of a cut in all boxes along it. So some
splits are drawn *together*: all boxes that are cut at the same place of an axis use the same random
rank, and have the row-rich half on the same side.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints
from hushgram.mechanisms.inference.split_kinds import (
    EMPTY_HALF,
    KINDS,
    SPREADS,
    STRENGTHS,
    Prior,
)

RANKS = 1 << 12
"""The number of quantiles of each kind that shares are chosen from."""

COMMON = 1 << 15
"""The number of ranks that boxes share. If there are more places, some use the same rank."""


class Crowds(NamedTuple):
    """Boxes of indices with rows, and the kind of the next split of each."""

    lower: Ints
    upper: Ints
    rows: Ints
    kinds: Ints

    def where(self, some: npt.NDArray[np.bool_]) -> Crowds:
        return Crowds(*(column[some] for column in self))


@dataclass(frozen=True, eq=False)
class Splitter:
    """Divides boxes of rows until each row has a place."""

    shape: Floats
    """The number of indices of each axis."""
    prior: Prior
    together: Floats
    """The share of splits across each axis that are drawn together."""
    rng: Generator

    @cached_property
    def ranks(self) -> Floats:
        return self.rng.random(COMMON)

    def place(self, crowds: Crowds) -> Floats:
        """Return a position for each row (rows x axes)."""
        found = [np.empty((0, len(self.shape)))]
        while len(crowds.rows):
            widths = crowds.upper - crowds.lower
            sides = np.where(widths > 1, widths / self.shape, 0.0)
            done = (crowds.rows == 1) | (sides.max(axis=1) == 0)
            found.append(self.scatter(crowds.where(done)))
            crowds = self.halve(crowds.where(~done), sides[~done].argmax(axis=1))
        return np.concatenate(found)

    def scatter(self, crowds: Crowds) -> Floats:
        """Return positions anywhere in the boxes."""
        low, high = (np.repeat(ends, crowds.rows, axis=0) for ends in crowds[:2])
        found = low + self.rng.random(low.shape) * (high - low)
        return np.asarray(np.minimum(found, np.nextafter(high.astype(np.float64), 0)))

    def halve(self, crowds: Crowds, axes: Ints) -> Crowds:
        """Return the halves that have rows, of boxes that are cut across these axes."""
        each = np.arange(len(axes))
        starts, stops = crowds.lower[each, axes], crowds.upper[each, axes]
        shares = quantiles()[crowds.kinds, self.draw_ranks(axes, starts, stops)]
        lower, upper = crowds.lower.copy(), crowds.upper.copy()
        upper[each, axes] = lower[each, axes] = (starts + stops) // 2
        below = self.rng.binomial(crowds.rows, shares)
        halves = Crowds(
            np.concatenate([crowds.lower, lower]),
            np.concatenate([upper, crowds.upper]),
            np.concatenate([below, crowds.rows - below]),
            np.tile(crowds.kinds, 2),
        )
        found = halves.where(halves.rows > 0)
        return found._replace(kinds=draw_kinds(self.prior.transitions[found.kinds], self.rng))

    def draw_ranks(self, axes: Ints, starts: Ints, stops: Ints) -> Ints:
        """Return a random rank for each split; often the same for all at the same place."""
        places = hash_places((starts * len(self.shape) + axes) * HASH + stops)
        own, chance = self.rng.random((2, len(axes)))
        ranks = np.where(chance < self.together[axes], self.ranks[places], own)
        return (ranks * RANKS).astype(np.int64)


HASH = 0x9E3779B1
"""An odd number close to 2^32 over the golden ratio, for multiplicative hashing."""


def hash_places(places: Ints) -> Ints:
    """Return a number below `COMMON` for each place."""
    return np.asarray((places * HASH >> 16) % COMMON)


def draw_kinds(chances: Floats, rng: Generator) -> Ints:
    """Return a kind for each row of probabilities."""
    ends = np.cumsum(chances, axis=1)
    below = rng.random((len(chances), 1)) * ends[:, -1:] >= ends
    return np.asarray(np.minimum(below.sum(axis=1), KINDS - 1))


@lru_cache(maxsize=1)
def quantiles() -> Floats:
    """Return the quantiles of the lower half's share: kinds x `RANKS`."""
    from scipy.stats import beta, norm

    ranks = (np.arange(RANKS) + 0.5) / RANKS
    found = np.empty((KINDS, RANKS))
    for kind, (strength, spread) in enumerate(zip(STRENGTHS, SPREADS, strict=True)):
        even = np.clip(0.5 + spread * norm.ppf(ranks), 0, 1)
        found[kind] = beta.ppf(ranks, strength, strength) if strength else even
    found[EMPTY_HALF] = ranks > 0.5
    return found
