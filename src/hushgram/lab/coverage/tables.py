"""The tables on which intervals are judged. NONPRIVATE.

Half of them are for choosing, half for confirming: everything is tuned on the first half, and the
second half shows whether the tuning works elsewhere. A column of a file is never in both halves
with the same axis. Real tables are in the folder ``HUSHGRAM_DATA``; generated ones need no folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from hushgram.declare.axis import Axis, Category, Floats
from hushgram.declare.domain import Domain
from hushgram.lab.coverage.numbers import axis_bounds, positions_of
from hushgram.lab.memory import IndexedTable

Half = Literal["choosing", "confirming"]

MOST_ROWS = 200_000
"""The maximum number of rows of a table."""


@dataclass(frozen=True, eq=False)
class JudgedTable:
    """A table with known rows: an array (rows x axes) with categories as their index, and dates as
    seconds since 1970. "Other" is NaN, or the index after the last category. NONPRIVATE."""

    name: str
    half: Half
    domain: Domain
    rows: Floats

    @cached_property
    def indexed(self) -> IndexedTable:
        """The rows as indices, as mechanisms count them."""
        pairs = zip(self.domain.axes, self.rows.T, strict=True)
        columns = [indices_of(axis, column) for axis, column in pairs]
        return IndexedTable(self.domain, np.stack(columns, axis=1))


def indices_of(axis: Axis, column: Floats) -> Floats:
    if not axis.ordered:
        return column
    other = np.isnan(column)
    known = np.where(other, axis_bounds(axis)[0], column)
    found = np.minimum(np.floor(positions_of(axis, known)), axis.bins - 1)
    return np.where(other, float(axis.bins), found)


@dataclass(frozen=True)
class TableRecipe:
    """How to make a table. Values that do not fit follow the policy of their axis."""

    name: str
    half: Half
    axes: Mapping[str, Axis]
    load: Callable[[], Floats]

    def make(self) -> JudgedTable:
        rows = self.load()
        columns = [
            apply_policy(axis, column)
            for axis, column in zip(self.axes.values(), rows.T, strict=True)
        ]
        keep = np.ones(len(rows), dtype=bool)
        for axis, column in zip(self.axes.values(), columns, strict=True):
            if not axis.other:
                keep &= ~np.isnan(column)
        rows = np.stack(columns, axis=1)[keep]
        if len(rows) > MOST_ROWS:
            rows = rows[np.random.default_rng(0).permutation(len(rows))[:MOST_ROWS]]
        return JudgedTable(self.name, self.half, Domain(self.axes), rows)


def apply_policy(axis: Axis, column: Floats) -> Floats:
    """Apply the policy of an axis to values that do not fit. NaN marks dropped rows."""
    low, high = (0.0, float(axis.bins)) if isinstance(axis, Category) else axis_bounds(axis)
    fits = (column >= low) & (column < high)
    if axis.outside == "clamp":
        last = axis_bounds(axis, axis.bins - 1)[1]
        return np.where(fits, column, np.where(column >= high, last, low))
    beyond = float(axis.bins) if isinstance(axis, Category) and axis.other else np.nan
    return np.where(fits, column, beyond)


def data_folder() -> Path | None:
    where = os.environ.get("HUSHGRAM_DATA")
    return Path(where) if where else None


def all_recipes() -> list[TableRecipe]:
    """Return generated tables and, if ``HUSHGRAM_DATA`` is set, real ones."""
    from hushgram.lab.coverage.generated import generated_recipes
    from hushgram.lab.coverage.real import real_recipes

    folder = data_folder()
    return [*generated_recipes(), *(real_recipes(folder) if folder else [])]


def choose_recipes(names: list[str], half: str) -> list[TableRecipe]:
    """Return the tables with these names (all if none are given) of one half or of ``both``."""
    from hushgram.base.text import did_you_mean
    from hushgram.errors import BadInput

    known = all_recipes()
    all_names = [recipe.name for recipe in known]
    for name in names:
        if name not in all_names:
            raise BadInput(
                f"Unknown table {name!r}.{did_you_mean(name, all_names)} Tables: "
                f"{'; '.join(all_names)}."
                + ("" if data_folder() else " Real tables need the folder HUSHGRAM_DATA.")
            )
    return [
        recipe
        for recipe in known
        if (not names or recipe.name in names) and half in ("both", recipe.half)
    ]
