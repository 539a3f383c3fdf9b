"""Groups of parts with the same value."""

from __future__ import annotations

from dataclasses import dataclass

from hushgram.geometry.partition import Boxes, Ints


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of an estimate's parts that have the same value, because they were pooled, clustered
    or averaged."""

    labels: Ints
    """The group of each part, numbered from 0."""
    boxes: Boxes | None = None
    """The groups as boxes, in order, if each is one."""
