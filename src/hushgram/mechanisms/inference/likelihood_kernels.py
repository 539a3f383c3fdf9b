"""Compiled: how likely the counts of a node are, given the noisy ones of the node itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled
from hushgram.mechanisms.inference.split_kernels import Stretch

UNLIKELY = 1e-300
"""Weights below it cannot be scaled: one over them is more than a float can hold."""

FLAT, STEEP = 1e-6, 100.0
"""Rates below which a likelihood hardly changes within a place, and from which on it may vanish."""


@compiled(nogil=True, side_by_side=True, forceinline=True)
def find_likelihood(counts: Any, rates: Any, v: int, window: Stretch, spacing: float,
                    is_averaged: bool, room: Any, at: int, ones: int) -> int:  # fmt: skip
    """exp(-Σ rate |count - noisy|) over the window of a node, but for a factor that all counts
    have. Its position in the room: ``at``, or that of ``ones`` if nothing was measured."""
    times, steepest = 0, 0.0
    for turn in range(len(rates)):
        rate = rates[turn, v] * spacing
        if rate > 0:
            if times == 0:
                for i in range(window.size):
                    room[np.uint64(at + i)] = 1.0
            times, steepest = times + 1, max(steepest, rate)
            middle = counts[turn, v] / spacing - window.lo
            multiply_around(middle, rate, is_averaged and spacing > 1, room, at, window.size)
    if times == 0:
        return ones
    if times > 1 or steepest > STEEP:
        scale_likelihood(counts, rates, v, window, spacing, room, at)
    return at


@compiled(nogil=True, side_by_side=True)
def scale_likelihood(counts: Any, rates: Any, v: int, window: Stretch, spacing: float, room: Any,
                     at: int) -> None:  # fmt: skip
    """Divide it by its largest entry, unless counts contradict each other too much."""
    own = room[at : at + window.size]
    top = own.max()
    if top > UNLIKELY:
        own *= 1 / top
    else:
        find_by_logs(counts, rates, v, window, spacing, own)


@compiled(nogil=True, side_by_side=True, forceinline=True)
def multiply_around(middle: float, rate: float, is_averaged: bool, found: Any, at: int,
                    size: int) -> None:  # fmt: skip
    """Multiply the i-th number by exp(-rate |i - middle|), but for a factor that all have. Each is
    the one before it, farther to the middle, times the same. If ``is_averaged``, it is the mean
    from i - 1/2 to i + 1/2, which is different only for the place next to the middle."""
    last = int(np.floor(min(max(middle, -1.0), size - 1.0)))
    half = np.exp(-0.5 * rate)
    down, up, step = 1.0, 1.0, half * half
    if 0 <= last < size - 1:
        down = np.exp(-rate * (middle - last))
        up = step / down if rate < STEEP else np.exp(-rate * (last + 1 - middle))
        if is_averaged and rate > FLAT:
            near, place = (down, last) if down > up else (up, last + 1)
            mean = (2 - half * (near + 1 / near)) / (1 / half - half)
            found[np.uint64(at + place)] *= mean / near
    for i in range(last, -1, -1):
        found[np.uint64(at + i)] *= down
        down *= step
    for i in range(last + 1, size):
        found[np.uint64(at + i)] *= up
        up *= step


@compiled(nogil=True, side_by_side=True)
def find_by_logs(counts: Any, rates: Any, v: int, window: Stretch, spacing: float,
                 own: Any) -> None:  # fmt: skip
    """The likelihood where all counts are too unlikely for a number to hold."""
    own[:] = 0.0
    for turn in range(len(rates)):
        rate, noisy = rates[turn, v], counts[turn, v]
        for i in range(len(own)):
            own[i] -= rate * abs((window.lo + i) * spacing - noisy)
    top = own.max()
    for i in range(len(own)):
        own[i] = np.exp(own[i] - top)
