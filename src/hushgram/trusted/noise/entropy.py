"""Random bits from the operating system, and uniform numbers made from them.

`words` is the only source of randomness in this package. Tests replace it. It calls the kernel each
time and keeps nothing, so forked processes share no bits.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

WORD = 64

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

Interval = tuple[int, int]
Enclosure = Callable[[int], Interval]
"""``enclosure(n) -> (low, high)`` with ``low <= 2**n * c <= high`` for one fixed real number c."""


def words(count: int) -> Words:
    """Return `count` independent, uniform 64-bit words."""
    return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


def bits(count: int) -> int:
    """Return a uniform integer of `count` bits."""
    need = -(-count // WORD)
    return int.from_bytes(words(need).tobytes(), "little") >> (need * WORD - count)


def below(bound: int) -> int:
    """Return a uniform integer in ``range(bound)``, by rejection: fewer than two attempts on
    average."""
    length = (bound - 1).bit_length()
    while (draw := bits(length)) >= bound:
        pass
    return draw


class Uniform:
    """A uniform real number u in [0, 1), of which only the leading bits have been drawn so far.

    To compare it with a real number c, bits are drawn until the answer is certain, as in Knuth and
    Yao (1976). The comparison is exact although neither u nor c is ever written out.

    Parameters
    ----------
    prefix, width
        The bits that are already drawn: ``prefix <= 2**width * u < prefix + 1``. Further bits are
        drawn `width` at a time.
    """

    def __init__(self, prefix: int | None = None, width: int = WORD) -> None:
        self.prefix = bits(width) if prefix is None else prefix
        self.width = width
        self._step = width

    def reveal(self) -> None:
        """Draw the next bits."""
        self.prefix = self.prefix << self._step | bits(self._step)
        self.width += self._step

    def below(self, enclosure: Enclosure) -> bool:
        """Return whether u < c. Ends with probability one; each further word is needed with
        probability 2⁻⁶²."""
        while True:
            low, high = enclosure(self.width)
            if self.prefix + 1 <= low:
                return True
            if self.prefix >= high:
                return False
            self.reveal()
