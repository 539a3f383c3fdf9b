"""Randomness by script, the exact law in high precision, and a test of goodness of fit."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from math import exp, expm1, floor, log

import numpy as np
import pytest
from scipy import stats

from hushgram.trusted.noise import entropy

CELLS = 32


class Exhausted(Exception):
    """A scripted source has no words left."""


class Goodness:
    """Pearson's chi-square test of a sample against the discrete Laplace law."""

    def p_value(self, sample: Sequence[int], scale: Fraction) -> float:
        """How likely a sample of this law fits no better."""
        edges = self.edges(scale)
        expected = np.diff([0.0, *(self.below(e, scale) for e in edges), 1.0]) * len(sample)
        seen = np.bincount([bisect_left(edges, k) for k in sample], minlength=len(edges) + 1)
        return float(stats.chisquare(seen, expected, sum_check=False).pvalue)

    def edges(self, scale: Fraction) -> list[int]:
        """Upper ends (inclusive) of cells of about equal probability."""
        ends = {self.quantile(j / CELLS, scale) for j in range(1, CELLS)}
        return sorted(ends | {-1, 0} if scale < 10**4 else ends)

    @staticmethod
    def below(k: int, scale: Fraction) -> float:
        """P(· ≤ k)."""
        negative = exp(-1 / scale) / (1 + exp(-1 / scale))
        if k < 0:
            return negative * exp(-(-k - 1) / scale)
        return 1 - negative * exp(-k / scale)

    @staticmethod
    def quantile(p: float, scale: Fraction) -> int:
        side = floor(-float(scale) * log(2 * min(p, 1 - p)))
        return -side if p < 0.5 else side


@pytest.fixture
def goodness() -> Goodness:
    return Goodness()


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[[Iterable[int]], None]:
    """Replace the operating system's words by these."""

    def install(values: Iterable[int]) -> None:
        left = iter(list(values))

        def words(count: int) -> np.ndarray:
            try:
                return np.array([next(left) for _ in range(count)], dtype=np.uint64)
            except (StopIteration, RuntimeError):
                raise Exhausted from None

        monkeypatch.setattr(entropy, "words", words)

    return install


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of words asked for so far."""
    asked: list[int] = []
    genuine = entropy.words

    def words(count: int) -> np.ndarray:
        asked.append(count)
        return genuine(count)

    monkeypatch.setattr(entropy, "words", words)
    return asked


@pytest.fixture
def exhausted() -> type[Exception]:
    return Exhausted


@pytest.fixture
def exp100() -> Callable[[Fraction], Decimal]:
    """exp(-x) to 100 digits, by another library."""

    def value(x: Fraction) -> Decimal:
        with localcontext() as context:
            context.prec = 120
            return (-Decimal(x.numerator) / Decimal(x.denominator)).exp()

    return value


def _two_sided(rng: np.random.Generator, scale: float, size: int) -> np.ndarray:
    p = -expm1(-1 / scale)
    return rng.geometric(p, size) - rng.geometric(p, size)


@pytest.fixture
def pretender() -> Callable[[np.random.Generator, float, int], np.ndarray]:
    """The same law from floats and a seed: good enough to test the test with."""
    return _two_sided
