"""The inference of a view: that of the viewed estimate, followed by the view's sums.

::

    measurements  -- inner.push -->  source's parts  -- view.add_up ---->  view's parts
    weights       <-- inner.pull --  weights         <-- view.spread_out --  weights

A view is linear in what it views. All errors are computed on the left, where the measurements are
independent, so all covariances are correct. Variances of all parts at once come from the inference
below all views, which computes those of many sums efficiently.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from hushgram.declare.axis import Floats
from hushgram.declare.domain import Domain
from hushgram.errors import BadInput, NotAnswerable
from hushgram.geometry.partition import (
    Boxed,
    Lattice,
    Partition,
    partition_from_json,
    whole_number,
)
from hushgram.mechanisms.inference.base import Inference
from hushgram.mechanisms.inference.stretches import Stretches
from hushgram.mechanisms.inference.view import View
from hushgram.queries import Measurement

MAX_DEPTH = 64
"""The most nested views: each calls the one below it."""


@dataclass(frozen=True, eq=False)
class Summed(Inference):
    """The inference of a view of an estimate with parts ``source``; see `View`."""

    kind: ClassVar[str] = "summed"
    inner: Inference
    source: Boxed
    sides: tuple[Stretches, ...]
    """The stretches of each axis of the source."""
    order: tuple[int, ...]
    """The axes that are kept, in the view's order; the others have one slice."""

    def __post_init__(self) -> None:
        if self.view.depth > MAX_DEPTH:
            raise NotAnswerable(
                f"This would be a view of a view, {self.view.depth} levels deep. At most "
                f"{MAX_DEPTH} are supported. Create the view from the release itself."
            )

    @cached_property
    def view(self) -> View:
        return View(self.source, self.sides, self.order, self.inner.view)

    @property
    def viewed(self) -> Inference:
        return self.inner.viewed

    @property
    def is_linear(self) -> bool:
        return self.inner.is_linear

    @property
    def noise_margin(self) -> float:
        return self.inner.noise_margin

    def push(self, measurements: Sequence[Measurement]) -> Floats:
        return self.view.add_up(self.inner.push(measurements))

    def pull(self, weights: Floats) -> Sequence[Floats]:
        return self.inner.pull(self.view.spread_out(weights))

    def terms(self, weights: Floats, measurements: Sequence[Measurement]) -> Floats:
        return self.inner.terms(self.view.spread_out(weights), measurements)

    def variances(self, measurements: Sequence[Measurement]) -> Floats:
        along = self.view.along
        norms = None if along is None else self.inner.slice_norms(along)
        if norms is not None:
            return measurements[0].variance * self.view.multiply(norms)
        return self.viewed.row_variances(self.view.rows, measurements)

    def check(self, partition: Partition, measurements: Sequence[Measurement]) -> None:
        shape = tuple(self.sides[axis].size for axis in self.order)
        if not isinstance(partition, Lattice) or partition.shape != shape:
            raise BadInput("The parts of a view must be the products of its slices.")
        self.inner.check(self.source, measurements)

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "domain": self.source.domain.to_json(),
            "layout": self.source.to_json(),
            "inference": self.inner.to_json(),
            "sides": [side.to_json() for side in self.sides],
            "order": list(self.order),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], measurements: Sequence[Measurement]) -> Summed:
        from hushgram.mechanisms.inference.kinds import inference_from_json

        inner = inference_from_json(data["inference"], measurements)
        domain = Domain.from_json(data["domain"])
        source = partition_from_json(domain, data["layout"])
        sides, order = tuple(map(Stretches.from_json, data["sides"])), tuple(data["order"])
        if not isinstance(source, Boxed) or len(sides) != len(domain):
            raise BadInput("A view needs boxes, with a side for each axis.")
        sizes = [axis.size for axis in domain.axes]
        if any(side.upper[-1] > size for side, size in zip(sides, sizes, strict=True)):
            raise BadInput("A view must be within the bounds of its source.")
        removed = set(range(len(sides))) - set(map(whole_number, order))
        if len(removed) + len(order) != len(sides) or any(sides[a].size > 1 for a in removed):
            raise BadInput("A view must use each axis at most once.")
        return cls(inner, source, sides, order)


def measured_domain(data: Mapping[str, Any], domain: Domain) -> Domain:
    """The domain of the measurements, below all views."""
    while data.get("kind") == Summed.kind:
        domain, data = Domain.from_json(data["domain"]), data["inference"]
    return domain
