"""Forgeries: releases that are taken apart, changed in meaningful places, and sealed again.

The seal is a checksum that anybody can compute. So a forger can pass it, and all checks of single
numbers; only checks that the parts fit together are left. These changes are made to the parts:
levels of a tree, partitions and their bounds, groups, sides of a view, whole arrays of another
release.
"""

from __future__ import annotations

import copy
import hashlib
import io
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from assurance.fuzz.files import contents, unpack
from assurance.fuzz.mutate import NUMBERS, TEXTS, slots, some
from hushgram.declare.domain import Domain
from hushgram.geometry.measured.reading import measurable_from_json
from hushgram.geometry.partition import Boxes, Cuts, Grid, Merged, Partition, Raster, Refined, pack
from hushgram.mechanisms.inference.stretches import Stretches

CANNOT = (
    ArithmeticError, AttributeError, LookupError, RecursionError, StopIteration, TypeError,
    ValueError,
)  # fmt: skip
"""What a change raises if there is nothing (left) to change."""

KINDS = ("direct", "tree", "pooled", "even", "wavelet", "sorted", "zoomed", "summed", "nothing")

LARGEST_BINS = 1 << 7
"""The maximum number of bins of a forged axis. Larger axes would take long, legitimately."""


LARGEST_SIZE = 1 << 20
"""The maximum number of parts of a forged partition whose lengths are made to fit."""


@dataclass
class Draft:
    """A release that is being forged: its description with unpacked arrays, and its counts."""

    about: Any
    values: Any

    @classmethod
    def of(cls, data: bytes) -> Draft:
        text, values = contents(data)
        return cls(with_arrays(json.loads(text)), values)

    def arrays(self) -> list[tuple[Any, Any]]:
        return [(holder, key) for holder, key in slots([self.about])
                if isinstance(holder[key], np.ndarray)]  # fmt: skip

    def numbers(self) -> list[tuple[Any, Any]]:
        return [(holder, key) for holder, key in slots([self.about])
                if type(holder[key]) in (int, float)]  # fmt: skip

    def partitions(self) -> list[tuple[Any, Any]]:
        """Return the partitions: of the layout, of measurements, and of views."""
        return [(holder, key) for holder, key in slots([self.about])
                if key in ("layout", "partition", "leaves", "grid")]  # fmt: skip


