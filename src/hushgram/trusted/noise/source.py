"""Noise implementations: this package, or OpenDP."""

from __future__ import annotations

import math
from fractions import Fraction
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from hushgram.errors import BadInput, MissingExtra
from hushgram.trusted.noise import cauchy, choice, choices, laplace, nested
from hushgram.trusted.noise.entropy import Ints


class Noise(Protocol):
    """The samplers that the vault needs. Every call draws new randomness; none takes a seed."""

    def add_discrete_laplace(self, values: Ints, scale: Fraction) -> Ints:
        """Add draws with P(k) ∝ exp(-|k| / scale) to ``values``, and clamp the sums to int64."""

    def discrete_laplace_wide(self, scale: Fraction, size: int) -> list[int]:
        """Draw from the same distribution, with integers of any size."""

    def add_nested_laplace(self, values: Ints, right: Ints, weights: Ints, scale: Fraction) -> Ints:
        """Add joint noise with P(z) ∝ exp(-Σ rate |z of node|) to the ``values`` of the leaves of a
        forest, and clamp the sums to int64. The rates on each path add up to 1 / scale."""

    def exponential(self, scores: Ints, rate: Fraction, many: Ints | None = None) -> int:
        """Draw an index i with probability ∝ exp(rate · scores[i]); each score occurs ``many``
        times."""

    def exponential_each(self, scores: Ints, starts: Ints, rate: Fraction, many: Ints) -> Ints:
        """Draw such an index for each list of scores, from ``starts[k]`` to ``starts[k + 1]``."""

    def discrete_cauchy(self, scale: Fraction) -> int:
        """Draw an integer of any size with P(z) ∝ 1 / (scale² + z²)."""


class Native:
    """The samplers of this package."""

    def add_discrete_laplace(self, values: Ints, scale: Fraction) -> Ints:
        """See `hushgram.trusted.noise.add_discrete_laplace`."""
        return laplace.add_discrete_laplace(values, scale)

    def discrete_laplace_wide(self, scale: Fraction, size: int) -> list[int]:
        """See `hushgram.trusted.noise.discrete_laplace_wide`."""
        return laplace.discrete_laplace_wide(scale, size)

    def add_nested_laplace(self, values: Ints, right: Ints, weights: Ints, scale: Fraction) -> Ints:
        """See `hushgram.trusted.noise.nested.add_nested_laplace`."""
        return nested.add_nested_laplace(values, right, weights, scale)

    def exponential(self, scores: Ints, rate: Fraction, many: Ints | None = None) -> int:
        """See `hushgram.trusted.noise.exponential`."""
        return choice.exponential(scores, rate, many)

    def exponential_each(self, scores: Ints, starts: Ints, rate: Fraction, many: Ints) -> Ints:
        """See `hushgram.trusted.noise.choices.exponential_each`."""
        return choices.exponential_each(scores, starts, rate, many)

    def discrete_cauchy(self, scale: Fraction) -> int:
        """See `hushgram.trusted.noise.discrete_cauchy`."""
        return cauchy.discrete_cauchy(scale)


class OpenDP(Native):
    """OpenDP's sampler for `add_discrete_laplace`, about a hundred times slower.

    The others are native, because OpenDP's samplers return 64-bit integers and take scores as
    floats.
    """

    def __init__(self) -> None:
        try:
            self._dp: Any = import_module("opendp.prelude")
        except ImportError as missing:
            raise MissingExtra("opendp", "opendp", 'noise="opendp"') from missing
        self._dp.enable_features("contrib")

    def add_discrete_laplace(self, values: Ints, scale: Fraction) -> Ints:
        """Add noise with OpenDP's vector Laplace measurement, which clamps the exact sums.

        OpenDP takes the scale as a double. It gets the smallest double that is at least `scale`, so
        rounding never weakens the guarantee.
        """
        scale, size = laplace.check_arguments(scale, len(values))
        if size == 0:
            return np.empty(0, dtype=np.int64)
        space = self._dp.vector_domain(self._dp.atom_domain(T="i64")), self._dp.l1_distance(T="i64")
        draw = self._dp.m.make_laplace(*space, scale=double_above(scale))
        return np.array(draw(values.tolist()), dtype=np.int64)


def double_above(value: Fraction) -> float:
    """Return the smallest double ≥ value.

    >>> Fraction(double_above(Fraction(1, 10))) >= Fraction(1, 10)
    True
    >>> Fraction(double_above(Fraction(1, 3))) >= Fraction(1, 3)
    True
    >>> double_above(Fraction(5, 4))
    1.25
    """
    try:
        nearest = float(value)
    except OverflowError:
        nearest = math.inf
    above = nearest if nearest >= value else math.nextafter(nearest, math.inf)
    if math.isinf(above):
        raise BadInput('The scale is too large for noise="opendp". Use noise="native".')
    return above


def source(name: str) -> Noise:
    """Return the noise implementation with this name: "native" or "opendp"."""
    if name == "native":
        return Native()
    if name == "opendp":
        return OpenDP()
    raise BadInput(f'Unknown noise={name!r}. Use "native" or "opendp".')
