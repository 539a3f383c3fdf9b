"""The compiled loops that cut lines of text into fields, and find texts that are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from hushgram.compiled import compiled

QUOTE, NEWLINE, CARRIAGE_RETURN = ord('"'), ord("\n"), ord("\r")


def split_lines(block: Any, delimiter: int, places: Any) -> list[pa.Array]:
    """The fields at the given places of every line, one text array per place.

    ``block`` is bytes that end with a newline.
    """
    starts, stops = find_fields(block, delimiter, places)
    columns = []
    for start, stop in zip(starts, stops, strict=True):
        data, offsets, valid = copy_fields(block, start, stop)
        bitmap = pa.py_buffer(np.packbits(valid, bitorder="little"))
        buffers = [bitmap, pa.py_buffer(offsets), pa.py_buffer(data)]
        columns.append(pa.StringArray.from_buffers(len(valid), buffers[1], buffers[2], bitmap))
    return columns


@compiled()
def find_fields(block: Any, delimiter: int, places: Any) -> Any:
    """Where the wanted fields of each line start and stop; -1 where a line has too few.

    Quoted fields start with their quotation mark; inside, a doubled one is text. O(bytes).
    """
    lines = 0
    for byte in block:
        lines += byte == NEWLINE
    starts = np.full((len(places), lines), -1, np.int64)
    stops = np.full((len(places), lines), -1, np.int64)
    line = field = begin = position = 0
    empty = True
    quoted = False
    while position < len(block):
        byte = block[position]
        if byte == NEWLINE or (byte == delimiter and not quoted):
            end = position
            if byte == NEWLINE and end > begin and block[end - 1] == CARRIAGE_RETURN:
                end -= 1
            for wanted in range(len(places)):
                if places[wanted] == field:
                    starts[wanted, line] = begin
                    stops[wanted, line] = end
            empty = empty and end == begin
            begin = position + 1
            quoted = False
            field += 1
            if byte == NEWLINE:
                if not (empty and field == 1):
                    line += 1
                field = 0
                empty = True
        elif byte == QUOTE:
            if quoted and block[position + 1] == QUOTE:  # a newline follows at the latest
                position += 1
            else:
                quoted = position == begin
        position += 1
    return starts[:, :line], stops[:, :line]


@compiled()
def copy_fields(block: Any, starts: Any, stops: Any) -> Any:
    """The fields' bytes one after another, their offsets, and which are neither missing nor
    broken. Quotation marks are taken off and doubled ones made single."""
    size = 0
    for row in range(len(starts)):
        size += stops[row] - starts[row]
    data = np.empty(size, np.uint8)
    offsets = np.zeros(len(starts) + 1, np.int32)
    valid = np.zeros(len(starts), np.uint8)
    end = 0
    for row in range(len(starts)):
        begin = end
        start, stop = starts[row], stops[row]
        quoted = start >= 0 and stop > start and block[start] == QUOTE
        position = start + 1 if quoted else start
        while position < stop:
            byte = block[position]
            if quoted and byte == QUOTE:
                if position + 1 < stop and block[position + 1] == QUOTE:
                    position += 1
                else:
                    break
            data[end] = byte
            end += 1
            position += 1
        valid[row] = (quoted or stop > start) and is_utf8(data, begin, end)
        if not valid[row]:
            end = begin
        offsets[row + 1] = end
    return data[:end], offsets, valid


@compiled()
def sound_texts(data: Any, bounds: Any, longest: int) -> Any:
    """Which of the texts between these bounds are UTF-8 and not longer than so many bytes."""
    sound = np.zeros(max(len(bounds) - 1, 0), np.bool_)
    for row in range(len(sound)):
        start, stop = np.int64(bounds[row]), np.int64(bounds[row + 1])
        if 0 <= start <= stop <= len(data) and stop - start <= longest:
            every = np.uint8(0)  # all bits of all bytes: below 0x80, all is ASCII
            for position in range(start, stop):
                every |= data[np.uint64(position)]
            sound[row] = every < 0x80 or is_utf8(data, start, stop)
    return sound


@compiled()
def is_utf8(data: Any, start: int, stop: int) -> bool:
    """Whether the bytes are well-formed UTF-8 (Unicode, table 3-7)."""
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
