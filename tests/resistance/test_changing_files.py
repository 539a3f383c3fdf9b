"""A file that is replaced or rewritten while it is counted is counted in one version, or not."""

from __future__ import annotations

import gc
import gzip
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hushgram as hg
from hushgram.declare.unit import Rows, Unit, User
from hushgram.errors import SourceError, TableChanged
from hushgram.geometry.partition import Boxes, Grid, Raster
from hushgram.spending import publish_plan as plans
from hushgram.spending import task as tasks
from hushgram.trusted.engine.ibis.owners import row_count_column
from hushgram.trusted.engine.sources import held
from hushgram.trusted.engine.sources.source import open_table

DOMAIN = hg.Domain(x=hg.Integer(0, 4))
GROUPS = 4
BEFORE, AFTER = [0, 12, 0, 0, 0], [0, 0, 0, 0, 12]


def parquet(path: Path, x: list[int]) -> None:
    """A Parquet file of four row groups, with a person per row."""
    rows = pa.table({"x": x, "who": [f"p{n}" for n in range(len(x))], "n": list(range(len(x)))})
    pq.write_table(rows, path, row_group_size=len(x) // GROUPS)


def csv(path: Path, x: list[int]) -> None:
    path.write_text("x,who,n\n" + "".join(f"{one},p{n},{n}\n" for n, one in enumerate(x)))


def csv_gz(path: Path, x: list[int]) -> None:
    csv(path, x)
    path.write_bytes(gzip.compress(path.read_bytes()))


FORMATS: dict[str, Callable[[Path, list[int]], None]] = {
    "a.parquet": parquet,
    "a.csv": csv,
    "a.csv.gz": csv_gz,
}
WAYS: dict[str, tuple[bool, Unit]] = {
    "compiled": (True, Rows()),
    "engine": (False, Rows()),
    "people": (True, User("n", 1)),
    "people by name": (True, User("who", 1)),
}


@pytest.fixture(params=FORMATS)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / request.param
    FORMATS[path.name](path, [1] * 12)
    return path


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> tuple[bool, Unit]:
    return WAYS[request.param]


def replace(path: Path, x: int = 4) -> None:
    """Another version takes the name over, as programs that write safely do it."""
    new = path.with_name(f"new-{path.name}")
    FORMATS[path.name](new, [x] * 12)
    new.replace(path)


def append(path: Path) -> None:
    with path.open("ab") as stream:
        stream.write(path.read_bytes())


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def rewrite(path: Path) -> None:
    """As long as before."""
    raw = path.read_bytes()
    with path.open("r+b") as stream:
        stream.write(raw[: len(raw) // 2][::-1])
    os.utime(path, ns=(0, 0))


IN_PLACE = [append, truncate, rewrite]


def declared(source: Path | str) -> Any:
    """People in a CSV need a declaration."""
    files = [Path(source), *Path(source).rglob("*")]
    texts = any(file.name.endswith((".csv", ".csv.gz")) for file in files)
    return hg.Text(source, line_breaks="never") if texts else source


def opened(source: Path | str, way: tuple[bool, Unit]) -> Any:
    table: Any = open_table(declared(source))
    table.fast, unit = way
    return table.bound_to(DOMAIN, unit)


def count(table: Any) -> list[int]:
    found: list[int] = table.count(Grid.of_cells(DOMAIN)).tolist()
    return found


def during(table: Any, change: Callable[[], None]) -> None:
    """Let something happen in the middle of every pass: once its first rows were read."""
    tasks, view, lock = table.tasks, table.view, threading.Lock()

    def changing(task: Any) -> Iterator[pa.RecordBatch]:
        for batch in task():
            yield batch
            with lock:  # tasks run side by side
                change()

    table.tasks = lambda columns: [lambda task=task: changing(task) for task in tasks(columns)]

    def changing_view(columns: list[str]) -> Any:
        found = view(columns)
        change()
        return found

    table.view = changing_view


def test_all_row_groups_are_of_one_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The attack: rows that are in another row group of every version counted four times."""
    monkeypatch.setattr("os.cpu_count", lambda: 1)  # one group after the other
    path = tmp_path / "a.parquet"
    versions = []
    for place in range(GROUPS):
        versions.append(tmp_path / f"version-{place}")
        parquet(
            versions[-1], [1 if group == place else 0 for group in range(GROUPS) for _ in "abc"]
        )
    versions[0].replace(path)
    later = iter(versions[1:])

    def change() -> None:
        if (version := next(later, None)) is not None:
            version.replace(path)

    table = opened(path, (True, Rows()))
    during(table, change)
    assert count(table) == [9, 3, 0, 0, 0]


def test_a_file_replaced_before_a_pass_is_counted_as_it_was(
    file: Path, way: tuple[bool, Unit]
) -> None:
    table = opened(file, way)
    replace(file)
    assert count(table) == BEFORE


def test_a_file_replaced_during_a_pass_is_counted_as_it_was(
    file: Path, way: tuple[bool, Unit]
) -> None:
    table = opened(file, way)
    during(table, lambda: replace(file))
    assert count(table) == BEFORE


def test_a_file_replaced_between_two_passes_is_counted_as_it_was(
    file: Path, way: tuple[bool, Unit]
) -> None:
    table = opened(file, way)
    assert count(table) == BEFORE
    replace(file)
    assert count(table) == BEFORE
    assert table.occupied_cells(Raster.of_cells(DOMAIN)).rows.tolist() == [12]
    assert count(opened(file, way)) == AFTER


def test_a_file_that_is_gone_is_counted_as_it_was(file: Path, way: tuple[bool, Unit]) -> None:
    table = opened(file, way)
    file.unlink()
    assert count(table) == BEFORE


def test_the_schema_that_was_checked_is_that_of_the_version_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet(path, [1] * 12)
    table = opened(path, (True, Rows()))
    pq.write_table(pa.table({"x": ["4"] * 12, "y": [0.5] * 12}), tmp_path / "new")
    (tmp_path / "new").replace(path)
    assert count(table) == BEFORE


@pytest.mark.parametrize("change", IN_PLACE)
def test_a_file_rewritten_before_a_pass_is_an_error(
    file: Path, way: tuple[bool, Unit], change: Callable[[Path], None]
) -> None:
    table = opened(file, way)
    change(file)
    with pytest.raises(TableChanged, match=rf"{file.name} changed .* stays spent"):
        count(table)


@pytest.mark.parametrize("change", IN_PLACE)
def test_a_file_rewritten_during_a_pass_is_an_error(
    file: Path, way: tuple[bool, Unit], change: Callable[[Path], None]
) -> None:
    table = opened(file, way)
    during(table, lambda: change(file))
    with pytest.raises(TableChanged, match=rf"{file.name} changed .* stays spent"):
        count(table)


@pytest.mark.parametrize("change", IN_PLACE)
def test_a_file_rewritten_before_the_charge_is_an_error(
    file: Path, change: Callable[[Path], None]
) -> None:
    table = open_table(file)
    change(file)
    with pytest.raises(TableChanged):
        table.check(DOMAIN, Rows())


def test_people_are_counted_in_one_version(file: Path) -> None:
    many = hg.Domain({row_count_column("who"): hg.Integer(1, 4)})
    people = open_table(declared(file)).owners("who", None).bound_to(many, User("who", 1))
    replace(file)
    assert people.count(Grid.of_cells(many)).tolist() == [12, 0, 0, 0]
    append(file)
    people = open_table(declared(file)).owners("who", None).bound_to(many, User("who", 1))
    append(file)
    with pytest.raises(TableChanged):
        people.count(Grid.of_cells(many))


def test_other_ways_to_count_see_one_version(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet(path, [1] * 12)
    table = opened(path, (True, Rows()))
    raster = Raster.of_cells(hg.Domain(x=hg.Interval(0, 4)))
    grid = Grid.of_cells(DOMAIN)
    replace(path)
    assert [one.tolist() for one in table.count_grids([grid, grid])] == [BEFORE, BEFORE]
    assert table.row_places(raster) is not None
    os.utime(path)
    assert table.row_places(raster) is not None
    table = opened(path, (True, Rows()))
    append(path)
    for look in (
        lambda: table.count_grids([grid]),
        lambda: table.row_places(raster),
        lambda: table.count_stretches(Boxes.whole(raster)),
    ):
        with pytest.raises(TableChanged):
            look()


@pytest.mark.parametrize("mechanism", ["adaptive-grid", "kd-standard", "bayes-tree"])
@pytest.mark.parametrize("fast", [True, False])
def test_a_publish_of_many_passes_sees_one_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mechanism: str, fast: bool
) -> None:
    """Replaced after the charge, and again and again while it is counted."""
    path = tmp_path / "points.parquet"
    rows = {"lon": [10.0 + n / 10_000 for n in range(5000)], "lat": [20.0] * 5000}
    pq.write_table(pa.table(rows), path, row_group_size=500)
    replaced = []
    stop = threading.Event()

    def keep_replacing() -> None:
        while not stop.wait(0.01):
            new = tmp_path / "new"
            pq.write_table(pa.table({"lon": [-100.0] * 5000, "lat": [-50.0] * 5000}), new)
            new.replace(path)
            replaced.append(1)

    charged = tasks.charge
    thread = threading.Thread(target=keep_replacing)

    def then_replaced(*arguments: Any, **more: Any) -> Any:
        thread.start()
        while not replaced:
            pass
        return charged(*arguments, **more)

    monkeypatch.setattr("hushgram.spending.task.charge", then_replaced)
    monkeypatch.setattr("hushgram.trusted.engine.compiled.arrow.ArrowTable.fast", fast)
    domain = hg.Domain(lon=hg.Interval(-180, 180), lat=hg.Interval(-90, 90))
    try:
        release = hg.publish(path, domain, epsilon=10, mechanism=mechanism, account="a",
                             ledger=hg.Ledger.in_memory())  # fmt: skip
    finally:
        stop.set()
        thread.join()
    assert release.count(lon=(0, 20), lat=(10, 30)).value > 4000
    assert release.count(lon=(-110, -90), lat=(-60, -40)).value < 1000


def test_a_publish_of_a_table_that_changed_says_so_and_keeps_the_charge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    csv(path, [1] * 12)
    charged = tasks.charge

    def then_appended(*arguments: Any, **more: Any) -> Any:
        paid = charged(*arguments, **more)
        append(path)
        return paid

    monkeypatch.setattr("hushgram.spending.task.charge", then_appended)
    book = hg.Ledger.in_memory()
    with pytest.raises(TableChanged, match=r"a\.csv changed"):
        hg.publish(path, DOMAIN, epsilon=1, account="a", ledger=book)
    (account,) = book.accounts()
    assert account.spent == 1


PLAN = hg.Plan([hg.Planned("all", DOMAIN, "0.5"), hg.Planned("again", DOMAIN, "0.5")])
SPENDERS: dict[str, Callable[..., Any]] = {
    "publish": lambda path, **pays: hg.publish(path, DOMAIN, epsilon=1, **pays),
    "dry run": lambda path, **pays: hg.publish(path, DOMAIN, epsilon=1, dry_run=True, **pays),
    "publish_plan": lambda path, **pays: hg.publish_plan(path, PLAN, **pays),
    "smooth_median": lambda path, **pays: hg.smooth_median(
        path, {"x": hg.Integer(0, 9)}, epsilon=1, **pays
    ),
    "ask": lambda path, **pays: hg.ask(path, "count", where="x >= 3", epsilon=1, **pays),
    "find_bounds": lambda path, **pays: hg.find_bounds(path, "x", epsilon=1, **pays),
    "find_max_rows": lambda path, **pays: hg.find_max_rows(
        hg.Text(path, line_breaks="never"), "who", release_epsilon=1, epsilon=1, **pays
    ),
}


@pytest.mark.parametrize("call", SPENDERS.values(), ids=SPENDERS)
def test_a_table_that_changed_during_the_trial_run_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Callable[..., Any]
) -> None:
    path = tmp_path / "a.csv"
    csv(path, [1] * 12)
    monkeypatch.setattr(tasks, "rehearse", lambda steps, key: append(path))
    book = hg.Ledger.in_memory()
    with pytest.raises(TableChanged, match=r"a\.csv changed"):
        call(path, account="a", ledger=book)
    assert book.accounts() == []


class TestManyFiles:
    """More files than may be held open are opened for each pass, and compared."""

    @pytest.fixture(autouse=True)
    def few_held(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(held, "MOST", 2)

    @pytest.fixture(params=FORMATS)
    def folder(self, request: pytest.FixtureRequest, tmp_path: Path) -> Path:
        for name in "abc":
            (tmp_path / name).mkdir()
            FORMATS[request.param](tmp_path / name / request.param, [1] * 12)
        return tmp_path

    @pytest.fixture
    def one(self, folder: Path) -> Path:
        (path,) = (folder / "b").iterdir()
        return path

    def test_all_are_counted(self, folder: Path, way: tuple[bool, Unit]) -> None:
        fds = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
        table = opened(folder, way)
        assert len(os.listdir("/proc/self/fd")) == fds  # noqa: PTH208
        expected = 36 if isinstance(way[1], Rows) else 12
        assert count(table) == count(table) == [0, expected, 0, 0, 0]

    @pytest.mark.parametrize("change", [replace, *IN_PLACE, Path.unlink])
    def test_a_change_before_a_pass_is_an_error(
        self, folder: Path, one: Path, way: tuple[bool, Unit], change: Callable[[Path], None]
    ) -> None:
        table = opened(folder, way)
        change(one)
        with pytest.raises(TableChanged, match=rf"{one.name} changed"):
            count(table)

    @pytest.mark.parametrize("change", [replace, *IN_PLACE])
    def test_a_change_during_a_pass_is_an_error(
        self, folder: Path, one: Path, way: tuple[bool, Unit], change: Callable[[Path], None]
    ) -> None:
        table = opened(folder, way)
        during(table, lambda: change(one))
        with pytest.raises(TableChanged, match=rf"{one.name} changed"):
            count(table)

    def test_another_version_is_read_by_nobody(
        self, folder: Path, one: Path, way: tuple[bool, Unit]
    ) -> None:
        """Not even if the first is back when the pass is over."""
        table = opened(folder, way)
        kept = folder / "kept"
        os.link(one, kept)
        unchanged, looks = table.unchanged, []

        def replaced_meanwhile() -> None:
            if looks:
                kept.replace(one)
            unchanged()
            if not looks:
                replace(one)
            looks.append(1)

        table.unchanged = replaced_meanwhile
        with pytest.raises(TableChanged, match=rf"{one.name} changed"):
            count(table)


def test_descriptors_are_closed_with_the_table(file: Path, way: tuple[bool, Unit]) -> None:
    def descriptors() -> set[str]:
        links = Path("/proc/self/fd")
        return {name for name in os.listdir(links) if str(file) in read_link(links / name)}  # noqa: PTH208

    def read_link(link: Path) -> str:
        try:
            return str(link.readlink())
        except OSError:
            return ""

    table = opened(file, way)
    count(table)
    assert len(descriptors()) == 1
    del table
    gc.collect()
    assert not descriptors()


def test_a_forked_child_reads_the_same_version(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet(path, [1] * 12)
    table = opened(path, (True, Rows()))
    count(table)
    replace(path)
    child = os.fork()
    if child == 0:
        tasks = table.tasks(["x"])
        values = [one for task in tasks for batch in task() for one in batch.column(0).to_pylist()]
        os._exit(0 if values == [1] * 12 else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert count(table) == BEFORE


@pytest.mark.parametrize("name", ["pipe.csv", "pipe.parquet"])
def test_what_is_not_a_file_is_refused(tmp_path: Path, name: str) -> None:
    """It could not be read twice; opening it would wait for whoever writes to it."""
    os.mkfifo(tmp_path / name)
    with pytest.raises(SourceError, match=rf"{name} is not a regular file"):
        open_table(tmp_path / name)


def test_two_names_of_a_file_are_found_when_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of them may have come after the folder was looked at."""
    csv(tmp_path / "a.csv", [1] * 12)
    csv(tmp_path / "b.csv", [2] * 12)
    hold = held.hold

    def linked_first(paths: Any) -> Any:
        (tmp_path / "b.csv").unlink()
        os.link(tmp_path / "a.csv", tmp_path / "b.csv")
        return hold(paths)

    monkeypatch.setattr("hushgram.trusted.engine.sources.files.hold", linked_first)
    assert count(opened(tmp_path, (True, Rows()))) == BEFORE


@pytest.mark.parametrize("unit", [Rows(), User("who", 1)])
def test_all_releases_of_a_plan_are_of_one_version(
    file: Path, monkeypatch: pytest.MonkeyPatch, unit: Unit
) -> None:
    hold = held.hold

    def then_replaced(paths: Any) -> Any:
        found = hold(paths)
        replace(file)
        return found

    monkeypatch.setattr("hushgram.trusted.engine.sources.files.hold", then_replaced)
    planned = [SimpleNamespace(domain=DOMAIN, measures=()) for _ in range(3)]
    tables = plans.open_tables(declared(file), SimpleNamespace(unit=unit, releases=planned))  # type: ignore[arg-type]
    assert [count(table.bound_to(DOMAIN, unit)) for table in tables] == [BEFORE] * 3
