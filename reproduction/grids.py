"""Run experiments of papers as grids of the evaluation. NONPRIVATE."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from tempfile import TemporaryDirectory
from typing import NamedTuple

from hushgram.lab.evaluate.contender import Contender
from hushgram.lab.evaluate.data import DataSet
from hushgram.lab.evaluate.grid import ExperimentGrid
from hushgram.lab.evaluate.measures import ALL
from hushgram.lab.evaluate.work import run
from hushgram.mechanisms.base import Mechanism
from reproduction.judged import Runs


class Place(NamedTuple):
    """A position in a grid."""

    name: str
    epsilon: str
    workload: str


def measure_grid(
    data: DataSet,
    mechanisms: Mapping[str, str | Mechanism],
    epsilons: Sequence[str],
    workloads: Sequence[str],
    measure: str,
    runs: int,
) -> dict[Place, Runs]:
    """Measure mechanisms over all questions. Returns one number per run, with mechanisms by their
    labels."""
    grid = ExperimentGrid([data], list(mechanisms.values()), epsilons, workloads, [measure], runs)
    names = {Contender.of(one).label: name for name, one in mechanisms.items()}
    texts = {float(epsilon): epsilon for epsilon in epsilons}
    with TemporaryDirectory() as folder:
        rows = run(grid, folder).table.to_pylist()
    found: dict[Place, list[float]] = defaultdict(list)
    for row in rows:
        if row["size"] == ALL:
            place = Place(names[row["mechanism"]], texts[row["epsilon"]], row["workload"])
            found[place].append(row["value"])
    return dict(found)
