"""Databases, workbooks, JSON, Arrow files and packed text: the guarantees of CSV and Parquet."""

from __future__ import annotations

import bz2
import datetime as dt
import io
import json
import os
import sqlite3
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

import hushgram as hg
from hushgram.declare.unit import Rows, Unit, User
from hushgram.errors import SourceError, TableChanged
from hushgram.geometry.partition import Grid
from hushgram.spending.identity import source_identity
from hushgram.trusted.engine.sources import remote
from hushgram.trusted.engine.sources.source import open_table
from hushgram.trusted.engine.sources.workbook_xml import MARK, SoundXml

Row = tuple[Any, Any, Any]
NAMES = ("age", "sex", "who")
ROWS: list[Row] = [
    (17, "F", "ann"), (18, "M", "ann"), (18.9, "M", "bob"), (None, "F", "cid"), (99, "?", "dan"),
    (30, None, None), (30, "F", "ann"),
]  # fmt: skip
HOSTILE: list[Row] = [
    (float("inf"), "F", "e"), (10**30, "\x00", "e"), ("twenty", "F\nM", "e"),
    ("NaN", "é" * 999, "f"),
    ('"', "'", "g"), (True, '{"a": 1}', "h"),
]  # fmt: skip
DOMAIN = hg.Domain(age=hg.Integer(0, 40), sex=hg.Category(["F", "M"], outside="other"))
GRID = Grid.of_cells(DOMAIN)


def csv_text(rows: list[Row]) -> str:
    def field(value: Any) -> str:
        return "" if value is None else '"' + str(value).replace('"', '""').replace("\n", " ") + '"'

    return "\n".join([",".join(NAMES), *(",".join(map(field, row)) for row in rows)]) + "\n"


def bz2_csv(path: Path, rows: list[Row]) -> None:
    path.write_bytes(bz2.compress(csv_text(rows).encode()))


def zip_csv(path: Path, rows: list[Row]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("folder/", "")
        archive.writestr("__MACOSX/folder/._rows.csv", "junk")
        archive.writestr("folder/rows.csv", csv_text(rows))


def json_lines(path: Path, rows: list[Row]) -> None:
    lines = [json.dumps(dict(zip(NAMES, row, strict=True))) for row in rows]
    path.write_text("\n".join(lines) + "\n")


def arrow(path: Path, rows: list[Row]) -> None:
    texts = [[None if one is None else str(one) for one in column] for column in zip(*rows)]  # noqa: B905
    table = pa.table(dict(zip(NAMES, texts, strict=True)))
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=3)


def sqlite(path: Path, rows: list[Row]) -> None:
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE people (age INTEGER, sex TEXT, who TEXT)")
        kept = [[str(v) if v == 10**30 else v for v in row] for row in rows]
        database.executemany("INSERT INTO people VALUES (?, ?, ?)", kept)
    database.close()


def workbook(path: Path, rows: list[Row]) -> None:
    book = Workbook()
    sheet: Any = book.active
    sheet.append(NAMES)
    for row in rows:
        sheet.append(["?" if v == "\x00" else v for v in row])
    book.save(path)


