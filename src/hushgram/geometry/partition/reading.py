"""Reading partitions from a release."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from hushgram.base.packing import unpack, whole_number
from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.partition.base import MAX_PARTS, Partition, too_many
from hushgram.geometry.partition.boxes import Boxes
from hushgram.geometry.partition.lattice import Cuts, Grid, Lattice, Raster
from hushgram.geometry.partition.merged import Merged
from hushgram.geometry.partition.refined import Refined


def partition_from_json(domain: Domain, data: Mapping[str, Any]) -> Partition:
    """The partition of a domain that `Partition.to_json` described."""
    try:
        if data["kind"] in (Grid.kind, Cuts.kind):
            return lattice_from_json(domain, data)
        if data["kind"] == Boxes.kind:
            return boxes_from_json(domain, data)
        grid = lattice_from_json(domain, data["grid"])
        if data["kind"] == Refined.kind and isinstance(grid, Grid):
            sizes = unpack(data["sizes"], grid.size * len(domain))
            return Refined(grid, sizes.reshape(grid.size, len(domain)))
        if data["kind"] == Merged.kind:
            return Merged(grid, unpack(data["labels"], grid.size))
        raise DomainError(f"Unknown kind of partition {data['kind']!r}.")
    except (KeyError, OverflowError, TypeError, ValueError, zlib.error) as error:
        if isinstance(error, DomainError):
            raise
        raise DomainError(f"Cannot read a partition: {error}.") from None


def boxes_from_json(domain: Domain, data: Mapping[str, Any]) -> Boxes:
    nodes = whole_number(data["nodes"])
    if not 1 <= nodes <= 2 * MAX_PARTS:
        raise DomainError(too_many(nodes))
    raster = Raster(domain, tuple(map(whole_number, data["raster"]["slices"])))
    return Boxes(raster, unpack(data["axes"], nodes), unpack(data["cuts"], nodes))


def lattice_from_json(domain: Domain, data: Mapping[str, Any]) -> Lattice:
    if data["kind"] != Cuts.kind:
        return Grid(domain, tuple(map(whole_number, data["slices"])))
    found = []
    for slices, widths in zip(map(whole_number, data["slices"]), data["widths"], strict=True):
        if not 1 <= slices <= MAX_PARTS:
            raise DomainError(too_many(slices))
        found.append(np.concatenate([[0], np.cumsum(unpack(widths, slices - 1))]))
    return Cuts(domain, tuple(found))
