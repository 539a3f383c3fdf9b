"""Targets that are private tables: CSV and Parquet."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from assurance.fuzz import seeds
from assurance.fuzz.mutate import TEXTS, mutated_bytes, mutated_text
from assurance.fuzz.target import Input, Step, StepResult, Target

PAY = ("--account", "people", "--epsilon", "1")

WAYS = {
    "cells": ("publish", "FILE", *PAY, "-a", "age=0..9", "-a", "sex=F,M", "--outside", "sex=other",
              "-m", "identity"),
    "auto": ("publish", "FILE", *PAY, "-a", "income=0:10000", "--outside", "income=clamp"),
    "dates": ("publish", "FILE", *PAY, "-a", "day=2024-01-01..2024-01-31/1w", "-m", "identity",
              "--json"),
    "people": ("publish", "FILE", *PAY, "-a", "age=[0,2,9]", "--unit", "who", "--max-rows", "2",
               "-m", "identity"),
    "where": ("publish", "FILE", *PAY, "-a", "income=0:10000/4", "-m", "hierarchical", "--where",
              "age >= 2 AND sex IN ('F', 'M') AND NOT day = '2024-01-03'"),
    "bounds": ("find-bounds", "FILE", "income", *PAY),
    "days": ("find-bounds", "FILE", "day", *PAY, "--kind", "date"),
    "median": ("median", "FILE", *PAY, "-a", "income=0:10000"),
    "rows": ("find-max-rows", "FILE", "who", *PAY, "--release-epsilon", "1"),
}  # fmt: skip


NEVER = ("--line-breaks", "never")
DECLARED = {
    **WAYS,
    "people": (*WAYS["people"], *NEVER),
    "rows": (*WAYS["rows"], *NEVER),
    "quoted": (*WAYS["people"], "--line-breaks", "quoted", "--encoding", "cp1252"),
    "text": (
        *WAYS["dates"],
        "--separator",
        ";",
        "--decimal",
        ",",
        "--date-format",
        "%d.%m.%Y %H:%M",
    ),
}
"""Options for text files only."""


class TableTarget(Target):
    """A file with private rows, for commands that spend budget."""

    ways = WAYS
    slow = ("bounds", "rows")

    def steps(self, given: Input, folder: Path) -> list[Step]:
        name = f"people{self.ending}"
        (folder / name).write_bytes(given.data)
        return [[name if word == "FILE" else word for word in self.ways[given.way]]]

    def wrong(self, given: Input, seen: StepResult) -> str:
        if seen.error == "EngineFailed" and self.sound(given.data):
            return "the engine failed on a valid file"
        return ""

    def sound(self, data: bytes) -> bool:
        """Return whether the file is a valid file of its format."""
        return True


class Csv(TableTarget):
    name, ending = "csv", ".csv"
    ways = DECLARED

    def seeds(self) -> list[bytes]:
        plain = seeds.csv()
        quoted = b'who,age,sex,day,income\n"SECRETMARK",1,"F","2024-01-01","7777.123"\n'
        notes = b'who,age,day\n"SECRETMARK\nann,1,",1,"2024-01-01"\n'
        german = b"day;income\n31.1.2024 12:30;7777,123\n1.1.2024 0:00;5\n"
        marked = b"\xef\xbb\xbf" + quoted
        return [plain, quoted, plain.replace(b"\n", b"\r\n"), marked, notes, german]

    def mutated(self, data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
        if chance.random() < 0.5:
            return mutated_bytes(data, others, chance)
        text = data.decode("utf-8", "surrogateescape")
        return mutated_text(text, chance).encode("utf-8", "surrogatepass")


class Parquet(TableTarget):
    name, ending = "parquet", ".parquet"

    def seeds(self) -> list[bytes]:
        return [seeds.parquet()]

    def mutated(self, data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
        """Return a broken file, or a valid one with unusual contents."""
        if chance.random() < 0.5:
            return mutated_bytes(data, others, chance)
        return unusual(chance)

    def sound(self, data: bytes) -> bool:
        try:
            pq.read_table(io.BytesIO(data)).validate(full=True)
        except Exception:
            return False
        return True


def unusual(chance: Random) -> bytes:
    """Return a valid file whose columns have any type and any values."""
    size = chance.choice([0, 1, 2, seeds.ROWS])
    table = pa.Table.from_pylist(seeds.rows()[:size], schema=plain_schema())
    for _ in range(chance.randrange(1, 4)):
        name = chance.choice([*table.column_names, chance.choice(TEXTS)])
        column = any_column(size, chance)
        place = table.schema.get_field_index(name)
        if place < 0:
            table = table.append_column(name, column)
        elif chance.random() < 0.1:
            table = table.remove_column(place)
        else:
            table = table.set_column(place, name, column)
    if not table.num_columns:
        return seeds.parquet()
    if chance.random() < 0.2:
        note = chance.choice(TEXTS)
        table = table.replace_schema_metadata({"pandas": note, "hushgram": note, note or "x": note})
    return write_parquet(table, chance)


def plain_schema() -> pa.Schema:
    return pa.Table.from_pylist(seeds.rows()).schema


def write_parquet(table: pa.Table, chance: Random) -> bytes:
    options = {
        "compression": chance.choice(["none", "snappy", "gzip", "zstd", "lz4", "brotli"]),
        "data_page_version": chance.choice(["1.0", "2.0"]),
        "row_group_size": chance.choice([1, 3, 1000]),
        "use_dictionary": chance.random() < 0.5,
        "write_statistics": chance.random() < 0.5,
        "store_schema": chance.random() < 0.7,
    }
    try:
        return seeds.parquet_bytes(table, **options)
    except (pa.ArrowException, OSError):  # a type that Parquet does not have
        return seeds.parquet()


def any_column(size: int, chance: Random) -> pa.Array:
    kind, values = chance.choice(COLUMNS)
    chosen = [None if chance.random() < 0.1 else chance.choice(values) for _ in range(size)]
    column = pa.array(chosen, kind)
    return column.dictionary_encode() if chance.random() < 0.1 and dictionary(kind) else column


def dictionary(kind: pa.DataType) -> bool:
    return not pa.types.is_nested(kind) and not pa.types.is_null(kind)


MOMENT = dt.datetime(2024, 1, 5, 12)
DAY = dt.date(2024, 1, 5)
FLOATS = [0.0, -0.0, 7777.123, 1e308, 5e-324, float("inf"), float("-inf"), float("nan")]
WORDS = ["", "F", "M", "5", "5.0", " 5", "1e3", "0x5", "nan", "2024-01-05", "SECRETMARK", "é" * 99]

COLUMNS: list[tuple[pa.DataType, list[Any]]] = [
    *((kind, [0, 1, 5, 100]) for kind in (pa.int8(), pa.uint8(), pa.int16(), pa.uint16())),
    *((kind, [0, 5, 2**31 - 1]) for kind in (pa.int32(), pa.uint32())),
    (pa.int64(), [0, 5, 2**63 - 1, -(2**63)]),
    (pa.uint64(), [0, 5, 2**64 - 1]),
    (pa.float16(), [0, 5]),
    (pa.float32(), FLOATS[:3]),
    (pa.float64(), FLOATS),
    (pa.decimal128(38, 10), [Decimal("7777.123"), Decimal(5), Decimal("9" * 28)]),
    (pa.decimal256(76, 0), [Decimal(5), Decimal("9" * 76)]),
    (pa.bool_(), [True, False]),
    (pa.null(), [None]),
    (pa.string(), WORDS),
    (pa.large_string(), WORDS),
    (pa.binary(), [b"", b"F", b"SECRETMARK", b"\xff\xfe"]),
    (pa.binary(4), [b"SECR", b"\0\0\0\0"]),
    (pa.date32(), [DAY, dt.date(1, 1, 1), dt.date(9999, 12, 31)]),
    (pa.date64(), [DAY, dt.date(9999, 12, 31)]),
    *((pa.timestamp(unit), [MOMENT, dt.datetime(1970, 1, 1)]) for unit in ("s", "ms", "us", "ns")),
    (pa.timestamp("us"), [dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31)]),
    (pa.timestamp("us", "Europe/Berlin"), [MOMENT.replace(tzinfo=dt.UTC)]),
    (pa.timestamp("s"), [2**63 - 1, -(2**63)]),
    (pa.timestamp("us"), [2**63 - 1, -(2**63)]),
    (pa.time32("s"), [dt.time(5)]),
    (pa.time64("ns"), [dt.time(5)]),
    (pa.duration("us"), [dt.timedelta(5)]),
    (pa.list_(pa.int64()), [[], [5], [1, None]]),
    (pa.list_(pa.list_(pa.string())), [[], [["F"], []]]),
    (pa.struct([("age", pa.int64()), ("sex", pa.string())]), [{"age": 5, "sex": "SECRETMARK"}]),
    (pa.map_(pa.string(), pa.int64()), [[("a", 5)], []]),
]
