"""Draw the packages inside Hushgram: their imports and sizes.

python tools/make_rooms.py                       draws docs/rooms.svg and updates the table in
                                                 docs/architecture.md
python tools/make_rooms.py --check               fails if the table lacks a package or describes it
                                                 differently; line counts may be older
python tools/make_rooms.py --commit 741ae59 -o before.svg
                                                 draws the packages of another commit

A package (a "room" in the code below) is a folder or a file in ``src/hushgram``. Imports inside
functions count, too; imports for the type checker do not.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "architecture.md"
PICTURE = ROOT / "docs" / "rooms.svg"
BEGIN, END = "<!-- rooms: made by tools/make_rooms.py -->", "<!-- end -->"
ZONES = {
    "trusted": "#c44e52",
    "spending": "#dd8452",
    "expect": "#dd8452",
    "lab": "#8172b3",
    "cli": "#dd8452",
    "private": "#8172b3",
}
"""Red packages handle private numbers, orange ones call these, violet ones use true numbers on
purpose."""

PUBLIC = "#4c72b0"

Edges = Counter[tuple[str, str]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--commit")
    parser.add_argument("-o", "--output", type=Path, default=PICTURE)
    words = parser.parse_args()
    if words.check:
        return int(is_stale())
    if words.commit:
        with tempfile.TemporaryDirectory() as folder:
            checkout(words.commit, Path(folder))
            save_picture(import_edges(Path(folder) / "src"), words.output)
    else:
        save_picture(import_edges(ROOT / "src"), words.output)
        PAGE.write_text(renewed_page(), "utf-8")
    return 0


def checkout(commit: str, folder: Path) -> None:
    """Extract the sources of a commit to a folder."""
    command = ["git", "archive", "--format=tar", commit, "src"]
    archive = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        tar.extractall(folder, filter="data")


def import_edges(source: Path) -> Edges:
    """Count the imports from each room to each other."""
    edges: Edges = Counter()
    modules = {module_name(path, source): path for path in sorted(source.rglob("*.py"))}
    for module, path in modules.items():
        for imported in imports_of(ast.parse(path.read_text("utf-8")), set(modules)):
            ends = room_of(module), room_of(imported)
            edges[ends] += not {"hushgram", "__main__"} & {*ends} and ends[0] != ends[1]
    return +edges


def module_name(path: Path, source: Path) -> str:
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    """Return the first name below the package, for ``web`` the first two. The package itself is a
    catalogue, not a room.

    >>> room_of("hushgram.release.pages"), room_of("hushgram.web.explorer.page")
    ('release', 'web.explorer')
    """
    parts = module.split(".")
    if parts[1:2] == ["web"]:
        return ".".join(parts[1:3])
    return parts[1] if len(parts) > 1 else parts[0]


def imports_of(node: ast.AST, modules: set[str]) -> Iterator[str]:
    """Yield the modules of the package that this code imports."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("hushgram."):
        for alias in node.names:
            name = f"{node.module}.{alias.name}"
            yield name if name in modules else str(node.module)
    elif isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name.startswith("hushgram."))
    for child in ast.iter_child_nodes(node):
        yield from imports_of(child, modules)


def mutual(edges: Edges) -> set[tuple[str, str]]:
    """Return the rooms that import each other."""
    return {ends for ends in edges if ends[::-1] in edges}


def has_cycle(edges: Edges) -> bool:
    try:
        TopologicalSorter(predecessors(edges)).prepare()
    except CycleError:
        return True
    return False


def predecessors(edges: Edges) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for importer, imported in edges:
        found.setdefault(importer, set()).add(imported)
        found.setdefault(imported, set())
    return found


def implied(edges: Edges) -> set[tuple[str, str]]:
    """Return imports that other imports imply. They are drawn in a light colour."""
    below = predecessors(edges)
    reach: dict[str, set[str]] = {}

    def reached(room: str, above: tuple[str, ...]) -> set[str]:
        if room not in reach:
            under = [one for one in below[room] if one not in above]
            reach[room] = set(under).union(*(reached(one, (*above, room)) for one in under))
        return reach[room]

    for room in below:
        reached(room, ())
    return {(a, b) for a, b in edges if any(b in reach[one] for one in below[a] - {b})}


def levels(edges: Edges) -> dict[str, int]:
    """Return a height for each room, above everything it imports. Circular imports are ignored."""
    below = predecessors(edges)
    heights: dict[str, int] = {}

    def height(room: str, above: tuple[str, ...]) -> int:
        if room not in heights:
            under = [one for one in below[room] if one not in (*above, room)]
            heights[room] = 1 + max((height(one, (*above, room)) for one in under), default=-1)
        return heights[room]

    for room in sorted(below, key=lambda one: -len(below[one])):
        height(room, ())
    return heights


