"""A sealed table with a budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from hushgram.declare.amount import Amount
from hushgram.declare.domain import Domain
from hushgram.declare.epsilon import budget_exceeded, is_price
from hushgram.declare.unit import Neighbours, Unit
from hushgram.errors import BadInput
from hushgram.geometry.measured.contrasts import Contrasts
from hushgram.geometry.measured.curve import Curve
from hushgram.geometry.measured.nested_nodes import NestedNodes
from hushgram.geometry.measured.sorted_cells import Inside, SortedCells
from hushgram.geometry.measured.sorted_groups import SortedGroups
from hushgram.geometry.measured.weighted_nodes import WeightedNodes
from hushgram.geometry.partition import Boxes, Cuts, Grid, Ints, Merged, Partition, Raster, Refined
from hushgram.queries import Query
from hushgram.trusted.engine.compiled.places import RowPlaces
from hushgram.trusted.engine.occupied import Occupied
from hushgram.trusted.engine.table import Table
from hushgram.trusted.noise import Noise, variance
from hushgram.trusted.vault.operations import OPERATIONS, Operation
from hushgram.trusted.vault.sensitivity import Sensitivity
from hushgram.trusted.vault.unquoted import unquoted

GEOMETRY = {
    Amount, Boxes, Contrasts, Curve, Cuts, Grid, Inside, Merged, NestedNodes, Raster, Refined,
    SortedCells, SortedGroups, WeightedNodes,
}  # fmt: skip
PLAIN = {Domain, Fraction, bool, float, int, np.ndarray, str, tuple, type(None)}
"""The types of which queries consist."""


class TableVault:
    """Answers a mechanism's queries until its budget is spent.

    The ledger was charged for the whole budget before the vault was opened, and the vault never
    spends more than that. It counts no more rows of each person than its noise is calibrated to. A
    ``nested`` vault has a part of a table whose rows are already bounded.
    """

    def __init__(
        self,
        table: Table,
        domain: Domain,
        epsilon: Fraction,
        *,
        unit: Unit,
        neighbours: Neighbours,
        noise: Noise,
        nested: bool = False,
    ) -> None:
        self._table = table if nested else table.bound_to(domain, unit)
        self._noise = noise
        self._domain = domain
        self._epsilon = epsilon
        self._remaining = epsilon
        self._part = partial(type(self), unit=unit, neighbours=neighbours, noise=noise, nested=True)
        self._sensitivity = Sensitivity(unit, neighbours, table.loses_rows(domain), nested)

    @property
    def domain(self) -> Domain:
        return self._domain

    @property
    def epsilon(self) -> Fraction:
        return self._epsilon

    @property
    def remaining(self) -> Fraction:
        return self._remaining

    def ask(self, query: Any) -> Any:
        """Charge, then count, then add noise: here and nowhere else."""
        operation = operation_for(query)
        operation.check(query, self._domain)
        check_known(query)
        self._charge(query.epsilon)
        return self._unquoted(lambda: self._count_with_noise(operation, query))

    def _unquoted(self, steps: Callable[[], Any]) -> Any:
        """Run steps whose errors must not quote rows. Replay checks override this: they may."""
        return steps() if self._table.rowless else unquoted(steps)

    def _count_with_noise(self, operation: Operation, query: Any) -> Any:
        exact = operation.count(query, self._table, self._domain)
        if not self._remaining:
            self._table.forget()
        return self._perturb(operation, query, exact)

    def variance(self, query: Query) -> float:
        operation = operation_for(query)
        if not operation.additive:
            raise BadInput(f"Answers to {type(query).__name__} have no noise variance.")
        scale = self._scale(operation, query)
        return variance(scale) if scale else 0.0

    def split(self, partition: Partition, epsilon: Fraction) -> Sequence[TableVault]:
        """Parallel composition over the cells of a grid (``docs/proofs/split.md``)."""
        check_known(partition)
        if not isinstance(partition, Grid) or partition.domain != self._domain:
            raise BadInput("A vault can only be split along a grid of its own domain.")
        self._charge(epsilon)
        return [self._child(box, epsilon) for box in zip(*partition.boxes(), strict=True)]

    def _child(self, box: tuple[Ints, Ints], epsilon: Fraction) -> TableVault:
        sides = [(int(start), int(stop)) for start, stop in zip(*box, strict=True)]
        return self._part(self._table, self._domain.box(sides), epsilon)

    def _charge(self, epsilon: Fraction) -> None:
        self._remaining = deduct(epsilon, self._remaining, "query", "the vault")

    def _scale(self, operation: Operation, query: Query) -> Fraction:
        return operation.sensitivity(query, self._sensitivity) / query.epsilon

    def _perturb(
        self, operation: Operation, query: Query, exact: Ints | Occupied | RowPlaces
    ) -> Any:
        """Add the noise. The replay checks in `hushgram.lab` override this, to compare the exact
        vectors."""
        scale = self._scale(operation, query)
        return operation.answer(query, operation.perturb(query, exact, scale, self._noise), scale)


def check_known(value: Any) -> None:
    """Refuse partitions and measurements that the proofs do not cover, before anything is charged.
    They add up true counts, so a class of another package could read these, or count rows twice.

    Of those that are accepted, only the fields matter: anything else that was stored in them is
    removed, methods included, and what follows from the fields is checked and computed again.
    """
    kind: Any = type(value)
    if kind in GEOMETRY or kind in OPERATIONS:
        own = {field.name: getattr(value, field.name) for field in fields(value)}
        for field in own.values():
            check_known(field)
        for name in vars(value).keys() - own.keys():
            vars(value).pop(name, None)
        if hasattr(value, "__post_init__"):
            value.__post_init__()
    elif kind not in PLAIN:
        raise BadInput(
            f"{kind.__name__} is not a built-in partition or measurement, and a vault "
            "counts no others. Use those of hushgram.geometry."
        )


def operation_for(query: Any) -> Operation:
    operation = OPERATIONS.get(type(query))
    if operation is None:
        raise BadInput(f"{type(query).__name__} is not a built-in query.")
    return operation


def deduct(epsilon: Fraction, remaining: Fraction, thing: str, payer: str) -> Fraction:
    """Return the exact remaining budget. Raises if the charge is not a positive fraction, or too
    large."""
    if not is_price(epsilon):
        raise BadInput(f"The cost of a {thing} must be a positive fraction. Found {epsilon!r}.")
    if epsilon > remaining:
        raise budget_exceeded(epsilon, remaining, payer)
    return remaining - epsilon
