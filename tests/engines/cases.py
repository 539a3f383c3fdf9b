"""Ten thousand small tables in one: mean values of every type, and partitions of every kind."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from hushgram.declare.axis import Axis, Category, Date, Integer, Interval, Regular, Variable, Window
from hushgram.declare.domain import Domain
from hushgram.geometry.partition import Boxes, Cuts, Grid, Ints, Merged, Partition, Raster, Refined
from tests import reference

CASES = 10_000
ROWS = 60_000


def around(*edges: float) -> list[float]:
    """Edges, and one step of doubles to either side."""
    return [
        x for e in edges for x in (math.nextafter(e, -math.inf), e, math.nextafter(e, math.inf))
    ]


UTC = dt.UTC
NEW_YORK = dt.timezone(-dt.timedelta(hours=5))

NUMBERS = [
    None, math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324, -5e-324, 1e308, -1e308, 2.5,
    *around(-1.0, 0.1, 0.3, 1 / 3, 1.0, 6.999, 7.0),
]  # fmt: skip
WHOLES = [None, 0, 1, -1, 6, 7, 8, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)]
DECIMALS = [
    None, *map(Decimal, ["0", "0.3", "0.299999999", "0.300000001", "7", "-1", "6.999999999"]),
    Decimal(10) ** 28, -(Decimal(10) ** 28),
]  # fmt: skip
TEXTS = [
    None, "", " ", "0.3", " 0.3\t", "+.3", "3e-1", "0.3\n", "\n0.3", "0.3 ", "٣", "NaN", "inf",
    "-Infinity", "1e999", "-1e999", "1e-999", "1e99999999", "-1e-99999999", "0e99999999",
    "1.7976931348623157e308", "1.7976931348623159e308", "4.9e-324", "2e-324", "0x10", "1_0", "1d",
    "2f", "--1", "1e", "e1", ".", "7" * 999, "7" * 1001, "0." + "0" * 900 + "7e901", "7", "6.999",
    "2023-02-28", "2023-02-29", "2024-02-29", "2024-02-30", "2024-13-01", "2024-00-10",
    "2024-04-30", "2024-04-31", "2024-06-30", "2024-06-31", "2024-09-30", "2024-09-31",
    "2024-11-30", "2024-11-31", "0000-01-01", "0001-01-01", "9999-12-31",
    "2024-02-29 23:59:59.999999",
    "2024-02-29T23:59", "2024-02-29 24:00", "2024-02-29 12:60", "2024-2-29", "2024-02-29Z",
    "2024-02-29 ", "2024-02-29\n", "infinity", "now", "today", "epoch", "1900-02-29", "2000-02-29",
]  # fmt: skip
WORDS = [
    None, "", "F", "f", "F ", " F", "ä", "a\u0308", "'", '"', "\\", "%", "_", "F'; DROP TABLE x",
    "true", "1", "01", "NULL", "zzz", "\n", "\t", "🙂",
]  # fmt: skip
DAYS = [
    None, dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.date(2023, 12, 31), dt.date(2024, 1, 1),
    dt.date(2024, 2, 29), dt.date(2024, 3, 1), dt.date(2024, 12, 31), dt.date(2025, 1, 1),
]  # fmt: skip
MOMENTS = [
    None, dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999_999),
    dt.datetime(2023, 12, 31, 23, 59, 59, 999_999), dt.datetime(2024, 1, 1),
    dt.datetime(2024, 3, 10, 2, 30), dt.datetime(2024, 2, 29, 23, 59, 59, 999_999),
    dt.datetime(1969, 12, 31, 23, 59, 59, 500_000), dt.datetime(2024, 11, 3, 1, 30),
]  # fmt: skip
ZONED = [
    None, dt.datetime(2024, 1, 1, tzinfo=UTC), dt.datetime(2023, 12, 31, 23, tzinfo=NEW_YORK),
    dt.datetime(2024, 2, 29, 23, 59, 59, 999_999, NEW_YORK),
    dt.datetime(2024, 3, 10, 7, 30, tzinfo=UTC), dt.datetime(2024, 11, 3, 5, 30, tzinfo=UTC),
    dt.datetime(2024, 11, 3, 6, 30, tzinfo=UTC),
    dt.datetime(1969, 12, 31, 23, 59, 59, 1, UTC), dt.datetime(2024, 12, 31, 19, tzinfo=NEW_YORK),
]  # fmt: skip

POOLS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "number": (pa.float64(), NUMBERS),
    'single "float"': (pa.float32(), [None, math.nan, math.inf, -math.inf, 0.0, 0.25, 7.0, 1e30]),
    "größe": (pa.int64(), WHOLES),
    "select": (pa.decimal128(38, 9), DECIMALS),
    'x"; DROP TABLE table0; --': (pa.string(), TEXTS),
    "слово `word`": (pa.string(), WORDS),
    "flag's": (pa.bool_(), [None, True, False]),
    "the day": (pa.date32(), DAYS),
    "moment": (pa.timestamp("us"), MOMENTS),
    "zoned": (pa.timestamp("us", "UTC"), ZONED),
}
"""Columns with names that SQL would stumble over, and what they hold."""

TEXT, WORD = 'x"; DROP TABLE table0; --', "слово `word`"
YEAR = ("2024-01-01", "2024-12-31")
LONG = [str(i) for i in range(-5, 60)]

AXES: list[tuple[str, Callable[[Any], Axis]]] = [
    ("number", lambda p: Regular(7, 0.1, 1, outside=p)),
    ("number", lambda p: Interval(-1, 7, outside=p)),
    ("number", lambda p: Variable([-1, 0.1, 0.3, 7], outside=p)),
    ('single "float"', lambda p: Regular(28, 0, 7, outside=p)),
    ("größe", lambda p: Integer(-1, 7, outside=p)),
    ("größe", lambda p: Category(LONG if p == "drop" else LONG[:12], outside=other(p))),
    ("select", lambda p: Regular(10, 0, 1, outside=p)),
    ("select", lambda p: Variable([-1, 0.3, 7], outside=p)),
    (TEXT, lambda p: Regular(10, 0, 7, outside=p)),
    (TEXT, lambda p: Integer(-2, 7, outside=p)),
    (TEXT, lambda p: Date(*YEAR, "1d", outside=p)),
    (TEXT, lambda p: Date("1900-01-01", "2024-12-31", "1mo", outside=p)),
    (TEXT, lambda p: Category(["0.3", "7", "", "2024-02-29"], outside=other(p))),
    (WORD, lambda p: Category([w for w in WORDS if w is not None][::2], outside=other(p))),
    (WORD, lambda p: Category([*LONG, "F", "ä", "\\", "\n"], outside=other(p))),
    ("flag's", lambda p: Category([True, False], outside=other(p))),
    ("the day", lambda p: Date(*YEAR, "1d", outside=p)),
    ("the day", lambda p: Date("0001-01-01", "9998-12-30", "1y", outside=p)),
    ("moment", lambda p: Date(*YEAR, "5h", outside=p)),
    ("moment", lambda p: Date("1960-01-01", "2024-12-31", "1mo", outside=p)),
    ("zoned", lambda p: Date(*YEAR, "30min", outside=p)),
    ("zoned", lambda p: Window(Date(*YEAR, "1mo", outside=p), 1, 11)),
]


def other(policy: str) -> Any:
    """Categories have no order, so they cannot clamp."""
    return "drop" if policy == "clamp" else policy


@dataclass(frozen=True)
class Stack:
    """The cases' rows: which value of its pool each column has in each row."""

    case: Ints
    chosen: dict[str, Ints]

    def table(self) -> pa.Table:
        columns = {"case": pa.array(self.case)}
        for name, (kind, pool) in POOLS.items():
            columns[name] = pa.array(pool, kind).take(pa.array(self.chosen[name]))
        return pa.table(columns)

    def indices(self, domain: Domain) -> list[Ints]:
        """The rows' indices by first principles; rows that drop out are left out."""
        first = domain.axes[0]
        places = [np.where(self.case < first.size, self.case, -1)]
        for name, axis in list(domain.items())[1:]:
            by_value = [reference.place(axis, as_held(name, value)) for value in POOLS[name][1]]
            known = np.array([-1 if place is None else place for place in by_value])
            places.append(known[self.chosen[name]])
        kept = np.all([column >= 0 for column in places], axis=0)
        return [column[kept] for column in places]


