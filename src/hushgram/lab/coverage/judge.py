"""Releases of judged tables, asked, and compared with the truth. NONPRIVATE."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from hushgram.declare.axis import Category, Integer
from hushgram.declare.unit import Rows
from hushgram.errors import NotAnswerable
from hushgram.lab.checks import vault_for
from hushgram.lab.coverage.questions import SHARES, Box, as_table, draw_boxes, true_quantiles
from hushgram.lab.coverage.tables import JudgedTable
from hushgram.mechanisms.base import Mechanism
from hushgram.spending.job import Job, release_from_vault
from hushgram.trusted.engine.remembered import Remembered


@dataclass(frozen=True)
class Verdict:
    """One answer: whether its interval holds the truth, how far off it is, how wide it is."""

    question: str
    holds: bool
    error: float
    half_width: float
    noise: float
    """Half the width of the interval for the noise alone."""


class Judge:
    """A table and its questions, the same for every mechanism."""

    def __init__(self, table: JudgedTable, many: int = 60, seed: int = 1) -> None:
        self.table = table
        rng = np.random.default_rng(seed)
        axes = table.domain.axes
        between = [not isinstance(axis, Category | Integer) for axis in axes]
        edges = [not axis.continuous for axis in axes]
        ways = [False] * any(between) + [True] * all(edges)
        sizes = ("small", "medium", "large")
        self.boxes = {
            f"{size} {'on' if on else 'off'}": list(draw_boxes(table, size, many, rng, on=on))
            for on in ways
            for size in sizes
        }

    @cache
    def release(self, mechanism: Mechanism, epsilon: str, run: int) -> Any:
        job = Job(self.table.domain, Fraction(epsilon), Rows(), "add-remove")
        return release_from_vault(
            mechanism, vault_for(job, Remembered(self.table.indexed)), job, None
        )

    def ask(self, release: Any) -> Iterator[Verdict]:
        for kind, boxes in self.boxes.items():
            yield from self.counts(release, kind, boxes)
        yield from self.quantiles(release)
        yield from self.groups(release)
        yield from self.averages(release)

    def counts(self, release: Any, kind: str, boxes: list[Box]) -> Iterator[Verdict]:
        if all(axis.ordered for axis in self.table.domain.axes):
            answers = list(release.count(as_table(boxes)))
        else:
            answers = [release.count(box.asked) for box in boxes]
        for box, answer in zip(boxes, answers, strict=True):
            yield judged(f"count {kind}", answer, int(box.inside.sum()))

    def quantiles(self, release: Any) -> Iterator[Verdict]:
        for place, (name, axis) in enumerate(self.table.domain.items()):
            if not axis.ordered or not len(self.table.rows):
                continue
            try:
                found = release.quantile(name, SHARES)
            except NotAnswerable:
                continue
            for answer, truth in zip(found, true_quantiles(self.table.rows[:, place]), strict=True):
                low, high = answer.interval
                yield Verdict(
                    "quantile",
                    close_or_below(low, truth) and close_or_below(truth, high),
                    abs(answer.value - truth),
                    (high - low) / 2,
                    float("nan"),
                )

    def groups(self, release: Any) -> Iterator[Verdict]:
        """Tables of groups along each axis with declared bins."""
        for place, (name, axis) in enumerate(self.table.domain.items()):
            if axis.continuous or axis.bins > 200:
                continue
            frame = release.group_by(name)
            counts = np.bincount(self.table.indexed.rows[:, place], minlength=axis.bins)
            cuts = release.project(name).grid.cuts(0)
            truth = np.add.reduceat(counts, cuts[:-1])
            for true, value, low, high in zip(
                truth, frame["value"], frame["lower"], frame["upper"], strict=True
            ):
                yield Verdict(
                    "group",
                    close_or_below(low, true) and close_or_below(true, high),
                    abs(value - true),
                    (high - low) / 2,
                    float("nan"),
                )

    def averages(self, release: Any) -> Iterator[Verdict]:
        """Averages of each numeric axis over the larger boxes, where rows can be divided by."""
        kinds = [kind for kind in self.boxes if kind.startswith(("medium", "large"))]
        for place, (name, axis) in enumerate(self.table.domain.items()):
            if isinstance(axis, Category):
                continue
            for box in [box for kind in kinds for box in self.boxes[kind][:10]]:
                if not box.inside.any():
                    continue
                try:
                    answer = release.average(name, box.asked)
                except NotAnswerable:
                    continue
                yield judged("average", answer, float(self.table.rows[box.inside, place].mean()))


def judged(question: str, answer: Any, truth: float) -> Verdict:
    low, high = answer.interval
    alone = getattr(answer, "noise_interval", answer.interval)
    holds = close_or_below(low, truth) and close_or_below(truth, high)
    return Verdict(
        question, holds, abs(answer.value - truth), (high - low) / 2, (alone[1] - alone[0]) / 2
    )


def close_or_below(low: float, high: float) -> bool:
    return bool(low <= high + 1e-9 * (1 + abs(high)))