def edit_sheet(path: Path, old: str, new: str) -> None:
    """Change the XML of a workbook's sheet."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    assert old in files[sheet]
    files[sheet] = files[sheet].replace(old, new)
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)


FORMATS: dict[str, Callable[[Path, list[Row]], None]] = {
    "a.csv.bz2": bz2_csv,
    "a.zip": zip_csv,
    "a.jsonl": json_lines,
    "a.feather": arrow,
    "a.db": sqlite,
    "a.xlsx": workbook,
}


@pytest.fixture(params=FORMATS)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / request.param
    FORMATS[path.name](path, ROWS)
    return path


ROW = Rows()


def opened(path: Path, unit: Unit = ROW) -> Any:
    texts = path.name in ("a.csv.bz2", "a.zip")
    source: Any = hg.Text(path, line_breaks="never") if texts else path
    return open_table(source).bound_to(DOMAIN, unit)


def count(table: Any) -> dict[tuple[int, int], int]:
    found = table.count(GRID).reshape(GRID.shape)
    return {(int(a), int(s)): int(found[a, s]) for a, s in zip(*found.nonzero(), strict=True)}


EXPECTED = {(17, 0): 1, (18, 1): 2, (30, 2): 1, (30, 0): 1}


def test_every_format_gives_the_same_counts(file: Path) -> None:
    assert count(opened(file)) == EXPECTED


def test_people_are_found(file: Path) -> None:
    assert sum(count(opened(file, User("who", 1))).values()) == 2  # ann, bob


def test_conditions_hold(file: Path) -> None:
    table = open_table(hg.Where(file, "sex = 'F'")).bound_to(DOMAIN, Rows())
    assert count(table) == {(17, 0): 1, (30, 0): 1}


def test_hostile_values_fail_nothing_and_change_no_other_row(file: Path) -> None:
    FORMATS[file.name](file, [*HOSTILE, *ROWS, *HOSTILE])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = count(opened(file))
    assert {cell: n for cell, n in found.items() if cell[0] > 1} == EXPECTED


def test_a_file_that_is_replaced_is_counted_as_it_was(file: Path) -> None:
    table = opened(file)
    new = file.with_name(f"new-{file.name}")
    FORMATS[file.name](new, ROWS[:1])
    new.replace(file)
    assert count(table) == EXPECTED


def test_a_file_that_is_rewritten_is_an_error(file: Path) -> None:
    table = opened(file)
    os.truncate(file, file.stat().st_size // 2)
    with pytest.raises(TableChanged, match=rf"{file.name} changed"):
        count(table)


@pytest.mark.parametrize("name", sorted({*FORMATS} - {"a.jsonl"}))  # a text may be cut anywhere
def test_a_file_cut_in_two_is_refused_without_its_words(tmp_path: Path, name: str) -> None:
    FORMATS[name](tmp_path / name, ROWS)
    os.truncate(tmp_path / name, (tmp_path / name).stat().st_size // 2)
    with pytest.raises(hg.HushgramError) as caught:
        count(opened(tmp_path / name))
    assert "bob" not in str(caught.value)


def test_a_missing_column_is_named(file: Path) -> None:
    if file.suffix != ".jsonl":  # it has no header
        with pytest.raises(SourceError, match="'height'"):
            open_table(file).check(hg.Domain(height=hg.Integer(0, 9)), Rows())


def test_publish_reads_each(file: Path) -> None:
    release = hg.publish(file, DOMAIN, epsilon=9, account="a", ledger=hg.Ledger.in_memory())
    assert release.count().value == pytest.approx(5, abs=30)


class TestJsonLines:
    def read(self, path: Path, text: str) -> dict[tuple[int, int], int]:
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        return count(open_table(path).bound_to(DOMAIN, Rows()))

    def test_a_line_that_is_no_object_is_a_row_without_values(self, tmp_path: Path) -> None:
        deep = '{"age": ' + "[" * 20_000 + "1}"
        lines = [
            "",
            "[1]",
            "{",
            deep,
            '{"age": [1]}',
            '{"age": 17, "sex": "F"}',
            "\udc80",
            "7" * 9999,
        ]
        assert self.read(tmp_path / "a.jsonl", "\n".join(lines)) == {(17, 0): 1}

    def test_numbers_of_any_length_are_read(self, tmp_path: Path) -> None:
        lines = [
            f'{{"age": 17, "sex": "F", "x": {"9" * 9999}}}',
            f'{{"age": {"9" * 9999}}}',
            '{"age": NaN}',
        ]
        assert self.read(tmp_path / "a.ndjson", "\n".join(lines)) == {(17, 0): 1}


class TestSqlite:
    def test_a_table_is_named_after_the_file(self, tmp_path: Path) -> None:
        path = tmp_path / "a.db"
        sqlite(path, ROWS)
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE other (age, sex)")
            database.execute("CREATE VIEW looked AS SELECT * FROM people")
        database.close()
        with pytest.raises(
            SourceError, match=r"must have one table.*a\.db/other.*'other', 'people'"
        ):
            open_table(path)
        assert count(open_table(path / "people").bound_to(DOMAIN, Rows())) == EXPECTED
        with pytest.raises(SourceError, match=r"no table 'peopel'\. Did you mean 'people'\?"):
            open_table(path / "peopel")
        with pytest.raises(SourceError, match="no table 'looked'"):
            open_table(path / "looked")

    def test_odd_names_bytes_and_truths(self, tmp_path: Path) -> None:
        path = tmp_path / "a.sqlite"
        with sqlite3.connect(path) as database:
            database.execute(
                'CREATE TABLE "a""b" ("x""; --" BLOB, yes BOOLEAN, twice AS (yes * 2))'
            )
            rows = [(b"\xff", 1), (sqlite3.Binary(b"7"), 0), ("7", 1), (7.0, None)]
            database.executemany('INSERT INTO "a""b" VALUES (?, ?)', rows)
            database.execute('INSERT INTO "a""b" VALUES (CAST(? AS TEXT), 1)', (b"\xff7",))
        database.close()
        domain = hg.Domain(
            {'x"; --': hg.Integer(0, 9), "yes": hg.Category([True, False], outside="other")}
        )
        table = open_table(path).bound_to(domain, Rows())
        found = table.count(Grid.of_cells(domain)).reshape(10, 3)
        assert found[7].tolist() == [1, 0, 1]
        assert found.sum() == 2
        with pytest.raises(SourceError, match="no column 'twice'"):
            open_table(path).check(hg.Domain(twice=hg.Integer(0, 9)), Rows())

    def test_rows_that_are_in_a_log_only_are_not_missed(self, tmp_path: Path) -> None:
        path = tmp_path / "a.db"
        database = sqlite3.connect(path)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE people (age, sex)")
        database.execute("INSERT INTO people VALUES (17, 'F')")
        database.commit()
        with pytest.raises(SourceError, match=r"changes that are still in a\.db-wal"):
            open_table(path)
        database.close()
        assert count(open_table(path).bound_to(DOMAIN, Rows())) == {(17, 0): 1}

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
    def test_broken_texts_are_nobodys_name(self, tmp_path: Path, encoding: str) -> None:
        """SQLite makes a smiling face of the first half of one before "Ȁ", and so gave a person
        the name of another: of the two, fewer rows counted than each one's noise hides."""
        path, smile = tmp_path / "a.db", "\N{GRINNING FACE}"
        with sqlite3.connect(path) as database:
            database.execute(f"PRAGMA encoding = '{encoding.replace('16-', '16')}'")
            database.execute("CREATE TABLE people (age, sex, who)")
            rows = [(smile, 17), ("qx" if encoding == "utf-8" else "aȀ", 17), (5, 30), (b"x", 30)]
            database.executemany("INSERT INTO people VALUES (?2, 'F', ?1)", rows)
        database.close()
        whole = b"qx" if encoding == "utf-8" else "aȀ".encode(encoding)
        broken = b"q\xff" if encoding == "utf-8" else smile.encode(encoding)[:2] + whole[2:]
        data = path.read_bytes()
        assert data.count(whole) == 1
        path.write_bytes(data.replace(whole, broken))
        assert count(opened(path)) == {(17, 0): 2, (30, 0): 2}
        assert count(opened(path, User("who", 9))) == {(17, 0): 1, (30, 0): 1}

    def test_what_is_no_database_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "a.db").write_text("ann,17,F")
        with pytest.raises(SourceError, match=r"^Cannot read a\.db as a SQLite database\.$"):
            open_table(tmp_path / "a.db")