def as_held(name: str, value: Any) -> Any:
    """A value as the column holds it, which for single precision is another double."""
    return float(np.float32(value)) if value is not None and "single" in name else value


@cache
def stack() -> Stack:
    rng = np.random.default_rng(8)
    case = np.sort(rng.integers(0, CASES, ROWS))
    return Stack(
        case, {name: rng.integers(0, len(pool), ROWS) for name, (_, pool) in POOLS.items()}
    )


@cache
def domains() -> list[Domain]:
    """The case, and two axes with every policy: each axis is in some of them."""
    found = []
    for number, (name, make) in enumerate(AXES):
        for shift, policy in enumerate(("drop", "clamp", "other")):
            partner, make_partner = AXES[(number + 3 * shift + 5) % len(AXES)]
            axes = {"case": Integer(0, CASES - 1), name: make(policy)}
            if partner != name and shift == number % 3:
                axes[partner] = make_partner("other")
            found.append(Domain(axes))
    return found


def few(domain: Domain) -> list[int]:
    """Slices of the axes beside the case."""
    return [min(axis.bins, 6) for axis in domain.axes[1:]]


def grid(domain: Domain, rng: np.random.Generator) -> Partition:
    return Grid(domain, (CASES, *few(domain)))


def refined(domain: Domain, rng: np.random.Generator) -> Partition:
    coarse = Grid(domain, (CASES, *(1 for _ in few(domain))))
    lower, upper = coarse.boxes()
    return Refined(coarse, rng.integers(1, np.minimum(upper - lower, 5) + 1))


