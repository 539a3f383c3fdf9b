"""Reading any `Measurable` from its description in a release. A new kind is one line here."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from typing import Any

from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.measured.contrasts import Contrasts
from hushgram.geometry.measured.nested_nodes import NestedNodes
from hushgram.geometry.measured.sorted_cells import SortedCells
from hushgram.geometry.measured.sorted_groups import SortedGroups
from hushgram.geometry.measured.weighted_nodes import WeightedNodes
from hushgram.geometry.partition import Measurable, partition_from_json

READERS: dict[str, Callable[[Domain, Mapping[str, Any]], Measurable]] = {
    Contrasts.kind: Contrasts.from_json,
    SortedGroups.kind: SortedGroups.from_json,
    SortedCells.kind: SortedCells.from_json,
    WeightedNodes.kind: WeightedNodes.from_json,
    NestedNodes.kind: NestedNodes.from_json,
}
"""The readers of measurables that are not partitions, by kind."""


def measurable_from_json(domain: Domain, data: Mapping[str, Any]) -> Measurable:
    """The measurable that `Measurable.to_json` described, whether a partition or not."""
    try:
        reader = READERS.get(data["kind"], partition_from_json)
        return reader(domain, data)
    except (KeyError, OverflowError, TypeError, ValueError, zlib.error) as error:
        if isinstance(error, DomainError):
            raise
        raise DomainError(f"Cannot read a measurement: {error}.") from None
