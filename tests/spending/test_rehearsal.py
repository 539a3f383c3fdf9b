"""What fails for reasons of the machine fails before the charge."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import hushgram as hg
from hushgram.declare.axis import Axis
from hushgram.declare.unit import Rows
from hushgram.errors import DomainError, MachineNotReady
from hushgram.lab.checks import DOMAINS
from hushgram.lab.memory import IndexedTable
from hushgram.mechanisms import MECHANISMS
from hushgram.spending import rehearsal
from hushgram.spending.job import Job, run_candidates
from hushgram.trusted.engine.compiled import kernels
from hushgram.trusted.engine.ibis.table import IbisTable
from hushgram.trusted.engine.sources import stream
from hushgram.trusted.engine.sources.source import open_table
from hushgram.trusted.noise import Native, laplace
from hushgram.trusted.vault import TableVault

TABLE = pa.table({"age": [1, 2, 3], "name": ["a", "b", "b"], "who": [1, 1, 2]})
DOMAIN: dict[str, Axis] = {"age": hg.Integer(0, 9), "name": hg.Category(["a", "b"])}
LARGE = (
    hg.Domain(x=hg.Integer(0, 99_999)),
    hg.Domain(x=hg.Integer(0, 999), y=hg.Regular(300, 0, 1)),
    hg.Domain(x=hg.Integer(0, 99), y=hg.Integer(0, 99), sex=hg.Category([*"ABCDEFGH"])),
)


@pytest.fixture(autouse=True)
def unrehearsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rehearsal, "_rehearsed", set())


def publish(source: Any = TABLE, **more: Any) -> Any:
    return hg.publish(source, DOMAIN, **{"epsilon": 1, "account": "people", **more})


def assert_refused(match: str, source: Any = TABLE, **more: Any) -> None:
    with pytest.raises(MachineNotReady, match=match) as failure:
        publish(source, **more)
    assert "Nothing was spent" in " ".join(str(failure.value).split())
    assert hg.Ledger.open().accounts() == []


def broken(*_: Any, **__: Any) -> Any:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_can_be_rehearsed(name: str) -> None:
    recipe, tried = MECHANISMS[name](), 0
    for domain in (*DOMAINS, *LARGE):
        try:
            recipe.check(domain)
        except DomainError:
            continue
        job = Job(domain, Fraction(1), Rows(), "add-remove")
        table = IndexedTable(domain, np.empty((0, len(domain))))

        def stage(part: hg.Domain, table: Any = table, job: Job = job) -> TableVault:
            return TableVault(
                table, part, job.epsilon, unit=job.unit, neighbours=job.neighbours, noise=Native()
            )

        run_candidates(recipe, job, stage)
        tried += 1
    assert tried


def test_no_row_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pyarrow.csv.write_csv(TABLE, tmp_path / "t.csv")
    pyarrow.parquet.write_table(TABLE, tmp_path / "t.parquet")
    for source in (TABLE, TABLE.to_pandas(), str(tmp_path / "t.csv"), str(tmp_path / "t.parquet")):
        table = open_table(hg.Where(source, "age >= 2"))
        assert table.count(grid(DOMAIN)).sum() == 2
        assert table.empty().count(grid(DOMAIN)).sum() == 0
        if not isinstance(source, str):
            continue
        with monkeypatch.context() as patch:  # not even opened: the schema is known
            without = open_table(source).empty()
            patch.setattr(pa, "input_stream", broken)
            patch.setattr(pyarrow.parquet, "ParquetFile", broken)
            assert without.count(grid(DOMAIN)).sum() == 0


def grid(axes: dict[str, Axis]) -> Any:
    from hushgram.geometry.partition import Grid

    return Grid.of_cells(hg.Domain(axes))


def test_a_loop_that_does_not_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "tally_grid", broken)
    assert_refused("No space left on device")


def test_text_files_that_cannot_be_cut(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The loops for text are tried for a file, though another table was tried before."""
    publish()
    pyarrow.csv.write_csv(TABLE, tmp_path / "a.csv")
    monkeypatch.setattr("hushgram.trusted.engine.sources.fields.split_records", broken)
    with pytest.raises(MachineNotReady, match="No space left"):
        publish(tmp_path / "a.csv", account="text")
    assert [account.name for account in hg.Ledger.open().accounts()] == ["people"]


def test_noise_that_cannot_be_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laplace, "add_discrete_laplace", broken)
    assert_refused("No space left on device")


def test_an_engine_that_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "duckdb_backend", broken)
    assert_refused("No space left on device", unit=hg.User("who", max_rows=2))


def test_no_temporary_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    assert_refused("gone")


def test_a_full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=5000))
    assert_refused("Only 5,000 bytes are free")


def test_small_answers_too(monkeypatch: pytest.MonkeyPatch) -> None:
    terms: dict[str, Any] = {"epsilon": 1, "account": "people"}
    plan = hg.Plan([hg.Planned("ages", DOMAIN, 1)])
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=5000))
    for call in (
        lambda: hg.smooth_median(TABLE, {"age": hg.Integer(0, 9)}, **terms),
        lambda: hg.ask(TABLE, "sum", {"age": hg.Integer(0, 9)}, **terms),
        lambda: hg.find_bounds(TABLE, "age", **terms),
        lambda: hg.find_max_rows(TABLE, "who", release_epsilon=1, **terms),
        lambda: hg.publish_plan(TABLE, plan, account="people"),
    ):
        with pytest.raises(MachineNotReady, match="bytes are free"):
            call()
    assert hg.Ledger.open().accounts() == []


def test_words_of_a_server_are_not_shown() -> None:
    """It was asked for no rows, but whether it looked at some is its own affair."""
    import ibis

    table = open_table(TABLE)
    server = IbisTable(table.connect, table.schema, lambda _: ibis.memtable({"c0": [1]}))

    def fails(expression: Any) -> Any:
        raise RuntimeError("the value 4711")

    server._run = fails  # type: ignore[method-assign]
    with pytest.raises(MachineNotReady, match=r"rows. Nothing was spent") as failure:
        rehearsal.rehearse(lambda: server.empty().count(grid({"age": hg.Integer(0, 9)})), "server")
    assert "4711" not in str(failure.value)


NO_NUMBA = """
import sys
sys.modules["numba"] = None
import hushgram as hg, pyarrow as pa
try:
    hg.publish(pa.table({"x": [1]}), {"x": hg.Integer(0, 9)}, epsilon=1, account="a")
except hg.HushgramError as error:
    print(error)
print(hg.Ledger.open().accounts())
"""


def test_a_missing_package(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", NO_NUMBA], capture_output=True, text=True, timeout=60, check=False
    )
    assert "import of numba halted" in done.stdout
    assert "Nothing was spent" in done.stdout
    assert done.stdout.endswith("[]\n")


def test_once_per_process(monkeypatch: pytest.MonkeyPatch) -> None:
    publish()
    monkeypatch.setattr(shutil, "disk_usage", broken)
    publish(account="others")
