"""Encodings with one byte per character, as tables that map each byte to UTF-8.

The bytes of one value can never change how another value is read.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

WIDEST = 3
"""The maximum number of UTF-8 bytes for a character of such an encoding."""


class Charset(NamedTuple):
    """For each byte, the UTF-8 bytes of its character and their number, 0 for bytes that the
    encoding does not define. The tables for UTF-8 itself are empty: its bytes are copied."""

    widths: Any
    codes: Any


def charset(encoding: str) -> Charset:
    """
    >>> widths, codes = charset("cp1252")
    >>> bytes(codes[0x80][: widths[0x80]]).decode(), int(widths[0x81])
    ('€', 0)
    """
    if encoding == "utf-8":
        return Charset(np.zeros(0, np.uint8), np.zeros((0, WIDEST), np.uint8))
    widths, codes = np.zeros(256, np.uint8), np.zeros((256, WIDEST), np.uint8)
    for byte in range(256):
        code = bytes([byte]).decode(encoding, errors="ignore").encode()
        widths[byte] = len(code)
        codes[byte, : len(code)] = list(code)
    return Charset(widths, codes)
