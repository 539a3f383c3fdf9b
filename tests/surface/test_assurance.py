"""The pages for reviewers are not stale, and lead somewhere."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from assurance import fire, fuzz, replayed
from assurance import pages as assurance
from hushgram.lab import tidy

ROOT = Path(__file__).parent.parent.parent
ASSURANCE = ROOT / "docs" / "assurance"
PAGES = [*sorted(ASSURANCE.glob("*.md")), ROOT / "docs" / "guides" / "known-limits.md"]


def tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_of_the_trusted_zone_is_not_stale() -> None:
    page = (ASSURANCE / "reviewer.md").read_text("utf-8")
    assert tool("make_reviewer").renew(page) == page, "run python tools/make_reviewer.py"


MADE = {
    "audit": lambda rows: assurance.markdown(assurance.read_rows(rows)),
    "fuzz": lambda rows: fuzz.page_of(tidy.read(rows)),
    "ledger": lambda rows: fire.page_of(tidy.read(rows)),
    "replay": lambda rows: replayed.page_of(
        [c.to_json() for c in replayed.counts_in(rows).values()]
    ),
}
FILES = {"audit": "audit-full.csv", "ledger": "ledger-fire.csv"}


@pytest.mark.parametrize("name", MADE)
def test_pages_say_what_was_measured(name: str) -> None:
    page = (ASSURANCE / f"{name}.md").read_text("utf-8")
    assert MADE[name](ROOT / "benchmarks" / "results" / FILES.get(name, f"{name}.csv")) == page


def test_lines_are_those_of_code() -> None:
    maker = tool("make_reviewer")
    code = (
        '"""Why.\n\nMore."""\n\n# a comment\nx = (\n    1,  # one\n)\n\n\ndef f():\n    "What."\n'
    )
    assert maker.lines_of(code) == 4
    assert maker.lines_of("") == 0
    assert maker.lines_of('x = """a\n\nb"""\n') == 3
    assert maker.purpose(code) == "Why."


def test_every_tested_package_has_a_licence() -> None:
    page = (ASSURANCE / "licences.md").read_text("utf-8")
    listed = dict(re.findall(r"^\| ([\w.-]+) \| (\S+) \|", page, re.M))
    pins = re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text("utf-8"), re.M)
    assert {name: listed.get(name) for name, _ in pins} == dict(pins), (
        "run python tools/make_licences.py"
    )
    assert "unknown" not in page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target
