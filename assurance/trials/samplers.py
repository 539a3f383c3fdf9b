"""Check the noise: its distribution, its support, its freshness. NONPRIVATE."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from assurance.tally import tallied_bound, tally_of
from hushgram.lab.audit import ALPHA
from hushgram.trusted.noise import Native, entropy
from hushgram.trusted.noise.entropy import Ints

LEVEL = ALPHA / 100


def whole_numbers() -> None:
    """Noisy numbers are integers, for any scale."""
    for scale in (Fraction(1, 3), Fraction(7, 2), Fraction(2**40)):
        noisy = Native().add_discrete_laplace(np.array([5, 0]), scale)
        assert noisy.dtype == np.int64, f"noise makes {noisy.dtype} of int64"


def low_bits() -> None:
    """If noise is huge, the last bits of a sum reveal nothing about the exact number."""
    scale, runs = Fraction(2**60), 300
    seen = [
        [
            tally_of(Native().add_discrete_laplace(np.full(runs, value), scale) & 255)
            for value in (0, 1)
        ]
        for _ in range(2)
    ]
    bound = tallied_bound((seen[0][0], seen[0][1]), (seen[1][0], seen[1][1]), LEVEL)
    assert bound.epsilon == 0, (
        f"the last 8 bits tell 0 from 1: epsilon at least {bound.epsilon:.2f}"
    )


def edges() -> None:
    """At scales where sums exceed 64 bits, only the two ends occur repeatedly."""
    for value in (5, -5):
        sums = Native().add_discrete_laplace(np.full(2000, value), Fraction(2**62)).tolist()
        often = {one: n for one, n in Counter(sums).items() if n > 3}
        inner = set(often) - {-(2**63), 2**63 - 1}
        assert not inner, f"{value} with noise is {min(inner)} in {often[min(inner)]} of 2000 draws"


def supports() -> None:
    """All outcomes for 0 also occur for 1, in both tails, with the right frequencies."""
    for scale in (Fraction(1), Fraction(3, 2), Fraction(10, 3)):
        runs = 200_000
        draws = Native().add_discrete_laplace(np.zeros(runs, dtype=np.int64), scale)
        rate = math.exp(-1 / scale)
        for side in (1, -1):
            for far in (1, math.ceil(2 * scale), math.ceil(6 * scale)):
                chance = rate**far / (1 + rate)
                seen = int((side * draws >= far).sum())
                allowed = 7 * math.sqrt(runs * chance) + 7
                assert abs(seen - runs * chance) <= allowed, (
                    f"scale {scale}: {seen} draws beyond {side * far}, not {runs * chance:.0f}"
                )


def fresh() -> None:
    """No two calls draw the same words, and neither do a parent and its children."""
    calls = [entropy.words(4).tobytes() for _ in range(8)]
    assert len(set(calls)) == len(calls), "two calls drew the same words"
    drawn = [entropy.words(4).tobytes(), *(in_child() for _ in range(2))]
    assert len(set(drawn)) == len(drawn), "two processes drew the same words"


def in_child() -> bytes:
    """Return the draws of a forked child."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, entropy.words(4).tobytes())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        found = pipe.read()
    os.waitpid(child, 0)
    return found


def independent() -> None:
    """Entries of an answer have independent noise: no lag correlates."""
    size, scale = 4096, Fraction(20)
    noise = Native().add_discrete_laplace(np.zeros(size, dtype=np.int64), scale).astype(np.float64)
    power = max(float(np.mean(noise**2)), 1e-9)
    for lag in (1, 2, 3, size // 2):
        much = float(np.mean(noise[lag:] * noise[:-lag])) / power
        allowed = 7 / math.sqrt(size - lag)
        assert abs(much) <= allowed, f"entries {lag} apart correlate by {much:.2f}"
    assert len(np.unique(noise)) > 20, "all entries have the same noise"


def choices_follow_law() -> None:
    """Choices have the frequencies of the exponential mechanism."""
    scores, rate, runs = np.array([0, 3, 1, -40]), Fraction(1, 2), 3000
    check_choices(scores, rate, [Native().exponential(scores, rate) for _ in range(runs)])


def choices_of_many_lists_follow_law() -> None:
    """The same for draws from many lists at once."""
    scores, rate, runs = np.array([0, 3, 1, -40]), Fraction(1, 2), 20_000
    starts, once = np.arange(0, 4 * runs + 1, 4), np.ones(4 * runs, dtype=np.int64)
    found = Native().exponential_each(np.tile(scores, runs), starts, rate, once)
    check_choices(scores, rate, found.tolist())
    again = Native().exponential_each(np.tile(scores, runs), starts, rate, once)
    assert (found != again).any(), "two calls drew the same"


def check_choices(scores: Ints, rate: Fraction, found: Sequence[int]) -> None:
    seen, runs = Counter(found), len(found)
    weights = np.exp(float(rate) * (scores - scores.max()))
    for place, chance in enumerate(weights / weights.sum()):
        allowed = 7 * math.sqrt(runs * chance) + 7
        assert abs(seen[place] - runs * chance) <= allowed, (
            f"a score of {scores[place]} was chosen {seen[place]} times, not {runs * chance:.0f}"
        )


def heavy_tails() -> None:
    """Cauchy draws beyond given places have the right frequencies."""
    scale, runs, far = Fraction(5, 2), 3000, 100_000
    places = np.arange(-far, far + 1)
    weights = 1 / (float(scale) ** 2 + places.astype(np.float64) ** 2)
    draws = np.array([abs(Native().discrete_cauchy(scale)) for _ in range(runs)], dtype=object)
    for beyond in (1, 3, 10, 50):
        chance = float(weights[np.abs(places) >= beyond].sum() / weights.sum())
        seen, allowed = int((draws >= beyond).sum()), 7 * math.sqrt(runs * chance) + 7
        assert abs(seen - runs * chance) <= allowed, (
            f"{seen} draws beyond {beyond}, not {runs * chance:.0f}"
        )


TRIALS = (
    whole_numbers,
    fresh,
    independent,
    supports,
    low_bits,
    edges,
    choices_follow_law,
    choices_of_many_lists_follow_law,
    heavy_tails,
)