def save_picture(edges: Edges, path: Path) -> None:
    from hushgram.base.files import write_new
    from hushgram.show.charts.canvas import render

    write_new(path, render(draw(edges), path.suffix, texts=True), overwrite=True)


def draw(edges: Edges) -> Any:
    """Draw rooms in rows, importers above. Red arrows are mutual imports."""
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyArrowPatch

    places = positions(edges)
    wide = max(x for x, _ in places.values()) - min(x for x, _ in places.values())
    tall = max(y for _, y in places.values())
    figure = Figure(figsize=(max(7.0, 1.25 * wide + 2), 0.72 * tall + 1), layout="constrained")
    axes = figure.add_subplot()
    both, light = mutual(edges), implied(edges)
    for (importer, imported), _ in sorted(edges.items()):
        red, faint = (importer, imported) in both, (importer, imported) in light
        start, stop = places[importer], places[imported]
        bend = 0.16 if abs(start[1] - stop[1]) > 1 and start[0] == stop[0] else 0.06
        axes.add_patch(
            FancyArrowPatch(
                start, stop, connectionstyle=f"arc3,rad={bend}", arrowstyle="-|>",
                mutation_scale=7, shrinkA=11, shrinkB=11, zorder=2 if red else int(not faint),
                color="#d62728" if red else "0.88" if faint else "0.35",
                linewidth=1.1 if red else 0.7,
            )
        )  # fmt: skip
    for room, (x, y) in places.items():
        box = {"boxstyle": "round,pad=0.4", "facecolor": ZONES.get(room, PUBLIC), "linewidth": 0}
        axes.text(x, y, room, ha="center", va="center", color="white", fontsize=9, bbox=box)
    axes.set_xlim(
        min(x for x, _ in places.values()) - 0.8, max(x for x, _ in places.values()) + 0.8
    )
    axes.set_ylim(-0.6, tall + 0.6)
    axes.axis("off")
    return figure


def positions(edges: Edges) -> dict[str, tuple[float, float]]:
    """Place rooms in rows by height, each close to the middle of the rooms that import it."""
    heights = levels(edges)
    places: dict[str, tuple[float, float]] = {}
    for height in sorted(set(heights.values()), reverse=True):
        row = [room for room, own in heights.items() if own == height]
        above = {
            room: [places[a][0] for a, b in edges if b == room and a in places] or [0.0]
            for room in row
        }
        row.sort(key=lambda room: (sum(above[room]) / len(above[room]), room))
        shift = 0.45 * (height % 2) if len(row) < 3 else 0.0
        for number, room in enumerate(row):
            places[room] = (1.15 * (number - (len(row) - 1) / 2) + shift, float(height))
    return places


def renewed_page() -> str:
    """Return the page with an up-to-date table of the rooms."""
    head, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n\n{table()}\n\n{END}{tail}"


def is_stale() -> bool:
    """Return whether the page lacks a room or describes it differently. Line counts are ignored,
    because they change with every commit."""
    pages = PAGE.read_text("utf-8"), renewed_page()
    old, new = (re.sub(r"\| [\d,]+ \|", "|", page) for page in pages)
    return old != new


def table() -> str:
    from hushgram.base.text import markdown_table

    rooms = [path for path in sorted((ROOT / "src" / "hushgram").iterdir())
             if path.is_dir() and (path / "__init__.py").exists()]  # fmt: skip
    rooms += [ROOT / "assurance", ROOT / "reproduction"]
    rooms.sort(key=lambda room: ORDER.index(room.name))
    rows = [[f"`{room.name}/`", f"{lines_in(room):,}", purpose_of(room)] for room in rooms]
    return markdown_table(("package", "lines", "what it contains"), rows)


ORDER = (
    "cli", "lab", "spending", "expect", "private", "release", "web", "show", "answers", "trusted",
    "mechanisms", "queries", "geometry", "declare", "base", "data", "assurance", "reproduction",
)  # fmt: skip


def lines_in(folder: Path) -> int:
    return sum(len(path.read_text("utf-8").splitlines()) for path in folder.rglob("*.py"))


def purpose_of(folder: Path) -> str:
    docstring = ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8"))) or ""
    return " ".join(docstring.split("\n\n")[0].split())


if __name__ == "__main__":
    sys.exit(main())
