"""Data x mechanisms x ε x workloads x runs, in a folder that can be resumed. NONPRIVATE.

A cell of the grid is a data set, a mechanism with its parameters, an ε, a workload and up to ten
runs. Its name is a hash of all these, and its results are in one Parquet file with that name. A
cell whose file exists is not run again, so a grid that was stopped resumes, and one with more runs,
mechanisms or data adds to existing results. Noise comes from the operating system and never
repeats; data and questions do.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import pyarrow as pa

from hushgram import __version__
from hushgram.declare.epsilon import as_epsilon
from hushgram.declare.unit import Neighbours, Rows, as_neighbours
from hushgram.errors import BadInput, DomainError
from hushgram.lab.evaluate.contender import Contender
from hushgram.lab.evaluate.data import DataSet, format_shape
from hushgram.lab.evaluate.measures import RunOutcome, check_extras, check_measures, measure_outcome
from hushgram.lab.evaluate.workloads import Questions, check_workloads, questions
from hushgram.mechanisms.base import Mechanism
from hushgram.release import Release
from hushgram.spending.job import Job, release_from_vault
from hushgram.trusted.engine.remembered import Remembered
from hushgram.trusted.engine.sources.counted import Counts, StandIn
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault

BLOCK = 10
"""The maximum number of runs of a cell."""

FORMAT = 1
"""The version of the file format, which is part of the names."""

MEASURES = ("scaled", "l1", "relative", "coverage")

LABEL = "NONPRIVATE"

SCHEMA = pa.schema(
    {
        "label": pa.string(),
        "data": pa.string(),
        "rows": pa.int64(),
        "shape": pa.string(),
        "mechanism": pa.string(),
        "parameters": pa.string(),
        "epsilon": pa.float64(),
        "workload": pa.string(),
        "size": pa.string(),
        "measure": pa.string(),
        "run": pa.int64(),
        "value": pa.float64(),
    }
)


@dataclass(frozen=True, eq=False)
class Cell:
    """One data set, mechanism, ε and workload, and some runs."""

    data: DataSet
    label: str
    mechanism: Mechanism
    epsilon: Fraction
    questions: Questions
    measures: tuple[str, ...]
    runs: range
    neighbours: Neighbours

    @cached_property
    def facts(self) -> dict[str, Any]:
        """Return everything that the results depend on, except for chance."""
        return {
            "format": FORMAT,
            "version": __version__,
            "data": [self.data.name, self.data.digest],
            "mechanism": [self.label, self.mechanism.name, self.mechanism.parameters()],
            "epsilon": str(self.epsilon),
            "workload": [self.questions.name, self.questions.digest],
            "measures": sorted(self.measures),
            "runs": [self.runs.start, self.runs.stop],
            "neighbours": self.neighbours,
        }

    @cached_property
    def key(self) -> str:
        text = json.dumps(self.facts, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    def results(self) -> pa.Table:
        """Run the cell: a row for every run, measure and group of questions."""
        rows = [row for number in self.runs for row in self._run(number)]
        columns = {name: [row[name] for row in rows] for name in SCHEMA.names}
        facts = {b"hushgram": LABEL.encode(), b"cell": json.dumps(self.facts).encode()}
        return pa.table(columns, schema=SCHEMA.with_metadata(facts))

    def _run(self, number: int) -> Iterator[dict[str, Any]]:
        started = time.process_time()
        release = self._release()
        spent = time.process_time() - started
        outcome = RunOutcome(self.data, self.questions, self._true, release, spent)
        for figure in measure_outcome(outcome, self.measures):
            yield {**self._shared, "run": number, **figure._asdict()}

    @cached_property
    def _shared(self) -> dict[str, Any]:
        return {
            "label": LABEL,
            "data": self.data.name,
            "rows": self.data.rows,
            "shape": format_shape(self.data.shape),
            "mechanism": self.label,
            "parameters": json.dumps(self.mechanism.parameters()),
            "epsilon": float(self.epsilon),
            "workload": self.questions.name,
        }

    @cached_property
    def _true(self) -> Any:
        return self.questions.true(self.data.counts)

    @cached_property
    def _table(self) -> Remembered:
        return Remembered(StandIn(Counts(self.data.counts)))

    def _release(self) -> Release:
        """Return what `hushgram.publish` would return for these counts, without a ledger."""
        job = Job(self.data.domain, self.epsilon, Rows(), self.neighbours)
        vault = TableVault(
            self._table,
            job.domain,
            job.epsilon,
            unit=job.unit,
            neighbours=job.neighbours,
            noise=Native(),
        )
        return release_from_vault(self.mechanism, vault, job, None)


@dataclass(frozen=True)
class ExperimentGrid:
    """The combinations to compare.

    Parameters
    ----------
    data
        Data sets: see `data_set`, or ``DataSet(name, counts)``.
    mechanisms
        Names, names with parameters (``"dpcube:estimator=uniform"``), ``"auto"``, or instances.
    epsilons, workloads, measures
        All combinations are run. See ``WORKLOADS`` and ``MEASURES``.
    runs
        The number of runs of each combination, with fresh noise.
    neighbours
        ``"add-remove"`` or ``"replace-one"``.

    A mechanism that refuses a domain is skipped there; ``skipped`` says where and why.
    """

    data: Sequence[DataSet]
    mechanisms: Sequence[str | Mechanism]
    epsilons: Sequence[Any] = ("0.1", "1")
    workloads: Sequence[str] = ("ranges",)
    measures: Sequence[str] = MEASURES
    runs: int = 10
    neighbours: str = "add-remove"
    skipped: list[dict[str, str]] = field(default_factory=list, init=False, compare=False)

    def __post_init__(self) -> None:
        """Raise for invalid options, before anything runs."""
        check_measures(self.measures)
        check_workloads(self.workloads)
        as_neighbours(self.neighbours)
        for written_ in self.mechanisms:
            Contender.of(written_)
        for epsilon in self.epsilons:
            as_epsilon(epsilon)
        if self.runs < 1:
            raise BadInput(f"runs must be a positive whole number. Found {self.runs}.")
        for set_ in self.data:
            check_extras(self.measures, len(set_.shape))

    @cached_property
    def cells(self) -> list[Cell]:
        """Return all cells, grouped by data set."""
        epsilons = [as_epsilon(one) for one in self.epsilons]
        blocks = [range(k, min(k + BLOCK, self.runs)) for k in range(0, self.runs, BLOCK)]
        neighbours = as_neighbours(self.neighbours)
        found = [
            Cell(set_, label, mechanism, epsilon, asked, tuple(self.measures), block, neighbours)
            for set_ in self.data
            for asked in [questions(name, set_.shape) for name in dict.fromkeys(self.workloads)]
            for label, mechanism in self._accepted_mechanisms(set_)
            for epsilon in dict.fromkeys(epsilons)
            for block in blocks
        ]
        if not found:
            reason = self.skipped[0]["reason"] if self.skipped else "no data or no mechanism."
            raise BadInput(f"There is nothing to run: {reason}")
        return list({cell.key: cell for cell in found}.values())

    def _accepted_mechanisms(self, set_: DataSet) -> list[tuple[str, Mechanism]]:
        found = []
        for contender in map(Contender.of, self.mechanisms):
            try:
                found.append((contender.label, contender.on(set_.domain)))
            except DomainError as error:
                entry = {"data": set_.name, "mechanism": contender.label, "reason": str(error)}
                if entry not in self.skipped:
                    self.skipped.append(entry)
        return found
