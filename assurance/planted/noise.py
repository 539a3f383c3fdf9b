"""Bugs in the samplers and in their source of random bits."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np

from assurance.planted.bug import Bug, instead
from hushgram.trusted.noise import entropy, laplace
from hushgram.trusted.noise.source import Native

RIGHT = laplace.add_discrete_laplace


def float_noise(self: Any, values: Any, scale: Fraction) -> Any:
    """Draw by the inverse of the Laplace distribution in doubles, rounded."""
    u = np.random.default_rng().random(len(values)) - 0.5
    noise = -float(scale) * np.sign(u) * np.log1p(-2 * np.abs(u))
    return values + np.round(noise).astype(np.int64)


def unrounded_noise(self: Any, values: Any, scale: Fraction) -> Any:
    u = np.random.default_rng().random(len(values)) - 0.5
    return values - float(scale) * np.sign(u) * np.log1p(-2 * np.abs(u))


def cut_first(self: Any, values: Any, scale: Fraction) -> Any:
    """Clamp a draw to 64 bits before adding it."""
    with np.errstate(over="ignore"):
        return values + laplace.discrete_laplace(scale, len(values))


def bounded_noise(self: Any, values: Any, scale: Fraction) -> Any:
    most = min(math.ceil(5 * scale), 2**61)
    return np.clip(RIGHT(values, scale), values - most, values + most)


def one_sided(self: Any, values: Any, scale: Fraction) -> Any:
    return np.maximum(RIGHT(values, scale), values)


def rounded_scale(self: Any, values: Any, scale: Fraction) -> Any:
    return RIGHT(values, Fraction(max(int(scale), 1)))


def half_scale(self: Any, values: Any, scale: Fraction) -> Any:
    return RIGHT(values, scale / 2)


def one_for_all(self: Any, values: Any, scale: Fraction) -> Any:
    return values + RIGHT(np.zeros(1, dtype=np.int64), scale)


def twice_used(self: Any, values: Any, scale: Fraction) -> Any:
    """Use the noise of the first half of an answer with the opposite sign for the second half."""
    half = RIGHT(np.zeros(-(-len(values) // 2), dtype=np.int64), scale)
    return values + np.concatenate([half, -half])[: len(values)]


def best(self: Any, scores: Any, rate: Fraction, many: Any = None) -> int:
    """Return the best candidate instead of a random one."""
    place = int(np.argmax(scores))
    return place if many is None else int(many[:place].sum())


def seeded_words(size: int) -> Any:
    return np.random.default_rng(7).integers(0, 2**64, size, dtype=np.uint64)


class Buffered:
    """Returns words from a buffer that a forked child shares with its parent."""

    def __init__(self) -> None:
        self.store = np.random.default_rng().integers(0, 2**64, 1 << 20, dtype=np.uint64)
        self.used = count()

    def __call__(self, size: int) -> Any:
        places = np.arange(size) + 64 * next(self.used)
        return np.take(self.store, places, mode="wrap")


BUGS = (
    Bug("half-scale", "noise of half the scale",
        instead(Native, "add_discrete_laplace", half_scale), ("noise", "PartCounts", "identity")),
    Bug("rounded-scale", "scales rounded down to whole numbers",
        instead(Native, "add_discrete_laplace", rounded_scale), ("noise", "PartCounts")),
    Bug("float-noise", "noise from doubles, rounded to integers",
        instead(Native, "add_discrete_laplace", float_noise), ("noise", "PartCounts")),
    Bug("unrounded-noise", "noise from doubles, not rounded",
        instead(Native, "add_discrete_laplace", unrounded_noise), ("noise",)),
    Bug("cut-before-adding", "draws cut to 64 bits before they are added",
        instead(Native, "add_discrete_laplace", cut_first), ("noise", "PartCounts")),
    Bug("clipped-noise", "noise cut at five scales",
        instead(Native, "add_discrete_laplace", bounded_noise), ("noise", "PartCounts")),
    Bug("one-sided-noise", "noise that only adds",
        instead(Native, "add_discrete_laplace", one_sided), ("noise", "PartCounts", "identity")),
    Bug("one-draw-for-all", "one draw for all cells",
        instead(Native, "add_discrete_laplace", one_for_all), ("noise", "PartCounts")),
    Bug("noise-used-twice", "half of the cells have the noise of the others with the sign flipped",
        instead(Native, "add_discrete_laplace", twice_used), ("noise", "PartCounts")),
    Bug("best-choice", "the best candidate instead of a random one",
        instead(Native, "exponential", best), ("noise", "structure-first")),
    Bug("seed-reused", "a generator with one seed in each call",
        instead(entropy, "words", seeded_words), ("noise", "identity")),
    Bug("stream-shared-by-forks", "random words from a store that forks share",
        instead(entropy, "words", Buffered()), ("noise",)),
)  # fmt: skip
