"""What README and docs show runs; what they promise to prove has a proof.

Each file's ``python`` blocks run in order, in one name space and one folder; commands in its
``console`` and ``bash`` blocks that start with ``hushgram`` go through the program there. A block
after the comment ``<!-- not run -->`` is skipped.
"""

from __future__ import annotations

import doctest
import re
import runpy
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from hushgram.cli.app import main
from hushgram.mechanisms import MECHANISMS
from hushgram.mechanisms.registry import BUILT_IN
from hushgram.trusted.vault.operations import OPERATIONS

ROOT = Path(__file__).parent.parent.parent
PAGES = [p for p in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if p.exists()]

BLOCK = re.compile(
    r"(?P<skip><!-- not run -->\s*)?^```(?P<kind>\w+)[^\n]*\n(?P<code>.*?)^```\s*$", re.M | re.S
)


class Block(NamedTuple):
    kind: str
    code: str
    line: int


def blocks(text: str) -> Iterator[Block]:
    """The blocks to run, in order."""
    for match in BLOCK.finditer(text):
        if not match["skip"]:
            yield Block(match["kind"], match["code"], text[: match.start("code")].count("\n"))


def commands(code: str) -> list[str]:
    """The lines that call the program, continued lines joined, prompts taken off."""
    lines = re.sub(r"\s*\\\n\s*", " ", code).splitlines()
    plain = [line.removeprefix("$ ").strip() for line in lines]
    return [line for line in plain if line.startswith("hushgram ")]


def run_python(block: Block, page: Path, names: dict[str, Any]) -> None:
    if block.code.lstrip().startswith(">>>"):
        test = doctest.DocTestParser().get_doctest(
            block.code, names, page.name, str(page), block.line
        )
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        runner = doctest.DocTestRunner(optionflags=flags)
        said: list[str] = []
        assert not runner.run(test, out=said.append, clear_globs=False).failed, "".join(said)
        names.update(test.globs)
    else:
        code = "\n" * block.line + block.code
        exec(compile(code, str(page), "exec", dont_inherit=True), names)


def run_program(command: str) -> None:
    with pytest.raises(SystemExit) as stop:
        main(shlex.split(command, comments=True)[1:])
    assert stop.value.code == 0, command


TUTORIALS = ROOT / "docs" / "tutorials"


def marked(page: Path) -> Any:
    """Tutorials take seconds each, and ``./hush site`` runs all of them, too."""
    slow = page.parent == TUTORIALS and page.name != "first-histogram.md"
    name = str(page.relative_to(ROOT))
    return pytest.param(page, marks=pytest.mark.slow if slow else (), id=name)


@pytest.mark.parametrize("page", [marked(page) for page in PAGES])
def test_what_a_page_shows_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(page.read_text()):
        if block.kind == "python":
            run_python(block, page, names)
        elif block.kind in ("console", "bash"):
            for command in commands(block.code):
                run_program(command)


SAMPLE = """
```python
x = 1
```
<!-- not run -->
```python
raise SystemExit
```
text
```console
$ hushgram publish \\
    here.csv -e 1   # why
Published
hushgram show r
```
<!-- not run -->

```bash
hushgram demo
```
```text
hushgram nothing
```
"""


def test_blocks_are_found_and_skipped() -> None:
    found = list(blocks(SAMPLE))
    assert [block.kind for block in found] == ["python", "console", "text"]
    assert found[0].code == "x = 1\n"
    assert found[0].line == 2
    assert commands(found[1].code) == ["hushgram publish here.csv -e 1   # why", "hushgram show r"]


def test_a_wrong_page_would_be_found(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        run_python(Block("python", ">>> 1 + 1\n3\n", 0), tmp_path, {})
    with pytest.raises(ZeroDivisionError):
        run_python(Block("python", "1 / 0", 0), tmp_path, {})
    with pytest.raises(AssertionError):
        run_program("hushgram show nothing")


def test_the_tables_of_mechanisms_are_up_to_date() -> None:
    pages = runpy.run_path(str(ROOT / "tools" / "make_mechanisms.py"))["PAGES"]
    for path, renew in pages.items():
        page = path.read_text("utf-8")
        assert renew(page) == page, "run python tools/make_mechanisms.py"


def test_the_guide_names_mechanisms_that_exist() -> None:
    guide = (ROOT / "docs" / "guides" / "choosing.md").read_text("utf-8")
    table = guide.partition("| for | mechanisms |")[2]
    lines = table.partition("\n\n")[0].splitlines()[2:]
    names = {name for line in lines for name in re.findall(r"`([a-z-]+)`", line)}
    assert len(names) > 15
    assert names <= {*MECHANISMS}


@pytest.mark.parametrize(
    "proof",
    sorted({one.proof for one in [*OPERATIONS.values(), *BUILT_IN.values()]}),
)
def test_every_operation_and_mechanism_has_a_proof(proof: str) -> None:
    page = ROOT / "docs" / "proofs" / f"{proof}.md"
    headings = [line for line in page.read_text().splitlines() if line.startswith("## ")]
    assert "## Claim" in headings
    assert "## Proof" in headings


HISTORY = {"mutants.md"}
"""Pages of measurements, which name the files of their day."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_a_page_names_exist(page: Path) -> None:
    homes = [ROOT, ROOT / "src" / "hushgram", ROOT / "src" / "hushgram" / "trusted"]
    for name in re.findall(r"`([\w.-]+/[\w./-]+\.py)\b", page.read_text("utf-8")):
        known = page.name in HISTORY or any((home / name).exists() for home in homes)
        assert known, f"{page.name} names {name}, which does not exist"
