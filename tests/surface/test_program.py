"""What the commands print and do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hushgram as hg
from hushgram.cli.app import app, main
from tests.surface.conftest import PUBLISH, Run, history


def commands() -> list[list[str]]:
    """Every command and group of the program."""
    found = [[], *([str(command.name)] for command in app.registered_commands)]
    for group in app.registered_groups:
        assert group.typer_instance is not None
        inner = group.typer_instance.registered_commands
        found += [[str(group.name)], *([str(group.name), str(c.name)] for c in inner)]
    return found


def test_the_commands_are_known() -> None:
    assert sorted(" ".join(words) for words in commands()) == sorted(
        ["", "publish", "median", "mechanisms", "count", "quantile", "marginal", "sql", "show",
         "points",
         "plot", "report", "explore", "export", "sample", "blocks", "demo", "ledger", "ledger open",
         "ledger show", "suggest", "explain", "ledger set-cap", "ledger verify", "lab", "lab audit",
         "lab evaluate", "lab coverage", "find-bounds", "find-max-rows", "keys", "keys new",
         "keys show", "sign", "ask", "areas", "help", "completion", "sum", "mean",
         "columns", "compare", "studio"]
    )  # fmt: skip


@pytest.mark.parametrize("words", commands(), ids=" ".join)
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_every_command_has_help_with_an_example(run: Run, words: list[str], flag: str) -> None:
    result = run(*words, flag)
    assert (result.code, result.err) == (0, "")
    assert "Example:\n" in result.out
    assert f"hushgram {' '.join(words)}".strip() in result.out.split("Example:")[1]


def test_no_words_are_help_and_the_version_is_told(run: Run) -> None:
    assert run() == run("--help")
    assert run("--version").out == f"hushgram {hg.__version__}\n"


def test_publish_says_what_it_did(run: Run, folder: Path) -> None:
    result = run(*PUBLISH)
    assert (result.code, result.err) == (0, "")
    assert "Published 10 noisy counts with identity, epsilon 1." in result.out
    assert (
        "Protects: each row (if people have several rows, use --unit COLUMN --max-rows N)."
        in result.out
    )
    assert "Account people: 0 of 1 left." in result.out
    assert "mostly noise" not in result.out
    assert hg.load(folder / "out.hush.parquet").domain == hg.Domain(age=hg.Integer(0, 9))
    assert sorted(p.name for p in folder.iterdir()) == ["out.hush.parquet", "people.csv"]


def test_publish_advises_bins_where_cells_are_too_fine(run: Run, folder: Path) -> None:
    axis = PUBLISH.index("age=0..9")
    words = [*PUBLISH[:axis], "age=0:9", *PUBLISH[axis + 1 :]]
    advice = (
        "Most cells are so small that they mostly show noise. Use fewer bins for age "
        "(age=LOW:HIGH/BINS), or let -m auto choose.\n"
    )
    assert advice in run(*words, "--mechanism", "identity").out


def test_publish_names_its_output_after_the_account(run: Run, folder: Path) -> None:
    assert run(*PUBLISH[:-2]).code == 0
    assert (folder / "people.hush.parquet").exists()


def test_publish_with_everything(run: Run, folder: Path) -> None:
    result = run(
        "publish", "people.csv", "-a", "age=0:10/5", "-a", "sex=F,M", "--outside", "sex=other",
        "-a", "day=2024-01-01..2024-01-09/3d", "-e", "1/3", "--account", "people", "-m", "identity",
        "--unit", "who", "--max-rows", "3", "--neighbours", "replace-one", "--noise", "opendp",
        "--request", "monday", "--json", "--separator", ",", "--decimal", ".",
        "--encoding", "cp1252", "--date-format", "%Y-%m-%d", "--line-breaks", "never",
    )  # fmt: skip
    assert (result.code, result.err) == (0, "")
    found = json.loads(result.out)
    low, high = found.pop("rows_inside")["interval"]
    assert low < high
    assert found == {
        "release": "people.hush.parquet", "mechanism": "identity", "epsilon": "1/3", "parts": 45,
        "account": "people", "remaining": "2/3", "cap": "1",
        "new_account": {"name": "people", "cap": "1", "others": []},
    }  # fmt: skip
    release = hg.load(folder / "people.hush.parquet")
    assert release.domain == hg.Domain(
        age=hg.Regular(5, 0, 10),
        sex=hg.Category(["F", "M"], outside="other"),
        day=hg.Date("2024-01-01", "2024-01-09", "3d"),
    )
    assert release.unit == hg.User("who", max_rows=3)
    assert release.neighbours == "replace-one"


def test_a_request_asked_again_is_free(run: Run, folder: Path) -> None:
    assert run(*PUBLISH, "--request", "monday").code == 0
    first = (folder / "out.hush.parquet").read_bytes()
    before = history()
    again = run(*PUBLISH, "--request", "monday", "--force")
    assert again.code == 0
    assert (folder / "out.hush.parquet").read_bytes() == first
    assert history() == before


def test_a_paid_release_survives_a_full_disk(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hushgram.errors import OutputError

    def full(self: hg.Release, path: Any, **_: Any) -> None:
        raise OutputError(f"{path} cannot be written: No space left on device.")

    with monkeypatch.context() as patch:
        patch.setattr(hg.Release, "save", full)
        result = run(*PUBLISH)
    assert result.code == 2
    assert "The release is paid for and stored. Repeat the command" in result.err
    request = result.err.split("--request ")[1].split()[0]
    assert run(*PUBLISH, "--request", request).code == 0
    assert history() == {"people": ["open", "charge", "commit"]}


def test_count_prints_an_answer(run: Run, published: Path) -> None:
    release = hg.load(published)
    result = run("count", "out.hush.parquet", "age=2..4")
    assert (result.code, result.out) == (0, f"{release.count(age=(2, 5))}\n")
    result = run("count", "out.hush.parquet", "age=2:4", "--confidence", "0.9", "--json")
    answer = release.count(age=(2, 4), confidence=0.9)
    assert json.loads(result.out) == {
        "value": answer.value, "interval": list(answer.interval), "confidence": 0.9,
        "noise_interval": list(answer.noise_interval), "partial": 0.0,
    }  # fmt: skip
    assert run("count", "out.hush.parquet").out == f"{release.count()}\n"
    assert json.loads(run("count", "out.hush.parquet", "age=3:3", "--json").out)["value"] == 0


def test_show_prints_a_sheet(run: Run, published: Path) -> None:
    text = run("show", "out.hush.parquet").out
    for fact in ("identity", "rows, add-remove", "receipt ", "0 to 9, 10 bins", "1.36 per part"):
        assert fact in text
    about = json.loads(run("show", "out.hush.parquet", "--json").out)
    assert about["epsilon"] == "1"
    assert about["domain"] == [{"name": "age", "kind": "integer", "lo": 0, "hi": 9}]


def test_show_prints_every_kind_of_axis(run: Run, folder: Path) -> None:
    from tests.samples import cells, release_of

    release_of(
        cells(
            a=hg.Interval(0, 1, resolution=2), b=hg.Regular(2, 0, 1), c=hg.Variable([0, 1, 5]),
            d=hg.Integer(1, 2, outside="other"), e=hg.Category([f"k{n}" for n in range(9)]),
            f=hg.Date("2024-01-01", "2024-01-02", outside="clamp"),
        )
    ).save("all.hush.parquet")  # fmt: skip
    text = run("show", "all.hush.parquet").out
    for fact in ("0.0 to 1.0, continuous", "0.0 to 5.0, 2 bins", "1 to 2, 2 bins, outside: other",
                 "k7, … (9 in all)", "2024-01-01 to 2024-01-02, 2 bins, outside: clamp",
                 "none (published without an account)"):  # fmt: skip
        assert fact in text


def test_mechanisms_lists_them(run: Run) -> None:
    assert "identity" in run("mechanisms").out
    listed = json.loads(run("mechanisms", "--json").out)
    assert [entry["name"] for entry in listed] == list(hg.MECHANISMS)
    assert all(entry["summary"] and entry["use"] for entry in listed)
    assert max(map(len, run("mechanisms").out.splitlines())) <= 98


def test_mechanisms_take_parameters(run: Run, folder: Path) -> None:
    assert "quadtree:height=5" in run("publish", "--help").out
    both = run(*PUBLISH, "--mechanism", "hierarchical", "--workload", "cells")
    assert (both.code, both.out) == (2, "")
    assert "Leave out one of the two" in both.err
    assert history() == {}
    assert run(*PUBLISH, "--mechanism", "hierarchical:branching=3").code == 0
    assert hg.load(folder / "out.hush.parquet").parameters == {"branching": 3}


def test_the_ledger_commands(run: Run, folder: Path, ledger_file: Path) -> None:
    assert "No accounts yet." in run("ledger", "show").out
    assert run("ledger", "open", "people", "--cap", "0.5").out == (
        "Opened account people with a cap of 0.5.\n"
    )
    assert run(*PUBLISH).code == 2
    raised = run("ledger", "set-cap", "people", "1.5", "--json")
    assert json.loads(raised.out) == {
        "account": "people", "spent": "0", "cap": "1.5", "remaining": "1.5", "unit": "rows",
        "neighbours": "add-remove",
    }  # fmt: skip
    assert run(*PUBLISH).code == 0
    shown = run("ledger", "show").out
    assert "people   1      1.5  rows  add-remove" in shown
    assert str(ledger_file) in shown
    lines = run("ledger", "show", "people").out.splitlines()
    assert lines[0] == "people: 1 of 1.5 spent"
    assert [line.split()[1:] for line in lines[1:]] == [
        ["open", "0.5"], ["cap", "1.5"], ["charge", "1"], ["commit"],
    ]  # fmt: skip
    entries = json.loads(run("ledger", "show", "people", "--json").out)["entries"]
    assert [entry["kind"] for entry in entries] == ["open", "cap", "charge", "commit"]
    assert not any("salt" in entry for entry in entries)
    assert json.loads(run("ledger", "show", "--json").out)[0]["account"] == "people"
    sound = run("ledger", "verify", "out.hush.parquet", "--json")
    assert json.loads(sound.out)["receipts"] == 1
    assert "The ledger is intact: 4 entries" in run("ledger", "verify").out


def test_an_account_of_users(run: Run) -> None:
    opened = run("ledger", "open", "u", "--cap", "1", "--unit", "who", "--json")
    assert json.loads(opened.out)["unit"] == "user:who"


def test_the_demo_tells_its_story_twice(run: Run, folder: Path, ledger_file: Path) -> None:
    (folder / "here").mkdir()
    (folder / "here" / "ledger.db").write_text("a ledger that somebody needs")
    for _ in range(2):
        result = run("demo", "--folder", "here")
        assert (result.code, result.err) == (0, "")
        assert "Western Europe" in result.out
        assert (
            "\nNew account 'places': cap ε = 1. This is the only account in the ledger.\n"
            in result.out
        )
        assert "account 'places' has epsilon 0 left" in result.out
    assert (folder / "here" / "ledger.db").read_text() == "a ledger that somebody needs"
    assert hg.load("here/places.hush.parquet").mechanism == "bayes-tree"
    assert not ledger_file.exists()
    told = json.loads(run("demo", "--folder", "here", "--json", "-e", "2").out)
    assert set(told) == {"release", "picture", "page", "answers", "second_publish", "new_account"}
    assert told["new_account"] == {"name": "places", "cap": "2", "others": []}
    assert 12_000 < told["answers"]["Western Europe"][0] < 15_000


def test_an_interruption_is_no_traceback(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("hushgram.release.load", stop)
    with pytest.raises(SystemExit) as stopped:
        main(["show", "out.hush.parquet"])
    assert stopped.value.code == 130
    assert "Traceback" not in capsys.readouterr().err


def real(*words: str) -> subprocess.Popen[str]:
    """The program in a process of its own."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "hushgram", *words]
    here = {**os.environ, "PYTHONPATH": str(Path(hg.__file__).parent.parent)}
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=here)


