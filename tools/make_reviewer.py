"""The table of the trusted zone in docs/assurance/reviewer.md: files, lines, and what each is for.

python tools/make_reviewer.py            writes it anew
python tools/make_reviewer.py --check    fails if it is stale

Lines are counted without blank ones, comments and docstrings. A file is described by the first
sentence of its docstring.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
TRUSTED = ROOT / "src" / "hushgram" / "trusted"
PAGE = ROOT / "docs" / "assurance" / "reviewer.md"
BEGIN, END = "<!-- trusted zone: made by tools/make_reviewer.py -->", "<!-- end -->"
SILENT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
          tokenize.ENCODING, tokenize.ENDMARKER}  # fmt: skip


def main(words: list[str]) -> int:
    page = PAGE.read_text("utf-8")
    fresh = renewed(page)
    if "--check" in words:
        return int(page != fresh)
    PAGE.write_text(fresh, "utf-8")
    return 0


def renewed(page: str) -> str:
    """The page with the table as it should be."""
    head, rest = page.split(BEGIN)
    tail = rest.split(END, 1)[1]
    return f"{head}{BEGIN}\n\n{table()}\n\n{END}{tail}"


def table() -> str:
    files = [path for path in sorted(TRUSTED.rglob("*.py")) if lines_of(path.read_text("utf-8"))]
    rooms: dict[str, list[Path]] = {}
    for path in files:
        parts = path.relative_to(TRUSTED).parts
        rooms.setdefault(parts[0] if len(parts) > 1 else ".", []).append(path)
    rows = ["| file | lines | what it is for |", "|---|---:|---|"]
    for room, members in sorted(rooms.items()):
        rows.append(f"| **{'trusted' if room == '.' else room}** | **{total(members):,}** | |")
        rows += [line(path) for path in members]
    rows.append(f"| **all** | **{total(files):,}** | |")
    return "\n".join(rows)


def line(path: Path) -> str:
    name = path.relative_to(TRUSTED).as_posix()
    link = f"../../src/hushgram/trusted/{name}"
    text = path.read_text("utf-8")
    return f"| [{name}]({link}) | {lines_of(text)} | {purpose(text)} |"


def total(files: list[Path]) -> int:
    return sum(lines_of(path.read_text("utf-8")) for path in files)


@cache
def lines_of(code: str) -> int:
    """Lines that hold code.

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
    """Lines of texts that stand by themselves."""
    return {
        number
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def purpose(code: str) -> str:
    """The first sentence of a file's docstring.

    >>> purpose('"A file: of\\nthings. And more."')
    'A file: of things.'
    """
    text = " ".join((ast.get_docstring(ast.parse(code)) or "").split())
    first = text.split(". ")[0].rstrip(".")
    return f"{first}.".replace("|", "\\|") if first else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
