"""Parts that share one value."""

from __future__ import annotations

from dataclasses import dataclass

from hushgram.geometry.partition import Boxes, Ints


@dataclass(frozen=True, eq=False)
class Groups:
    """Parts of an estimate that have one value together: they were pooled, clustered or averaged,
    and were not distinguished."""

    labels: Ints
    """The group of each part, numbered from 0."""
    boxes: Boxes | None = None
    """The groups as boxes, in order, if each is one."""