def merged(domain: Domain, rng: np.random.Generator) -> Partition:
    cells = Grid(domain, (CASES, *few(domain)))
    return Merged(cells, rng.permutation(np.arange(cells.size) // 3))


def cuts(domain: Domain, rng: np.random.Generator) -> Partition:
    small = domain.box([(0, 100), *((0, min(axis.size, 40)) for axis in domain.axes[1:])])
    places = [np.unique([0, *rng.integers(0, axis.bins, 5)]) for axis in small.axes[1:]]
    return Cuts(small, (np.arange(100), *places))


def boxes(domain: Domain, rng: np.random.Generator) -> Partition:
    """Twelve rounds of cuts, each of most boxes and along any axis."""
    raster = Raster(domain, (CASES, *(min(axis.bins, 1000) for axis in domain.axes[1:])))
    found = Boxes.whole(raster)
    for _ in range(12):
        lower, upper = found.corners
        axes = rng.integers(0, len(domain), found.size)
        rows = np.arange(found.size)
        low, high = lower[rows, axes], upper[rows, axes]
        cuttable = (high - low > 1) & (rng.random(found.size) < 0.9)
        places = low + 1 + (rng.random(found.size) * np.maximum(high - low - 1, 1)).astype(int)
        found = found.cut(np.where(cuttable, axes, -1), np.where(cuttable, places, 0))
    return found


KINDS = (grid, refined, merged, cuts, boxes)


@cache
def expected(number: int) -> tuple[Partition, Ints]:
    """A partition of a domain, of one kind after the other, and the counts of its parts."""
    make = KINDS[number % len(KINDS)]
    partition = make(domains()[number], np.random.default_rng(number))
    found = stack().indices(partition.domain)
    return partition, np.bincount(partition.parts(found), minlength=partition.size)
