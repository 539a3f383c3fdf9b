"""Where the paths of a form lead: into the folder that the Studio was started for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hushgram.web.studio.columns import path_in
from hushgram.web.studio.fields import Form

NOT_PATHS = ("about", "text")
"""Parts of a form that have a field called "source" too, or none that is a path."""


def place_paths(form: Form, folder: Path) -> dict[str, Any]:
    """A form whose tables and files of areas are paths from the root, so that the commands on the
    page work in every folder."""
    return {name: place(name, value, folder) for name, value in form.items()}


def place(name: str, value: Any, folder: Path) -> Any:
    if name in NOT_PATHS:
        return value
    if isinstance(value, dict):
        return place_paths(value, folder)
    if isinstance(value, list):
        return [place(name, one, folder) for one in value]
    if isinstance(value, str) and name in ("source", "file") and is_relative(value):
        return str(path_in(folder, value.strip()))
    return value


def is_relative(text: str) -> bool:
    """Whether a text is a path that depends on a folder, and not a URL.

    >>> [is_relative(one) for one in ("a.csv", "2025/*.csv", "/a.csv", "~/a.csv", "s3://b/a", "")]
    [True, True, False, False, False, False]
    """
    path = text.strip()
    return bool(path) and not (path.startswith("~") or "://" in path or os.path.isabs(path))  # noqa: PTH117 - a name may be of any bytes
