"""Audit mechanisms end to end, on neighbouring tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from hushgram.declare.axis import Category, Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.errors import DomainError
from hushgram.geometry.partition import Ints
from hushgram.lab.audit.finding import Finding
from hushgram.lab.bound import lower_bound
from hushgram.lab.memory import IndexedTable
from hushgram.lab.stock import Stocked
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.estimate import Estimate
from hushgram.trusted.noise import Noise
from hushgram.trusted.vault import TableVault


@dataclass(frozen=True)
class MechanismPair:
    """Two neighbouring tables, and the row by which they differ."""

    name: str
    first: IndexedTable
    second: IndexedTable
    row: Ints


def mechanism_pairs(mechanism: Mechanism, *, fast: bool = True) -> Iterator[MechanismPair]:
    """Yield tables with a row added in an empty cell of a line. Unless ``fast``, also at a size
    where the papers' rules for N change, in an empty table and in a heavy cell, and all of these on
    planes too."""
    line = Domain(x=Integer(0, 7))
    plane = Domain(x=Interval(0, 1, resolution=64), y=Interval(0, 1, resolution=64))
    mixed = Domain(x=Interval(0, 1, resolution=16), sex=Category(("F", "M"), outside="other"))
    for place, domain in {"line": line, "plane": plane, "mixed": mixed}.items():
        if not accepts(mechanism, domain):
            continue
        corner = np.zeros(len(domain), dtype=np.int64)
        far = np.array(domain.shape) - 1
        cases = {
            "empty cell": (40, far),
            "threshold": (1102, far),
            "empty table": (0, far),
            "heavy cell": (40, corner),
        }
        for name, (count, row) in cases.items():
            if not fast or (place, name) == ("line", "empty cell"):
                rows = corner[np.newaxis].repeat(count, axis=0)
                yield neighbours_by(domain, rows, row, f"{place}, {name}")


def accepts(mechanism: Mechanism, domain: Domain) -> bool:
    try:
        mechanism.check(domain)
    except DomainError:
        return False
    return True


def neighbours_by(domain: Domain, rows: Ints, row: Ints, name: str) -> MechanismPair:
    more = IndexedTable(domain, np.concatenate([rows, row[np.newaxis]]))
    return MechanismPair(name, more, IndexedTable(domain, rows), row)


def audit_mechanism(
    mechanism: Mechanism, pair: MechanismPair, runs: int, alpha: float, epsilon: Fraction
) -> Finding:
    """Audit a mechanism end to end: a vault, the mechanism, and features of its estimates."""
    noise = Stocked()
    features = [
        np.array([run_once(mechanism, table, pair.row, epsilon, noise) for _ in range(runs // 2)])
        for table in (pair.first, pair.second)
    ]
    bound = lower_bound(features[0], features[1], alpha)
    return Finding(mechanism.name, pair.name, float(epsilon), bound)


def run_once(
    mechanism: Mechanism, table: IndexedTable, row: Ints, epsilon: Fraction, noise: Noise
) -> Any:
    vault = TableVault(
        table,
        table.domain,
        epsilon,
        unit=Rows(),
        neighbours="add-remove",
        noise=noise,
    )
    return features_of(mechanism.estimate(vault), row)


def features_of(estimate: Estimate, row: Ints) -> list[float]:
    """Return what an attacker would look at: the total, the value of the row's part, its difference
    to and sum with the part before, and the number of parts."""
    values = estimate.values
    part = int(estimate.partition.parts([row[axis : axis + 1] for axis in range(len(row))])[0])
    here, before = float(values[part]), float(values[part - 1])
    return [float(values.sum()), here, here - before, here + before, float(len(values))]
