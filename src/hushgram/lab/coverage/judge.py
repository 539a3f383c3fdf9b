"""Publish tables, query the releases, and compare the answers with the truth. NONPRIVATE."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from hushgram.answers.unevenness.evidence import unevenness_of
from hushgram.answers.unevenness.widths import truth_width
from hushgram.declare.axis import Axis, Floats
from hushgram.declare.unit import Rows
from hushgram.errors import NotAnswerable
from hushgram.lab.checks import vault_for
from hushgram.lab.coverage.numbers import axis_bounds, to_number
from hushgram.lab.coverage.questions import (
    RATIOS,
    CountQuestions,
    box_kinds,
    draw_boxes,
    group_questions,
    has_many_cells,
    quantile_questions,
    rank_questions,
)
from hushgram.lab.coverage.tables import JudgedTable
from hushgram.mechanisms.base import Mechanism
from hushgram.release import Release
from hushgram.spending.job import Job, release_from_vault
from hushgram.trusted.engine.remembered import Remembered

SETS = 5
"""The number of sets of questions about a table, which its releases get in turn, because an answer
that is wrong in one release is wrong in most."""

SLACK = 1e-9
"""The relative rounding error that does not count as a miss."""


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Answers of one kind: whether each interval contains the truth, the errors, and half the
    widths of the interval, of the noise-only interval, and of the hard bound. NaN if there is
    none."""

    question: str
    holds: npt.NDArray[np.bool_]
    error: Floats
    half_width: Floats
    noise: Floats
    hard: Floats
    refused: int = 0

    @classmethod
    def refusal(cls, question: str, many: int = 1) -> Verdicts:
        none = np.empty(0)
        return cls(question, none.astype(bool), none, none, none, none, many)


@dataclass(frozen=True, eq=False)
class Intervals:
    """Answers with intervals, as arrays."""

    value: Floats
    low: Floats
    high: Floats
    noise: Floats

    @classmethod
    def of(cls, answers: list[Any]) -> Intervals:
        """Collect single answers that have a noise-only interval."""
        ends = np.array([(*one.interval, *one.noise_interval) for one in answers], dtype=np.float64)
        low, high, noise_low, noise_high = ends.reshape(-1, 4).T
        value = np.array([one.value for one in answers], dtype=np.float64)
        return cls(value, low, high, (noise_high - noise_low) / 2)

    @classmethod
    def without_noise(cls, value: Any, low: Any, high: Any) -> Intervals:
        """Collect answers without a noise-only interval."""
        values, lows, highs = (np.asarray(one, dtype=np.float64) for one in (value, low, high))
        return cls(values, lows, highs, np.full(len(values), np.nan))

    def compare(
        self, question: str, truth: Any, hard: Floats | None = None, unit: float = 1.0
    ) -> Verdicts:
        """Compare with the truth. Errors and widths are in multiples of a unit."""
        true = np.asarray(truth, dtype=np.float64)
        slack = SLACK * (1 + np.abs(true))
        holds = (self.low <= true + slack) & (true <= self.high + slack)
        missing = np.full(len(true), np.nan)
        return Verdicts(
            question,
            holds,
            np.abs(self.value - true) / unit,
            (self.high - self.low) / 2 / unit,
            self.noise / unit,
            missing if hard is None else hard / unit,
        )


