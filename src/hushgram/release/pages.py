"""The unpacked size of a column of a Parquet file, according to its page headers.

The header of a page states its unpacked length, and readers allocate that much: two gigabytes for a
page of a few thousand bytes, if it says so. The file's footer may claim less. So footer and headers
are read here, before anything is unpacked, by code that can do nothing worse than raise an error.
Both are structs in Thrift's compact protocol, with the field numbers of the Parquet format.
"""

from __future__ import annotations

from typing import Any

INT64, DOUBLE = 2, 5
"""The Parquet type numbers of counts; both types have eight bytes."""

SLACK = 1 << 16

Fields = dict[int, Any]


def check_column(data: bytes, name: str, rows: int) -> None:
    """Raise unless a column is a plain list of ``rows`` numbers that unpacks to their size.

    A dictionary and the references to it may take the same space again.
    """
    footer = footer_of(data)
    groups = footer[4]
    if sum(group[3] for group in groups) != rows:
        raise ValueError("row groups of other lengths")
    for group in groups:
        chunks = [chunk[3] for chunk in group[1] if chunk[3][3] == [name.encode()]]
        if len(chunks) != 1 or chunks[0][1] not in (INT64, DOUBLE) or chunks[0][5] != group[3]:
            raise ValueError("no numeric column")
        if unpacked_size(data, chunks[0]) > 2 * 8 * group[3] + SLACK:
            raise ValueError("a column that unpacks to too much data")


def footer_of(data: bytes) -> Fields:
    """The fields of the file's footer."""
    length = int.from_bytes(data[-8:-4], "little")
    return Reader(data, len(data) - 8 - length).struct()


def unpacked_size(data: bytes, chunk: Fields) -> int:
    """The unpacked length of a chunk's pages, with their headers."""
    place = min(start for start in (chunk[9], chunk.get(11, 0)) if start > 0)
    end = place + chunk[7]
    found = 0
    while place < end:
        reader = Reader(data, place)
        header = reader.struct()
        if min(header[2], header[3]) < 0:
            raise ValueError("a page of negative length")
        found += reader.place - place + header[2]
        place = reader.place + header[3]
    return found


class Reader:
    """A reader of Thrift's compact protocol, from a position in some bytes."""

    def __init__(self, data: bytes, place: int) -> None:
        if place < 0:
            raise ValueError("a position before the file")
        self.data, self.place = data, place

    def struct(self) -> Fields:
        """The fields of a struct, by number."""
        found: Fields = {}
        field = 0
        while (head := self.byte()) != 0:
            field = field + (head >> 4) if head >> 4 else self.number()
            kind = head & 15
            found[field] = kind == 1 if kind in (1, 2) else self.value(kind)
        return found

    def value(self, kind: int) -> Any:
        """A value of one kind. Booleans only have a separate byte in lists."""
        if kind in (1, 2, 3):
            return self.byte()
        if kind in (4, 5, 6):
            return self.number()
        if kind == 7:
            return self.take(8)
        if kind == 8:
            return self.take(self.varint())
        if kind in (9, 10):
            return self.sequence()
        if kind == 12:
            return self.struct()
        raise ValueError("a type that Parquet does not use")

    def sequence(self) -> list[Any]:
        head = self.byte()
        count = self.varint() if head >> 4 == 15 else head >> 4
        return [self.value(head & 15) for _ in range(count)]

    def number(self) -> int:
        """A zigzag-encoded integer, whose sign is its lowest bit."""
        found = self.varint()
        return (found >> 1) ^ -(found & 1)

    def varint(self) -> int:
        found = shift = 0
        while (byte := self.byte()) & 0x80:
            found |= (byte & 0x7F) << shift
            shift += 7
            if shift > 63:
                raise ValueError("a number that is too long")
        return found | byte << shift

    def take(self, length: int) -> bytes:
        start, self.place = self.place, self.place + length
        return self.data[start : self.place]

    def byte(self) -> int:
        found = self.data[self.place]
        self.place += 1
        return found
