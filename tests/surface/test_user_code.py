"""What users write passes mypy --strict, as code outside of the package; what is wrong does not.

One run of mypy sees all Python examples of README and guides, each page as a module, the programs
in ``examples/``, and a page of mistakes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hushgram as hg
from tests.surface.test_docs import PAGES, ROOT, blocks

pytestmark = pytest.mark.slow

SOURCE = Path(hg.__file__).parents[1]
SHOWN = [page for page in PAGES if page.parent == ROOT or page.parent.name == "guides"]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))

WRONG = """
import hushgram as hg

counts = hg.Counts([1, 2, 3])
release = hg.publish(counts, epsilon=1)
"""

MISTAKES = [
    "hg.histogram",
    "hg.publish(counts, epsilon=1, mechanisms='hb')",
    "hg.publish(counts)",
    "hg.Integer('0', '9')",
    "hg.User(3, max_rows=2)",
    "hg.load(3)",
    "release.counts(x0=1)",
    "release.count(x0=1).values_",
    "hg.MECHANISMS[3]",
    "hg.MECHANISMS['hb']().publish()",
    "release.quantile(3, 0.5)",
    "hg.BudgetExceeded('too much')",
    "hg.publish(3.5, epsilon=object())",
    "hg.publish(counts, epsilon=object())",
    "hg.publish(counts, epsilon=1, neighbours='add')",
    "hg.publish(counts, epsilon=1, unit=3)",
    "hg.publish(counts, epsilon=1, workload='sums')",
    "hg.Domain(x=3)",
]
"""Lines that mypy refuses, each by itself."""


def module_name(path: Path) -> str:
    return f"{path.suffix[1:]}_{path.stem.replace('-', '_').lower()}.py"


def page_module(page: Path) -> str:
    """The blocks of a page, one after the other, sessions without their prompts."""
    code = []
    for block in blocks(page.read_text("utf-8")):
        if block.kind == "python":
            session = re.findall(r"^(?:>>>|\.\.\.) ?(.*)$", block.code, re.M)
            code.append("\n".join(session) + "\n" if session else block.code)
    return "\n".join(code)


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What mypy says of each file."""
    folder = tmp_path_factory.mktemp("user")
    for page in SHOWN:
        (folder / module_name(page)).write_text(page_module(page), "utf-8")
    for example in EXAMPLES:
        (folder / module_name(example)).write_text(example.read_text("utf-8"), "utf-8")
    (folder / "mistakes.py").write_text("\n".join([WRONG, *MISTAKES, ""]), "utf-8")
    files = sorted(path.name for path in folder.glob("*.py"))
    environment = {**os.environ, "MYPYPATH": str(SOURCE)}
    environment.pop("PYTHONPATH", None)
    cache = folder / "cache"
    said = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--no-error-summary",
         "--config-file=", f"--cache-dir={cache}", "--ignore-missing-imports", *files],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert not said.stderr, said.stderr
    found: dict[str, list[str]] = {name: [] for name in files}
    for line in said.stdout.splitlines():
        found.setdefault(line.partition(":")[0], []).append(line)
    return found


def test_there_is_something_to_see(complaints: dict[str, list[str]]) -> None:
    assert len(complaints) > 30
    assert page_module(ROOT / "README.md").count("release.") > 3


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.stem)
def test_examples_of_the_docs_pass(page: Path, complaints: dict[str, list[str]]) -> None:
    assert complaints[module_name(page)] == []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_programs_pass(example: Path, complaints: dict[str, list[str]]) -> None:
    assert complaints[module_name(example)] == []


@pytest.mark.parametrize(
    "mistake",
    MISTAKES,
)
def test_mistakes_do_not(mistake: str, complaints: dict[str, list[str]]) -> None:
    first = WRONG.count("\n") + 2
    line = first + MISTAKES.index(mistake)
    found = complaints["mistakes.py"]
    assert any(one.startswith(f"mistakes.py:{line}: error:") for one in found)
    assert not any(one.startswith(f"mistakes.py:{n}:") for n in range(first) for one in found)
