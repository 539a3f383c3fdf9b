"""Means with intervals, and regret against the best of a set. NONPRIVATE.

Intervals are Student's t intervals at 95 % over the runs: they cover the noise of the mechanism,
not the choice of data and questions.

The regret of a mechanism in a setting (data set, ε, workload) is its error divided by that of the
best mechanism of a given set. The best one is chosen on the even runs, and both errors are taken
from the odd runs: on the runs by which it was chosen, the best would look better than it is, and
all regrets worse.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from hushgram.errors import BadInput
from hushgram.lab.evaluate.measures import ALL, NO_ERROR


class Setting(NamedTuple):
    """A setting in which mechanisms are compared."""

    data: str
    rows: int
    shape: str
    epsilon: float
    workload: str

    def __str__(self) -> str:
        return f"{self.data}, {self.rows:,} rows, {self.shape}, ε = {self.epsilon:g}"


@dataclass(frozen=True)
class SummaryLine:
    """The mean of a measure over the runs of a mechanism in a setting."""

    setting: Setting
    mechanism: str
    measure: str
    size: str
    runs: int
    mean: float
    low: float
    high: float

    @property
    def text(self) -> str:
        """The mean and half the width of its interval, in percent for errors.

        >>> SummaryLine(Setting("d", 1, "2", 1, "w"), "m", "l1", "all", 9, 2.0, 1.9, 2.1).text
        '2 ±5%'
        """
        half = (self.high - self.low) / 2
        if math.isnan(half):
            return "–" if math.isnan(self.mean) else f"{self.mean:.3g}"
        if self.measure in NO_ERROR:
            return f"{self.mean:.3g} ±{half:.2g}"
        return f"{self.mean:.3g} ±{100 * half / self.mean:.2g}%" if self.mean else "0"

    def to_json(self) -> dict[str, Any]:
        plain = {k: v for k, v in asdict(self).items() if k != "setting"}
        return {**self.setting._asdict(), **{k: finite(v) for k, v in plain.items()}}


@dataclass(frozen=True)
class Regret:
    """How much worse than the best a mechanism is, over the settings that it supports."""

    mechanism: str
    settings: int
    mean: float
    geometric: float
    largest: float
    where: str

    def to_json(self) -> dict[str, Any]:
        return {k: finite(v) for k, v in asdict(self).items()}


def finite(value: Any) -> Any:
    """Return finite numbers unchanged, and None for others, which JSON cannot represent."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def rows_of(results: Any) -> list[dict[str, Any]]:
    """Return the rows of a table of results, or of an object that contains it."""
    table = getattr(results, "table", results)
    return list(table.to_pylist() if hasattr(table, "to_pylist") else table)


def setting_of(row: dict[str, Any]) -> Setting:
    return Setting(*(row[name] for name in Setting._fields))


def summary(results: Any) -> list[SummaryLine]:
    """Return a line for every setting, mechanism, measure and size, in the order of the results."""
    values: dict[tuple[Setting, str, str, str], list[float]] = defaultdict(list)
    for row in rows_of(results):
        values[setting_of(row), row["mechanism"], row["measure"], row["size"]].append(row["value"])
    return [
        SummaryLine(setting, mechanism, measure, size, len(found), *interval(found))
        for (setting, mechanism, measure, size), found in values.items()
    ]


def interval(values: Sequence[float], confidence: float = 0.95) -> tuple[float, float, float]:
    """Return the mean, and the ends of its interval; NaN for the ends of a single value.

    >>> [round(x, 3) for x in interval([1.0, 2.0, 3.0])]
    [2.0, -0.484, 4.484]
    """
    from scipy.special import stdtrit

    mean = float(np.mean(values))
    if len(values) < 2:
        return mean, math.nan, math.nan
    half = float(stdtrit(len(values) - 1, (1 + confidence) / 2) * np.std(values, ddof=1))
    half /= math.sqrt(len(values))
    return mean, mean - half, mean + half


