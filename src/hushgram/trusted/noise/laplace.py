"""The discrete Laplace distribution: P(k) ∝ exp(-|k| / scale) on the integers."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from operator import index

import numpy as np

from hushgram.errors import BadInput
from hushgram.trusted.noise import digits, entropy
from hushgram.trusted.noise.entropy import Ints, Words
from hushgram.trusted.noise.exactexp import enclose, exact_number

CHUNK = 1 << 16
"""The number of draws to make at a time, so that their words take little memory."""

INT64_MIN, INT64_MAX = -(1 << 63), (1 << 63) - 1


def discrete_laplace(scale: Fraction, size: int) -> Ints:
    """Draw `size` independent numbers with exactly P(k) ∝ exp(-|k| / scale), as int64.

    Each draw takes one random word for a scale up to 64, two up to 2¹⁸, and one more for every
    twelve bits (see `hushgram.trusted.noise.digits`). A draw outside the range of int64 becomes the
    nearest integer in it. To add noise to a count, use `add_discrete_laplace`, which clamps the sum
    instead.

    Parameters
    ----------
    scale
        Any positive rational number.
    size
        The number of draws.

    References
    ----------
    Canonne, Kamath and Steinke, *The Discrete Gaussian for Differential Privacy*, NeurIPS 2020
    (the distribution, and exact sampling of it); Knuth and Yao, *The complexity of nonuniform
    random number generation*, 1976 (comparing with lazily drawn bits).

    Examples
    --------
    >>> discrete_laplace(Fraction(1, 1000), 3)  # 0 except for one draw in 10⁴³⁴
    array([0, 0, 0])
    """
    scale, size = check_arguments(scale, size)
    draws, beyond = _draws(scale, size)
    for place, draw in beyond.items():
        draws[place] = _clamp(draw)
    return draws


def add_discrete_laplace(values: Ints, scale: Fraction) -> Ints:
    """Add independent noise to each of ``values``, and clamp the exact sums to int64.

    Never add a clamped draw instead: if the draw was clamped to -2⁶³, the sum value - 2⁶³ would
    reveal the value. Here the sum is exact and clamped afterwards, which is post-processing.

    Examples
    --------
    >>> add_discrete_laplace(np.array([7, 2**63 - 1]), Fraction(1, 1000)).tolist()
    [7, 9223372036854775807]
    """
    scale, size = check_arguments(scale, len(values))
    draws, beyond = _draws(scale, size)
    sums = _saturating_sum(np.asarray(values, dtype=np.int64), draws)
    for place, draw in beyond.items():
        sums[place] = _clamp(int(values[place]) + draw)
    return sums


def discrete_laplace_wide(scale: Fraction, size: int) -> list[int]:
    """Draw from the same distribution as Python integers of any size, for any positive rational
    scale.

    All low bits are proposed together, uniformly, and accepted with probability exp(-low / scale),
    which is at least exp(-1/32).
    """
    scale, size = check_arguments(scale, size)
    table = digits.top_table(scale)
    low = digits.low_bits(scale)
    found = []
    for _ in range(size):
        sign, top = digits.draw_top(table)
        found.append((top << low | _low_part(low, scale)) ^ -sign)
    return found


def variance(scale: Fraction) -> float:
    """Return the variance, 2r / (1 - r)² with r = exp(-1/scale), which is 1 / (2 sinh²(1 / (2
    scale))).

    A float, because it only depends on the public scale. Slightly below the continuous 2·scale².

    Examples
    --------
    >>> round(variance(Fraction(1)), 6), round(variance(Fraction(100)), 3)
    (1.841347, 19999.833)
    >>> variance(Fraction(1, 10**6))
    0.0
    """
    scale, _ = check_arguments(scale, 0)
    half_rate = 1 / (2 * scale)
    if half_rate > 700:
        return 0.0
    sinh = math.sinh(half_rate)
    return 0.5 / sinh / sinh if sinh else math.inf


def check_arguments(scale: Fraction, size: int) -> tuple[Fraction, int]:
    """Return the arguments, or raise if they are invalid."""
    scale = exact_number("scale", scale)
    if scale <= 0:
        raise BadInput(f"scale must be positive. Found {scale}.")
    if index(size) < 0:
        raise BadInput(f"size must not be negative. Found {size}.")
    return scale, index(size)


def _draws(scale: Fraction, size: int) -> tuple[Ints, dict[int, int]]:
    """Return draws as int64 and, separately by index, those that do not fit. Their entries are
    arbitrary."""
    out = np.zeros(size, dtype=np.int64)
    beyond: dict[int, int] = {}
    if digits.low_bits(scale) > digits.LOW_BITS:
        for place, draw in enumerate(discrete_laplace_wide(scale, size)):
            _put(out, beyond, place, draw)
        return out, beyond
    radix = digits.mixed_radix(scale)
    fill = _fill_compiled if _compiling_pays(size) else _fill
    for start in range(0, size, CHUNK):
        part = out[start : start + CHUNK]
        shape = len(radix.tables), part.size
        words = entropy.words(math.prod(shape)).reshape(shape)
        for place, draw in fill(radix, words, part):
            _put(out, beyond, start + place, draw)
    return out, beyond


def _put(out: Ints, beyond: dict[int, int], place: int, draw: int) -> None:
    if INT64_MIN <= draw <= INT64_MAX:
        out[place] = draw
    else:
        beyond[place] = draw


def _saturating_sum(values: Ints, draws: Ints) -> Ints:
    """Replace the draws by the sums, clamped to int64."""
    for start in range(0, len(draws), CHUNK):
        piece, some = values[start : start + CHUNK], draws[start : start + CHUNK]
        with np.errstate(over="ignore"):
            sums = piece + some
        wrapped = ((piece ^ sums) & (some ^ sums)) < 0  # both terms have the opposite sign
        sums[wrapped] = np.where(some[wrapped] > 0, INT64_MAX, INT64_MIN)
        some[:] = sums
    return draws


def _clamp(value: int) -> int:
    return min(max(value, INT64_MIN), INT64_MAX)


def _low_part(low: int, scale: Fraction) -> int:
    """Draw a number of `low` bits with P(v) ∝ exp(-v / scale)."""
    while True:
        proposal = entropy.bits(low)
        if proposal == 0 or entropy.Uniform().below(partial(enclose, proposal / scale)):
            return proposal


def _fill(radix: digits.MixedRadix, words: Words, out: Ints) -> Iterator[tuple[int, int]]:
    """Look up all words with numpy. Those that do not decide go to `MixedRadix.draw`
    individually."""
    out[:] = 0
    undecided = np.zeros(out.size, dtype=np.bool_)
    for j, (table, shift) in enumerate(zip(radix.tables, radix.shifts, strict=True)):
        found = np.searchsorted(table.thresholds, words[j])
        undecided |= table.thresholds[np.minimum(found, table.size - 1)] == words[j]
        if j == 0:
            undecided |= found == table.size
            sign = found & 1
            found >>= 1
        out |= found << shift
    out ^= -sign
    for i in np.flatnonzero(undecided):
        yield int(i), radix.draw(words[:, i].tolist())


def _fill_compiled(radix: digits.MixedRadix, words: Words, out: Ints) -> Iterator[tuple[int, int]]:
    """Do the same with the compiled loop."""
    from hushgram.trusted.noise.kernel import look_up

    thresholds, guide = radix.packed
    shifts = np.array(radix.shifts, dtype=np.int64)
    turn = radix.tables[0].size
    i = look_up(words, thresholds, guide, shifts, turn, 0, out)
    while i < out.size:
        yield i, radix.draw(words[:, i].tolist())
        i = look_up(words, thresholds, guide, shifts, turn, i + 1, out)


def _compiling_pays(size: int) -> bool:
    """Return whether the compiled loop is worth it. It saves 30 ms per million draws, and importing
    numba takes half a second: from four million draws on, or four thousand if numba is loaded."""
    return size >= (1 << 12 if "numba" in sys.modules else 1 << 22)
