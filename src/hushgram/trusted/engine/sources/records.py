"""Split a stream of bytes into blocks of whole records, independently of how it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

BLOCK = 1 << 24
"""Bytes to read at once."""

LONGEST_RECORD = 1 << 24
"""Bytes of a record to read; the rest of a longer record is skipped. At least a block, so that only
a record's own length decides whether it is cut, never its position."""

Ends = Callable[[bytes], tuple[int, int]]
"""Returns the first and the last newline of a block that end a record; -1 if none does. Called for
one block after another."""


def blocks(stream: Any, mark: bytes) -> Iterator[bytes]:
    """Yield all bytes except a mark at the beginning."""
    yield stream.read(len(mark)).removeprefix(mark)
    while block := stream.read(BLOCK):
        yield block


def line_ends(block: bytes) -> tuple[int, int]:
    return block.find(b"\n"), block.rfind(b"\n")


def quoted_ends(delimiter: str) -> Ends:
    """Return the function that finds the ends of records whose quoted values may contain line
    breaks."""
    from hushgram.trusted.engine.sources.fields import RECORD, record_ends

    state = RECORD

    def ends(block: bytes) -> tuple[int, int]:
        nonlocal state
        first, last, state = record_ends(np.frombuffer(block, np.uint8), ord(delimiter), state)
        return first, last

    return ends


def whole_records(blocks: Iterable[bytes], ends: Ends) -> Iterator[Any]:
    """Yield the bytes in blocks of whole records, without the header.

    A record that spans blocks is yielded on its own, without its final newline, and cut at
    `LONGEST_RECORD`, which affects no other record.
    """
    rest, header = b"", True
    for block in blocks:
        first, last = ends(block)
        if first < 0:
            rest = (rest + block)[:LONGEST_RECORD]
            continue
        if not header:
            yield np.frombuffer((rest + block[:first])[:LONGEST_RECORD], dtype=np.uint8)
        header = False
        yield np.frombuffer(block[first + 1 : last + 1], dtype=np.uint8)
        rest = block[last + 1 :]
    if rest and not header:
        yield np.frombuffer(rest, dtype=np.uint8)
