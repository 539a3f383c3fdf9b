"""Packing integers into text, for the description of a release."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

from hushgram.errors import DomainError

Ints = npt.NDArray[np.int64]

WIDTHS = (1, 2, 4, 8)
"""Possible numbers of bytes per integer. Packed text starts with this number, as in ``i2:``."""


def whole_number(value: Any) -> int:
    """The value if it is an ``int``, else an error. For Python, True and 1.0 equal 1.

    >>> whole_number(3), whole_number(True)
    Traceback (most recent call last):
    hushgram.errors.DomainError: Expected a whole number. Found True.
    """
    if type(value) is not int:
        raise DomainError(f"Expected a whole number. Found {value!r}.")
    return value


def pack(values: Ints) -> str:
    """Integers as compressed text for JSON, each in as few bytes as the largest needs.

    >>> pack(np.array([1, 2, 300]))[:3], unpack(pack(np.array([1, 2, 300])), 3).tolist()
    ('i2:', [1, 2, 300])
    """
    ends = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    width = next(w for w in WIDTHS if -(1 << 8 * w - 1) <= ends[0] <= ends[1] < 1 << 8 * w - 1)
    squeezed = zlib.compress(values.astype(f"<i{width}").tobytes(), 1)
    return f"i{width}:{base64.b64encode(squeezed).decode()}"


def unpack(text: str, count: int) -> Ints:
    """The integers that `pack` packed. Never unpacks more than ``count``, whatever the text says.

    Older releases use eight bytes per integer, with the prefix ``64:`` or, in base 85, none.
    """
    if not isinstance(text, str):
        raise DomainError(f"Packed integers must be text. Found {type(text).__name__}.")
    mark, _, body = text.rpartition(":")
    width = int(mark[1:]) if mark.startswith("i") else 8
    squeezed = base64.b64decode(body) if mark else base64.b85decode(text)
    raw = zlib.decompressobj().decompress(squeezed, count * width + 1)
    if width not in WIDTHS or len(raw) != count * width:
        raise DomainError(f"Expected {count} packed integers.")
    return np.frombuffer(raw, dtype=f"<i{width}").astype(np.int64)
