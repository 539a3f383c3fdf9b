"""Messages and metadata: what is printed, returned and written beside the noise is the same for
every table of one schema."""

from __future__ import annotations

import ast
import io
import json
import traceback
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hushgram as hg
import hushgram.trusted
from hushgram.cli.app import main
from hushgram.cli.inside import inside_text
from hushgram.geometry.measured.curve import Curve
from hushgram.geometry.measured.sorted_groups import SortedGroups

TRUSTED = Path(hushgram.trusted.__file__).parent
SECRET = "Zebulon Quixote"
ROWS = [f"{age},person {age}" for age in range(30)]
TABLES = {
    "plain": ROWS,
    "one more": [*ROWS, f"7,{SECRET}"],
    "malformed": [*ROWS, f'"{SECRET},,,""'],
    "not a number": [*ROWS, f"{SECRET},{SECRET}"],
    "endless": [*ROWS, "9" * 400 + "," + SECRET],
    "not a text": [*ROWS, f"\udcff\udcfe,{SECRET}"],
    "empty": [],
}


def said(words: list[str], capfd: pytest.CaptureFixture[str]) -> tuple[object, str, str]:
    capfd.readouterr()
    with pytest.raises(SystemExit) as stop:
        main(words)
    return (stop.value.code, *capfd.readouterr())


@pytest.mark.parametrize(
    "unit", [[], ["--unit", "name", "--max-rows", "2", "--line-breaks", "never"]]
)
def test_programs_say_the_same_of_every_table(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    unit: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    spoken = set()
    schemas = set()
    for number, lines in enumerate(TABLES.values()):
        text = "\n".join(["age,name", *lines, ""])
        Path("t.csv").write_bytes(text.encode(errors="surrogateescape"))
        monkeypatch.setenv("HUSHGRAM_LEDGER", str(tmp_path / f"{number}.db"))
        words = ["publish", "t.csv", "--account", "a", "-a", "age=0..29", "-e", "1", "--force",
                 "-m", "identity", "-o", "r.hush.parquet", *unit]  # fmt: skip
        code, out, err = said(words, capfd)
        # The one line about the rows follows from the release alone.
        total = inside_text(hg.load("r.hush.parquet"))
        assert f"\n{total}\n" in str(out)
        spoken.add((code, out.replace(total, ""), err))
        data = Path("r.hush.parquet").read_bytes()
        assert SECRET.encode() not in data
        file = pq.ParquetFile(io.BytesIO(data))
        about = json.loads(file.metadata.metadata[b"hushgram"])
        assert about.pop("receipt")["epsilon"] == "1/1"
        schemas.add(
            (str(file.schema_arrow.remove_metadata()), json.dumps(about), file.metadata.num_rows)
        )
    assert len(spoken) == 1
    assert {code for code, *_ in spoken} == {0}
    assert len(schemas) == 1


@pytest.mark.parametrize("path", sorted(TRUSTED.rglob("*.py")), ids=lambda path: path.stem)
def test_the_trusted_zone_prints_and_logs_nothing(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    calls = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert not calls & {"print", "pprint", "sys.stdout.write", "sys.stderr.write", "traceback"}
    imports = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert not imports & {"logging", "traceback", "pprint", "faulthandler"}


@pytest.mark.parametrize("step", ["places", "sums"])
def test_a_failure_after_the_pass_does_not_quote_how_many_cells_have_rows(
    step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attack: memory ends after the rows are read, and numpy says which shape did not fit."""
    owner = {"places": Curve, "sums": SortedGroups}[step]
    usual = getattr(owner, step)

    def fail_with_rows(self: object, cells: Any, *more: Any) -> Any:
        if not len(cells):
            return usual(self, cells, *more)  # the rehearsal, which has nothing to hide
        raise MemoryError(f"Unable to allocate 9.3 GiB for an array with shape ({len(cells)},)")

    monkeypatch.setattr(owner, step, fail_with_rows)
    table = pa.table({"x": [0.1, 0.5, 0.7], "y": [0.2, 0.4, 0.9]})
    domain = {"x": hg.Interval(0, 1), "y": hg.Interval(0, 1)}
    ledger = hg.Ledger.in_memory()
    with pytest.raises(hg.EngineFailed, match="not shown") as caught:
        hg.publish(table, domain, epsilon=1, account="a", ledger=ledger, mechanism="sorted")
    assert "shape" not in "".join(traceback.format_exception(caught.value))
    assert ledger.account("a").remaining == 0
