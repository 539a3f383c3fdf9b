"""Transcript replay: does anything but the paid answers depend on the table? NONPRIVATE.

Run a mechanism on table A and record every query and noisy answer. Run it again on a neighbouring
table B, but answer with the recording. A private mechanism cannot distinguish the two: it asks the
same queries in the same order, and its release is identical to the byte. Only the exact vectors
behind the answers may differ, and no more than the noise is calibrated to: the sum over all answers
of |difference| / scale bounds the privacy loss.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any

import numpy as np

from hushgram.geometry.partition import Ints
from hushgram.queries import Query
from hushgram.trusted.engine.compiled.places import UPPER, RowPlaces
from hushgram.trusted.engine.occupied import Occupied
from hushgram.trusted.vault import TableVault
from hushgram.trusted.vault.operations import Operation

Exact = Ints | Occupied | RowPlaces


@dataclass(frozen=True)
class Step:
    """A query, its exact answer, and the noisy answer that the mechanism got."""

    question: Any
    exact: Exact
    scale: Fraction
    answer: Any


@dataclass
class Transcript:
    steps: list[Step] = field(default_factory=list)


class ReplayMismatch(AssertionError):
    """The second run asked different queries than the first."""


class RecordingVault(TableVault):
    """Answers as usual, and records the transcript."""

    transcript: Transcript

    @classmethod
    def over(cls, *arguments: Any, **more: Any) -> RecordingVault:
        vault = cls(*arguments, **more)
        vault.transcript = Transcript()
        return vault

    def _child(self, *arguments: Any) -> TableVault:
        child = super()._child(*arguments)
        assert isinstance(child, RecordingVault)
        child.transcript = self.transcript
        return child

    def _unquoted(self, steps: Callable[[], Any]) -> Any:
        return steps()

    def _perturb(self, operation: Operation, query: Query, exact: Exact) -> Any:
        answer = super()._perturb(operation, query, exact)
        step = Step(self._question(query), exact, self._scale(operation, query), answer)
        self.transcript.steps.append(step)
        return answer

    def _question(self, query: Query) -> Any:
        asked = [getattr(query, one.name) for one in fields(query)]  # type: ignore[arg-type]
        said = [one.to_json() if hasattr(one, "to_json") else one for one in asked]
        return type(query).__name__, self.domain.to_json(), said


class ReplayingVault(RecordingVault):
    """Answers with a recording, and records the exact answers of this table."""

    recording: Transcript

    @classmethod
    def of(cls, recording: Transcript, *arguments: Any, **more: Any) -> ReplayingVault:
        vault = cls(*arguments, **more)
        vault.transcript = Transcript()
        vault.recording = recording
        return vault

    def _child(self, *arguments: Any) -> TableVault:
        child = super()._child(*arguments)
        assert isinstance(child, ReplayingVault)
        child.recording = self.recording
        return child

    def _perturb(self, operation: Operation, query: Query, exact: Exact) -> Any:
        place = len(self.transcript.steps)
        question = self._question(query)
        if place >= len(self.recording.steps):
            raise ReplayMismatch(f"an extra query: {question}")
        recorded = self.recording.steps[place]
        if recorded.question != question:
            raise ReplayMismatch(f"asked {question} instead of {recorded.question}")
        scale = self._scale(operation, query)
        self.transcript.steps.append(Step(question, exact, scale, recorded.answer))
        return recorded.answer


def loss(first: Transcript, second: Transcript) -> Fraction:
    """Return an upper bound on the privacy loss, from the differences of the exact vectors."""
    if len(first.steps) != len(second.steps):
        raise ReplayMismatch("one run asked more queries than the other")
    total = Fraction(0)
    for a, b in zip(first.steps, second.steps, strict=True):
        moved = distance(a.exact, b.exact)
        if moved and not a.scale:
            raise ReplayMismatch("an answer without noise differs between neighbours")
        total += moved / a.scale if moved else 0
    return total


def distance(first: Exact, second: Exact) -> int:
    """Return the L1 distance between two exact vectors. If only occupied cells are given, all other
    cells have no rows."""
    if isinstance(first, RowPlaces) and isinstance(second, RowPlaces):
        both = np.concatenate([places(first), places(second)])
        signs = np.repeat([1, -1], [len(first.lows), len(second.lows)])
        return int(np.abs(Occupied.of(first.raster, both, signs).rows).sum())
    if isinstance(first, Occupied) and isinstance(second, Occupied):
        gone = Occupied(second.raster, second.cells, -second.rows)
        return int(np.abs(Occupied.together(first.raster, [first, gone]).rows.astype(object)).sum())
    assert not isinstance(first, Occupied | RowPlaces)
    assert not isinstance(second, Occupied | RowPlaces)
    return int(np.abs(first.astype(object) - second.astype(object)).sum())


def places(rows: RowPlaces) -> Ints:
    """Return every row's place, in order."""
    uppers = np.repeat(np.arange(len(rows.offsets) - 1), np.diff(rows.offsets))
    found: Ints = (uppers << UPPER) + rows.lows
    return found