class TestGeoPackage:
    @staticmethod
    def write(path: Path, kind: str = "POINT", definition: str = "GEOGCS[...]") -> None:
        def point(x: float, y: float) -> bytes:
            return b"GP\0\1" + bytes(4) + struct.pack("<BIdd", 1, 1, x, y)

        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE gpkg_spatial_ref_sys (srs_id, definition)")
            database.execute("INSERT INTO gpkg_spatial_ref_sys VALUES (4326, ?)", (definition,))
            database.execute(
                "CREATE TABLE gpkg_geometry_columns "
                "(table_name, column_name, geometry_type_name, srs_id)"
            )
            database.execute(
                f"INSERT INTO gpkg_geometry_columns VALUES ('t', 'geom', '{kind}', 4326)"
            )
            database.execute("CREATE TABLE t (fid INTEGER PRIMARY KEY, geom BLOB, fleet TEXT)")
            rows = [
                (point(9.5, 47), "a"),
                (point(-1, 3), "b"),
                (None, "c"),
                (b"GP\0\xff", "d"),
                ("no", "e"),
            ]
            database.executemany("INSERT INTO t (geom, fleet) VALUES (?, ?)", rows)
        database.close()

    def test_points_have_two_columns(self, tmp_path: Path) -> None:
        self.write(tmp_path / "a.gpkg")
        domain = hg.Domain(lat=hg.Regular(2, 0, 90), lon=hg.Regular(2, -180, 180))
        table = open_table(tmp_path / "a.gpkg").bound_to(domain, Rows())
        assert table.count(Grid.of_cells(domain)).tolist() == [1, 0, 0, 1]

    def test_other_systems_have_x_and_y(self, tmp_path: Path) -> None:
        self.write(tmp_path / "a.gpkg", definition="PROJCS[...]")
        domain = hg.Domain(x=hg.Regular(1, 0, 10), fleet=hg.Category(["a", "b"]))
        table = open_table(tmp_path / "a.gpkg" / "t").bound_to(domain, Rows())
        assert table.count(Grid.of_cells(domain)).tolist() == [1, 0]

    def test_what_is_no_point_or_no_layer_is_refused(self, tmp_path: Path) -> None:
        self.write(tmp_path / "a.gpkg", kind="POLYGON")
        with pytest.raises(SourceError, match=r"must hold points\. Found polygon\..*centroid"):
            open_table(tmp_path / "a.gpkg")
        sqlite(tmp_path / "b.gpkg", ROWS)
        with pytest.raises(SourceError, match="is not a GeoPackage"):
            open_table(tmp_path / "b.gpkg")

    @pytest.mark.parametrize(
        "made",
        [
            "CREATE VIEW seen AS SELECT a.fid, a.geom, abs(a.fid) AS n FROM t AS a, t AS b",
            "CREATE TABLE seen (fid, raw BLOB, n, geom AS (abs(n)))",
        ],
        ids=["view", "computed"],
    )
    def test_what_is_computed_is_no_layer(self, tmp_path: Path, made: str) -> None:
        """A view gave each of five rows five times, for the noise of one; and ``abs`` fails on the
        least of all whole numbers, which anybody may write."""
        self.write(tmp_path / "a.gpkg")
        with sqlite3.connect(tmp_path / "a.gpkg") as database:
            database.execute(made)
            database.execute(
                "INSERT INTO gpkg_geometry_columns VALUES ('seen', 'geom', 'POINT', 4326)"
            )
        database.close()
        with pytest.raises(SourceError, match=r"no layer 'seen'|must store its points"):
            open_table(tmp_path / "a.gpkg" / "seen")
        assert open_table(tmp_path / "a.gpkg" / "t").column_types() == {
            "fid": "string", "fleet": "string", "lon": "string", "lat": "string",
        }  # fmt: skip

    def test_a_file_of_geopandas_is_read(self, tmp_path: Path) -> None:
        geopandas = pytest.importorskip("geopandas")
        points = geopandas.GeoDataFrame(
            {"n": [1, 2]}, geometry=geopandas.points_from_xy([9.5, -1], [47, 3]), crs=4326
        )
        points.to_file(tmp_path / "a.gpkg")
        domain = hg.Domain(lon=hg.Regular(2, -180, 180))
        table = open_table(tmp_path / "a.gpkg").bound_to(domain, Rows())
        assert table.count(Grid.of_cells(domain)).tolist() == [1, 1]


