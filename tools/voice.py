"""Find phrases that are not idiomatic English.

python tools/voice.py                    counts them in docs and in text that users see
python tools/voice.py --commit 5a70c7d   the same in another commit

CONTRIBUTING.md says what to write instead. Add to the list whenever a reader stumbles over a
phrase. If a use is good English, add an exception to the pattern itself, where reviewers see both.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import tarfile
import tempfile
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]

COMPARED = r"(?:longer|more|less|fewer|larger|smaller|wider|better|worse|further|different|later)\b"
BE = r"(?:is|are|was|were)"

BANNED = (
    rf"(?<!there )\b{BE} no (?!{COMPARED})\w+",  # but "there is no …" and "is no longer …"
    r"\bof (?:it|them) in parts\b",
    rf"\b(?:that|which|what|who|rows|it) {BE} meant\b(?! to\b)",
    r"\bsomebody meant\b",
    rf"\b(?:{BE}|be|been|being) told\b",
    r"\b(?:unless|if|when) told\b",
    r"\b(?:by|of) purpose\b",
    r"\bso to say\b",
    r"\bas far as (?:it|that) is known\b",
    r"\b(?:it|that|this|there) (?:is|are) to be\b",
    r"\bhas to be had\b",
    r"\basked (?:for nothing|again)\b",
    r"\b(?:by|for) itself\b",  # "automatically", "alone", "separately", "on its own"
    r"\bfor it knows\b",
    r"\bsuch that\b",
    r"\bbut for (?:the|those|that|its|one|what|slow|columns)\b",  # "except"
    r"\bthe (?:money|way of the|house)\b",
    r"\b(?:rules of the house|house style)\b",
    r"\b(?:refused|said|shown|written) in words\b|\bIn words this\b",
    r"\bElsewhere than\b",
    r"\banew\b|\bmade new\b",
    r"\bthe meanest\b",
    r"\bat the most\b",
    r"\bmade out\b",
    r"\bin turns\b",
    r"\bset beside\b",
    r"\bLet who\b",
    r"(?<![,;:] )(?<!\.\. )\b(?:Who|who) (?:must|may|wants|runs) (?:hide|ask|read|it)\b",
    r"\ball rooms?\b|\brooms? (?:of the package|imports?|below|above|is|are)\b|\bthe rooms\b",
    r"\bare not farther\b",
    r"(?-i:\bWhat was (?:published|paid|told)\b)",
    r"\bfor want of\b",
    r"\bwhat(?:ever)? stands (?:in|beside|between)\b",
    r"\bby that the\b",
    r"\b(?:to be|be) had\b",
    r"\btold apart\b",
    r"\bwhat (?:they|it|she|he) (?:own|owns)\b",
    r"\bbeside\b",  # "next to", "compared with"
    r"\bfor nothing\b",  # "free", "at no cost"
    r"\b(?:first|second|third|cheap|coarse|further|another|both|two|three) looks?\b",  # "pass"
    r"\bnoises\b",
    r"\b(?:has|have|of) no words for\b|\bin words\b",
    r"\bas good as\b",
    r"\bin law\b",  # "in distribution"
    r"\bbuys no\b|\bput back\b",
    r"\basked of\b|\bthat are asked for\b",
    r"\bholds? the (?:truth|true)\b",
    r"\b(?:rows|points|people|values|they) (?:that )?lie\b|\blies? evenly\b",
    r"\bwhich tells\b|\btells? (?:them )?apart\b",
    r"\bby hand\b",
    r"\breads? no row\b",
    r"\ball the same\b",
    r"\bwhat (?:came out|becomes of)\b",
    r"\bunder fire\b",
    r"\bat the least\b",
    r"\b(?:is|are) least\b(?! likely)",  # "smallest"
    r"\bthe least (?:errors?|variance|cost|sum|deviation|value|number|of (?:nine|all))\b",
    r"\b(?:one|a) (?:row|unit) more\b",  # "one more row"
    r"\btaken (?:to lie|for names)\b",
    r"\b(?:given|gives|give) back\b",  # "returned"
    r"\bas people do\b|\bas a rule\b(?! of thumb)",
    r"\bnoise that agrees\b",
    r"\bwhat \w+ (?:turned|turns) out to be\b",
    r"\bwhat tells (?:it|one|this|these|a)\b",
    r"\bso many (?:times|cells|parts|bins|nodes)\b(?! that)",  # "that many"
)
"""Regular expressions. A space matches any white space."""

PATTERN = re.compile("|".join(f"(?:{one})" for one in BANNED), re.I)
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs")
CODE_FOLDERS = ("src/hushgram", "assurance", "reproduction", "tools", "benchmarks")
CODE = re.compile(r"^( *)```.*?^\1```|<!--.*?-->|`[^`\n]+`|\]\([^)\s]*\)", re.M | re.S)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--commit", help="Count in this commit.")
    commit = parser.parse_args().commit
    if commit is None:
        show(ROOT)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        command = ["git", "archive", "--format=tar", commit]
        archive = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            tar.extractall(folder, filter="data")
        show(Path(folder))
    return 0


def show(root: Path) -> None:
    """Print every banned phrase, and their number."""
    for name, texts in (
        ("docs", pages(root)),
        ("src", sources(root)),
        ("comments and internal docstrings", comments(root)),
    ):
        found = {path: findings(text) for path, text in texts}
        for path, phrases in found.items():
            if phrases:
                print(f"{path}: {', '.join(map(repr, phrases))}")
        hits = [phrases for phrases in found.values() if phrases]
        print(f"== {name}: {sum(map(len, hits))} in {len(hits)} files")


def findings(text: str) -> list[str]:
    """Return the banned phrases in a text.

    >>> findings("x.jpg is no picture's name, and there is no other.")
    ['is no picture']
    """
    return [one[0] for one in PATTERN.finditer(" ".join(text.split()))]


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """Yield our Markdown pages without code."""
    for start in PAGES:
        home = root / start
        for path in sorted(home.rglob("*.md")) if home.is_dir() else [home]:
            yield path.relative_to(root).as_posix(), prose(path.read_text("utf-8"))


def prose(markdown: str) -> str:
    """Return a page without code blocks, inline code, comments and link targets.

    >>> prose("Use `x is no y` here.")
    'Use   here.'
    """
    return CODE.sub(" ", markdown)


def sources(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the text in the package that users see, file by file."""
    public = public_names(root)
    for path in sorted((root / "src" / "hushgram").rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        is_command = "cli" in path.parts
        yield path.relative_to(root).as_posix(), "\n\n".join(user_texts(tree, public, is_command))
    for path in sorted((root / "src" / "hushgram" / "web").rglob("strings.js")):
        yield path.relative_to(root).as_posix(), "\n\n".join(quoted(path.read_text("utf-8")))


def comments(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the comments and docstrings of our Python files, which only programmers see."""
    for folder in CODE_FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            text = path.read_text("utf-8")
            tokens = tokenize.generate_tokens(io.StringIO(text).readline)
            found = [one.string for one in tokens if one.type == tokenize.COMMENT]
            nodes = (one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Expr))
            values = (one.value for one in nodes if isinstance(one.value, ast.Constant))
            found += [str(one.value) for one in values if isinstance(one.value, str)]
            yield path.relative_to(root).as_posix(), "\n\n".join(found)


def quoted(script: str) -> list[str]:
    """Return the strings in a script, with … for their variable parts.

    >>> quoted('const TEXT = { rows: (n) => `About ${n} rows`, none: "No rows" };')
    ['About … rows', 'No rows']
    """
    found = [one or other for one, other in re.findall(r'"([^"\n]*)"|`([^`]*)`', script)]
    return [re.sub(r"\$\{[^}]*\}", "…", text) for text in found if " " in text]


def public_names(root: Path) -> set[str]:
    """Return the names that the package exports."""
    tree = ast.parse((root / "src" / "hushgram" / "__init__.py").read_text("utf-8"))
    return {alias.asname or alias.name for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) for alias in node.names}  # fmt: skip


def user_texts(tree: ast.Module, public: set[str], is_command: bool) -> Iterator[str]:
    """Yield all strings with a space that are not docstrings (messages, help, reports), and the
    docstrings of public names and of commands.

    >>> tree = ast.parse("def _f():\\n    'Not seen here.'\\n    raise ValueError('seen by all')")
    >>> list(user_texts(tree, set(), False))
    ['seen by all']
    """
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)
             for part in ast.walk(node) if part is not node}  # fmt: skip
    seen = set(docstrings(tree, public, is_command))
    yield from seen
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if id(node) in inner | bare:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "…"
                          for part in node.values)  # fmt: skip


def docstrings(tree: ast.Module, public: set[str], is_command: bool) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            if not (is_command or node.name in public):
                continue
            members = [one for one in node.body if isinstance(one, ast.FunctionDef)]
            for one in (node, *members):
                if one is node or not one.name.startswith("_"):
                    yield ast.get_docstring(one) or ""


if __name__ == "__main__":
    raise SystemExit(main())
