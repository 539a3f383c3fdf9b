"""The site: what its pages are made from. ``./hush site`` builds it, strictly."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow as pa
import pytest
import yaml

import hushgram as hg
from hushgram.declare.axis import KINDS
from hushgram.geometry.partition import Boxes, Cuts, Grid, Merged, Refined
from hushgram.release.parquet import describe
from hushgram.spending.plan_toml import PLAN_KEYS, RELEASE_KEYS
from tools.site import commands, docstrings, examples, hooks, python_names, tutorials


def test_every_public_name_is_in_the_reference() -> None:
    text = "\n".join(python_names.pages().values())
    for name in hg.__all__:
        assert name == "__version__" or f"\n::: hushgram.{name}\n" in text


def test_every_command_has_a_page_with_its_help() -> None:
    pages = commands.pages({"publish": [("publish x", "Published.")]})
    assert "Usage: hushgram publish [OPTIONS]" in pages["reference/commands/publish.md"]
    assert "## hushgram ledger set-cap" in pages["reference/commands/ledger.md"]
    assert "## axes" in pages["reference/commands/topics.md"]
    assert "$ hushgram publish x\nPublished.\n" in pages["reference/commands/publish.md"]


def test_every_command_has_an_example_with_output() -> None:
    shown = {line.split()[0] for line in examples.COMMANDS}
    others = {"blocks", "completion", "demo", "help", "lab", "studio"}
    names = {name.stem for name in map(Path, commands.pages({}))} - {"index", "topics"}
    assert names - others == shown


def test_the_clone_s_program_lists_all_commands() -> None:
    text = (hooks.ROOT / "hush").read_text("utf-8")
    for name in {Path(page).stem for page in commands.pages({})} - {"index", "topics"}:
        assert re.search(rf"  .*\b{name}\b", text), name


def test_a_tutorial_becomes_a_page_and_a_notebook() -> None:
    source = "# T\n\nText.\n\n```python\nx = 2\nprint('said')\nx + 1\n```\n\nMore.\n"
    cells = tutorials.cells_of(source)
    names: dict[str, object] = {}
    tutorials.run_cell(cells[1], names, "t")
    assert cells[1].printed == "said\n3"
    made = tutorials.Tutorial("tutorials/t.md", cells, 0.0).files()
    assert "said\n3" in str(made["tutorials/t.md"])
    book = json.loads(made["tutorials/t.ipynb"])
    assert [cell["cell_type"] for cell in book["cells"]] == ["markdown", "code", "markdown"]
    assert book["cells"][1]["outputs"][0]["text"] == "said\n3\n"


def test_pictures_stand_below_their_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cell = tutorials.Cell("from pathlib import Path\nPath('a.png').write_bytes(b'x')", True)
    tutorials.run_cell(cell, {}, "t")
    assert (cell.printed, cell.pictures) == ("", {"a.png": b"x"})
    made = tutorials.Tutorial("tutorials/t.md", [tutorials.Cell("# T"), cell], 0.0).files()
    assert made["tutorials/t-a.png"] == b"x"


def test_a_block_that_fails_fails_the_site() -> None:
    with pytest.raises(ZeroDivisionError):
        tutorials.run_cell(tutorials.Cell("1 / 0", True), {}, "t")


def test_links_out_of_the_docs_lead_to_copies() -> None:
    page = "guides/own-mechanism.md"
    assert hooks.outward("../../src/hushgram/queries/catalogue.py", page) == (
        "src/hushgram/queries/catalogue.py"
    )
    assert hooks.outward("audit.md", page) is None
    assert hooks.outward("https://example.org/a.md", page) is None
    (link,) = hooks.LINK.finditer("[x](../../README.md#more)")
    assert hooks.lead(link, page) == "../index.md#more"
    assert hooks.copies(page, "[x](../../src/hushgram/errors.py)") == {
        "_files/src/hushgram/errors.py.txt"
    }


def test_folders_of_the_navigation_stand_for_their_pages() -> None:
    known = ["a/b.md", "a/README.md", "c.md"]
    assert hooks.fill([{"A": "a/"}, {"C": ["c.md"]}], known) == [
        {"A": ["a/README.md", "a/b.md"]}, {"C": ["c.md"]},
    ]  # fmt: skip


def test_the_navigation_has_a_place_for_every_page() -> None:
    class Loader(yaml.SafeLoader):
        """Reads ``mkdocs.yml``, which names functions of the theme."""

    Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)
    nav = yaml.load((hooks.ROOT / "mkdocs.yml").read_text("utf-8"), Loader)["nav"]
    docs = {str(path.relative_to(hooks.ROOT / "docs")) for path in hooks.docs()}
    made = {"reference/python/index.md", "reference/commands/index.md"}
    pages = [*hooks.listed(hooks.fill(nav, [*docs, *made]))]
    assert {*pages} == docs | made | {*hooks.PAGES}
    assert len(pages) == len({*pages})


def test_all_pages_of_a_navigation_are_found() -> None:
    nav = ["a.md", {"B": "b.md"}, {"C": ["c.md", {"D": ["d.md"]}]}]
    assert [*hooks.listed(nav)] == ["a.md", "b.md", "c.md", "d.md"]


def test_the_specification_names_every_kind_and_key() -> None:
    page = (hooks.ROOT / "docs" / "reference" / "release-format.md").read_text("utf-8")
    release = hg.publish(hg.Counts([1, 2]), epsilon=1, mechanism="identity")
    keys = json.loads(describe(release))
    kinds = [*KINDS, *(kind.kind for kind in (Grid, Cuts, Refined, Boxes, Merged))]
    measured = hg.publish(
        pa.table({"x": [0, 1], "pay": [5, 7]}), {"x": hg.Integer(0, 1)}, epsilon=1,
        account="t", ledger=hg.Ledger.in_memory(), measures=hg.Sum("pay", 0, 10),
    )  # fmt: skip
    columns = [name.replace("pay", "NAME") for name in measured.to_arrow().column_names[1:]]
    for word in (*keys, *kinds, *columns):
        assert f"| `{word}` |" in page, word
    assert "`measured`" in page
    assert {"sum_NAME", "sum_NAME_variance"} <= {*columns}


def test_the_schema_of_plans_names_every_key() -> None:
    page = (hooks.ROOT / "docs" / "reference" / "plan.md").read_text("utf-8")
    for key in (*PLAN_KEYS, *RELEASE_KEYS):
        assert f"| `{key}` |" in page, key


def test_examples_in_docstrings_are_fenced() -> None:
    assert docstrings.as_markdown("A.\n\n>>> 1\n1\n") == "A.\n\n```pycon\n>>> 1\n1\n```\n"
    section = "A.\n\nExamples\n--------\n>>> 1\n1"
    assert docstrings.as_markdown(section) == section
