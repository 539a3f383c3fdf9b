"""The compiled loops that split text into records and fields.

A small state machine, `step`, decides what each byte ends. It cuts blocks into records, and records
into fields. Invalid UTF-8 is found here, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from hushgram.base.compiled import compiled
from hushgram.trusted.engine.sources.charsets import Charset, charset

QUOTE, NEWLINE, CARRIAGE_RETURN = ord('"'), ord("\n"), ord("\r")

RECORD, FIELD, PLAIN, QUOTED, CLOSED = range(5)
"""The states of the machine after a byte: at the start of a record, or of another field; outside
quotation marks; inside them; after one that closes the value or is the first of two."""

UTF8 = charset("utf-8")


def split_records(
    block: Any, delimiter: int, places: Any, breaks: bool = False, characters: Charset = UTF8
) -> list[pa.Array]:
    """Return the fields at the given places of every record, as one text array per place.

    ``breaks`` says whether a line break inside quotation marks belongs to the value. The end of the
    block always ends its last record.
    """
    starts, stops = find_fields(block, delimiter, places, breaks)
    columns = []
    for start, stop in zip(starts, stops, strict=True):
        data, offsets, valid = copy_fields(block, start, stop, *characters)
        buffers = map(pa.py_buffer, (offsets, data, np.packbits(valid, bitorder="little")))
        columns.append(pa.StringArray.from_buffers(len(valid), *buffers))
    return columns


@compiled(inline="always")
def step(state: int, byte: int, delimiter: int, breaks: bool) -> int:
    """Return the state after one more byte. A newline ends the record, unless it is quoted and
    quoted breaks belong to values."""
    if byte == NEWLINE and (state != QUOTED or not breaks):
        return RECORD
    if state == QUOTED:
        return CLOSED if byte == QUOTE else QUOTED
    if byte == delimiter:
        return FIELD
    if byte == QUOTE and state != PLAIN:
        return QUOTED
    return PLAIN


@compiled()
def record_ends(block: Any, delimiter: int, state: int) -> tuple[int, int, int]:
    """Return the first and the last newline that ends a record, -1 if there is none, and the final
    state, because a record may continue in the next block. Quoted breaks belong to values.
    O(bytes)."""
    first = last = -1
    for position in range(len(block)):
        state = step(state, block[position], delimiter, True)
        if state == RECORD:
            if first < 0:
                first = position
            last = position
    return first, last, state


@compiled()
def find_fields(block: Any, delimiter: int, places: Any, breaks: bool) -> Any:
    """Return where the wanted fields of each record start and stop; -1 if a record has too few
    fields.

    Quoted fields include their quotation marks. O(bytes).
    """
    records = 1
    for byte in block:
        records += byte == NEWLINE
    starts = np.full((len(places), records), -1, np.int64)
    stops = np.full((len(places), records), -1, np.int64)
    record = field = begin = 0
    state = RECORD
    for position in range(len(block) + 1):
        ended = position == len(block)
        state = RECORD if ended else step(state, block[position], delimiter, breaks)
        if state > FIELD:
            continue
        end = position
        if state == RECORD and end > begin and block[end - 1] == CARRIAGE_RETURN:
            end -= 1
        for wanted in range(len(places)):
            if places[wanted] == field:
                starts[wanted, record] = begin
                stops[wanted, record] = end
        field += 1
        if state == RECORD:
            if field > 1 or end > begin:  # blank lines are skipped
                record += 1
            field = 0
        begin = position + 1
    return starts[:, :record], stops[:, :record]


@compiled()
def copy_fields(block: Any, starts: Any, stops: Any, widths: Any, codes: Any) -> Any:
    """Return the fields one after another in UTF-8, their offsets, and which are neither missing
    nor invalid. Quotation marks are removed, doubled ones become single, and bytes are converted
    with a `Charset`."""
    coded = len(widths) > 0
    size = 0
    for row in range(len(starts)):
        size += stops[row] - starts[row]
    data = np.empty(size * codes.shape[1] if coded else size, np.uint8)
    offsets = np.zeros(len(starts) + 1, np.int32)
    valid = np.zeros(len(starts), np.uint8)
    end = 0
    for row in range(len(starts)):
        begin = end
        start, stop = starts[row], stops[row]
        quoted = start >= 0 and stop > start and block[start] == QUOTE
        position = start + 1 if quoted else start
        known = True
        while position < stop:
            byte = block[position]
            if quoted and byte == QUOTE:
                if position + 1 < stop and block[position + 1] == QUOTE:
                    position += 1
                else:
                    break
            if coded:
                known = known and widths[byte] > 0
                for place in range(widths[byte]):
                    data[end] = codes[byte, place]
                    end += 1
            else:
                data[end] = byte
                end += 1
            position += 1
        known = known and (coded or is_utf8(data, begin, end))
        valid[row] = (quoted or stop > start) and known
        if not valid[row]:
            end = begin
        offsets[row + 1] = end
    return data[:end], offsets, valid


@compiled()
def sound_texts(data: Any, bounds: Any, longest: int) -> Any:
    """Return which of the texts between these bounds are valid UTF-8 with at most ``longest``
    bytes."""
    sound = np.zeros(max(len(bounds) - 1, 0), np.bool_)
    for row in range(len(sound)):
        start, stop = np.int64(bounds[row]), np.int64(bounds[row + 1])
        if 0 <= start <= stop <= len(data) and stop - start <= longest:
            every = np.uint8(0)  # the bitwise or of all bytes: below 0x80, all are ASCII
            for position in range(start, stop):
                every |= data[np.uint64(position)]
            sound[row] = every < 0x80 or is_utf8(data, start, stop)
    return sound


@compiled()
def is_utf8(data: Any, start: int, stop: int) -> bool:
    """Return whether the bytes are well-formed UTF-8 (Unicode, table 3-7)."""
    position = start
    while position < stop:
        lead = data[position]
        if lead < 0x80:
            position += 1
            continue
        if 0xC2 <= lead <= 0xDF:
            length, low, high = 2, 0x80, 0xBF
        elif 0xE0 <= lead <= 0xEF:
            length = 3
            low = 0xA0 if lead == 0xE0 else 0x80
            high = 0x9F if lead == 0xED else 0xBF
        elif 0xF0 <= lead <= 0xF4:
            length = 4
            low = 0x90 if lead == 0xF0 else 0x80
            high = 0x8F if lead == 0xF4 else 0xBF
        else:
            return False
        if position + length > stop:
            return False
        if data[position + 1] < low or data[position + 1] > high:
            return False
        for offset in range(2, length):
            if data[position + offset] < 0x80 or data[position + offset] > 0xBF:
                return False
        position += length
    return True
