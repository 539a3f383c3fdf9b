"""Write the golden release files of the current schema: run once per schema, never again.

python tools/make_golden.py tests/golden

Old releases must load forever, so files of earlier schemas stay unchanged. The counts are invented:
they involve no table and no noise.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import numpy as np

import hushgram as hg
from hushgram.base.files import write_new
from hushgram.declare.unit import Rows
from hushgram.geometry.partition import Grid
from hushgram.mechanisms.estimate import Estimate
from hushgram.queries import Measurement
from hushgram.release.parquet import SCHEMA
from hushgram.release.signing import library, public_text, sign_release
from hushgram.trusted.noise import variance


def direct(grid: Grid, values: list[int], scale: Fraction) -> Estimate:
    return Estimate.direct(Measurement(grid, np.array(values), variance(scale), scale))


def people() -> hg.Release:
    """A release with whole numbers, edges and categories, charged to an account."""
    domain = hg.Domain(
        {
            "age": hg.Integer(17, 19, outside="other"),
            "income €": hg.Variable([0, 1000, 2500.5], outside="clamp"),
            "sex": hg.Category(["F", "M"], outside="other"),
        }
    )
    grid = Grid.of_cells(domain)
    return hg.Release(
        direct(grid, [k * k - 40 for k in range(grid.size)], Fraction(10, 3)),
        mechanism="identity",
        parameters={},
        epsilon=Fraction(3, 10),
        unit=Rows(),
        neighbours="add-remove",
        receipt={"id": "0123456789abcdef" * 2, "epsilon": "3/10", "seal": "fedcba9876543210" * 4},
    )


def trips() -> hg.Release:
    """A release with an adaptive continuous axis, bins, days and months, for users, without an
    account."""
    domain = hg.Domain(
        lon=hg.Interval(-180, 180),
        lat=hg.Regular(3, -60, 75),
        day=hg.Date("2024-02-28", "2024-03-01", "1d", outside="other"),
        month=hg.Date("2024-01-01", "2024-12-31", "6mo"),
    )
    grid = Grid(domain, (4, 3, 3, 2))
    return hg.Release(
        direct(grid, [(37 * k) % 101 - 7 for k in range(grid.size)], Fraction(40)),
        mechanism="identity",
        parameters={"cells": [4, 3], "share": "1/2"},
        epsilon=Fraction(1, 2),
        unit=hg.User("user id", max_rows=10),
        neighbours="replace-one",
    )


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    steward = library().PrivateKey.from_private_bytes(bytes(range(32)))
    files = {release.__name__: release().to_bytes() for release in (people, trips)}
    files["signed"] = sign_release(people(), steward)
    for name, data in files.items():
        target = folder / f"v{SCHEMA}-{name}.hush.parquet"
        write_new(target, data)
        print(f"{target}: {len(data)} bytes")
    print(f"signed by {public_text(steward)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
