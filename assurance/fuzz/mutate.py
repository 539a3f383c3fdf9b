"""Mutate bytes, text and JSON trees, with a few changes at a time."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

NUMBERS: tuple[Any, ...] = (
    0, 1, -1, 2, 3, 7, 10, 100, 255, 1000, 65_536, 2**31 - 1, 2**31, 2**32, 2**53 + 1, 2**63 - 1,
    2**63, -(2**63), 2**64, 10**12, 10**30, 0.1, 0.5, -0.0, 1.5, 1e-9, 5e-324, 1e16, 1e308, -1e308,
    float("inf"), float("-inf"), float("nan"),
)  # fmt: skip

TEXTS: tuple[str, ...] = (
    "", " ", "x", "-", "--", "=", ",", "0", "-0", "1e5", "1e999", "-1e-999", "1e999999999", "nan",
    "inf", "1/0", "1/3", "0x10", "1_000", "٣", "²", "½", "é", "🙂", "\u202e", "\ufeff", "\x1b[31m",
    "\t", "\n", "a\nb", "'", '"', "''", "`", "\\", "%s", "{}", "{0}", "[red]", "$HOME", "*", "?",
    "other", "drop", "clamp", "null", "None", "true", "NaN", "age", "sex", "day", "who", "income",
    "count", "release", "2024-01-01", "0000-00-00", "9999-12-31", "2024-02-30T25:61", "1d", "1mo",
    "999999999d", "0d", "9" * 400, "9" * 5000, "a" * 3000, "(" * 500, "[" * 2000, "; DROP TABLE x",
)  # fmt: skip

SPLIT = re.compile(r"([0-9]+|[A-Za-z_]+|\s+|.)", re.DOTALL)


def some(chance: Random, most: int = 4) -> range:
    """Return the number of changes at once: mostly one."""
    return range(1 + min(int(chance.expovariate(1.0)), most))


def mutated_bytes(data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
    """Mutate bits, bytes and pieces of data."""
    found = bytearray(data)
    for _ in some(chance):
        found = chance.choice(BYTES)(found, others, chance)
    return bytes(found[: 1 << 20])


def place_in(data: Sequence[Any], chance: Random) -> int:
    """Return a random position, half the time near an end, where formats store metadata."""
    near = min(len(data), 64)
    if chance.random() < 0.5 and near:
        step = chance.randrange(near)
        return step if chance.random() < 0.5 else len(data) - step
    return chance.randrange(len(data) + 1)


def flip(data: bytearray, others: Sequence[bytes], chance: Random) -> bytearray:
    if data:
        data[place_in(data, chance) % len(data)] ^= 1 << chance.randrange(8)
    return data


def set_byte(data: bytearray, others: Sequence[bytes], chance: Random) -> bytearray:
    if data:
        value = chance.choice([0, 1, 0x7F, 0x80, 0xFF, 0x0A, 0x22, 0x2C, chance.randrange(256)])
        data[place_in(data, chance) % len(data)] = value
    return data


def set_integer(data: bytearray, others: Sequence[bytes], chance: Random) -> bytearray:
    size = chance.choice([2, 4, 8])
    place = place_in(data, chance)
    number = chance.choice([n for n in NUMBERS if isinstance(n, int)]) % 256**size
    data[place : place + size] = number.to_bytes(size, "little")
    return data


def insert(data: bytearray, others: Sequence[bytes], chance: Random) -> bytearray:
    place = place_in(data, chance)
    data[place:place] = chance.choice(TEXTS).encode("utf-8", "replace")
    return data


def delete(data: bytearray, others: Sequence[bytes], chance: Random) -> bytearray:
    place = place_in(data, chance)
    del data[place : place + chance.choice([1, 2, 4, 16, 64, 1024])]
    return data


def repeat(data: bytearray, others: Sequence[bytes], chance: Random) -> bytearray:
    place = place_in(data, chance)
    piece = data[place : place + chance.choice([1, 4, 16, 64])]
    data[place:place] = piece * chance.choice([1, 2, 16, 200])
    return data


def cut(data: bytearray, others: Sequence[bytes], chance: Random) -> bytearray:
    return data[: place_in(data, chance)]


def splice(data: bytearray, others: Sequence[bytes], chance: Random) -> bytearray:
    """Insert a piece of another input at its own position, or anywhere."""
    if not others:
        return data
    other = chance.choice(others)
    place, size = place_in(data, chance), chance.choice([4, 16, 64, 256])
    start = place if chance.random() < 0.5 else place_in(other, chance)
    data[place : place + size] = other[start : start + size]
    return data


BYTES: tuple[Callable[[bytearray, Sequence[bytes], Random], bytearray], ...] = (
    flip, flip, set_byte, set_byte, set_integer, insert, delete, repeat, cut, splice,
)  # fmt: skip


def mutated_text(text: str, chance: Random) -> str:
    """Mutate words, numbers and characters of a text."""
    parts = [part for part in SPLIT.split(text) if part]
    for _ in some(chance):
        parts = mutated_parts(parts, chance)
    return "".join(parts)[: 1 << 18]


def mutated_parts(parts: list[str], chance: Random) -> list[str]:
    place = chance.randrange(len(parts) + 1)
    there = place < len(parts)
    act = chance.randrange(6)
    if act == 0 or not there:
        parts.insert(place, chance.choice(TEXTS))
    elif act == 1:
        del parts[place : place + chance.choice([1, 1, 3, 10])]
    elif act == 2:
        parts[place] = chance.choice(parts)
    elif act == 3:
        parts[place:place] = parts[place : place + chance.choice([1, 5, 20])]
    else:
        new = chance.choice(NUMBERS) if parts[place].isdigit() else chance.choice(TEXTS)
        parts[place] = str(new)
    return parts


def mutated_tree(tree: Any, chance: Random) -> Any:
    """Change, move, remove or nest nodes of a JSON tree."""
    root = [copy.deepcopy(tree)]
    for _ in some(chance):
        mutate_node(root, chance)
    return root[0]


def mutate_node(root: list[Any], chance: Random) -> None:
    nodes = list(slots(root))
    holder, key = chance.choice(nodes)
    other, at = chance.choice(nodes)
    act = chance.randrange(8)
    if act == 0 and holder is not root:
        del holder[key]
    elif act == 1:
        holder[key] = copy.deepcopy(other[at])
    elif act == 2:
        holder[key] = chance.choice([[], {}, None, True, False, [holder[key]], {"x": holder[key]}])
    elif act == 3 and isinstance(holder, list) and len(holder) < 1000:
        holder.insert(key, copy.deepcopy(holder[key]))
    elif act == 4 and isinstance(holder, dict):
        holder[chance.choice([*TEXTS[:30], at if isinstance(at, str) else "x"])] = holder.pop(key)
    else:
        holder[key] = other_leaf(holder[key], chance)


def slots(root: list[Any]) -> Any:
    """Return every place in the tree with a value."""
    waiting: list[Any] = [root]
    while waiting:
        node = waiting.pop()
        for key in range(len(node)) if isinstance(node, list) else list(node):
            yield node, key
            if isinstance(node[key], list | dict):
                waiting.append(node[key])


def other_leaf(value: Any, chance: Random) -> Any:
    if isinstance(value, str) and chance.random() < 0.6:
        return mutated_text(value, chance)
    if isinstance(value, int) and chance.random() < 0.4:
        return value + chance.choice([-1, 1, 2, -value, value])
    return chance.choice(NUMBERS if chance.random() < 0.6 else TEXTS)
