"""axe-core, an engine that finds faults of accessibility; continuous integration installs it.

npm install --prefix /tmp/hushgram-axe axe-core
HUSHGRAM_AXE=/tmp/hushgram-axe/node_modules/axe-core/axe.min.js ./hush test all -k accessibility
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

VARIABLE = "HUSHGRAM_AXE"


def serious_faults(page: Any) -> list[str]:
    """What a page has of serious or critical faults, by rule and element. The test is skipped where
    axe-core is not installed."""
    path = os.environ.get(VARIABLE)
    if not path:
        pytest.skip(f"axe-core is not installed: {VARIABLE} names no file")
    page.evaluate(Path(path).read_text("utf-8"))  # not a script of the page, whose policy holds
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']}: {node['html'][:120]}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]
