"""Update the table of the trusted zone, and of what it relies on, in docs/assurance/reviewer.md.

python tools/make_reviewer.py            updates it
python tools/make_reviewer.py --check    fails if it is out of date

Blank lines, comments and docstrings are not counted. A file is described by the first sentence of
its docstring.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "hushgram"
TRUSTED = PACKAGE / "trusted"
SPENDING = [
    "task.py", "charge.py", "job.py", "identity.py", "rehearsal.py", "publish.py",
    "publish_plan.py", "answer.py", "median.py", "bounds.py", "max_rows.py",
]  # fmt: skip
PAGE = ROOT / "docs" / "assurance" / "reviewer.md"
BEGIN, END = "<!-- trusted zone: made by tools/make_reviewer.py -->", "<!-- end -->"
SILENT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
          tokenize.ENCODING, tokenize.ENDMARKER}  # fmt: skip


def main(words: list[str]) -> int:
    page = PAGE.read_text("utf-8")
    fresh = renew(page)
    if "--check" in words:
        return int(page != fresh)
    PAGE.write_text(fresh, "utf-8")
    return 0


def renew(page: str) -> str:
    """Return the page with an up-to-date table."""
    head, rest = page.split(BEGIN)
    tail = rest.split(END, 1)[1]
    return f"{head}{BEGIN}\n\n{table()}\n\n{END}{tail}"


def table() -> str:
    files = [path for path in sorted(TRUSTED.rglob("*.py")) if lines_of(path.read_text("utf-8"))]
    folders: dict[str, list[Path]] = {}
    for path in files:
        parts = path.relative_to(TRUSTED).parts
        folders.setdefault(parts[0] if len(parts) > 1 else ".", []).append(path)
    rows = ["| file | lines | what it is for |", "|---|---:|---|"]
    for folder, members in sorted(folders.items()):
        rows.append(f"| **{'trusted' if folder == '.' else folder}** | **{total(members):,}** | |")
        rows += [line(path, TRUSTED) for path in members]
    rows.append(f"| **all of the zone** | **{total(files):,}** | |")
    for heading, members in {
        "what the zone relies on": relied_on(files),
        "what opens tables for it, and charges": [PACKAGE / "spending" / name for name in SPENDING],
    }.items():
        rows.append(f"| **{heading}** | **{total(members):,}** | |")
        rows += [line(path, PACKAGE) for path in members]
    return "\n".join(rows)


def relied_on(files: list[Path]) -> list[Path]:
    """Return the files outside the zone that these import, directly or indirectly."""
    found, fresh = set(files), set(files)
    while fresh:
        fresh = {imported for path in fresh for imported in imports_of(path)} - found
        found |= fresh
    return sorted(path for path in found if TRUSTED not in path.parents)


def imports_of(path: Path) -> list[Path]:
    """Return the files of the package that a file imports."""
    return [
        file
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hushgram.")
        for file in files_of(node.module or "")
    ]


def files_of(module: str) -> list[Path]:
    path = PACKAGE.joinpath(*module.split(".")[1:])
    return sorted(path.glob("*.py")) if path.is_dir() else [path.with_suffix(".py")]


def line(path: Path, home: Path) -> str:
    name = path.relative_to(home).as_posix()
    link = f"../../{path.relative_to(ROOT).as_posix()}"
    text = path.read_text("utf-8")
    return f"| [{name}]({link}) | {lines_of(text)} | {purpose(text)} |"


def total(files: list[Path]) -> int:
    return sum(lines_of(path.read_text("utf-8")) for path in files)


@cache
def lines_of(code: str) -> int:
    """Count the lines with code.

    >>> lines_of('"Why."\\n\\nx = 1  # one\\n# two\\n')
    1
    """
    words = docstring_lines(code)
    kept: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type not in SILENT:
            kept |= set(range(token.start[0], token.end[0] + 1))
    return len(kept - words)


def docstring_lines(code: str) -> set[int]:
    """Return the line numbers of docstrings."""
    return {
        number
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def purpose(code: str) -> str:
    """Return the first sentence of a file's docstring.

    >>> purpose('"A file: of\\nthings. And more."')
    'A file: of things.'
    """
    text = " ".join((ast.get_docstring(ast.parse(code)) or "").split())
    first = text.split(". ")[0].rstrip(".")
    return f"{first}.".replace("|", "\\|") if first else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
