"""Integers as text, for the description of a release."""

from __future__ import annotations

import base64
import zlib

import numpy as np

from hushgram.errors import DomainError
from hushgram.partition.base import Ints

MARK = "64:"
"""How packed text begins. Older releases have none, and base 85 instead of 64."""


def pack(values: Ints) -> str:
    """Integers as compressed text for JSON."""
    squeezed = zlib.compress(values.astype("<i8").tobytes(), 1)
    return MARK + base64.b64encode(squeezed).decode()


def unpack(text: str, count: int) -> Ints:
    """What `pack` packed; never more than ``count`` integers, whatever the text unpacks to."""
    squeezed = (
        base64.b64decode(text.removeprefix(MARK)) if text.startswith(MARK)
        else base64.b85decode(text)
    )  # fmt: skip
    raw = zlib.decompressobj().decompress(squeezed, count * 8 + 1)
    if len(raw) != count * 8:
        raise DomainError(f"{count} packed integers were expected.")
    return np.frombuffer(raw, dtype="<i8").astype(np.int64)
