"""What a finished request hands out. Files are made of a release in memory: no request of the page
names a file of this computer."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hushgram.errors import BadInput
from hushgram.trusted.ledger import Finished, Ledger
from hushgram.web.studio.accounts import read_kept
from hushgram.web.studio.publishing import Publishing

if TYPE_CHECKING:
    from hushgram.release import Release

SANDBOX = "sandbox allow-scripts allow-downloads; frame-ancestors 'none'"
"""The Explorer's page runs in an origin of its own: it can ask the Studio nothing."""


@dataclass(frozen=True)
class Download:
    content: bytes
    kind: str
    name: str
    """What the browser calls the file; empty for a page that is shown."""
    policy: str | None = None


def find_release(publishing: Publishing, request: str, name: str) -> Release:
    """A release of this run, or one that the ledger keeps."""
    found = publishing.find_release(request, name)
    if found is None and Ledger.exists():
        outcome = Ledger.open().outcome(request)
        if isinstance(outcome, Finished) and outcome.release[:1] != b"{":
            found = read_kept(outcome.release).get(name)
    if found is None:
        raise BadInput("This request has no release with this name.")
    return found


def make_download(release: Release, what: str, name: str) -> Download:
    """A file of a release, or the page that shows it."""
    if what not in MAKERS:
        raise BadInput("Unknown file.")
    return MAKERS[what](release, file_stem(name))


def file_stem(name: str) -> str:
    """A name for files: plain letters only, whatever the page says.

    >>> file_stem("check-ins 2024"), file_stem('../"x\\r\\n'), file_stem("…")
    ('check-ins-2024', 'x', 'release')
    """
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name)[:60].strip("-") or "release"


def explorer_page(release: Release, stem: str) -> Download:
    html = release.explore(file=f"{stem}.hush.parquet").html
    return Download(html.encode("utf-8", "replace"), "text/html; charset=utf-8", "", SANDBOX)


def explorer_file(release: Release, stem: str) -> Download:
    return Download(explorer_page(release, stem).content, "text/html", f"{stem}.html")


def release_file(release: Release, stem: str) -> Download:
    name = f"{stem}.hush.parquet"
    return Download(release.to_bytes(), "application/vnd.apache.parquet", name)


def report_file(release: Release, stem: str) -> Download:
    html = release.report(file=f"{stem}.hush.parquet")
    return Download(html.encode("utf-8", "replace"), "text/html", f"{stem}-report.html")


def csv_file(release: Release, stem: str) -> Download:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "release.csv"
        release.to_csv(path)
        return Download(path.read_bytes(), "text/csv", f"{stem}.csv")


MAKERS: dict[str, Callable[[Release, str], Download]] = {
    "explore": explorer_page,
    "explorer": explorer_file,
    "release": release_file,
    "report": report_file,
    "csv": csv_file,
}
