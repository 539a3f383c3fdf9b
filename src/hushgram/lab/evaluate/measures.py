"""Error measures. NONPRIVATE: they are computed from true counts.

Measures of answers are computed over all questions of a workload and over each of its groups, so
the mean squared error by range size is ``mse`` on the workload ``sizes``. Measures of the release
itself do not use the questions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from hushgram.answers.learning.distances import distance
from hushgram.declare.axis import Floats
from hushgram.errors import BadInput, MissingExtra, NotAnswerable
from hushgram.geometry.partition import Grid, Ints
from hushgram.lab.distances import distance_from_truth
from hushgram.lab.evaluate.data import DataSet
from hushgram.lab.evaluate.workloads import Questions
from hushgram.mechanisms.estimate import Estimate
from hushgram.queries import Measurement
from hushgram.release import Release

ALL = "all"
"""The group of all questions."""

RHO = 0.001
"""If the true count is smaller than this share of all rows, relative errors refer to that (002)."""

COVERED = 100
"""The number of questions whose intervals are checked, evenly spread over the workload."""


@dataclass(frozen=True, eq=False)
class RunOutcome:
    """A release with its true counts and the questions. NONPRIVATE."""

    data: DataSet
    questions: Questions
    true: Floats
    release: Release
    seconds: float = 0.0

    @cached_property
    def cells(self) -> Floats:
        return np.asarray(self.release.to_array(), dtype=np.float64)

    @cached_property
    def errors(self) -> Floats:
        return self.questions.ask(self.release, self.cells) - self.true

    @cached_property
    def held(self) -> Floats:
        """1 if the stated interval contains the true answer, 0 if not, NaN for questions that are
        not checked."""
        groups = [np.arange(len(self.questions)), *self.questions.members.values()]
        places = np.unique(np.concatenate([spread(group) for group in groups]))
        low, high = self.questions.intervals(self.release, places)
        true = self.true[places]
        near = 1e-9 * np.maximum(np.abs(true), 1)
        found = np.full(len(self.questions), np.nan)
        found[places] = (low <= true + near) & (true - near <= high)
        return found

    @cached_property
    def groups(self) -> Ints:
        """The number of each cell's part, or group of parts, which shares its rows evenly."""
        estimate = self.release.estimate
        indices = np.indices(self.data.shape).reshape(len(self.data.shape), -1)
        parts = estimate.partition.parts(list(indices))
        groups = estimate.inference.groups()
        return parts if groups is None else groups.labels[parts]

    @cached_property
    def grouped(self) -> Floats:
        """The true counts, averaged over each group: the release without noise."""
        true = self.data.counts.reshape(-1).astype(np.float64)
        means = np.bincount(self.groups, true) / np.maximum(np.bincount(self.groups), 1)
        return np.asarray(means[self.groups].reshape(self.data.shape))


class AnswerErrors(NamedTuple):
    """The errors of some questions, and their true answers."""

    errors: Floats
    true: Floats
    rows: int


OfAnswers = Callable[[AnswerErrors], float]
OfRelease = Callable[[RunOutcome], float]


def l1(found: AnswerErrors) -> float:
    """Mean absolute error of a question: ‖Wx − Wx̂‖₁ / questions."""
    return float(np.abs(found.errors).mean())


def l2(found: AnswerErrors) -> float:
    """Euclidean error per question: ‖Wx − Wx̂‖₂ / questions."""
    return float(np.linalg.norm(found.errors) / len(found.errors))


def mse(found: AnswerErrors) -> float:
    """Mean squared error of a question (003)."""
    return float((found.errors**2).mean())


def scaled_error(found: AnswerErrors) -> float:
    """DPBench's scaled error: ‖Wx − Wx̂‖₂ / questions / rows."""
    return l2(found) / max(found.rows, 1)


def relative(found: AnswerErrors) -> float:
    """Mean relative error, |error| / max(true, ρ rows) with ρ = 0.001 (002)."""
    floor = np.maximum(found.true, max(RHO * found.rows, 1e-9))
    return float((np.abs(found.errors) / floor).mean())


def median(found: AnswerErrors) -> float:
    """Median absolute error of a question (004)."""
    return float(np.median(np.abs(found.errors)))


def worst(found: AnswerErrors) -> float:
    """Largest absolute error of a question: a release is (ε, δ)-useful for these questions if this
    is at most ε in all but δ of the runs (004)."""
    return float(np.abs(found.errors).max())


def bias(found: AnswerErrors) -> float:
    """Mean error of a question, with its sign: negative if too few rows are counted."""
    return float(found.errors.mean())


def coverage(outcome: RunOutcome, places: Ints) -> float:
    """Share of questions whose 95 % interval contains the true answer, of at most 100."""
    return float(outcome.held[spread(places)].mean())


def spread(places: Ints) -> Ints:
    """Return at most `COVERED` of the places, evenly spread."""
    chosen = np.linspace(0, len(places) - 1, min(COVERED, len(places)))
    return places[chosen.astype(np.int64)]


