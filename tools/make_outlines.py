"""Make the bundled outlines from the npm package world-atlas (Natural Earth, public domain).

    npm pack world-atlas@2.0.2 && tar xzf world-atlas-2.0.2.tgz
    python tools/make_outlines.py package

Coastlines and country borders at three scales. Lines are cut where they cross the 180th meridian,
and stored as differences of whole numbers: hundredths of a degree, or 1/500 in the finest scale,
which is the precision of the package.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

TARGET = Path(__file__).parent.parent / "src/hushgram/data/outlines.npz"

STEPS = {"110m": 100, "50m": 100, "10m": 500}
"""Steps per degree in each scale."""


def arcs_of(shape: Any) -> Iterator[int]:
    """Yield the numbers of the arcs in nested rings. A reversed arc is ~ its number."""
    if isinstance(shape, list):
        for part in shape:
            yield from arcs_of(part)
    else:
        yield shape if shape >= 0 else ~shape


def lines(topology: dict[str, Any], steps: int) -> dict[str, list[np.ndarray]]:
    """Return coastlines, which belong to one country, and borders, which belong to two."""
    scale, origin = (np.array(topology["transform"][key]) for key in ("scale", "translate"))
    countries = topology["objects"]["countries"]["geometries"]
    sides = Counter(arc for country in countries for arc in arcs_of(country["arcs"]))
    found: dict[str, list[np.ndarray]] = {"coast": [], "border": []}
    for number, arc in enumerate(topology["arcs"]):
        degrees = np.cumsum(np.array(arc), axis=0) * scale + origin
        jumps = np.flatnonzero(np.abs(np.diff(degrees[:, 0])) > 180) + 1
        for part in np.split(np.rint(degrees * steps).astype(np.int64), jumps):
            moved = np.append(True, (np.diff(part, axis=0) != 0).any(axis=1))
            if moved.sum() > 1:
                found["coast" if sides[number] == 1 else "border"].append(part[moved])
    return found


def main() -> None:
    arrays = {}
    for scale, steps in STEPS.items():
        topology = json.loads((Path(sys.argv[1]) / f"countries-{scale}.json").read_text())
        for kind, parts in lines(topology, steps).items():
            points = np.concatenate(parts)
            moves = np.diff(points.T, axis=1, prepend=0).astype(np.int32)
            arrays[f"{kind}_{scale}"] = np.ascontiguousarray(moves)
            arrays[f"{kind}_{scale}_lengths"] = np.array([len(p) for p in parts], dtype=np.int32)
            print(f"{kind} {scale}: {len(parts):,} lines, {len(points):,} points")
    np.savez_compressed(TARGET, **arrays)
    print(f"{TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
