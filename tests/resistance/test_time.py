"""One value does not send its neighbours another way, which the time of a count would tell."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from hushgram.trusted.engine.sources.plain import plain

ROWS = 1000


def broken_text(kind: pa.DataType, value: bytes) -> pa.Array:
    raw = pa.large_binary() if kind == pa.large_string() else pa.binary()
    return pa.array([value, *[b"word"] * ROWS], raw).view(kind)


def wide_decimal(kind: pa.DataType, value: int) -> pa.Array:
    size = kind.bit_width // 8
    raw = b"".join(one.to_bytes(size, "little", signed=True) for one in [value, *[1] * ROWS])
    return pa.Array.from_buffers(kind, ROWS + 1, [None, pa.py_buffer(raw)])


NEIGHBOURS: dict[str, tuple[Callable[..., pa.Array], pa.DataType, Any, Any]] = {
    "text": (broken_text, pa.string(), b"word", b"\xff\xff"),
    "long text": (broken_text, pa.large_string(), b"word", b"\xff\xff"),
    "letters": (broken_text, pa.string(), b"word", "wörd".encode()),
    "decimal32": (wide_decimal, pa.decimal32(4, 0), 1, 10**4),
    "decimal64": (wide_decimal, pa.decimal64(9, 0), 1, 10**9),
    "decimal128": (wide_decimal, pa.decimal128(38, 2), 1, 10**38),
    "decimal256": (wide_decimal, pa.decimal256(76, 2), 1, -(10**76)),
}


def calls(work: Callable[[], object]) -> Counter[str]:
    """What Python is asked to run: every function, as often as it is called."""
    found: Counter[str] = Counter()

    def note(frame: Any, event: str, what: Any) -> None:
        if event in ("call", "c_call"):
            found[frame.f_code.co_qualname if event == "call" else what.__qualname__] += 1

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found


@pytest.mark.parametrize("kind", NEIGHBOURS)
def test_a_value_that_fits_nowhere_takes_no_other_way(kind: str) -> None:
    """The attack: one broken value of a batch took all of it through a loop of Python."""
    make, arrow, good, bad = NEIGHBOURS[kind]
    usual, odd = make(arrow, good), make(arrow, bad)
    plain(usual), plain(odd)  # compiled by now
    seen = calls(lambda: plain(usual))
    assert calls(lambda: plain(odd)) == seen
    assert seen.total() < ROWS // 10
    assert plain(odd).null_count == (kind != "letters")
