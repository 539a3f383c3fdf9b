"""Arrays as text: compressed, and in as few bytes as the numbers allow.

All arrays of a page lie in one block of bytes. The bytes of an array are *shuffled*, the first
bytes of all numbers first, then the second ones, and so on: neighbours are alike, and compress
well. Whole numbers take one, two or four bytes, and may be kept as differences of neighbours.
`scripts/packing.js` reads them back.
"""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np

from hushgram.declare.axis import Floats

WHOLE = (("i1", 2**7), ("i2", 2**15), ("i4", 2**31))
"""Types of whole numbers, and what their absolute values stay below."""

KEPT_BITS = 40
"""Bits of a mantissa that are kept of numbers which only say how large errors are: 12 digits."""


class Packing:
    """Arrays on their way into a page, each of them once. Where a description refers to one, it
    holds its number."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []
        self._blocks: dict[tuple[str, bytes], int] = {}

    def add(self, array: Any, *, rounded: bool = False, decimal: bool = False) -> dict[str, int]:
        """Keep an array; with ``rounded``, to 12 digits; with ``decimal``, as whole numbers of a
        decimal place if its numbers are such. What stands for it in a description."""
        numbers = np.asarray(array).reshape(-1)
        divisor = decimal_places(numbers) if decimal else 1
        if divisor > 1:
            entry, block = pack(np.rint(numbers * divisor))
            entry["divisor"] = divisor
        else:
            entry, block = pack(round_digits(numbers) if rounded else numbers)
        key = repr(entry), block
        if key not in self._blocks:
            self._blocks[key] = len(self.entries)
            self.entries.append(entry)
        return {"array": self._blocks[key]}

    def to_text(self) -> str:
        """All of them, compressed, in base 64."""
        squeezer = zlib.compressobj(9, zlib.DEFLATED, -15)
        data = squeezer.compress(b"".join(block for _, block in self._blocks)) + squeezer.flush()
        return base64.b64encode(data).decode("ascii")


def pack(numbers: Any) -> tuple[dict[str, Any], bytes]:
    """How an array is written, and its bytes.

    >>> pack(np.array([7, 7, 7]))
    ({'length': 3, 'constant': 7.0}, b'')
    >>> pack(np.array([0, 5, 3])), pack(np.arange(100))[0]
    (({'length': 3, 'type': 'i1'}, b'\\x00\\x05\\x03'),
     {'length': 100, 'type': 'i1', 'differences': True})
    >>> pack(np.array([0.5, 1.5]))[0]
    {'length': 2, 'type': 'f8'}
    """
    length = len(numbers)
    if length and (numbers == numbers[0]).all():
        return {"length": length, "constant": float(numbers[0])}, b""
    whole = as_whole(numbers)
    if whole is None:
        return {"length": length, "type": "f8"}, shuffle(numbers.astype("<f8"))
    plain, differences = narrow(whole), narrow(np.diff(whole, prepend=0))
    if differences is None or (plain and len(deflate(plain[1])) <= len(deflate(differences[1]))):
        assert plain is not None
        return {"length": length, "type": plain[0]}, plain[1]
    return {"length": length, "type": differences[0], "differences": True}, differences[1]


def decimal_places(numbers: Any) -> int:
    """What makes whole numbers of short decimal ones, which a division restores exactly; 1 where
    nothing does.

    >>> decimal_places(np.array([13.4, -52.515])), decimal_places(np.array([1 / 3]))
    (1000, 1)
    """
    divisor = 1
    for _ in range(7):
        divisor *= 10
        whole = np.rint(numbers * divisor)
        if (np.abs(whole) < WHOLE[-1][1]).all() and (whole / divisor == numbers).all():
            return divisor
    return 1


def as_whole(numbers: Any) -> Any:
    """The same as integers, if they are such and none is too large."""
    if not len(numbers) or not (np.abs(numbers) < WHOLE[-1][1]).all():
        return None
    whole = numbers.astype(np.int64)
    return whole if (whole == numbers).all() else None


def narrow(whole: Any) -> tuple[str, bytes] | None:
    """The narrowest type, and the bytes."""
    largest = np.abs(whole).max()
    for name, limit in WHOLE:
        if largest < limit:
            return name, shuffle(whole.astype(f"<{name}"))
    return None


def shuffle(numbers: Any) -> bytes:
    table = np.frombuffer(numbers.tobytes(), dtype=np.uint8).reshape(-1, numbers.itemsize)
    return table.T.tobytes()


def deflate(data: bytes) -> bytes:
    return zlib.compress(data, 1)


def round_digits(numbers: Any) -> Floats:
    """Doubles whose last bits are zero, and take no room once compressed.

    >>> float(round_digits(np.array([1 / 3]))[0]) == 1 / 3, round_digits(np.array([0.375]))
    (False, array([0.375]))
    """
    mantissas, exponents = np.frexp(np.asarray(numbers, dtype=np.float64))
    return np.asarray(np.ldexp(np.rint(np.ldexp(mantissas, KEPT_BITS)), exponents - KEPT_BITS))