class TestWorkbook:
    def test_sheets_dates_and_blank_rows(self, tmp_path: Path) -> None:
        book = Workbook()
        sheet = book.create_sheet("visits")
        sheet.append(["day", None, 2024])
        for day in (dt.datetime(2024, 1, 31), None, "2024-02-01", dt.date(2024, 2, 2)):
            sheet.append([day])
        sheet["A9"] = -1
        sheet["A9"].number_format = "yyyy-mm-dd"  # no date
        book.save(tmp_path / "a.xlsx")
        with pytest.raises(SourceError, match=r"must have one sheet.*'Sheet', 'visits'"):
            open_table(tmp_path / "a.xlsx")
        domain = hg.Domain(day=hg.Date("2024-01-01", "2024-12-31", "1mo"))
        table = open_table(tmp_path / "a.xlsx" / "visits").bound_to(domain, Rows())
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert table.count(Grid.of_cells(domain)).tolist()[:3] == [1, 2, 0]

    @pytest.mark.parametrize("character", ["\ufffe", "\uffff", "\ud800"])
    def test_a_character_that_xml_forbids_stops_nothing(
        self, tmp_path: Path, character: str
    ) -> None:
        """openpyxl writes it, and reads nothing of a workbook that has it. Nor do two people's
        names become one, who are told apart by it."""
        odd: list[Row] = [(17, "F", f"e{character}"), (18, f"M{character}", "f")]
        workbook(tmp_path / "a.xlsx", [*odd, *ROWS])
        assert count(opened(tmp_path / "a.xlsx")) == EXPECTED | {(17, 0): 2, (18, 2): 1}
        assert sum(count(opened(tmp_path / "a.xlsx", User("who", 1))).values()) == 3

    @pytest.mark.parametrize(
        "cell",
        ["<v>INF</v>", "<v>nan</v>", '<c t="d"><v>?</v></c>', '<c t="s"><v>9999</v></c>'],
    )
    def test_a_cell_that_is_not_what_it_says_stops_nothing(self, tmp_path: Path, cell: str) -> None:
        path = tmp_path / "a.xlsx"
        workbook(path, [(31, "F", "e"), *ROWS])
        odd = cell if cell.startswith("<c") else f'<c t="n">{cell}</c>'
        edit_sheet(path, '<c r="A2" t="n"><v>31</v></c>', odd.replace("<c", '<c r="A2"'))
        assert count(opened(path)) == EXPECTED

    @pytest.mark.parametrize("program", ["openpyxl", "xlsxwriter"])
    def test_nobody_takes_the_name_of_another(self, tmp_path: Path, program: str) -> None:
        """openpyxl reads "x005F_" as nothing, XML every line break as one, and formulas that fail
        give many people one name. Those who count have a name of their own."""
        names = ["ann", "anx005F_n", "_x0061_nn", "ann ", "ann\n", "ann\r", "ann\r\n"]
        rows: list[Row] = [(age, "F", name) for age, name in enumerate(names)]
        if program == "openpyxl":
            workbook(tmp_path / "a.xlsx", [*rows, (8, "F", "#N/A"), (9, "F", "#N/A")])
        else:
            with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
                sheet = book.add_worksheet()
                for place, row in enumerate([NAMES, *rows]):
                    sheet.write_row(place, 0, row)
        told_apart = [0, 1, 2, 3] if program == "openpyxl" else [0, 1, 2, 3, 5]
        found = count(opened(tmp_path / "a.xlsx", User("who", 1)))
        assert found == {(age, 0): 1 for age in told_apart}

    def test_a_sheet_that_is_no_xml_is_refused(self, tmp_path: Path) -> None:
        workbook(tmp_path / "a.xlsx", ROWS)
        edit_sheet(tmp_path / "a.xlsx", "<sheetData>", "<sheetData><row><c")
        with pytest.raises(SourceError, match=r"^Cannot read a\.xlsx as an Excel workbook"):
            open_table(tmp_path / "a.xlsx")

    @given(
        st.lists(
            st.sampled_from(
                ["&#xD800;", "&#65534;", "&#10;", "&amp;", "&", "\ufffe", "\ufffd", "a" * 9, "\x07"]
            )
        ),
        st.integers(1, 9),
    )
    def test_xml_is_the_same_however_it_is_read(self, pieces: list[str], size: int) -> None:
        data = "".join(pieces).encode()
        whole = SoundXml(io.BytesIO(data)).read()
        reader = SoundXml(io.BytesIO(data))
        assert b"".join(iter(lambda: reader.read(size), b"")) == whole
        kept = [piece for piece in pieces if piece in ("&#10;", "&amp;", "&", "\ufffd", "a" * 9)]
        assert whole.decode().replace(MARK, "") == "".join(kept)

    @pytest.mark.parametrize(
        ("first", "why"), [([], "must name"), (["ann", "ann"], "column twice")]
    )
    def test_a_bad_header_is_refused_and_not_quoted(
        self, tmp_path: Path, first: list[str], why: str
    ) -> None:
        book = Workbook()
        sheet: Any = book.active
        sheet.append(first)
        sheet.append(["x"])
        book.save(tmp_path / "a.xlsx")
        with pytest.raises(SourceError, match=why) as caught:
            open_table(tmp_path / "a.xlsx")
        assert "ann" not in str(caught.value)


