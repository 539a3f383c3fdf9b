"""The fields of a release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

from hushgram.declare.about import UNCREDITED, About
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Neighbours, Unit
from hushgram.errors import NotAnswerable
from hushgram.geometry.partition import Lattice
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.measured import Measured

if TYPE_CHECKING:
    from hushgram.release.release import Release


@dataclass(frozen=True, eq=False)
class Record:
    """The noisy counts, and how they were produced."""

    estimate: Estimate
    mechanism: str
    parameters: Mapping[str, Any]
    epsilon: Fraction
    unit: Unit
    neighbours: Neighbours
    receipt: Mapping[str, str] | None = None
    """The receipt of the ledger, or None if no permanent ledger was charged."""
    why: str = ""
    """Why this mechanism was chosen, if ``"auto"`` chose it."""
    where: str = ""
    """Which rows were counted, if not all rows of the table: ``region = north``."""
    about: About = UNCREDITED
    """Publisher, source, contact, licence and date, as far as the publisher gave them."""
    measured: tuple[Measured, ...] = ()
    """Sums that were measured in addition to the number of rows."""

    @property
    def domain(self) -> Domain:
        """The axes, with their public bounds."""
        return self.estimate.partition.domain

    @property
    def unaccounted(self) -> bool:
        """Whether no permanent ledger was charged for the release."""
        return self.receipt is None

    @property
    def grid(self) -> Lattice:
        """The grid of cells, if the parts form one."""
        layout = self.estimate.partition
        if not isinstance(layout, Lattice):
            raise NotAnswerable(
                f"A {layout.kind} layout has no bins along each axis, but {layout.size:,} "
                "parts of different shapes. Use to_pandas(), plot() or count() instead."
            )
        return layout

    @property
    def _release(self) -> Release:
        """The same object as a release, for the functions that the methods call."""
        return cast("Release", self)