def kl(outcome: RunOutcome) -> float:
    """Kullback-Leibler divergence of the true shares from the release's, in nats (003). Zeros are
    avoided by norm-sub, then by adding one evenly spread row to both."""
    cells = Grid.of_cells(outcome.release.domain)
    counts = outcome.data.counts.reshape(-1).copy()
    truth = Estimate.direct(Measurement(cells, counts, 0.0, Fraction(0)))
    return distance(truth, outcome.release, "kl")


def emd(outcome: RunOutcome) -> float:
    """Earth mover's distance of the shares from the true ones, in cells (000)."""
    return distance_from_truth(outcome.release, outcome.data.counts, "emd")


def structure(outcome: RunOutcome) -> float:
    """Structure error: squares of the true counts less their group's mean, added up (001)."""
    return squares(outcome.grouped, outcome.data.counts)


def noise(outcome: RunOutcome) -> float:
    """Noise error: squares of the released counts less the true group's mean, added up (001)."""
    return squares(outcome.cells, outcome.grouped)


def total(outcome: RunOutcome) -> float:
    """Total error: squares of the released counts less the true ones, added up (001)."""
    return squares(outcome.cells, outcome.data.counts)


def squares(first: Any, second: Any) -> float:
    return float(((first - second) ** 2).sum())


def weighted_variance(outcome: RunOutcome) -> float:
    """Weighted variance V = Σ x_i V_i over parts: the variance of true counts inside each part, or
    group of cells that share one value, times its rows (004). 0 if every cell has its own value, as
    with least squares."""
    true = outcome.data.counts.reshape(-1).astype(np.float64)
    sizes = np.maximum(np.bincount(outcome.groups), 1)
    spread = np.bincount(outcome.groups, (true - outcome.grouped.reshape(-1)) ** 2) / sizes
    return float((np.bincount(outcome.groups, true) * spread).sum())


def smoothness(outcome: RunOutcome) -> float:
    """Smallest γ for which all parts are γ-smooth: the largest difference between two true counts
    of one part, or of a group of cells that share one value (004)."""
    true = outcome.data.counts.reshape(-1).astype(np.float64)
    most, least = np.full((2, int(outcome.groups.max()) + 1), [[-np.inf], [np.inf]])
    np.maximum.at(most, outcome.groups, true)
    np.minimum.at(least, outcome.groups, true)
    return float((most - least)[np.bincount(outcome.groups) > 0].max())


def seconds(outcome: RunOutcome) -> float:
    """CPU seconds of the mechanism, over all threads."""
    return outcome.seconds


OF_ROWS: dict[str, OfAnswers] = {"scaled": scaled_error, "relative": relative}
"""Measures only for answers that are numbers of rows."""

OF_ANSWERS: dict[str, OfAnswers] = {
    **OF_ROWS, "l1": l1, "l2": l2, "mse": mse, "median": median, "worst": worst, "bias": bias,
}  # fmt: skip

OF_RELEASE: dict[str, OfRelease] = {
    "kl": kl,
    "emd": emd,
    "structure": structure,
    "noise": noise,
    "total": total,
    "weighted-variance": weighted_variance,
    "smoothness": smoothness,
    "seconds": seconds,
}

MEASURES: dict[str, Callable[..., float]] = {**OF_ANSWERS, "coverage": coverage, **OF_RELEASE}

NO_ERROR = ("bias", "coverage", "seconds")
"""Measures for which smaller is not more accurate."""


class MeasuredValue(NamedTuple):
    """A measured value, and its group of questions."""

    measure: str
    size: str
    value: float


def check_measures(names: Sequence[str]) -> None:
    for name in names:
        if name not in MEASURES:
            raise BadInput(f"Unknown measure {name!r}. Use {', '.join(MEASURES)}.")


def measure_outcome(outcome: RunOutcome, names: Sequence[str]) -> Iterator[MeasuredValue]:
    """Compute every measure that fits the questions; NaN if the release has no rows, and so neither
    shares nor quantiles."""
    everything = np.arange(len(outcome.questions))
    groups = {ALL: everything, **outcome.questions.members}
    for name in names:
        if name in OF_RELEASE:
            yield MeasuredValue(name, ALL, or_nan(partial(OF_RELEASE[name], outcome)))
        elif outcome.questions.counts_rows or name not in OF_ROWS:
            for size, places in groups.items():
                yield MeasuredValue(name, size, or_nan(partial(of_answers, outcome, name, places)))


def or_nan(measure: Callable[[], float]) -> float:
    try:
        return measure()
    except NotAnswerable:
        return float("nan")


def of_answers(outcome: RunOutcome, name: str, places: Ints) -> float:
    if name == "coverage":
        return coverage(outcome, places)
    found = AnswerErrors(outcome.errors[places], outcome.true[places], outcome.data.rows)
    return OF_ANSWERS[name](found)


def check_extras(names: Sequence[str], axes: int) -> None:
    """Raise for a missing package now, not after hours of work."""
    from importlib.util import find_spec

    if "emd" in names and axes > 1 and find_spec("ot") is None:
        raise MissingExtra("POT", "transport", "the measure emd of several axes")