class Judge:
    """A table and its questions, the same for every mechanism."""

    def __init__(
        self, table: JudgedTable, many: int = 25, seed: int = 1, source: Remembered | None = None
    ) -> None:
        rng = np.random.default_rng(seed)
        self.table = table
        self.boxes = [draw_boxes(table, kind, many, rng) for kind in box_kinds(table)]
        self.quantiles = list(quantile_questions(table, rng))
        self.ranks = list(rank_questions(table, rng))
        self.groups = list(group_questions(table))
        self._source = source or Remembered(table.indexed)

    @classmethod
    def several(cls, table: JudgedTable, many: int) -> list[Judge]:
        """Create several judges with different questions about one table."""
        source = Remembered(table.indexed)
        return [cls(table, many, seed, source) for seed in range(1, SETS + 1)]

    def publish(self, mechanism: Mechanism, epsilon: Fraction) -> Release:
        job = Job(self.table.domain, epsilon, Rows(), "add-remove")
        return release_from_vault(mechanism, vault_for(job, self._source), job, None)

    def ask(self, release: Release) -> Iterator[Verdicts]:
        """Ask all questions and yield the verdicts by kind. Values are in units of their axis's
        length."""
        yield from self.ask_counts(release)
        yield from self.ask_quantiles(release)
        yield from self.ask_ranks(release)
        yield from self.ask_groups(release)
        yield from self.ask_ratios(release)

    def ask_counts(self, release: Release) -> Iterator[Verdicts]:
        unevenness = unevenness_of(release.estimate)
        for questions in self.boxes:
            found = count_boxes(release, questions)
            most = np.maximum(unevenness.of_boxes(*questions.ends).most, 0.0)
            hard = truth_width(found.noise, most)
            yield found.compare(str(questions.kind), questions.rows, hard)

    def ask_quantiles(self, release: Release) -> Iterator[Verdicts]:
        for question in self.quantiles:
            axis = self.table.domain[question.axis]
            try:
                found = release.quantile(question.axis, question.shares, where=question.where)
            except NotAnswerable:
                yield Verdicts.refusal(str(question), len(question.shares))
                continue
            columns = zip(*((one.value, *one.interval) for one in found), strict=True)
            numbers = [[to_number(axis, value) for value in column] for column in columns]
            intervals = Intervals.without_noise(*numbers)
            yield intervals.compare(str(question), question.truth, unit=length_of(axis))

    def ask_ranks(self, release: Release) -> Iterator[Verdicts]:
        for question in self.ranks:
            answer = release.rank(question.axis, question.value)
            yield Intervals.of([answer]).compare(f"rank, {question}", [question.rows])
            try:
                share = release.cdf(question.axis, question.value)
            except NotAnswerable:
                yield Verdicts.refusal(f"cdf, {question}")
                continue
            truth = [question.rows / question.known]
            yield Intervals.of([share]).compare(f"cdf, {question}", truth)

    def ask_groups(self, release: Release) -> Iterator[Verdicts]:
        for question in self.groups:
            frame = release.group_by(*question.axes)
            grid = release.project(*question.axes).grid
            truth = question.truth([grid.cuts(place) for place in range(len(question.axes))])
            found = Intervals.without_noise(frame["value"], frame["lower"], frame["upper"])
            yield found.compare(str(question), truth)

    def ask_ratios(self, release: Release) -> Iterator[Verdicts]:
        """Ask for shares of the rows in some boxes, and for sums and averages of their values."""
        total = len(self.table.rows)
        many = 1 if has_many_cells(self.table.domain) else RATIOS
        for questions in self.boxes:
            if questions.kind.size not in ("medium", "large"):
                continue
            for box in questions.boxes[:many]:
                if total:
                    yield ask_one("share", release.share, box.asked, box.rows / total)
                for name, true in box.sums.items():
                    unit = length_of(self.table.domain[name])
                    yield ask_one("sum", release.sum, name, box.asked, true, unit=unit)
                    if box.rows:
                        mean = true / box.rows
                        yield ask_one("average", release.average, name, box.asked, mean, unit=unit)


def count_boxes(release: Release, questions: CountQuestions) -> Intervals:
    """Count all boxes at once if they are ranges on all axes, otherwise one after another."""
    if questions.ranges is None:
        return Intervals.of([release.count(box.asked) for box in questions.boxes])
    found = release.count(questions.ranges)
    return Intervals(found.values, found.lower, found.upper, found.noise_upper - found.values)


def ask_one(question: str, ask: Any, *given: Any, unit: float = 1.0) -> Verdicts:
    """Ask one question. The last argument is the truth."""
    *asked, truth = given
    try:
        answer = ask(*asked)
    except NotAnswerable:
        return Verdicts.refusal(question)
    return Intervals.of([answer]).compare(question, [truth], unit=unit)


def length_of(axis: Axis) -> float:
    low, high = axis_bounds(axis)
    return high - low
