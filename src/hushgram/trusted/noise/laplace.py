"""The discrete Laplace distribution: P(k) ∝ exp(-|k| / scale) on the integers."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from functools import partial
from numbers import Rational
from operator import index

import numpy as np
import numpy.typing as npt

from hushgram.errors import BadInput
from hushgram.trusted.noise import digits, entropy
from hushgram.trusted.noise.exactexp import enclose

Integers = npt.NDArray[np.int64]

CHUNK = 1 << 16
INT64_MIN, INT64_MAX = -(1 << 63), (1 << 63) - 1
SUM_MAX = (1 << 62) - 1


def discrete_laplace(scale: Fraction, size: int) -> Integers:
    """`size` independent draws of exactly P(k) ∝ exp(-|k| / scale), as int64.

    Each draw costs one random word for a scale up to 64, two up to 2¹⁸, and so on by twelve bits
    (see `hushgram.trusted.noise.digits`). A draw outside the range of int64 becomes the nearest
    integer in it. Add draws with `saturating_add`: only then is this cut mere post-processing.

    Parameters
    ----------
    scale
        Any positive rational number.
    size
        How many draws.

    References
    ----------
    Canonne, Kamath and Steinke, *The Discrete Gaussian for Differential Privacy*, NeurIPS 2020
    (the distribution, and exact sampling of it); Knuth and Yao, *The complexity of nonuniform
    random number generation*, 1976 (comparing with lazily drawn bits).

    Examples
    --------
    >>> discrete_laplace(Fraction(1, 1000), 3)  # 0 but for one draw in 10⁴³⁴
    array([0, 0, 0])
    """
    scale, size = checked(scale, size)
    if digits.low_bits(scale) > digits.LOW_BITS:
        return np.array([_clamp(k) for k in discrete_laplace_wide(scale, size)], dtype=np.int64)
    plan = digits.plan(scale)
    fill = _fill_compiled if _compiling_pays(size) else _fill
    out = np.empty(size, dtype=np.int64)
    for start in range(0, size, CHUNK):
        part = out[start : start + CHUNK]
        fill(plan, entropy.words(len(plan.tables) * part.size).reshape(-1, part.size), part)
    return out


def discrete_laplace_wide(scale: Fraction, size: int) -> list[int]:
    """The same law in Python integers of any magnitude, for any positive rational scale.

    The low bits together are proposed uniformly and accepted with probability exp(-low / scale),
    which is never less than exp(-1/32).
    """
    scale, size = checked(scale, size)
    table = digits.top_table(scale)
    low = digits.low_bits(scale)
    found = []
    for _ in range(size):
        sign, top = digits.signed_top(table)
        found.append((top << low | _low_part(low, scale)) ^ -sign)
    return found


def variance(scale: Fraction) -> float:
    """The variance, 2r / (1 - r)² with r = exp(-1/scale), which is 1 / (2 sinh²(1 / (2 scale))).

    Public mathematics, hence a float; slightly below the continuous 2·scale².

    Examples
    --------
    >>> round(variance(Fraction(1)), 6), round(variance(Fraction(100)), 3)
    (1.841347, 19999.833)
    >>> variance(Fraction(1, 10**6))
    0.0
    """
    scale, _ = checked(scale, 0)
    half_rate = 1 / (2 * scale)
    if half_rate > 700:
        return 0.0
    sinh = math.sinh(half_rate)
    return 0.5 / sinh / sinh if sinh else math.inf


def saturating_add(counts: Integers, noise: Integers) -> Integers:
    """``counts + noise``, kept within ±(2⁶² - 1).

    The bound is half the range of int64, and that is what makes it private: a draw of
    `discrete_laplace` that was itself cut off at the end of int64 then gives the same result as the
    draw before the cut would. With a bound of 2⁶³ the cut draw -2⁶³ would give count - 2⁶³, the
    count in clear. Counts beyond ±(2⁶² - 1) are moved there first, which brings no two of them
    further apart.

    Examples
    --------
    >>> saturating_add(np.array([1, 5, 5]), np.array([-3, 2**63 - 1, -(2**63)])).tolist()
    [-2, 4611686018427387903, -4611686018427387903]
    """
    counts = np.clip(counts, -SUM_MAX, SUM_MAX)
    return counts + np.clip(noise, -SUM_MAX - counts, SUM_MAX - counts)


def checked(scale: Fraction, size: int) -> tuple[Fraction, int]:
    """The arguments, if they make sense."""
    if not isinstance(scale, Rational):
        raise BadInput(
            f"scale must be an exact rational number, found {scale!r} "
            f"({type(scale).__name__}). Use fractions.Fraction."
        )
    if scale <= 0:
        raise BadInput(f"scale must be positive, found {scale}.")
    if index(size) < 0:
        raise BadInput(f"size must not be negative, found {size}.")
    return Fraction(scale), index(size)


def _clamp(value: int) -> int:
    return min(max(value, INT64_MIN), INT64_MAX)


def _low_part(low: int, scale: Fraction) -> int:
    """A number of `low` bits with P(v) ∝ exp(-v / scale)."""
    while True:
        proposal = entropy.bits(low)
        if proposal == 0 or entropy.Uniform().below(partial(enclose, proposal / scale)):
            return proposal


def _fill(plan: digits.Plan, words: npt.NDArray[np.uint64], out: Integers) -> None:
    """Look all words up with numpy; those that do not decide go to `Plan.draw`."""
    out[:] = 0
    undecided = np.zeros(out.size, dtype=np.bool_)
    for j, (table, shift) in enumerate(zip(plan.tables, plan.shifts, strict=True)):
        found = np.searchsorted(table.thresholds, words[j])
        undecided |= table.thresholds[np.minimum(found, table.size - 1)] == words[j]
        if j == 0:
            undecided |= found == table.size
            sign = found & 1
            found >>= 1
        out |= found << shift
    out ^= -sign
    for i in np.flatnonzero(undecided):
        out[i] = _clamp(plan.draw(words[:, i].tolist()))


def _fill_compiled(plan: digits.Plan, words: npt.NDArray[np.uint64], out: Integers) -> None:
    """The same, compiled."""
    from hushgram.trusted.noise.kernel import look_up

    thresholds, guide = plan.packed
    shifts = np.array(plan.shifts, dtype=np.int64)
    turn = plan.tables[0].size
    i = look_up(words, thresholds, guide, shifts, turn, 0, out)
    while i < out.size:
        out[i] = _clamp(plan.draw(words[:, i].tolist()))
        i = look_up(words, thresholds, guide, shifts, turn, i + 1, out)


def _compiling_pays(size: int) -> bool:
    """Compiled, a million draws save 30 ms; importing numba for them costs half a second."""
    return size >= (1 << 12 if "numba" in sys.modules else 1 << 22)
