"""Bombs: a small file that would unpack to a huge one is refused before it is unpacked."""

from __future__ import annotations

import io
import json
import tracemalloc
import zipfile
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hushgram as hg
from hushgram.errors import ReleaseCorrupted
from hushgram.release import Release
from hushgram.release.pages import check_column
from hushgram.release.parquet import KEY, SEAL, describe, read, seal
from hushgram.spending.publish_plan import pack_releases, unpack_releases
from tests.samples import cells, release_of, releases

ROWS = 8192


def varint(number: int) -> bytes:
    head = b""
    while number >= 0x80:
        head += bytes([number & 0x7F | 0x80])
        number >>= 7
    return head + bytes([number])


def field(number: int) -> bytes:
    """The next field of a struct, a whole number."""
    return b"\x15" + varint(2 * number)


def page(unpacked: int, body: bytes, values: int) -> bytes:
    about = field(values) + field(0) + field(3) + field(3) + b"\0"
    return field(0) + field(unpacked) + field(len(body)) + b"\x2c" + about + b"\0" + body


def whole(values: Any, **change: Any) -> bytes:
    """An honest file, with any description."""
    release = release_of(cells(x=hg.Integer(0, ROWS - 1)))
    text = json.dumps({**json.loads(describe(release)), **change})
    counts = np.zeros(ROWS, dtype=np.int64)
    schema = pa.schema([pa.field("count", pa.int64(), nullable=False)])
    table = pa.table({"count": values}, schema=schema)
    sink = io.BytesIO()
    meta = {KEY: text, SEAL: seal(text, counts)}
    pq.write_table(
        table.replace_schema_metadata(meta), sink, compression="zstd", use_dictionary=False
    )
    return sink.getvalue()


def bomb(size: int) -> bytes:
    """A file of 70 kB that says in its footer what is right, and in its page what it likes."""
    noise = np.random.default_rng(1).integers(-(2**62), 2**62, ROWS)
    honest = whole(noise)
    check_column(honest, "count", ROWS)
    body = pa.compress(bytes(size), codec="zstd", asbytes=True)
    first = page(size, body, ROWS)
    room = pq.ParquetFile(io.BytesIO(honest)).metadata.row_group(0).column(0).total_compressed_size
    rest = room - len(first)
    filling = (page(0, bytes(rest - head), 0) for head in range(8, 32))
    return honest[:4] + first + next(f for f in filling if len(f) == rest) + honest[4 + room :]


def refused_cheaply(data: bytes) -> None:
    tracemalloc.start()
    with pytest.raises(ReleaseCorrupted):
        read(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20 * len(data) + 2_000_000


def test_a_page_that_unpacks_to_gigabytes_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    data = bomb(50_000_000)
    with pytest.raises(ValueError, match="a column that unpacks to too much"):
        check_column(data, "count", ROWS)
    monkeypatch.setattr(pq.ParquetFile, "read", lambda *_, **__: pytest.fail("unpacked"))
    refused_cheaply(data)


def test_the_bomb_of_these_tests_would_go_off() -> None:
    found = pq.ParquetFile(io.BytesIO(bomb(50_000_000))).read(columns=["count"])
    assert found["count"].to_numpy().sum() == 0


@settings(max_examples=60)
@given(releases())
def test_honest_releases_pass(release: Release) -> None:
    check_column(release.to_bytes(), "count", release.estimate.partition.size)


@settings(max_examples=100)
@given(st.binary(max_size=200), st.integers(0, 2**32 - 1))
def test_any_footer_is_an_error_and_no_crash(footer: bytes, length: int) -> None:
    for claimed in (len(footer), length):
        with pytest.raises((ValueError, IndexError, KeyError, TypeError, RecursionError)):
            check_column(
                b"PAR1" + footer + claimed.to_bytes(4, "little") + b"PAR1", "count", 1
            )  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"layout": {"kind": "grid", "slices": [10**12]}},
        {"layout": {"kind": "cuts", "slices": [10**9], "widths": ["i1:eJw="]}},
        {"layout": {"kind": "boxes", "nodes": 10**12, "raster": {"slices": [8]}, "axes": "",
                    "cuts": ""}},
        {"layout": {"kind": "merged", "grid": {"kind": "grid", "slices": [ROWS]}, "labels": "i1:"}},
        {"domain": [{"name": "x", "kind": "regular", "bins": 10**12, "lo": 0, "hi": 1}]},
        {"epsilon": "1e999999999"},
        {"epsilon": "9" * 10_000 + "/1e9"},
    ],
    ids=lambda change: str(change)[:50],
)  # fmt: skip
def test_descriptions_that_claim_too_much_are_refused(change: dict[str, Any]) -> None:
    refused_cheaply(whole(np.zeros(ROWS, dtype=np.int64), **change))


def test_packed_numbers_unpack_to_as_many_as_were_expected() -> None:
    import base64
    import zlib

    from hushgram.errors import DomainError
    from hushgram.geometry.partition import unpack

    text = "i1:" + base64.b64encode(zlib.compress(bytes(50_000_000))).decode()
    tracemalloc.start()
    with pytest.raises(DomainError, match="Expected 10 packed integers"):
        unpack(text, 10)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_an_archive_that_is_compressed_is_not_unpacked() -> None:
    release = release_of(cells(x=hg.Integer(0, 2)))
    assert unpack_releases(pack_releases({"a": release}))["a"].to_bytes() == release.to_bytes()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("a", bytes(50_000_000))
    assert len(archive.getvalue()) < 60_000
    refused: list[Any] = []
    with pytest.raises(ReleaseCorrupted, match="compressed"):
        refused.append(unpack_releases(archive.getvalue()))