def test_two_processes_cannot_both_spend_the_budget(folder: Path) -> None:
    rivals = [real(*PUBLISH[:-1], f"{name}.hush.parquet") for name in ("one", "two")]
    ends = [(*rival.communicate(timeout=60), rival.returncode) for rival in rivals]
    assert sorted(code for *_, code in ends) == [0, 2]
    refused = next(err for _, err, code in ends if code == 2)
    assert refused.startswith(
        "hushgram: Insufficient budget: account 'people' has epsilon 0 left, but 1 was requested"
    )
    assert refused.count("\n") == 1
    assert history() == {"people": ["open", "charge", "commit"]}
    assert len(list(folder.glob("*.hush.parquet"))) == 1


def test_the_real_program_exits_with_2(folder: Path) -> None:
    out, err = (process := real("count", "nothing.hush.parquet", "--json")).communicate(timeout=60)
    assert (process.returncode, out) == (2, "")
    assert json.loads(err) == {
        "error": "NoSuchFile", "message": "nothing.hush.parquet does not exist.",
    }  # fmt: skip


def test_hints_name_the_program_as_it_was_called(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUSHGRAM_PROGRAM", "./hush")
    _, misspelled = real("sho").communicate(timeout=60)
    assert misspelled.endswith("See: ./hush --help\n")
    for words, example in {("publish",): "publish checkins.parquet", ("keys",): "keys new"}.items():
        text, _ = real(*words, "--help").communicate(timeout=60)
        assert f"\n    ./hush {example}" in text
        assert "hushgram" not in text
    hg.Ledger.open().open_account("people", 1)
    _, refused = real(*PUBLISH, "--epsilon", "2").communicate(timeout=60)
    assert "./hush ledger set-cap people" in refused
    assert " hushgram ledger" not in refused
