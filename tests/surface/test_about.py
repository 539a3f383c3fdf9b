"""Credits: public text, checked where it is given, stored in the release and read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import hushgram as hg
from hushgram.declare.about import MAX_LENGTH, as_about
from hushgram.errors import BadInput, ReleaseCorrupted
from hushgram.release.parquet import KEY, SEAL, describe, read, seal
from tests.samples import cells, release_of
from tests.surface.conftest import PUBLISH, Run

ABOUT = {
    "publisher": "Stadt Köln",
    "source": "Trips 2025",
    "contact": "open@example.org",
    "licence": "CC BY 4.0",
    "date": "2026-05-01",
}


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"licence": "x" * (MAX_LENGTH + 1)}, "licence is too long: 301 characters"),
        ({"source": "a\u202eb"}, "source contains control characters"),
        ({"contact": 5}, "contact must be text. Found 5"),
        ({"date": "2026-02-30"}, "date must be YYYY-MM-DD"),
        ({"date": "0000"}, "date must be YYYY-MM-DD"),
        ({"publsher": "x"}, "Did you mean 'publisher'"),
        ("me", "must be About"),
    ],
)
def test_what_is_refused(about: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        as_about(about)


def test_lines_are_joined_and_joined_letters_stay() -> None:
    assert hg.About(source=" two\n lines ").source == "two lines"
    assert hg.About(publisher="می\u200cخواهم").publisher == "می\u200cخواهم"


def test_a_release_stores_them_and_older_files_have_none() -> None:
    plain = release_of(cells(x=hg.Integer(0, 3)))
    assert "about" not in json.loads(describe(plain))
    release = plain.with_about(ABOUT)
    assert read(release.to_bytes()).about.texts == ABOUT
    assert read(release.to_bytes()).project("x").about == release.about
    assert release.with_about({"date": "2027"}).about.texts == {**ABOUT, "date": "2027"}


@pytest.mark.parametrize("forged", [{"publisher": "x" * 999}, {"path": "/x"}, ["x"], {"date": 3}])
def test_a_file_with_other_credits_is_not_a_release(forged: Any) -> None:
    import io

    import pyarrow.parquet as pq

    release = release_of(cells(x=hg.Integer(0, 3)))
    text = json.dumps({**json.loads(describe(release)), "about": forged})
    table = pq.read_table(io.BytesIO(release.to_bytes()))
    sealed = {KEY: text.encode(), SEAL: seal(text, release.estimate.values).encode()}
    sink = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(sealed), sink)
    with pytest.raises(ReleaseCorrupted):
        read(sink.getvalue())


def options(about: dict[str, str]) -> list[str]:
    return [word for name, text in about.items() for word in (f"--{name}", text)]


def test_the_command_stores_and_shows_them(run: Run, folder: Path) -> None:
    assert run(*PUBLISH, *options(ABOUT)).code == 0
    shown = run("show", "out.hush.parquet").out
    assert all(f"{name:<9}  {text}" in shown for name, text in ABOUT.items())
    assert json.loads(run("show", "out.hush.parquet", "--json").out)["about"] == ABOUT
    refused = run(*PUBLISH, "--force", "--date", "May")
    assert (refused.code, "date must be YYYY-MM-DD" in refused.err) == (2, True)


def test_the_same_request_may_have_other_credits() -> None:
    ledger = hg.Ledger.in_memory()
    asked: dict[str, Any] = {"epsilon": 1, "account": "a", "ledger": ledger, "request": "r"}
    first = hg.publish(hg.Counts([5, 6]), **asked)
    again = hg.publish(hg.Counts([5, 6]), **asked, about=ABOUT)
    assert again.to_array().tolist() == first.to_array().tolist()
    assert (first.about.texts, again.about.texts) == ({}, ABOUT)


def test_a_plan_states_them_for_all_and_a_call_replaces_some() -> None:
    plan = hg.Plan.from_toml("""
        epsilon = 1
        about = { publisher = "A", licence = "CC0", date = 2026-05-01 }
        [[release]]
        name = "all"
        axes = { x0 = "0..1" }
        share = 1
    """)
    found = hg.publish_plan(hg.Counts([5, 6]), plan, about={"publisher": "B"})
    assert found["all"].about.texts == {"publisher": "B", "licence": "CC0", "date": "2026-05-01"}
