"""Paper 003's four histograms, and stand-ins for them. NONPRIVATE."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.geometry import hilbert
from hushgram.geometry.partition import Ints
from reproduction.data import numbers, places, table_file
from reproduction.findings import short


class Facts(NamedTuple):
    """A line of Table 1."""

    bins: int
    empty: int
    rows: int
    variance: float
    largest: int


@dataclass(frozen=True)
class PaperSet:
    """A data set of the paper, the data that its stand-in is shaped after, and the KLDs of AHP, NF,
    SF, PHP and GS in Tables 2, 3 and 4."""

    name: str
    figure: int
    facts: Facts
    sorted: bool
    shape: Callable[[], tuple[str, Floats]]
    printed: dict[str, tuple[float, float, float, float, float]]

    def make(self) -> tuple[str, Ints]:
        """Return a description of the stand-in, and its counts."""
        about, shares = self.shape()
        counts = like(shares, self.facts)
        if self.sorted:
            return f"{about}, sorted", np.sort(counts)[::-1].copy()
        return about, counts

    @property
    def even(self) -> float:
        """An upper bound on the KLD of a constant histogram, from Table 1 alone: a divergence is at
        most the logarithm of one plus χ², which is the variance divided by the squared mean."""
        return math.log1p(self.facts.variance / (self.facts.rows / self.facts.bins) ** 2)


def like(shares: Floats, facts: Facts) -> Ints:
    """Return counts that increase with the shares and match Table 1: empty bins, rows, the largest
    count and, by a power of the shares, the variance. Ties are broken at random."""
    lots = np.random.default_rng(1).random(facts.bins)
    kept = np.lexsort((lots, -shares))[: facts.bins - facts.empty]
    chosen = np.maximum(shares[kept], shares[shares > 0].min() / 2)
    chosen = chosen / chosen.max()

    def spread(power: float) -> Ints:
        return fill_bins(chosen**power, facts.rows, facts.largest)

    def enough(power: float) -> bool:
        wanted = facts.variance + (facts.rows / facts.bins) ** 2
        return float((spread(power) ** 2).sum()) / facts.bins >= wanted

    counts = np.zeros(facts.bins, dtype=np.int64)
    counts[kept] = spread(first(enough, 0.0, 6.0))
    return counts


def fill_bins(weights: Floats, rows: int, largest: int) -> Ints:
    """Distribute this many rows by weights, with at least one in each bin and at most
    ``largest``."""

    def counts(logarithm: float) -> Floats:
        return np.asarray(np.clip(math.exp(logarithm) * weights, 1, largest))

    top = math.log(largest / weights.min())
    found = counts(first(lambda one: counts(one).sum() >= rows, 0.0, top))
    whole = np.floor(found).astype(np.int64)
    rest = np.argsort(whole - found, kind="stable")[: max(rows - int(whole.sum()), 0)]
    whole[rest] += 1
    return whole


def first(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return the point from which something holds, by bisection.

    >>> round(first(lambda x: x * x >= 2, 0, 2), 6)
    1.414214
    """
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def facts_line(counts: Ints) -> str:
    """Return a line of Table 1 for these counts."""
    return (
        f"{int(counts.sum()):,} rows in {len(counts):,} bins, {int((counts == 0).sum()):,} of them "
        f"empty, variance {short(float(counts.var()))}, at most {int(counts.max()):,}"
    )


def location() -> tuple[str, Floats]:
    """Return cells along a Hilbert curve, because meshblocks are numbered from neighbour to
    neighbour."""
    where = places()
    shape = (103, 75)
    shares, *_ = np.histogram2d(
        where[:, 0], where[:, 1], bins=shape, range=((-180, 180), (-60, 80))
    )
    cells = np.stack(np.unravel_index(np.arange(shares.size), shape), axis=1)
    along = np.argsort(hilbert.places(cells, hilbert.bits_for(shape)))
    return (
        "places of the world (GeoNames) in 103 x 75 cells along a Hilbert curve, since meshblocks "
        "are numbered from neighbour to neighbour",
        shares.reshape(-1)[along],
    )


def social_network() -> tuple[str, Floats]:
    path = table_file("musae_github_degrees")
    if path is None:
        return "log-normal degrees", np.random.default_rng(11).lognormal(3.5, 1.05, 11_342)
    degrees = np.sort(numbers(path, "degree")[:, 0])[::-1][:11_342]
    return "the 11,342 developers of GitHub with most followers", degrees


def search_log() -> tuple[str, Floats]:
    """Return how often a name is searched, following the paper's description: intervals of 90
    minutes over years, more than half of them without a search, and at most 496."""
    rng = np.random.default_rng(12)
    hours = np.arange(32_768) * 1.5
    years = np.linspace(0, 1, len(hours))
    fame = 6 * years + np.cumsum(rng.normal(0, 0.01, len(hours)))
    day = np.cos((hours / 24 - 0.8) * 2 * np.pi)
    news = np.zeros(len(hours))
    for start in rng.integers(0, len(hours), 60):
        news[start:] += rng.pareto(1.5) * np.exp(-np.arange(len(hours) - start) / 48)
    shares = np.exp(fame + day) * (1 + news) * rng.lognormal(0, 0.3, len(hours))
    return (
        "generated searches for a name per 90 minutes: it becomes better known over the years, "
        "is searched more by day than by night, and events bring bursts of several days",
        shares,
    )


def net_trace() -> tuple[str, Floats]:
    path = table_file("geolite2_networks_per_slash16")
    rng = np.random.default_rng(13)
    if path is None:
        return "shares with a heavy tail", rng.pareto(1.1, 65_536)
    return "networks per block of addresses (GeoLite2)", numbers(path, "count")[:, 0]


SETS = (
    PaperSet("Location", 2, Facts(7_725, 4_720, 186_471, 4764.57, 467), False, location, {
        "1": (0.018, 0.843, 1.242, 0.621, 1.451),
        "0.1": (0.203, 1.381, 2.983, 0.805, 1.539),
        "0.01": (0.467, 2.588, 4.948, 1.076, 3.803),
    }),
    PaperSet("Social Network", 3, Facts(11_342, 0, 674_736, 2995, 1_678), True, social_network, {
        "1": (0.071, 1.001, 2.051, 0.801, 2.611),
        "0.1": (0.309, 2.753, 2.054, 0.602, 3.251),
        "0.01": (0.825, 3.099, 6.058, 1.019, 5.112),
    }),
    PaperSet("Search Log", 4, Facts(32_768, 17_082, 335_872, 577.31, 496), False, search_log, {
        "1": (0.054, 1.582, 2.085, 0.132, 2.115),
        "0.1": (0.103, 2.467, 3.457, 0.159, 4.157),
        "0.01": (0.189, 5.584, 5.340, 0.86, 7.046),
    }),
    PaperSet("NetTrace", 5, Facts(65_536, 63_318, 25_559, 91.01, 1_423), True, net_trace, {
        "1": (0.153, 2.839, 3.835, 0.904, 4.816),
        "0.1": (0.572, 4.726, 4.359, 2.026, 6.917),
        "0.01": (1.229, 6.926, 6.841, 2.280, 8.187),
    }),
)  # fmt: skip
