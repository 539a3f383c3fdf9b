"""Hooks that MkDocs calls while it builds the site: see ``mkdocs.yml``.

They add pages that come from the code (every public name, every command), from running it
(tutorials) and from files of the repository (changes, how to contribute). Links out of ``docs/``
lead to copies of their targets, so the site is self-contained.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from posixpath import normpath, relpath
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tools.site import commands, python_names, tutorials  # noqa: E402

PAGES = {
    "changelog.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
    "security.md": "SECURITY.md",
}
"""Pages of the site that are files in the root of the repository."""

HOMES = {source: page for page, source in PAGES.items()} | {"README.md": "index.md"}
SHIM = "https://unpkg.com/iframe-worker/shim"
LINK = re.compile(r"(?<=\]\()(?P<target>[^)#\s]+)(?P<place>#[^)\s]*)?(?=\))")
FENCE = re.compile(r"^( *)```.*?^\1```", re.MULTILINE | re.DOTALL)


def on_config(config: Any) -> Any:
    """Fill in the parts of the navigation that are folders. Unlisted pages come last among the
    guides."""
    pages = {**python_names.pages(), **commands.pages()}
    config.extra["made"] = pages
    known = [*pages, *sorted(str(path.relative_to(ROOT / "docs")) for path in docs())]
    config.nav = fill(config.nav, known)
    rest = [page for page in known if page not in {*listed(config.nav)}]
    if rest:
        next(part["How-to guides"] for part in config.nav if "How-to guides" in part).append(
            {"More": rest}
        )
    return config


def listed(nav: Any) -> Iterator[str]:
    """Yield the pages in a navigation."""
    for entry in nav:
        inside = next(iter(entry.values())) if isinstance(entry, dict) else entry
        yield from [inside] if isinstance(inside, str) else listed(inside)


def docs() -> list[Path]:
    return [*(ROOT / "docs").rglob("*.md")]


def fill(nav: list[Any], known: list[str]) -> list[Any]:
    """Return a navigation with folders replaced by their pages."""
    filled = []
    for entry in nav:
        if isinstance(entry, str):
            filled.append(entry)
            continue
        ((title, inside),) = entry.items()
        if isinstance(inside, list):
            inside = fill(inside, known)
        elif inside.endswith("/"):
            found = [page for page in known if page.startswith(inside)]
            inside = sorted(found, key=lambda page: not page.endswith(("README.md", "index.md")))
        filled.append({title: inside})
    return filled


def on_files(files: Files, config: Any) -> Files:
    """Add the generated pages, and copies of the targets of links."""
    made = dict(config.extra["made"])
    for page, source in PAGES.items():
        made[page] = lead_in(source, (ROOT / source).read_text("utf-8"))
    for page, text in made.items():
        files.append(File.generated(config, page, content=text))
    for tutorial in tutorials.run_all():
        files.remove(files.src_uris[tutorial.page])
        for name, content in tutorial.files().items():
            files.append(File.generated(config, name, content=content))
    for file in list(files.documentation_pages()):
        for copy in copies(file.src_uri, file.content_string):
            if copy not in files.src_uris:
                content = (ROOT / copy.removeprefix("_files/").removesuffix(".txt")).read_text()
                files.append(File.generated(config, copy, content=content))
    return files


def lead_in(source: str, text: str) -> str:
    """Return a file of the repository's root as a page of the site, with links relative to
    ``docs/``."""

    def turn(link: re.Match[str]) -> str:
        target = link["target"]
        outside = "://" in target or target.startswith("mailto:")
        moved = (
            target
            if outside
            else target.removeprefix("docs/")
            if (target.startswith("docs/"))
            else f"../{target}"
        )
        return moved + (link["place"] or "")

    return LINK.sub(turn, text)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    return outside_code(markdown, lambda text: LINK.sub(lambda m: lead(m, page.file.src_uri), text))


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Make search work without a network, with a bundled replacement for workers."""
    return output.replace(SHIM, relpath("assets/worker.js", page.url.rpartition("/")[0] or "."))


def outside_code(markdown: str, change: Any) -> str:
    """Change a text outside its code blocks."""
    done, end = "", 0
    for fence in FENCE.finditer(markdown):
        done += change(markdown[end : fence.start()]) + fence[0]
        end = fence.end()
    return done + change(markdown[end:])


def lead(link: re.Match[str], page: str) -> str:
    """Return the target of a link on the site."""
    found = outward(link["target"], page)
    if found is None:
        return link[0]
    target = HOMES.get(found, f"_files/{found}.txt")
    return relpath(target, page.rpartition("/")[0] or ".") + (link["place"] or "")


def copies(page: str, markdown: str) -> set[str]:
    """Return the copies of files that a page's links need."""
    named = {outward(link["target"], page) for link in LINK.finditer(FENCE.sub("", markdown))}
    return {f"_files/{one}.txt" for one in named if one is not None and one not in HOMES}


def outward(target: str, page: str) -> str | None:
    """Return the file of the repository to which a link out of ``docs/`` leads; None for other
    links."""
    if "://" in target:
        return None
    path = normpath(f"docs/{page.rpartition('/')[0]}/{target}")
    inside = path.startswith(("docs/", ".."))
    return None if inside or not (ROOT / path).is_file() else path
