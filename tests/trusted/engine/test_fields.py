"""The loops that cut lines into fields, interpreted: no byte outside of a block is looked at."""

from __future__ import annotations

import itertools
from types import ModuleType

import numpy as np
import pytest

from tests.trusted.interpreted import interpret

MARKS = [b'"', b",", b"\r", b"a", b"\xc3\xa4", b"\xff"]
ENDS = [
    0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1,
    0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
]  # fmt: skip
"""Bytes at the ends of the ranges in the table of well-formed UTF-8."""
LAST = [0x7F, 0x80, 0xBF, 0xC0]


@pytest.fixture
def fields(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return interpret(monkeypatch, "hushgram.trusted.engine.sources.fields")


def by_the_rules(line: bytes, delimiter: bytes) -> list[bytes]:
    """The fields of a line, as the rules have it, each with what it is wrapped in."""
    found, begin, place = [], 0, 0
    while place < len(line):
        if line[begin : begin + 1] == b'"' and place == begin:
            place += 1
            while place < len(line) and (line[place] != 34 or line[place : place + 2] == b'""'):
                place += 2 if line[place : place + 2] == b'""' else 1
        elif line[place : place + 1] == delimiter:
            found.append(line[begin:place])
            begin = place + 1
        place += 1
    return [*found, line[begin:]]


def meaning(field: bytes) -> str | None:
    """The text of a field; None for an empty one without quotation marks, and for no text."""
    if field.startswith(b'"'):
        inside = field[1:].replace(b'""', b"\0").partition(b'"')[0].replace(b"\0", b'"')
    elif not field:
        return None
    else:
        inside = field
    try:
        return inside.decode()
    except UnicodeDecodeError:
        return None


def read(fields: ModuleType, lines: list[bytes], places: list[int]) -> list[list[str | None]]:
    block = np.frombuffer(b"".join(line + b"\n" for line in lines), dtype=np.uint8)
    columns = fields.split_records(block, ord(","), np.array(places))
    for column in columns:
        column.validate(full=True)
    return [column.to_pylist() for column in columns]


def expected(lines: list[bytes], places: list[int]) -> list[list[str | None]]:
    rows = []
    for line in lines:
        bare = line.removesuffix(b"\r")
        if bare:
            found = [meaning(field) for field in by_the_rules(bare, b",")]
            rows.append([found[place] if place < len(found) else None for place in places])
    return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in places]


@pytest.mark.parametrize("length", [0, 1, 2, 3, 4])
def test_all_lines_of_a_few_marks(fields: ModuleType, length: int) -> None:
    lines = [b"".join(marks) for marks in itertools.product(MARKS, repeat=length)]
    for places in ([0, 1, 2], [2, 0]):
        assert read(fields, lines, places) == expected(lines, places)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b'"a""b",c', ['a"b', "c", None]),
        (b'"",x', ["", "x", None]),
        (b'"a,b"x,"c', ["a,b", "c", None]),
        (b'a"b,,"""",d', ['a"b', None, '"']),
        (b'"a"""', ['a"', None, None]),
        (b'"say ""hi, you"", now",x', ['say "hi, you", now', "x", None]),
    ],
)
def test_the_rules_are_those_of_the_guide(
    fields: ModuleType, line: bytes, found: list[str | None]
) -> None:
    assert read(fields, [b"x", line, b"y"], [0, 1, 2]) == [
        ["x", found[0], "y"], [None, found[1], None], [None, found[2], None],
    ]  # fmt: skip


def test_no_lines_and_blank_ones(fields: ModuleType) -> None:
    assert read(fields, [], [0, 1]) == [[], []]
    assert read(fields, [b"", b"\r", b"a", b""], [0]) == [["a"]]


def test_offsets_and_bytes_are_one_after_another(fields: ModuleType) -> None:
    block = np.frombuffer(b'ab,\xff,"c"\n', dtype=np.uint8)
    starts, stops = fields.find_fields(block, ord(","), np.array([0, 1, 2, 3]), False)
    assert (starts[:, 0].tolist(), stops[:, 0].tolist()) == ([0, 3, 5, -1], [2, 4, 8, -1])
    data, offsets, valid = fields.copy_fields(block, starts[:, 0], stops[:, 0], *fields.UTF8)
    assert (bytes(data), offsets.tolist(), valid.tolist()) == (
        b"abc",
        [0, 2, 2, 3, 3],
        [1, 0, 1, 0],
    )


def sequences() -> list[bytes]:
    """All beginnings of one to four bytes at the ends of their ranges."""
    one = [bytes([a]) for a in range(256)]
    two = [bytes(pair) for pair in itertools.product(ENDS, repeat=2)]
    three = [bytes(some) for some in itertools.product(ENDS[7:], ENDS[2:], LAST)]
    four = [bytes(some) for some in itertools.product(ENDS[-7:], ENDS[2:13], LAST, LAST)]
    return [*one, *two, *three, *four, *(some + b"a" for some in two)]


def test_which_bytes_are_text(fields: ModuleType) -> None:
    """Between bytes that are none, and that would go on."""
    for some in sequences():
        data = b"\xe0" + some + b"\x80\x80\x80"
        assert fields.is_utf8(data, 1, 1 + len(some)) == (decodes(some)), some


def decodes(some: bytes) -> bool:
    try:
        some.decode()
    except UnicodeDecodeError:
        return False
    return True
