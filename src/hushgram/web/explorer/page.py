"""The page itself."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hushgram.base.text import shorten
from hushgram.errors import QuestionError
from hushgram.web.explorer.bundle import bundle
from hushgram.web.explorer.contents import (
    describe_confidences,
    describe_outlines,
    describe_release,
    describe_terms,
    map_window,
)
from hushgram.web.explorer.packing import Packing
from hushgram.web.explorer.shapes import describe_given_shapes

if TYPE_CHECKING:
    from hushgram.release.release import Release

STYLE = Path(__file__).with_name("style.css")


class GivenAreas(NamedTuple):
    """Areas to count on a page."""

    polygons: Any
    """As `Release.areas` takes them: a file, GeoJSON, or a mapping of names to polygons."""
    name: str | None = None
    """The column that they are called by."""
    on: tuple[str, str] | None = None
    """Their axes, if these are not longitude and latitude, or x and y."""


FRAME_HEIGHT = 760
"""Pixels that the page takes in a notebook."""


@dataclass(frozen=True, repr=False)
class ExplorerPage:
    """A page of HTML that needs nothing else. A notebook shows it; `save` writes it."""

    html: str

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        from hushgram.base.files import check_format, write_new

        check_format(Path(path), "the page", ".html")
        write_new(Path(path), self.html.encode("utf-8", "replace"), overwrite=overwrite)

    def _repr_html_(self) -> str:
        """The page in a frame of its own, apart from the notebook."""
        return (
            '<iframe sandbox="allow-scripts allow-downloads" allow="clipboard-write" '
            f'style="width:100%;height:{FRAME_HEIGHT}px;border:0" '
            f'srcdoc="{html.escape(self.html)}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<ExplorerPage of {len(self.html) / 1000:,.0f} kB; save(path) writes it>"


def explore(
    releases: Sequence[tuple[str, Release]],
    path: str | Path | None = None,
    *,
    title: str | None = None,
    areas: GivenAreas | None = None,
    overwrite: bool = False,
) -> ExplorerPage:
    """A page about releases, each with the name of its file, and perhaps areas to count; saved if a
    path is given."""
    from hushgram.base.files import check_format, check_writable

    if path is not None:
        check_format(Path(path), "the page", ".html")
        check_writable(Path(path), overwrite=overwrite)
    check_axes(releases)
    page = ExplorerPage(make_page(releases, title, areas))
    if path is not None:
        page.save(path, overwrite=overwrite)
    return page


def check_axes(releases: Sequence[tuple[str, Release]]) -> None:
    """Refuse releases that cannot be asked the same questions."""
    first, release = releases[0]
    for file, other in releases[1:]:
        if other.domain != release.domain:
            raise QuestionError(
                f"Cannot compare {first} and {file}: their axes differ. Found "
                f"{', '.join(release.domain)} and {', '.join(other.domain)}. Explore releases of "
                "different axes on a page each."
            )


def make_page(
    releases: Sequence[tuple[str, Release]], title: str | None, areas: GivenAreas | None = None
) -> str:
    names = ", ".join(shorten(name, 60) for name in releases[0][1].domain)
    heading = title or f"Explore {names}"
    contents, numbers = describe_page(releases, heading, areas)
    script, style = bundle("explorer.js"), STYLE.read_text(encoding="utf-8")
    policy = (
        f"default-src 'none'; script-src '{hash_of(script)}'; style-src '{hash_of(style)}'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{html.escape(heading)}</title>
<style>{style}</style>
</head>
<body>
<noscript>This page answers questions with JavaScript. Nothing is sent anywhere.</noscript>
<script type="application/json" id="contents">{contents}</script>
<script type="text/plain" id="numbers">{numbers}</script>
<script>{script}</script>
</body>
</html>
"""


def describe_page(
    releases: Sequence[tuple[str, Release]], title: str, areas: GivenAreas | None = None
) -> tuple[str, str]:
    """What the scripts read: a description as JSON, and the arrays that it refers to."""
    packing = Packing()
    described: dict[str, Any] = {
        "title": title,
        "confidences": describe_confidences(),
        "terms": describe_terms(),
        "releases": [describe_release(release, file, packing) for file, release in releases],
    }
    window = map_window(releases[0][1])
    described["outlines"] = describe_outlines(window, packing) if window else []
    described["shapes"] = areas and describe_given_shapes(releases[0][1].domain, *areas, packing)
    described["arrays"] = packing.entries
    return as_json(described), packing.to_text()


def as_json(value: Any) -> str:
    """JSON that can stand in a script element, whatever it says: nothing in it closes the
    element.

    >>> as_json({"label": "</script><!--"})
    '{"label":"\\\\u003c/script\\\\u003e\\\\u003c!--"}'
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def hash_of(text: str) -> str:
    """What a Content-Security-Policy calls a script or a style by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
