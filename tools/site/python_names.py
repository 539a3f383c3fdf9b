"""Generate the reference of every public name, from the docstrings.

Names come from the catalogue in ``hushgram/__init__.py`` and are grouped by the folder that defines
them, so every public name is on the site automatically.
"""

from __future__ import annotations

import ast
from pathlib import Path

import hushgram

ROOT = Path(__file__).parents[2]
FOLDER = "reference/python"
GROUPS = {
    "spending": ("Publishing", "Calls that read a table and spend a budget."),
    "declare": ("Declarations", "Public declarations: axes, people, conditions, text formats."),
    "trusted": ("Counts and the ledger", "Tables of counts, and the record of budgets."),
    "release": ("Releases", "The published file, and all queries that it answers."),
    "answers": ("Answers", "What a release returns, and what can be learned from it."),
    "expect": ("Suggestions", "Errors to expect, before anything is spent."),
    "mechanisms": ("Mechanisms", "All mechanisms, and the base class for your own."),
    "errors": ("Errors", "Every error and warning that Hushgram raises on purpose."),
}
FIRST = ("publish", "Domain", "Release", "Answer", "MECHANISMS", "HushgramError", "Ledger")
"""The names that come first on their pages."""

WITH_BASES = ("hushgram.Release",)
"""Classes whose methods are defined in several modules."""

AUTHORS = ("hushgram.queries.catalogue", "hushgram.lab.checks")
"""Modules for authors of mechanisms."""


def pages() -> dict[str, str]:
    """Return Markdown by page."""
    groups = by_folder()
    made = {f"{FOLDER}/index.md": contents(groups)}
    for folder, names in groups.items():
        title, about = heading(folder)
        entries = [entry_of(where) for where in names.values()]
        made[page_of(folder)] = "\n\n".join([f"# {title}", about, *entries, ""])
    made[f"{FOLDER}/authors.md"] = "\n\n".join(
        [
            "# For authors of mechanisms",
            "What a mechanism may ask a vault, and the checks it must pass.",
            *(f"::: {module}" for module in AUTHORS),
            "",
        ]
    )
    return made


def entry_of(where: str) -> str:
    """Return the marker that mkdocstrings replaces with the documentation of a name."""
    inherits = "\n    options:\n      inherited_members: true" if where in WITH_BASES else ""
    return f"::: {where}{inherits}"


def by_folder() -> dict[str, dict[str, str]]:
    """Return public names and where Griffe finds them, by the folder that defines them."""
    tree = ast.parse(Path(hushgram.__file__).read_text("utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    found: dict[str, dict[str, str]] = {}
    for node in block.body:
        assert isinstance(node, ast.ImportFrom)
        assert node.module
        for alias in node.names:
            name = alias.asname or alias.name
            found.setdefault(node.module.split(".")[1], {})[name] = f"hushgram.{name}"
    known = [folder for folder in GROUPS if folder in found]
    return {folder: in_order(found[folder]) for folder in [*known, *sorted({*found} - {*known})]}


def in_order(names: dict[str, str]) -> dict[str, str]:
    return {name: names[name] for name in sorted(names, key=lambda name: name not in FIRST)}


def heading(folder: str) -> tuple[str, str]:
    return GROUPS.get(folder, (folder.capitalize(), ""))


def page_of(folder: str) -> str:
    return f"{FOLDER}/{folder}.md"


def contents(groups: dict[str, dict[str, str]]) -> str:
    """Return the list of all names."""
    lines = [
        "# Python",
        "",
        "Everything public is a name of `hushgram`: `import hushgram as hg`.",
        "",
    ]
    for folder, names in groups.items():
        title, about = heading(folder)
        links = ", ".join(f"[`{name}`][{where}]" for name, where in names.items())
        lines += [f"**[{title}]({folder}.md).** {about}", "", links, ""]
    lines += [
        "**[For authors of mechanisms](authors.md).** Queries, the vault, and the checks.",
        "",
    ]
    return "\n".join(lines)
