"""A stream of bytes in blocks of whole records, however it is split when it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

BLOCK = 1 << 24
"""Bytes that are read at once."""

LONGEST_RECORD = 1 << 24
"""Bytes of a record that are read; what goes beyond is passed over, up to the record's own end. No
less than a block: so a record is cut for its own length, never for its place among others."""

Ends = Callable[[bytes], tuple[int, int]]
"""The first and the last newline of a block that end a record; -1 if none does. Asked for one block
after the other."""


def blocks(stream: Any, mark: bytes) -> Iterator[bytes]:
    """All bytes, except for a mark at their beginning."""
    yield stream.read(len(mark)).removeprefix(mark)
    while block := stream.read(BLOCK):
        yield block


def line_ends(block: bytes) -> tuple[int, int]:
    return block.find(b"\n"), block.rfind(b"\n")


def quoted_ends(delimiter: str) -> Ends:
    """The ends of records whose quoted values may hold line breaks."""
    from hushgram.trusted.engine.sources.fields import RECORD, record_ends

    state = RECORD

    def ends(block: bytes) -> tuple[int, int]:
        nonlocal state
        first, last, state = record_ends(np.frombuffer(block, np.uint8), ord(delimiter), state)
        return first, last

    return ends


def whole_records(blocks: Iterable[bytes], ends: Ends) -> Iterator[Any]:
    """The bytes in blocks of whole records, without the header.

    A record that goes on from one block to the next is a separate block, without the newline that
    ends it, and cut at `LONGEST_RECORD`: what is missing of it reaches no other record.
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
