"""The release file: what is in it, that it reads back, and that damage is always found."""

from __future__ import annotations

import io
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

import hushgram as hg
from hushgram.errors import BadInput, NoSuchFile, ReleaseCorrupted
from hushgram.release import Release, load
from hushgram.release.parquet import KEY, SEAL, describe, read, seal
from tests.samples import RECEIPT, cells, release_of, releases

DESCRIPTION = {
    "schema", "mechanism", "parameters", "epsilon", "unit", "neighbours", "domain", "layout",
    "measurements", "inference", "receipt", "unaccounted", "why", "where",
}  # fmt: skip


def small() -> Release:
    domain = cells(age=hg.Integer(0, 9, outside="other"), sex=hg.Category(["F", "M"]))
    return release_of(domain, receipt=RECEIPT)


def assert_same(one: Release, other: Release) -> None:
    assert other.domain == one.domain
    assert other.domain.names == one.domain.names
    assert other.estimate.partition == one.estimate.partition
    assert np.array_equal(other.estimate.values, one.estimate.values)
    assert np.array_equal(other.estimate.variances(), one.estimate.variances())
    assert describe(other) == describe(one)


@settings(max_examples=120)
@given(releases())
def test_reads_back_what_was_written(release: Release) -> None:
    data = release.to_bytes()
    again = read(data)
    assert_same(release, again)
    assert (again.epsilon, again.unit, again.neighbours, again.receipt, again.parameters) == (
        release.epsilon, release.unit, release.neighbours, release.receipt, release.parameters,
    )  # fmt: skip
    assert again.to_bytes() == data


@settings(max_examples=60)
@given(releases())
def test_every_cell_has_one_row_and_every_column_its_own_name(release: Release) -> None:
    table = pq.read_table(io.BytesIO(release.to_bytes()))
    assert table.num_rows == release.estimate.partition.size
    assert len(set(table.column_names)) == len(table.column_names)
    assert table.column_names[-3:] == ["count", "variance", "uneven"]
    assert len(table.column_names) >= 3 + len(release.domain)


def test_the_same_release_gives_the_same_bytes() -> None:
    assert small().to_bytes() == small().to_bytes()


def test_saves_and_loads(tmp_path: Path) -> None:
    small().save(tmp_path / "r.hush.parquet")
    assert_same(small(), load(tmp_path / "r.hush.parquet"))
    assert_same(small(), hg.load(str(tmp_path / "r.hush.parquet")))
    assert [p.name for p in tmp_path.iterdir()] == ["r.hush.parquet"]


def test_the_file_holds_the_allowed_description_and_nothing_else(tmp_path: Path) -> None:
    table = tmp_path / "secret-folder-name.csv"
    table.write_text("age\n" + "7\n" * 4321)
    domain = {"age": hg.Integer(0, 9)}
    release = hg.publish(table, domain, epsilon="0.5", account="somebody", mechanism="identity")
    file = pq.ParquetFile(io.BytesIO(release.to_bytes()))
    assert set(file.metadata.metadata) == {KEY, SEAL}
    about = json.loads(file.metadata.metadata[KEY])
    assert set(about) == DESCRIPTION
    assert set(about["receipt"]) == {"id", "epsilon", "seal"}
    assert about["unaccounted"] is False
    assert set(about["measurements"][0]) == {"partition", "scale", "variance"}
    assert "4321" not in json.dumps({**about, "receipt": None})
    for secret in ("secret-folder", "somebody", str(tmp_path)):
        assert secret.encode() not in release.to_bytes()


def test_an_unaccounted_release_says_so() -> None:
    about = json.loads(describe(release_of(cells(x=hg.Integer(0, 1)))))
    assert (about["receipt"], about["unaccounted"]) == (None, True)


def outcome(data: bytes) -> Release | None:
    try:
        return read(data, "r.hush.parquet")
    except ReleaseCorrupted as error:
        message = str(error)
    assert message.startswith("r.hush.parquet ")
    return None


def test_a_flipped_byte_changes_nothing_or_is_found() -> None:
    release = small()
    data = release.to_bytes()
    found = 0
    for place in np.linspace(0, len(data) - 1, 300).astype(int):
        for mask in (0x01, 0xFF):
            damaged = bytearray(data)
            damaged[place] ^= mask
            again = outcome(bytes(damaged))
            if again is None:
                found += 1
            else:
                assert_same(release, again)
    assert found > 200  # most bytes matter; the rest are labels, statistics and padding


def test_a_truncated_file_is_found() -> None:
    data = small().to_bytes()
    for length in np.linspace(0, len(data) - 1, 300).astype(int):
        assert outcome(data[:length]) is None