def with_arrays(tree: Any) -> Any:
    """Return a description with packed text replaced by arrays."""
    if isinstance(tree, dict):
        return {key: with_arrays(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [with_arrays(value) for value in tree]
    found = unpack(tree) if isinstance(tree, str) else None
    return tree if found is None else found


def text_of(tree: Any) -> str:
    """Return a description as JSON, with packed arrays."""
    return json.dumps(tree, default=pack)


def plain(tree: Any) -> Any:
    return json.loads(text_of(tree))


def forged_release(data: bytes, others: list[bytes], chance: Random) -> bytes:
    """Forge a release: make some changes, sometimes make the lengths fit again, and always seal
    it."""
    draft, lender = Draft.of(data), Draft.of(chance.choice(others))
    for _ in some(chance):
        with suppress(*CANNOT):
            chance.choice(CHANGES)(draft, lender, chance)
    if chance.random() < 0.7:
        mend(draft)
    return write_draft(draft, chance)


def swap_levels(draft: Draft, lender: Draft, chance: Random) -> None:
    """Swap two measurements, or one of their properties."""
    levels = draft.about["measurements"]
    first, second = chance.sample(range(len(levels)), 2)
    if chance.random() < 0.4:
        levels[first], levels[second] = levels[second], levels[first]
        return
    key = chance.choice(["partition", "values", "variance", "scale"])
    levels[first][key], levels[second][key] = levels[second][key], levels[first][key]


def turn_levels(draft: Draft, lender: Draft, chance: Random) -> None:
    """Reverse, repeat or drop levels."""
    levels = draft.about["measurements"]
    act, place = chance.randrange(5), chance.randrange(len(levels))
    if act == 0:
        levels.reverse()
    elif act == 1:
        levels.insert(place, copy.deepcopy(chance.choice(levels)))
    elif act == 2:
        del levels[place]
    elif act == 3:
        levels.insert(place, copy.deepcopy(chance.choice(lender.about["measurements"])))
    else:
        levels[:] = levels * chance.choice([2, 40])


def change_array(draft: Draft, lender: Draft, chance: Random) -> None:
    """Move, drop or repeat integers, or change them by one."""
    holder, key = chance.choice(draft.arrays())
    holder[key] = change_values(holder[key], chance)


def change_values(array: Any, chance: Random) -> Any:
    array = array.copy()
    place = chance.randrange(len(array))
    act = chance.randrange(9)
    if act == 0:
        return np.array(chance.sample(array.tolist(), len(array)), dtype=np.int64)
    if act == 1:
        return np.roll(array, chance.choice([1, -1, 2]))
    if act == 2:
        return np.insert(array, place, array[place])
    if act == 3:
        return np.delete(array, place)
    if act == 4:
        array[place] += chance.choice([-1, 1])
    elif act == 5:
        array[place] = chance.choice([0, -1, 2**31, 2**62, -(2**62), 2**63 - 1, len(array)])
    elif act == 6:
        array[:] = array[place]
    elif act == 7:
        return array[::-1]
    else:
        array += chance.choice([-1, 1, 1000])
    return array


def change_number(draft: Draft, lender: Draft, chance: Random) -> None:
    """Change slices, nodes, sizes, bounds or bins by one, or by much."""
    holder, key = chance.choice(draft.numbers())
    value = holder[key]
    near = [value - 1, value + 1, -value, 2 * value, value // 2, float(value), str(value)]
    holder[key] = chance.choice(near if chance.random() < 0.7 else NUMBERS)


def change_axis(draft: Draft, lender: Draft, chance: Random) -> None:
    """Change the places, kinds, bounds or policies of axes; add or remove one."""
    domain = draft.about["domain"]
    place, other = (
        chance.randrange(len(domain)),
        copy.deepcopy(chance.choice(lender.about["domain"])),
    )
    act = chance.randrange(7)
    if act == 0:
        chance.shuffle(domain)
    elif act == 1:
        domain.append({**other, "name": f"{other['name']}2"})
    elif act == 2:
        del domain[place]
    elif act == 3:
        domain[place] = {**other, "name": domain[place]["name"]}
    elif act == 4:
        domain[place]["outside"] = chance.choice(["drop", "clamp", "other"])
    elif act == 5:
        start = chance.randrange(4)
        inner = {key: value for key, value in domain[place].items() if key != "name"}
        about = {
            "kind": "window",
            "axis": inner,
            "start": start,
            "stop": start + chance.choice([1, 4]),
        }
        domain[place] = {"name": domain[place]["name"], **about}
    else:
        domain[place]["name"] = chance.choice([*TEXTS, "count", "variance", other["name"]])


def twin_axis(draft: Draft, lender: Draft, chance: Random) -> None:
    """Replace an axis by one of another kind with as many bins, at the limits of what can be
    declared."""
    domain = draft.about["domain"]
    place = chance.randrange(len(domain))
    axis = Domain.from_json(plain(domain)).axes[place]
    bins = min(axis.size, LARGEST_BINS)
    name = chance.choice([domain[place]["name"], *ODD_NAMES])
    other = {"outside": "other"} if axis.other and chance.random() < 0.8 else {}
    domain[place] = {"name": name, **chance.choice(TWINS)(bins - bool(other), chance), **other}


def integers(bins: int, chance: Random) -> dict[str, Any]:
    low = chance.choice([0, -bins, 2**53 - bins, 1 - 2**53, 10**15])
    return {"kind": "integer", "lo": low, "hi": low + bins - 1}


def reals(bins: int, chance: Random) -> dict[str, Any]:
    low, high = chance.choice([(0, 1), (-1e300, 1e300), (0, 1e-290), (1e16, 1e18), (-1e-300, 1e300),
                               (0, 5e307), (-180, 180), (-89.9, 90), (0, 360)])  # fmt: skip
    if chance.random() < 0.5:
        return {"kind": "interval", "lo": low, "hi": high, "resolution": bins}
    return {"kind": "regular", "bins": bins, "lo": low, "hi": high}


def edges(bins: int, chance: Random) -> dict[str, Any]:
    ends = chance.choice([(0, 1), (-8e307, 8e307), (1, 1 + 1e-9), (0, 1e-300), (1e300, 1.1e300)])
    return {"kind": "variable", "edges": np.linspace(*ends, bins + 1).tolist()}


def categories(bins: int, chance: Random) -> dict[str, Any]:
    base = chance.choice(["", "=1+", "other", "|", "\n", "<b>", "é\u202e", "x" * 500, "'", "NaN"])
    numbers = chance.choice([0, -5, 2**63 - 1, 2**64, 10**30, 10**4000])
    if chance.random() < 0.2 and bins == 2:
        return {"kind": "category", "values": [True, False]}
    many = range(bins)
    texts = chance.random() < 0.5
    return {"kind": "category", "values": [f"{base}{n}" if texts else numbers + n for n in many]}


def days(bins: int, chance: Random) -> dict[str, Any]:
    start, step = chance.choice([("0001-01-01", "1d"), ("1970-01-01", "1s"), ("1600-01-01", "1w"),
                                 ("0001-01-01", "1mo"), ("1000-01-01", "1y")])  # fmt: skip
    unit: Any = {"d": "D", "s": "s", "w": "W", "mo": "M", "y": "Y"}[step[1:]]
    stop = str(np.datetime64(start, unit) + (bins - 1))
    return {
        "kind": "date",
        "start": start,
        "stop": stop + "-01" * (2 - stop.count("-")),
        "step": step,
    }


ODD_NAMES = ("count", "variance", "a_lo", "lon", "lat", "release", "x" * 500, "é", "%s", "<b>", " ")
TWINS = (integers, reals, reals, edges, categories, days)


def change_inference(draft: Draft, lender: Draft, chance: Random) -> None:
    """Use another kind of inference on the same measurements, or that of another release."""
    if chance.random() < 0.4:
        draft.about["inference"] = copy.deepcopy(lender.about["inference"])
    else:
        draft.about["inference"]["kind"] = chance.choice(KINDS)
        size = len(draft.values)
        groups = np.array(
            [chance.randrange(max(size // 2, 1)) for _ in range(size)], dtype=np.int64
        )
        draft.about["inference"].setdefault("groups", groups)


def borrow(draft: Draft, lender: Draft, chance: Random) -> None:
    """Replace a part by the part of another release with the same name."""
    theirs: dict[Any, list[Any]] = {}
    for holder, key in slots([lender.about]):
        if isinstance(key, str):
            theirs.setdefault(key, []).append(holder[key])
    ours = [slot for slot in slots([draft.about]) if slot[1] in theirs]
    holder, key = chance.choice(ours)
    holder[key] = copy.deepcopy(chance.choice(theirs[key]))


def borrow_array(draft: Draft, lender: Draft, chance: Random) -> None:
    """Replace an array by one of another release, or of this one, cut or repeated to the same
    length."""
    holder, key = chance.choice(draft.arrays())
    from_, name = chance.choice([*lender.arrays(), *draft.arrays()])
    array = from_[name].copy()
    holder[key] = np.resize(array, len(holder[key])) if chance.random() < 0.7 else array


def change_partition(draft: Draft, lender: Draft, chance: Random) -> None:
    """Replace a partition by another valid one of the domain."""
    holder, key = chance.choice(draft.partitions())
    domain = Domain.from_json(plain(draft.about["domain"]))
    holder[key] = with_arrays(any_partition(domain, chance).to_json())


def any_partition(domain: Domain, chance: Random) -> Partition:
    slices = tuple(chance.randrange(1, min(axis.bins, 4) + 1) for axis in domain.axes)
    grid = Grid(domain, slices)
    act = chance.randrange(5)
    if act == 0:
        return grid
    if act == 1:
        return Merged(grid, np.unique([chance.randrange(3) for _ in range(grid.size)],
                                      return_inverse=True)[1])  # fmt: skip
    if act == 2:
        starts = [sorted({0, *(chance.randrange(axis.bins) for _ in range(2))})
                  for axis in domain.axes]  # fmt: skip
        return Cuts(domain, tuple(np.array(one) for one in starts))
    if act == 3:
        lower, upper = grid.boxes()
        most = np.minimum(upper - lower, 3)
        return Refined(
            grid, np.array([[chance.randrange(1, m + 1) for m in row] for row in most.tolist()])
        )
    boxes = Boxes.whole(Raster(domain, slices))
    for _ in range(chance.randrange(4)):
        boxes = cut_once(boxes, chance)
    return boxes


def cut_once(boxes: Boxes, chance: Random) -> Boxes:
    lower, upper = boxes.corners
    axes, places = np.full(boxes.size, -1), np.zeros(boxes.size, dtype=np.int64)
    box, axis = chance.randrange(boxes.size), chance.randrange(lower.shape[1])
    if upper[box, axis] - lower[box, axis] > 1:
        axes[box], places[box] = axis, chance.randrange(lower[box, axis] + 1, upper[box, axis])
    return boxes.cut(axes, places)


def view_again(draft: Draft, lender: Draft, chance: Random) -> None:
    """Wrap the release in a view of itself, once or hundreds of times."""
    about = draft.about
    domain = Domain.from_json(plain(about["domain"]))
    sides = [Stretches.between(np.array([0, axis.size])) for axis in domain.axes]
    if chance.random() < 0.7:
        sides = [Stretches.between(np.arange(axis.size + 1)) if axis.size < 50 else side
                 for axis, side in zip(domain.axes, sides, strict=True)]  # fmt: skip
    for _ in range(chance.choice([1, 1, 2, 30, 300])):
        about["inference"] = {
            "kind": "summed", "domain": about["domain"], "layout": about["layout"],
            "inference": about["inference"], "order": list(range(len(sides))),
            "sides": [with_arrays(side.to_json()) for side in sides],
        }  # fmt: skip
    about["layout"] = {"kind": "grid", "slices": [side.size for side in sides]}


def change_noise(draft: Draft, lender: Draft, chance: Random) -> None:
    """Set impossible variances and scales."""
    level = chance.choice(draft.about["measurements"])
    if chance.random() < 0.6:
        level["variance"] = chance.choice([*NUMBERS, None, True, "1", [1], -1e-300, 1e200, 1e-200])
    else:
        level["scale"] = chance.choice(["0", "1/0", "-1", "0/5", "1e9", "9" * 400, "1/" + "9" * 400,
                                        "9" * 5000, 1, None, "٣", "1/3/3"])  # fmt: skip


def change_counts(draft: Draft, lender: Draft, chance: Random) -> None:
    """Change the counts: other values, more, fewer, larger, of another type."""
    act = chance.randrange(7)
    if act == 0:
        draft.values = lender.values
    elif act == 1:
        draft.values = np.resize(lender.values, len(draft.values))
    elif act == 2:
        draft.values = draft.values[:-1]
    elif act == 3:
        draft.values = np.append(draft.values, draft.values[:1])
    else:
        kind = chance.choice(["f8", "i8"])
        with np.errstate(all="ignore"):
            draft.values = draft.values.astype(kind)
        extreme = chance.choice([1e308, -1e308, 5e-324, np.nan, np.inf, 2.0**62, -(2.0**62), 1e16])
        if kind == "f8" or abs(extreme) < 2.0**63:
            draft.values[chance.randrange(len(draft.values))] = extreme


def nest_lists(depth: int) -> Any:
    found: Any = 1
    for _ in range(depth):
        found = [found]
    return found


FACTS = ("schema", "mechanism", "parameters", "epsilon", "unit", "neighbours", "receipt",
         "unaccounted", "why", "where", "about")  # fmt: skip

WILD: tuple[Any, ...] = (
    None, True, [], {}, "", 0, -1, 2, 1.0, "x" * 9000, "\x1b[31m", "9" * 4000, "1/" + "9" * 4000,
    10**4000, nest_lists(500), {"a": nest_lists(300)}, {"a": float("nan")}, {"a": 10**400}, *TEXTS,
)  # fmt: skip


def change_facts(draft: Draft, lender: Draft, chance: Random) -> None:
    """Change other parts of the description."""
    key = chance.choice(FACTS)
    draft.about[key] = chance.choice([lender.about.get(key), *WILD])


def lose(draft: Draft, lender: Draft, chance: Random) -> None:
    """Remove or rename a part."""
    holder, key = chance.choice([slot for slot in slots([draft.about]) if isinstance(slot[1], str)])
    value = holder.pop(key)
    if chance.random() < 0.5:
        holder[chance.choice(["kind", "values", "partition", "x"])] = value


CHANGES: tuple[Callable[[Draft, Draft, Random], None], ...] = (
    swap_levels, swap_levels, turn_levels, change_array, change_array, change_array, change_number,
    change_number, change_axis, twin_axis, twin_axis, change_inference, borrow, borrow,
    borrow_array, change_partition, change_partition, view_again, change_noise, change_counts,
    change_facts, lose,
)  # fmt: skip


def mend(draft: Draft) -> None:
    """Make lengths fit again, so that the first checks pass."""
    for holder, key in list(slots([draft.about])):
        node = holder[key]
        if isinstance(node, dict):
            for count, array in (("nodes", "axes"), ("stretches", "lower")):
                if count in node and isinstance(node.get(array), np.ndarray):
                    node[count] = len(node[array])
    with suppress(Exception), np.errstate(all="ignore"):
        domain = Domain.from_json(plain(draft.about["domain"]))
        draft.values = fitting(draft.values, domain, draft.about["layout"])
        inference = draft.about["inference"]
        while inference["kind"] == "summed":
            domain, inference = Domain.from_json(plain(inference["domain"])), inference["inference"]
        for level in draft.about["measurements"]:
            if "values" in level:
                level["values"] = fitting(level["values"], domain, level["partition"])
            elif inference["kind"] != "direct":
                level["values"] = fitting(draft.values.astype(np.int64), domain, level["partition"])


def fitting(values: Any, domain: Domain, partition: Any) -> Any:
    numbers = [holder[key] for holder, key in slots([partition]) if type(holder[key]) is int]
    if max(numbers, default=0) > LARGEST_SIZE:  # it would be created here
        return values
    size = measurable_from_json(domain, plain(partition)).size
    return np.resize(values, size) if size < LARGEST_SIZE else values


def write_draft(draft: Draft, chance: Random) -> bytes:
    """Write the file, sometimes with another fault."""
    text = text_of(draft.about)
    if chance.random() < 0.03:  # a duplicate key: parsers differ in which one they use
        key = chance.choice(list(draft.about))
        text = f'{{"{key}":{text_of(draft.about[key])},{text[1:]}'
    if chance.random() < 0.02:
        text = text.replace('"why"', f'"why":"",{"[" * 50_000}{"]" * 50_000}"x"', 1)
    return sealed_file(text, draft.values, chance)


def sealed_file(text: str, values: Any, chance: Random) -> bytes:
    encoded = text.encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(encoded + values.astype(values.dtype.newbyteorder("<")).tobytes())
    column, options = odd_column(values, chance), {"compression": "zstd", "store_schema": False}
    table = pa.table({"count": column})
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, table.schema, **options) as writer:
        writer.write_table(table, row_group_size=chance.choice([None, None, None, 1, 3]))
        seal = digest.hexdigest().encode()
        writer.add_key_value_metadata({b"hushgram": encoded, b"hushgram.seal": seal})
    return sink.getvalue()


def odd_column(values: Any, chance: Random) -> Any:
    """Return the counts, or a column of another type with as many bytes."""
    column = pa.array(values)
    if chance.random() > 0.06 or values.dtype.kind != "i":
        return column
    kind = chance.choice([pa.timestamp("us"), pa.uint64(), pa.duration("us"), pa.time64("us"),
                          pa.decimal128(18), pa.int32(), pa.float32(), pa.date32()])  # fmt: skip
    try:
        return column.cast(kind)
    except pa.ArrowException:
        return pa.array([None, *values.tolist()[1:]], pa.int64())
