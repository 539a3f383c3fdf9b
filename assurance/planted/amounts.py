"""Bugs in sums of amounts: clamping, rounding, signs, sensitivities, unpaid counts."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import ibis
import numpy as np

from assurance.planted.bug import Bug, instead
from hushgram.declare.amount import Amount
from hushgram.declare.measure import Sum
from hushgram.declare.unit import Rows
from hushgram.geometry.partition import Grid
from hushgram.mechanisms import measured
from hushgram.mechanisms.measured import Measured, Measuring
from hushgram.trusted.engine.compiled import arrow, kernels, sum_kernels
from hushgram.trusted.engine.ibis import counting, quantise
from hushgram.trusted.engine.ibis.dialect import double, floor
from hushgram.trusted.engine.ibis.table import IbisTable
from hushgram.trusted.vault.operations.part_sums import PartSumsOperation
from hushgram.trusted.vault.sensitivity import Sensitivity

REACH = Amount.reach
LOOK = PartSumsOperation.count
FIND = quantise.amount_index
MEASURE = Measuring.measure
CENTRE = measured.best_centre


def places(x: Any, side: Any) -> Any:
    """Return the positions of values on the axis, without clamping."""
    lo, _, span, bins = side[:4]
    with np.errstate(invalid="ignore"):
        return np.nan_to_num((x - lo) * bins / span, posinf=1e12, neginf=-1e12)


def left_out(columns: Any, sides: Any, missing: Any) -> Any:
    """Return the rows that the correct code drops."""
    return np.any(right_indices(columns, sides, missing) < 0, axis=0)


def right_indices(columns: Any, sides: Any, missing: Any) -> Any:
    found = np.empty((len(columns), len(columns[0])), dtype=np.int32)
    for place, x in enumerate(columns):
        sum_kernels.guess_indices(x, sides[place], missing[place], found[place])
        kernels.settle(x, sides[place], found[place])
    return found


def add_found(parts: Any, kept: Any, found: Any, sums: Any) -> None:
    kept = kept & (parts >= 0)
    np.add.at(sums[:, 0], parts[kept], 1)
    for place, indices in enumerate(found, start=1):
        np.add.at(sums[:, place], parts[kept], indices[kept].astype(np.int64))


def add_unclamped(parts: Any, columns: Any, sides: Any, missing: Any, sums: Any) -> None:
    found = right_indices(columns, sides, missing)
    for place, x in enumerate(columns):
        free = np.clip(np.floor(places(x, sides[place])), -1e12, 1e12)
        found = np.where(np.isnan(x), found, free)
    add_found(parts, ~left_out(columns, sides, missing), found, sums)


def add_rounded_up(parts: Any, columns: Any, sides: Any, missing: Any, sums: Any) -> None:
    found = right_indices(columns, sides, missing).astype(np.float64)
    for place, x in enumerate(columns):
        up = np.clip(np.ceil(places(x, sides[place])), 0, sides[place, 3])
        found[place] = np.where(np.isnan(x), found[place], up)
    add_found(parts, ~left_out(columns, sides, missing), found, sums)


def add_floats(parts: Any, columns: Any, sides: Any, missing: Any, sums: Any) -> None:
    """Add up exact indices in 32-bit floats."""
    found = right_indices(columns, sides, missing)
    kept = ~left_out(columns, sides, missing) & (parts >= 0)
    np.add.at(sums[:, 0], parts[kept], 1)
    for place, indices in enumerate(found, start=1):
        short = np.zeros(len(sums), dtype=np.float32)
        np.add.at(short, parts[kept], indices[kept].astype(np.float32))
        sums[:, place] += short.astype(np.int64)


def add_missing(parts: Any, columns: Any, sides: Any, missing: Any, sums: Any) -> None:
    """Count rows without a value, with the lowest one."""
    RIGHT_ADD(parts, columns, sides, np.maximum(missing, 0), sums)


RIGHT_ADD = sum_kernels.add_amounts


def index_unclamped(x: Any, amount: Amount) -> Any:
    """Apply the rule of the axis to any number."""
    _, inside = FIND(x, amount)
    known = quantise.number(x).fill_null(False) & (x.abs() < 1e12)
    filled = known.ifelse(x, double(amount.filled or 0.0))
    return floor((filled - double(amount.axis.lo)) / double(float(amount.step))), inside


def sums_in_doubles(parts: Any, execute: Any) -> Any:
    """Add up 32-bit floats in the engine."""
    sums = {
        name: parts[name].cast("float32").sum().cast("float32").cast("int64")
        for name in counting.amount_columns(parts)
    }
    found = execute(parts.group_by("part").aggregate(rows=ibis._.count(), **sums))
    return [found[name].to_numpy() for name in ("part", "rows", *sums)]


def upper_side(self: Amount, centre: int) -> int:
    return abs(self.high - centre)


def half_the_span(self: Amount, centre: int) -> int:
    return -(-(self.high - self.low) // 2)


def largest_found(self: Any, query: Any, table: Any, domain: Any) -> Any:
    """Return sums in steps whose size depends on the table."""
    exact = LOOK(self, query, table, domain)
    return exact * 10 // max(int(np.abs(exact).max(initial=0)) // 10, 1)


def cut_at_a_part(self: Any, query: Any, table: Any, domain: Any) -> Any:
    """Clamp sums at the size of the first one, before adding noise."""
    exact = LOOK(self, query, table, domain)
    most = int(abs(exact[0]))
    return np.clip(exact, -most, most)


def without_centre(self: Any, query: Any, table: Any, domain: Any) -> Any:
    """Return sums from 0, with the noise of sums around the centre."""
    found = table.add_up(query.partition, query.amount)
    return found.above + query.amount.low * found.rows


def sparse(self: Any, query: Any, exact: Any, scale: Fraction, noise: Any) -> Any:
    return np.where(exact == 0, 0, noise.add_discrete_laplace(exact, scale))


def add_back_unpaid(self: Measuring, vault: Any, counts: Any) -> Any:
    """Add back the centre with true counts."""
    found = []
    behind = getattr(vault, "_vault", vault)
    for one in MEASURE(self, vault, counts):
        rows = behind._table.count(counts.partition)
        estimate = one.estimate
        object.__setattr__(estimate, "values", estimate.values + one.centre * rows)
        for level in estimate.measurements:
            shifted = level.values + one.centre * behind._table.count(level.partition)
            object.__setattr__(level, "values", shifted)
        found.append(Measured(one.measure, 0, estimate, one.exact))
    return tuple(found)


def centre_of_data(self: Measuring, vault: Any, counts: Any) -> Any:
    """Use the true mean as the centre."""
    behind = getattr(vault, "_vault", vault)

    def centre(measure: Sum, ratio: float, rows: int = 1) -> int:
        sums = behind._table.add_up(Grid(vault.domain, (1,) * len(vault.domain)), measure.amount)
        return measure.amount.low + int(sums.above.sum() // max(sums.rows.sum(), 1))

    with instead(measured, "best_centre", centre)():
        return MEASURE(self, vault, counts)


def cut_each(chosen: Any, place: int, amount: Amount) -> Any:
    """Cut off each row of a person at the bound separately."""
    low, most = double(amount.low), double(amount.person or 0)
    value = chosen[f"amount{place}"] + low
    return ibis.cases((value > most, most), (value < -most, -most), else_=value) - low


def person_everywhere(self: Amount, rows: int, centre: int) -> int:
    """Use the bound per person around any centre."""
    apart = rows * REACH(self, centre)
    return apart if self.person is None else min(apart, self.person)


def person_in_a_split(self: Sensitivity, amount: Amount, centre: int) -> int:
    """Use the bound per person in every child of a split."""
    whole = isinstance(self.unit, Rows)
    moved = REACH(amount, centre) if whole else amount.reach_of(self.unit.rows, centre)
    return moved * (2 if self.neighbours == "replace-one" else 1)


def loses_by_axes(self: Any, domain: Any) -> bool:
    return bool(self.lossy or self.condition is not None or domain.loses_rows)


BUGS = (
    Bug("no-clamp", "values beyond the bounds are added as they are",
        instead(sum_kernels, "add_amounts", add_unclamped), ("amounts",)),
    Bug("no-clamp-in-sql", "values beyond the bounds are added as they are, in the engine",
        instead(quantise, "amount_index", index_unclamped), ("amounts",)),
    Bug("rounded-beyond-bound", "values rounded up, so that the largest is a step above the bound",
        instead(sum_kernels, "add_amounts", add_rounded_up), ("amounts",)),
    Bug("float-sums", "indices added up in short floats",
        instead(sum_kernels, "add_amounts", add_floats), ("amounts",)),
    Bug("float-sums-in-sql", "indices added up in short floats, in the engine",
        instead(counting, "non_empty", sums_in_doubles), ("amounts",)),
    Bug("missing-as-lowest", "rows without a value counted, with the lowest one",
        instead(sum_kernels, "add_amounts", add_missing), ("amounts",)),
    Bug("missing-counted", "rows without a value counted, but not added up",
        instead(arrow, "without_dropped", lambda batch, places: batch), ("amounts",)),
    Bug("upper-side-only", "sensitivity from amounts above the centre only, ignoring those below",
        instead(Amount, "reach", upper_side), ("PartSums",)),
    Bug("half-sensitivity", "half the span of amounts, wherever the centre is",
        instead(Amount, "reach", half_the_span), ("PartSums",)),
    Bug("shift-without-noise", "sums from 0 with the noise of sums around the centre",
        instead(PartSumsOperation, "count", without_centre), ("PartSums",)),
    Bug("sums-of-one-row", "a person's amounts protected as one row's",
        instead(Sensitivity, "sums",
                lambda self, amount, c: self.counts // self.unit.rows * amount.reach(c)),
        ("PartSums",)),
    Bug("sums-replaced-as-added", "a replaced row's amounts protected as those of an added one",
        instead(Sensitivity, "sums",
                lambda self, amount, c: amount.reach_of(self.unit.rows, c)), ("PartSums",)),
    Bug("person-cut-by-rows", "each row of a person cut off at the bound, and not all together",
        instead(counting, "cut_off", cut_each), ("amounts",)),
    Bug("person-around-any-centre", "a bound on what a person has taken for one around the centre",
        instead(Amount, "reach_of", person_everywhere), ("amounts",)),
    Bug("person-in-a-split", "a bound per person for a part of the rows, which one row can reach",
        instead(Sensitivity, "sums", person_in_a_split), ("split",)),
    Bug("step-from-the-data", "a step size that depends on the largest sum",
        instead(PartSumsOperation, "count", largest_found), ("PartSums", "amounts")),
    Bug("clamp-from-the-data", "sums clamped at the sum of a part before noise is added",
        instead(PartSumsOperation, "count", cut_at_a_part), ("PartSums", "amounts")),
    Bug("sparse-sums", "noise only on sums other than 0",
        instead(PartSumsOperation, "perturb", sparse), ("PartSums",)),
    Bug("unpaid-shift", "the centre added back through true counts",
        instead(Measuring, "measure", add_back_unpaid), ("amounts",)),
    Bug("centre-from-the-data", "sums around the true mean",
        instead(Measuring, "measure", centre_of_data), ("amounts",)),
    Bug("total-of-dropped", "the total published free under replace-one, although rows without "
                            "values vanish",
        instead(IbisTable, "loses_rows", loses_by_axes), ("amounts",)),
)  # fmt: skip