def regrets(
    results: Any, measure: str = "scaled", best_of: Sequence[str] | None = None
) -> list[Regret]:
    """Return the regret of every mechanism against the best of a set, by default of all; the
    smallest mean first."""
    if measure in NO_ERROR:
        raise BadInput(f"{measure} has no regret, because less of it is not more accurate.")
    even, odd = (halves(results, measure, side) for side in (0, 1))
    found: dict[str, dict[Setting, float]] = defaultdict(dict)
    for setting, errors in odd.items():
        rivals = [name for name in best_of or even.get(setting, {}) if name in errors]
        chosen = even.get(setting, {})
        if not (rivals and all(name in chosen for name in rivals)):
            continue
        best = errors[min(rivals, key=chosen.__getitem__)]
        for name, error in errors.items():
            found[name][setting] = ratio(error, best)
    return sorted((regret_of(*one) for one in found.items()), key=lambda one: one.mean)


def halves(results: Any, measure: str, side: int) -> dict[Setting, dict[str, float]]:
    """Return the mean error of each mechanism in each setting, over the even or the odd runs."""
    values: dict[Setting, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows_of(results):
        if row["measure"] == measure and row["size"] == ALL and row["run"] % 2 == side:
            values[setting_of(row)][row["mechanism"]].append(row["value"])
    return {s: {m: mean_error(v) for m, v in found.items()} for s, found in values.items()}


def mean_error(values: Sequence[float]) -> float:
    """Return the mean; infinity if a run has no error value."""
    mean = float(np.mean(values))
    return math.inf if math.isnan(mean) else mean


def ratio(error: float, best: float) -> float:
    if error == best:
        return 1.0
    return error / best if best > 0 else math.inf


def regret_of(mechanism: str, ratios: dict[Setting, float]) -> Regret:
    where = max(ratios, key=ratios.__getitem__)
    values = np.array(list(ratios.values()))
    with np.errstate(divide="ignore"):
        geometric = float(np.exp(np.log(values).mean()))
    return Regret(
        mechanism, len(values), float(values.mean()), geometric, ratios[where], str(where)
    )


# Text -------------------------------------------------------------------------------------

Texts = list[tuple[str, ...]]


def by_measure(lines: Iterable[SummaryLine]) -> tuple[tuple[str, ...], Texts]:
    """Return heads and rows: a row for each mechanism in a setting, and a column for each measure
    over all questions. The smallest error of each setting has a star."""
    whole = [line for line in lines if line.size == ALL]
    return pivot(whole, lambda line: line.measure)


def by_size(lines: Iterable[SummaryLine], measure: str) -> tuple[tuple[str, ...], Texts]:
    """Return the same with a column for each group of questions, for one measure."""
    chosen = [line for line in lines if line.measure == measure and line.size != ALL]
    return pivot(chosen, lambda line: line.size)


def pivot(lines: Sequence[SummaryLine], column_of: Any) -> tuple[tuple[str, ...], Texts]:
    columns = list(dict.fromkeys(column_of(line) for line in lines))
    least: dict[Any, float] = {}
    cells: dict[Any, dict[str, SummaryLine]] = defaultdict(dict)
    for line in lines:
        place = line.setting, column_of(line)
        least[place] = min(least.get(place, math.inf), line.mean)
        cells[line.setting, line.mechanism][column_of(line)] = line
    rows = [
        (*setting_cells(setting), mechanism, *(star_best(found.get(c), least, c) for c in columns))
        for (setting, mechanism), found in together(cells)
    ]
    heads = ("data", "rows", "cells", "epsilon", "workload", "mechanism", *columns)
    return heads, rows


def together(cells: dict[Any, Any]) -> list[Any]:
    """Return the cells grouped by setting, in the order in which settings first appear."""
    order = {setting: place for place, setting in enumerate(dict.fromkeys(s for s, _ in cells))}
    return sorted(cells.items(), key=lambda item: order[item[0][0]])


def setting_cells(setting: Setting) -> tuple[str, ...]:
    rows, epsilon = f"{setting.rows:,}", f"{setting.epsilon:g}"
    return setting.data, rows, setting.shape, epsilon, setting.workload


def star_best(line: SummaryLine | None, least: dict[Any, float], column: str) -> str:
    if line is None:
        return ""
    best = line.measure not in NO_ERROR and line.mean == least[line.setting, column]
    return line.text + (" *" if best else "")


def of_regrets(found: Sequence[Regret]) -> tuple[tuple[str, ...], Texts]:
    heads = ("mechanism", "settings", "mean", "geometric", "largest", "where")
    rows: Texts = [
        (one.mechanism, str(one.settings), f"{one.mean:.2f}", f"{one.geometric:.2f}",
         f"{one.largest:.2f}", one.where)
        for one in found
    ]  # fmt: skip
    return heads, rows
