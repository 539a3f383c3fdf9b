"""Generate tutorials from one source: a page with the output of its code, and a notebook.

A tutorial is a Markdown file in ``docs/tutorials/``. Its ``python`` blocks run in order, in one
namespace, with a separate folder and ledger. The output of a block, the value of its last line and
the pictures that it writes are shown below it. ``./hush site`` and the test of the docs run all of
them, and fail if a block fails.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import os
import re
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hushgram.errors import Unaccounted

ROOT = Path(__file__).parents[2]
FOLDER = "tutorials"
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Cell:
    """A piece of a tutorial: text, or code with its output."""

    text: str
    is_code: bool = False
    printed: str = ""
    pictures: dict[str, bytes] = field(default_factory=dict)


@dataclass
class Tutorial:
    """A tutorial that has run."""

    page: str
    """The path below ``docs/``."""
    cells: list[Cell]
    seconds: float

    @property
    def name(self) -> str:
        return Path(self.page).stem

    def files(self) -> dict[str, str | bytes]:
        """Return the files for the site: the page, the pictures and, except for the home page, the
        notebook."""
        folder = Path(self.page).parent
        made: dict[str, str | bytes] = {self.page: self.markdown}
        if self.has_notebook:
            made[str(folder / f"{self.name}.ipynb")] = self.notebook_json
        for cell in self.cells:
            for name, data in cell.pictures.items():
                made[str(folder / f"{self.name}-{name}")] = data
        return made

    @property
    def has_notebook(self) -> bool:
        return self.page.startswith(FOLDER)

    @property
    def markdown(self) -> str:
        """Return the page, with the output of each block below it."""
        head, *rest = [self._cell(cell) for cell in self.cells]
        title, _, intro = head.partition("\n")
        attributes = "{ .notebook data-search-exclude }"
        link = f"[:material-download: as a notebook]({self.name}.ipynb){attributes}"
        start = [title, link] if self.has_notebook else [title]
        return "\n\n".join([*start, intro.strip(), *rest]) + "\n"

    def _cell(self, cell: Cell) -> str:
        if not cell.is_code:
            return cell.text
        parts = [f"```python\n{cell.text}\n```"]
        if cell.printed:
            parts.append(f"```{{ .text .output .no-copy }}\n{cell.printed}\n```")
        parts += [f"![{name}]({self.name}-{name})" for name in cell.pictures]
        return "\n\n".join(parts)

    @property
    def notebook_json(self) -> str:
        cells = [notebook_cell(cell, f"{self.name}-{n}") for n, cell in enumerate(self.cells)]
        kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
        about = {"kernelspec": kernel, "language_info": {"name": "python"}}
        book = {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
        return json.dumps(book, indent=1, ensure_ascii=False) + "\n"


def notebook_cell(cell: Cell, name: str) -> dict[str, Any]:
    if not cell.is_code:
        return {"cell_type": "markdown", "id": name, "metadata": {}, "source": cell.text}
    outputs: list[dict[str, Any]] = []
    if cell.printed:
        outputs.append({"output_type": "stream", "name": "stdout", "text": cell.printed + "\n"})
    for data in cell.pictures.values():
        image = {"image/png": base64.b64encode(data).decode()}
        outputs.append({"output_type": "display_data", "data": image, "metadata": {}})
    return {
        "cell_type": "code", "id": name, "metadata": {}, "source": cell.text,
        "execution_count": None, "outputs": outputs,
    }  # fmt: skip


def run_all() -> Iterator[Tutorial]:
    """Run all tutorials, and the home page, which also contains code."""
    home, folder = ROOT / "docs" / "index.md", ROOT / "docs" / FOLDER
    for path in [home, *sorted({*folder.glob("*.md")} - {folder / "index.md"})]:
        tutorial = run(path)
        sys.stderr.write(f"Ran {tutorial.page} in {tutorial.seconds:.1f} s\n")
        yield tutorial


def run(path: Path) -> Tutorial:
    """Run a tutorial's blocks in a new folder, with a separate ledger."""
    cells = cells_of(path.read_text("utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, working_in(Path(folder)):
        for cell in cells:
            if cell.is_code:
                run_cell(cell, names, path.name)
    return Tutorial(str(path.relative_to(ROOT / "docs")), cells, time.monotonic() - started)


def cells_of(text: str) -> list[Cell]:
    cells, end = [], 0
    for block in BLOCK.finditer(text):
        cells += [Cell(text[end : block.start()].strip()), Cell(block["code"].rstrip(), True)]
        end = block.end()
    cells.append(Cell(text[end:].strip()))
    return [cell for cell in cells if cell.text]


@contextlib.contextmanager
def working_in(folder: Path) -> Iterator[None]:
    before = Path.cwd(), dict(os.environ)
    os.environ |= {"HUSHGRAM_LEDGER": str(folder / "ledger.db"), "MPLBACKEND": "agg"}
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before[0])
        os.environ.clear()
        os.environ.update(before[1])


def run_cell(cell: Cell, names: dict[str, Any], page: str) -> None:
    """Run a block, and keep its output, its last value, and the pictures that it writes."""
    there = {*Path().glob("*.png")}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", Unaccounted)
        warnings.filterwarnings("ignore", "fetch_arrow_table", DeprecationWarning)  # Ibis's
        value = execute(cell.text, names, page)
    new = sorted({*Path().glob("*.png")} - there)
    if value is not None and not new:  # a picture is shown instead of a value
        printed.write(f"{value!r}\n")
    cell.printed = printed.getvalue().rstrip()
    cell.pictures = {picture.name: picture.read_bytes() for picture in new}


def execute(code: str, names: dict[str, Any], page: str) -> Any:
    """Run code, and return the value of the last line if it is an expression."""
    tree = ast.parse(code, page)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, page, "exec", dont_inherit=True), names)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), page, "eval", dont_inherit=True), names)
