"""Integers as text, for the description of a release."""

from __future__ import annotations

import base64
import zlib

import numpy as np

from hushgram.errors import DomainError
from hushgram.partition.base import Ints


def pack(values: Ints) -> str:
    """Integers as compressed text for JSON."""
    return base64.b85encode(zlib.compress(values.astype("<i8").tobytes(), 6)).decode()


def unpack(text: str, count: int) -> Ints:
    """What `pack` packed; never more than ``count`` integers, whatever the text unpacks to."""
    stream = zlib.decompressobj()
    raw = stream.decompress(base64.b85decode(text), count * 8 + 1)
    if len(raw) != count * 8:
        raise DomainError(f"{count} packed integers were expected.")
    return np.frombuffer(raw, dtype="<i8").astype(np.int64)