def test_archives_of_several_files_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.csv", "age\n")
        archive.writestr("b.csv", "age\n")
    with pytest.raises(SourceError, match=r"exactly one file\. Found 2\. Unpack it"):
        open_table(tmp_path / "a.zip")
    (tmp_path / "b.zip").write_text("ann")
    with pytest.raises(SourceError, match="as a ZIP archive"):
        open_table(tmp_path / "b.zip")


def test_an_archive_of_another_format_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("people.parquet", b"PAR1")
    with pytest.raises(SourceError, match=r"contains people\.parquet, not a CSV file\. Unpack it"):
        open_table(tmp_path / "t.zip")


def test_a_table_beside_its_packed_copy_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(csv_text(ROWS))
    zip_csv(tmp_path / "rows.csv.zip", ROWS)
    with pytest.raises(SourceError, match="a compressed copy of"):
        open_table(tmp_path)


def test_files_of_several_formats_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(csv_text(ROWS))
    json_lines(tmp_path / "b.jsonl", ROWS)
    with pytest.raises(SourceError, match="mixes CSV and JSON lines files"):
        open_table(tmp_path)


def test_several_databases_are_refused(tmp_path: Path) -> None:
    sqlite(tmp_path / "a.db", ROWS)
    sqlite(tmp_path / "b.db", ROWS)
    with pytest.raises(SourceError, match=r"matches 2 SQLite files\. Name one of them"):
        open_table(tmp_path / "*.db")


