"""Make the bundled coastlines from the npm package world-atlas (Natural Earth, public domain).

    npm pack world-atlas@2.0.2 && tar xzf world-atlas-2.0.2.tgz
    python tools/make_coastlines.py package/land-110m.json

Lines in hundredths of a degree, cut where they cross the 180th meridian.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

TARGET = Path(__file__).parent.parent / "src/hushgram/data/coastlines.npz"


def lines(topology: dict[str, Any]) -> list[np.ndarray]:
    """The arcs, which the file holds as differences of whole numbers, in hundredths of a degree."""
    scale, origin = (np.array(topology["transform"][key]) for key in ("scale", "translate"))
    found = []
    for arc in topology["arcs"]:
        degrees = np.cumsum(np.array(arc), axis=0) * scale + origin
        jumps = np.flatnonzero(np.abs(np.diff(degrees[:, 0])) > 180) + 1
        for part in np.split(np.rint(degrees * 100).astype(np.int16), jumps):
            moved = np.append(True, (np.diff(part, axis=0) != 0).any(axis=1))
            if moved.sum() > 1:
                found.append(part[moved])
    return found


def main() -> None:
    found = lines(json.loads(Path(sys.argv[1]).read_text()))
    lengths = np.array([len(line) for line in found], dtype=np.int16)
    np.savez_compressed(TARGET, points=np.concatenate(found), lengths=lengths)
    print(f"{len(found)} lines, {lengths.sum():,} points, {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