def forged(change: dict[str, Any], values: Any = None, *, sealed: bool = True) -> bytes:
    """The small release with another description, and a seal that fits it."""
    release = small()
    text = json.dumps({**json.loads(describe(release)), **change})
    counts = release.estimate.values if values is None else values
    meta = {KEY: text, SEAL: seal(text, counts) if sealed else "0" * 64}
    table = pa.table({"count": counts}).replace_schema_metadata(meta)
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


def test_the_forger_of_these_tests_is_able() -> None:
    assert_same(small(), read(forged({})))


@pytest.mark.parametrize(
    "change",
    [
        {"domain": None},
        {"domain": [{"name": "x", "kind": "integer", "lo": 0, "hi": 1e999}]},
        {"domain": [{"name": "x", "kind": "integer", "lo": 0, "hi": 10**12}]},
        {"layout": {"kind": "grid", "slices": [10**30, 2]}},
        {"layout": {"kind": "hexagons"}},
        {"layout": []},
        {"inference": "direct"},
        {"inference": {"kind": "oracle"}},
        {"measurements": []},
        {"measurements": [None]},
        {"epsilon": "1/0"},
        {"epsilon": "1e999999999"},
        {"epsilon": 1},
        {"unit": {"user": "id"}},
        {"unit": []},
        {"neighbours": "all"},
        {"mechanism": 3},
        {"parameters": 3},
        {"receipt": "paid"},
        {"receipt": {**RECEIPT, "paid": "yes"}},
        {"receipt": None},
        {"unaccounted": True},
        {"schema": 0},
        {"schema": True},
        {"schema": "1"},
    ],
    ids=str,
)
def test_a_forged_description_is_refused(change: dict[str, Any]) -> None:
    assert outcome(forged(change)) is None


@pytest.mark.parametrize("variance", [-1, "much", 1e999, None])
def test_a_forged_variance_is_refused(variance: Any) -> None:
    one = json.loads(describe(small()))["measurements"][0]
    assert outcome(forged({"measurements": [{**one, "variance": variance}]})) is None


def test_a_wrong_seal_is_refused() -> None:
    with pytest.raises(ReleaseCorrupted, match="r is damaged: its checksum does not match"):
        read(forged({}, sealed=False), "r")


@pytest.mark.parametrize("counts", [[1, 2], ["a"] * 22, [None] * 22, [[1]] * 22])
def test_other_counts_are_refused(counts: Any) -> None:
    text = describe(small())
    buffer = io.BytesIO()
    meta = {KEY: text, SEAL: "0" * 64}
    pq.write_table(pa.table({"count": counts}).replace_schema_metadata(meta), buffer)
    assert outcome(buffer.getvalue()) is None


def test_more_rows_than_described_are_not_even_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pq.ParquetFile, "read", lambda *_, **__: read_too_much.append(True))
    read_too_much: list[bool] = []
    assert outcome(forged({}, np.zeros(1_000_000, dtype=np.int64))) is None
    assert not read_too_much


def test_a_newer_file_says_what_to_do() -> None:
    with pytest.raises(ReleaseCorrupted, match=r"schema 2, but .* up to 1\. Use a newer version"):
        read(forged({"schema": 2}), "r")


def test_what_is_no_release_says_what_it_is(tmp_path: Path) -> None:
    pq.write_table(pa.table({"count": [1]}), tmp_path / "plain.parquet")
    (tmp_path / "text.hush.parquet").write_text("count\n1\n")
    (tmp_path / "empty.hush.parquet").touch()
    (tmp_path / "folder").mkdir()
    for name, message in {
        "plain.parquet": "plain.parquet is a Parquet file, but not a release",
        "text.hush.parquet": "text.hush.parquet is not a release, or it is damaged",
        "empty.hush.parquet": "empty.hush.parquet is not a release, or it is damaged",
        "folder": "Cannot read folder: Is a directory",
        "null\0byte": "Cannot read null.*: embedded null byte",
    }.items():
        with pytest.raises(ReleaseCorrupted, match=message) as caught:
            load(tmp_path / name)
        assert str(tmp_path) not in str(caught.value)


def test_a_file_that_is_not_there_is_not_damaged(tmp_path: Path) -> None:
    with pytest.raises(NoSuchFile, match=r"^nothing does not exist") as caught:
        load(tmp_path / "nothing")
    assert isinstance(caught.value, BadInput)
    assert isinstance(caught.value, FileNotFoundError)
    assert not isinstance(caught.value, ReleaseCorrupted)


def test_a_fraction_as_large_as_any_budget_reads_back() -> None:
    release = release_of(cells(x=hg.Integer(0, 1)), epsilon=Fraction(1, 10**100))
    assert read(release.to_bytes()).epsilon == Fraction(1, 10**100)
