"""Generated tables on which intervals are judged: heaped, even, clustered, one spike, empty.
NONPRIVATE."""

from __future__ import annotations

import numpy as np

from hushgram.declare.axis import Axis, Category, Floats, Interval, Regular
from hushgram.lab.coverage.tables import TableRecipe


def heaped_pay(rows: int, seed: int) -> Floats:
    """Return earnings as people report them: two in five are multiples of 5,000, a third multiples
    of 1,000, the rest anything."""
    rng = np.random.default_rng(seed)
    precise = rng.lognormal(10.4, 0.7, rows)
    kind = rng.random(rows)
    step = np.where(kind < 0.4, 5000.0, np.where(kind < 0.73, 1000.0, 1.0))
    return np.asarray(np.rint(precise / step) * step)[:, None]


def heaped_pay_by_sex(rows: int, seed: int) -> Floats:
    """Return the same with a category: women earn a fifth less."""
    sex = np.random.default_rng(seed + 1000).integers(2, size=rows)
    pay = heaped_pay(rows, seed)[:, 0]
    return np.stack([np.where(sex == 0, np.rint(pay * 0.8 / 500) * 500, pay), sex], axis=1)


def even_rows(rows: int, axes: int, seed: int) -> Floats:
    return np.random.default_rng(seed).random((rows, axes))


def spike(rows: int, axes: int) -> Floats:
    """Return rows that are all at the same place."""
    return np.full((rows, axes), 0.371)


def hills(rows: int, axes: int, seed: int) -> Floats:
    """Return rows in five normal clusters of different widths."""
    rng = np.random.default_rng(seed)
    centres, widths = rng.random((5, axes)), np.geomspace(0.01, 0.2, 5)
    which = rng.integers(5, size=rows)
    return np.asarray(centres[which] + widths[which, None] * rng.normal(size=(rows, axes)))


def generated_recipes() -> list[TableRecipe]:
    line, plane = {"x": Interval(0, 1)}, {"x": Interval(0, 1), "y": Interval(0, 1)}
    bins = {"x": Regular(100, 0, 1)}
    grid = {"x": Regular(32, 0, 1), "y": Regular(48, 0, 1)}
    pay, pay_bins = {"pay": Interval(0, 200_000)}, {"pay": Regular(100, 0, 200_000)}
    sex = Category(["F", "M"])
    by_sex: dict[str, Axis] = {"pay": Interval(0, 150_000), "sex": sex}
    bins_by_sex: dict[str, Axis] = {"pay": Regular(120, 0, 240_000), "sex": sex}
    empty: Floats = np.empty((0, 2))
    return [
        TableRecipe("heaped", "choosing", pay, lambda: heaped_pay(30_000, 1)),
        TableRecipe("heaped, 100 bins", "choosing", pay_bins, lambda: heaped_pay(30_000, 2)),
        TableRecipe("heaped, few rows", "confirming", pay, lambda: heaped_pay(4_000, 3)),
        TableRecipe("heaped, 80 bins", "confirming", {"pay": Regular(80, 0, 200_000)},
                    lambda: heaped_pay(100_000, 4)),
        TableRecipe("heaped by sex", "choosing", by_sex, lambda: heaped_pay_by_sex(40_000, 5)),
        TableRecipe("heaped by sex, 120 bins", "confirming", bins_by_sex,
                    lambda: heaped_pay_by_sex(60_000, 6)),
        TableRecipe("even", "choosing", line, lambda: even_rows(20_000, 1, 1)),
        TableRecipe("even, 100 bins", "confirming", bins, lambda: even_rows(50_000, 1, 2)),
        TableRecipe("even plane", "choosing", plane, lambda: even_rows(50_000, 2, 3)),
        TableRecipe("even grid", "confirming", grid, lambda: even_rows(50_000, 2, 4)),
        TableRecipe("hills", "choosing", plane, lambda: hills(40_000, 2, 5)),
        TableRecipe("hills, 100 bins", "confirming", bins, lambda: hills(40_000, 1, 6)),
        TableRecipe("spike", "choosing", line, lambda: spike(10_000, 1)),
        TableRecipe("spike, 100 bins", "choosing", bins, lambda: spike(10_000, 1)),
        TableRecipe("spike plane", "confirming", plane, lambda: spike(20_000, 2)),
        TableRecipe("empty", "choosing", line, lambda: empty[:, :1]),
        TableRecipe("empty plane", "confirming", plane, lambda: empty),
    ]  # fmt: skip
