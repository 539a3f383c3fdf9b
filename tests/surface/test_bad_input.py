"""Bad input: one clear message, exit code 2, nothing spent, nothing written."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

import hushgram as hg
from tests.surface.conftest import PUBLISH, Result, Run, history


def assert_refused(result: Result, message: str, *, sentences: int = 5) -> None:
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith("hushgram: ")
    assert message in result.err
    assert result.err.count("\n") == 1
    assert "Traceback" not in result.err
    assert len(result.err) < 500
    assert result.err.count(". ") < sentences


def spoilt(**options: str | None) -> list[str]:
    """The good command with some options changed, left out (None) or added."""
    words = list(PUBLISH)
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        if flag in words:
            place = words.index(flag)
            words[place : place + 2] = [] if value is None else [flag, value]
        elif name == "source":
            words[1:2] = [] if value is None else [value]
        elif value is not None:
            words += [flag, value]
    return words


BAD = [
    (spoilt(axis="height=0..9"), "no column 'height'"),
    (spoilt(source="nowhere.csv"), "nowhere.csv does not exist"),
    (spoilt(source="*.tsv"), "*.tsv matches no file"),
    (spoilt(source="notes.txt"), 'Unsupported file format ".txt". Convert it with: cp notes.txt'),
    (spoilt(source="headless.csv"), "no column 'age'. Columns are named in the first line"),
    (spoilt(source="empty.csv"), "empty.csv is empty. Its first line must name the columns"),
    (spoilt(source="broken.parquet"), "Cannot read broken.parquet as a Parquet file"),
    (spoilt(source="typed.parquet", axis="age=2024-01-01..2024-12-31"), "Column 'age' has type"),
    (spoilt(axis="age=9..0"), "Axis age: bounds are reversed. Did you mean age=0..9?"),
    (spoilt(axis="age=5:5"), "the lower bound must be below the upper"),
    (spoilt(axis="age=9:0/3"), "Axis age: bounds are reversed. Did you mean age=0:9/3?"),
    (spoilt(axis="age=0:9/0"), "an axis can have 1 to 67,108,864 bins. Found 0"),
    (spoilt(axis="age=0:9/many"), "the number of bins must be a whole number. Found 'many'"),
    (spoilt(axis="age=0:9/²"), "must be a whole number. Found '²'"),
    (spoilt(axis=f"age=0:9/{'9' * 5000}"), "must be a whole number. Found"),
    (spoilt(axis="age=0:1e999"), "hi is not a finite number"),
    (spoilt(axis="age=[5,1]"), "edges must increase, but 1 follows 5"),
    (spoilt(axis="age=[1,x]"), "Axis age: an edge must be a number. Found 'x'"),
    (spoilt(axis="age=2024-13-01..2024-12-31"), "start='2024-13-01' is not a date"),
    (spoilt(axis="age=2024-01-01..2024-13-01"), "stop='2024-13-01' is not a date"),
    (spoilt(axis="age=2024-01-01:2024-12-31/1mo"), "For dates: age=2024-01-01..2024-12-31/1mo"),
    (spoilt(axis="age=2024-12-31..2024-01-01"), "Did you mean age=2024-01-01..2024-12-31?"),
    (spoilt(axis="age=2024-01-01..2024-12-31/1q"), "step='1q'. Write a"),
    (spoilt(axis="age"), "--axis 'age': it needs a name and a value. Write name=lo:hi,"),
    (spoilt(axis="=0..9"), "--axis '=0..9': it needs a name and a value"),
    (spoilt(axis="age=a:b"), "Axis age: cannot read 'a:b'. Write age=lo:hi"),
    (spoilt(axis="age=F,,M"), "Axis age: empty category in"),
    (spoilt(axis="age=,"), "Axis age: empty category in"),
    (spoilt(axis="age=0-120"), "Axis age: cannot read '0-120'. Write age=lo:hi"),
    (spoilt(axis="age=[0,6,12"), "Edges go in brackets: age=[0,18,65]."),
    (spoilt(axis="age=0,6,12]"), "Edges go in brackets:"),
    (spoilt(axis="age=0,23"), "For all whole numbers from 0 to 23, write age=0..23"),
    (spoilt(axis="age=F,F"), "the category 'F' is listed twice"),
    ([*PUBLISH, "--axis", "age=0..5"], "--axis is given twice"),
    ([*PUBLISH, "--outside", "sex=other"], "--outside names 'sex', but there is no --axis"),
    ([*PUBLISH, "--outside", "age"], "'age': it needs a name and a value. Write name=drop"),
    ([*PUBLISH, "--outside", "age=keep"], "outside='keep'. Use drop, clamp"),
    (spoilt(epsilon="0"), "such as 1, 0.1 or 1/3. Found '0'."),
    (spoilt(epsilon="-0.5"), "such as 1, 0.1 or 1/3. Found '-0.5'."),
    (spoilt(epsilon="nan"), "epsilon must be a positive number of at most 100 digits"),
    (spoilt(epsilon="one"), "Found 'one'."),
    (spoilt(epsilon="0,5"), "Found '0,5'. Did you mean 0.5?"),
    ([*PUBLISH, "--measure", "mean pay 9:0"], "Found 9:0. Did you mean 0:9?"),
    (["ask", "typed.parquet", "mean age 0-9", "--account", "a", "-e", "1"],
     "bounds are written LOW:HIGH. Did you mean 'mean age 0:9'?"),
    (["ask", "typed.parquet", "mean", "--account", "a", "-e", "1"],
     "A mean needs a column and its public bounds, such as 'mean earnings 0:200000'"),
    (spoilt(epsilon="11"), "epsilon 11 is above 10, where privacy means little"),
    (spoilt(mechanism="magic"), "Unknown mechanism 'magic'. Mechanisms: auto, adaptive-grid"),
    (spoilt(neighbours="all"), "Unknown neighbours='all'"),
    (spoilt(noise="white"), "Unknown noise='white'"),
    (spoilt(unit="who"), "--unit and --max-rows must be used together: --unit COLUMN"),
    (spoilt(max_rows="3"), "--unit and --max-rows must be used together: --unit COLUMN"),
    (spoilt(unit="nobody", max_rows="3"), "no column 'nobody'"),
    (spoilt(unit="who", max_rows="0"), "max_rows must be a positive whole number. Found 0"),
    (spoilt(unit="who", max_rows="few"), "Invalid value for '--max-rows'"),
    (spoilt(account="a*b"), "Invalid account name 'a*b'"),
    (spoilt(account="a/b"), "Invalid account name 'a/b'"),
    ([*PUBLISH, "-o", "out.csv"], "out.csv: a release is written as Parquet. Use out.parquet"),
    (spoilt(request="x" * 300), "A request ID must have 1 to 200 printable characters"),
    (spoilt(axis=None), "Missing option '--axis'"),
    (spoilt(epsilon=None), "Missing option '--epsilon'"),
    (spoilt(account=None), "Missing option '--account'"),
    (spoilt(source=None), "Missing argument 'SOURCE'"),
    ([*PUBLISH, "more.csv"], "Got unexpected extra argument"),
    ([*PUBLISH, "--bogus"], "No such option: --bogus"),
    (["publish"], "See: hushgram publish --help"),
    (["nonsense"], "No such command 'nonsense'"),
    (["sho"], "Did you mean 'show'? See: hushgram --help"),
    (["ledger", "show", "nobody"], "The ledger has no account 'nobody'"),
    (["ledger", "set-cap", "nobody", "3"], "The ledger has no account 'nobody'"),
    (["ledger", "set-cap", "nobody", "much"], "The cap must be a positive number"),
    (["ledger", "open", "x"], "Missing option '--cap'"),
    (["ledger", "open", "x", "--cap", "0"], "The cap must be a positive number"),
    (["ledger", "open", "x", "--cap", "50"], "the cap 50 is above 10"),
    (["ledger", "open", "x", "--cap", "1", "--neighbours", "all"], "neighbours='all'"),
    (["ledger", "verify", "notes.txt"], "notes.txt is not a release, or it is damaged"),
    (["count", "nothing"], "nothing does not exist"),
    (["count", "notes.txt"], "notes.txt is not a release, or it is damaged"),
    (["show", "typed.parquet"], "typed.parquet is a Parquet file, but not a release"),
    (["demo", "--folder", "notes.txt/x"], "Cannot write to notes.txt/x: Not a directory"),
    (["demo", "--epsilon", "-1", "--folder", "d"], "such as 1, 0.1 or 1/3. Found '-1'."),
]  # fmt: skip


@pytest.fixture
def spoilt_files(folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    (folder / "notes.txt").write_text("age\n5\n")
    (folder / "headless.csv").write_text("5,F\n6,M\n")
    (folder / "empty.csv").touch()
    (folder / "broken.parquet").write_text("PAR1 no more")
    pq.write_table(pa.table({"age": [1, 2]}), folder / "typed.parquet")


@pytest.mark.usefixtures("spoilt_files")
@pytest.mark.parametrize(("words", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_input_is_one_message(run: Run, folder: Path, words: list[str], message: str) -> None:
    result = run(*words)
    assert_refused(result, message)
    assert history() == {}
    assert not list(folder.glob("**/*.hush.parquet"))
    as_json = run(*words, "--json")
    assert (as_json.code, as_json.out) == (2, "")
    error = json.loads(as_json.err)
    assert set(error) == {"error", "message"}
    assert f"hushgram: {error['message']}\n" == result.err
    assert history() == {}


def test_a_group_without_a_command(run: Run) -> None:
    assert_refused(run("ledger"), "Missing command. See: hushgram ledger --help")


def test_a_row_in_place_of_the_header_is_not_quoted(run: Run, folder: Path) -> None:
    (folder / "secret.csv").write_text("5,Ms Private\n6,Mr Private\n")
    assert "Private" not in run(*spoilt(source="secret.csv")).err


def test_a_large_epsilon_works_when_allowed(run: Run) -> None:
    assert run(*spoilt(epsilon="11"), "--allow-large").code == 0
    assert run("ledger", "open", "x", "--cap", "50", "--allow-large").code == 0


def test_over_budget(run: Run, folder: Path, published: Path) -> None:
    before = history()
    result = run(*PUBLISH[:-1], "second.hush.parquet")
    assert_refused(result, "account 'people' has epsilon 0 left, but 1 was requested (1 too much)")
    assert "hushgram ledger set-cap people 2" in result.err
    assert history() == before
    assert not (folder / "second.hush.parquet").exists()


def test_an_account_of_another_unit(run: Run, published: Path) -> None:
    assert run("ledger", "set-cap", "people", "5").code == 0
    before = history()
    words = [*PUBLISH[:-1], "second.hush.parquet", "--unit", "who", "--max-rows", "3"]
    assert_refused(run(*words), "--line-breaks never")
    words += ["--line-breaks", "never"]
    assert_refused(run(*words), "Account 'people' protects unit 'rows'")
    assert history() == before


def test_a_used_request_id(run: Run, folder: Path) -> None:
    assert run(*PUBLISH, "--request", "monday").code == 0
    other = [*spoilt(axis="age=0..5", request="monday"), "--force"]
    assert_refused(run(*other), "Request ID 'monday' was already used for a different request")
    assert history() == {"people": ["open", "charge", "commit"]}


def test_an_existing_output_is_kept_unless_forced(run: Run, folder: Path) -> None:
    (folder / "out.hush.parquet").write_text("mine")
    assert_refused(
        run(*PUBLISH), "out.hush.parquet already exists. Choose another name, or overwrite"
    )
    assert (folder / "out.hush.parquet").read_text() == "mine"
    assert history() == {}
    assert run(*PUBLISH, "--force").code == 0
    assert hg.load("out.hush.parquet").domain.names == ("age",)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("people.csv/r", "people.csv/r: Not a directory"),
        ("nowhere/r", "No such file or directory. Create the folder nowhere first."),
        (".", ". is a folder. Give a file name, such as r.hush.parquet"),
    ],
)
def test_an_unwritable_output_costs_nothing(run: Run, output: str, message: str) -> None:
    assert_refused(run(*PUBLISH[:-1], output), message)
    assert_refused(run(*PUBLISH[:-1], output, "--force"), message)
    assert history() == {}


def test_too_many_cells_are_refused_at_once_and_unread(run: Run) -> None:
    words = ["publish", "nowhere.parquet", "--epsilon", "1", "--account", "people",
             "--axis", "x=0:1/1000000", "--axis", "y=0:1/1000000"]  # fmt: skip
    seconds = []
    for _ in range(4):  # the first one imports
        started = time.process_time()  # of this process: others may be busy
        result = run(*words)
        seconds.append(time.process_time() - started)
        assert_refused(result, "1,000,000,000,000 parts are too many")
    assert min(seconds) < 0.1
    assert_refused(run(*words[:-4], "--axis", "x=0..999999999999"), "1 to 67,108,864 bins")
    assert history() == {}


def test_a_corrupted_release(run: Run, published: Path) -> None:
    data = bytearray(published.read_bytes())
    data[len(data) // 2] ^= 0xFF
    published.write_bytes(data[:-20])
    for command in ("count", "show"):
        assert_refused(run(command, "out.hush.parquet"), "is not a release, or it is damaged")
    assert_refused(run("ledger", "verify", "out.hush.parquet"), "is not a release")


@pytest.mark.parametrize("damage", ["text", "truncated", "chain"])
def test_a_corrupted_ledger(run: Run, published: Path, ledger_file: Path, damage: str) -> None:
    if damage == "text":
        ledger_file.write_text("not a ledger" * 1000)
    elif damage == "truncated":
        ledger_file.write_bytes(ledger_file.read_bytes()[:5000])
    else:
        import sqlite3
        from contextlib import closing

        with closing(sqlite3.connect(ledger_file)) as book:
            tables = {row[0] for row in book.execute("SELECT name FROM sqlite_master")}
            assert "entries" in tables
            for trigger in [t for t in tables if "append" in t or "no_" in t]:
                book.execute(f"DROP TRIGGER IF EXISTS {trigger}")
            book.execute("UPDATE entries SET hash = 'x' || substr(hash, 2)")
            book.commit()
    before = ledger_file.read_bytes()
    result = run(*PUBLISH[:-1], "second.hush.parquet")
    assert_refused(result, "Do not publish with it")
    assert not Path("second.hush.parquet").exists()
    assert ledger_file.read_bytes() == before
    assert run("ledger", "verify").code == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["height=1:2"], "The release has no axis 'height'. Its axes: 'age'"),
        (["age"], "Cannot read the range 'age'. Write axis=lo:hi or axis=value"),
        (["age="], "Cannot read the range 'age='"),
        (["=3"], "Cannot read the range '=3'"),
        (["age=5:2"], "ends before it starts"),
        (["age=50:20"], "ends before it starts"),
        (["age=nan:2"], "cannot end at NaN"),
        (["age=x:2"], "age: 'x' is not a number"),
        (["age=1:2:3"], "age: '2:3' is not a number"),
        (["age=1,x"], "age: 'x' is not a number"),
        (["age=77:99"], "age=(77.0, 99.0) is outside the axis, which has 0 to 9, 10 bins"),
        (["age>=5"], "Cannot read 'age>=5': comparisons are not supported. Write age=lo:hi"),
        (["age<=5"], "or leave out an end: age=lo: or age=:hi."),
        (["age>5"], "Cannot read the range 'age>5'. Write axis=lo:hi or axis=value. An end may be"),
        (["age=77"], "77.0 is not on the axis 'age',"),
        (["age=1,,2"], "None is not on the axis 'age',"),
        (["age=other"], "'other' is not on the axis 'age',"),
        (["age=1", "age=2"], "Axis 'age' is given twice"),
        (["--confidence", "95"], "confidence must be between 0 and 1,"),
        (["--confidence", "high"], "Invalid value for '--confidence'"),
    ],
)  # fmt: skip
def test_bad_questions(run: Run, published: Path, words: list[str], message: str) -> None:
    assert_refused(run("count", "out.hush.parquet", *words), message)