@pytest.mark.parametrize(
    "name",
    [
        "a.shp",
        "a.geojson",
        "a.json",
        "a.xls",
        "a.dta",
        "a.csv.xz",
        "a.txt",
        "a.arrows",
        "a.json.gz",
    ],
)
def test_other_formats_come_with_a_line_that_converts_them(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("ann")
    with pytest.raises(SourceError, match=rf"Unsupported file format .*Convert it with: .*{name}"):
        open_table(tmp_path / name)


class TestRemote:
    @pytest.fixture(autouse=True)
    def memory(self, monkeypatch: pytest.MonkeyPatch) -> Any:
        fsspec = pytest.importorskip("fsspec")
        monkeypatch.setattr(remote, "SCHEMES", {"memory": "nothing", "https": "aiohttp"})
        store = fsspec.filesystem("memory")
        yield store
        store.store.clear()

    def test_a_file_is_fetched_once(self, memory: Any) -> None:
        memory.pipe("/bucket/a.csv", csv_text(ROWS).encode())
        table = open_table("memory://bucket/a.csv").bound_to(DOMAIN, Rows())
        memory.pipe("/bucket/a.csv", b"age,sex\n1,F\n")
        assert count(table) == EXPECTED

    def test_what_cannot_be_fetched_is_named_without_secrets(self, memory: Any) -> None:
        with pytest.raises(SourceError) as caught:
            open_table("memory://me:secret@bucket/a.csv?signature=hidden")
        assert "Cannot fetch a.csv from memory://bucket" in str(caught.value)
        assert "secret" not in str(caught.value)
        assert "hidden" not in str(caught.value)
        with pytest.raises(SourceError, match="Expected SCHEME://HOST/PATH/FILE"):
            open_table("memory://bucket")

    def test_a_missing_package_is_named(self, memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        def lacking(*_: Any) -> Any:
            raise ImportError("secret")

        monkeypatch.setattr("fsspec.open", lacking)
        with pytest.raises(SourceError, match=r"missing\. Install it with: pip install aiohttp\.$"):
            open_table("https://host/a.csv")

    def test_its_identity_has_no_secrets(self, memory: Any) -> None:
        first, second = (source_identity(f"https://me:secret@h/a.csv?s={n}") for n in "12")
        assert first != second
        assert "secret" not in first
        assert "s=1" not in first


def test_a_dry_run_says_which_names_nothing_checks(tmp_path: Path) -> None:
    """JSON lines have no header, and CSV has one."""
    (tmp_path / "t.jsonl").write_text('{"x": 1}\n')
    (tmp_path / "t.csv").write_text("x\n1\n")
    told = {
        ending: hg.publish(
            tmp_path / f"t.{ending}", {"x": hg.Integer(0, 3)}, epsilon=1, account="t",
            ledger=hg.Ledger.in_memory(), dry_run=True,
        ).columns["x"]
        for ending in ("jsonl", "csv")
    }  # fmt: skip
    assert told == {"jsonl": "string, name not checked", "csv": "string"}
