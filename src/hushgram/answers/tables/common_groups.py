"""Views of two releases with the same groups, whatever parts each of them measured.

Groups end where slices of both releases end. A continuous axis that the two cut at different places
is cut evenly instead; groups then cut parts, and their errors allow for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.counting.question import check_names
from hushgram.answers.tables.views import (
    MAX_CELLS,
    Bins,
    Chosen,
    Names,
    between,
    bins_of,
    boxed_layout,
    even_cuts,
    names_of,
    sum_out,
    view,
)
from hushgram.declare.axis import Axis
from hushgram.errors import NotAnswerable, QuestionError
from hushgram.geometry.partition import Boxed, Ints, Lattice

if TYPE_CHECKING:
    from hushgram.release import Release

EVEN = 16
"""The number of slices of a continuous axis that two releases cut at different places."""


def common_groups(
    first: Release, second: Release, axes: Names, bins: Bins
) -> tuple[Release, Release]:
    """A view of each release, with the same groups in the same order."""
    names = names_of(axes) if axes else [name for name in first.domain if name in second.domain]
    for release in (first, second):
        check_names(release.domain, names)
    if not names:
        raise QuestionError(
            f"The releases have no axis in common: {', '.join(map(repr, first.domain))} and "
            f"{', '.join(map(repr, second.domain))}."
        )
    if len(set(names)) < len(names):
        raise QuestionError("An axis is named twice. Name each axis to compare by once.")
    sides = [common_slices(first, second, name, bins_of(bins, name)) for name in names]
    return (
        grouped_view(first, dict(zip(names, (one for one, _ in sides), strict=True)), names),
        grouped_view(second, dict(zip(names, (one for _, one in sides), strict=True)), names),
    )


def grouped_view(release: Release, kept: dict[str, Chosen], names: Sequence[str]) -> Release:
    rest = {name: sum_out(axis) for name, axis in release.domain.items()}
    return view(release, {**rest, **kept}, names)


def common_slices(
    first: Release, second: Release, name: str, wanted: int | None
) -> tuple[Chosen, Chosen]:
    """The common slices of one axis in both releases."""
    one, other = first.domain[name], second.domain[name]
    if not one.ordered or one.other != other.other:
        if one != other:
            raise QuestionError(
                f"Axis {name!r} has different values in the two releases. Compare by other axes, "
                f"or give both the same groups first: release.rollup({name}={{…}})."
            )
        return between(one, np.arange(one.size + 1)), between(other, np.arange(other.size + 1))
    if not other.ordered:
        raise QuestionError(
            f"Axis {name!r} is ordered in one release and not in the other. Compare by other axes."
        )
    cuts = [own_cuts(boxed_layout(release), name, wanted) for release in (first, second)]
    edges = [edges_at(axis, cut) for axis, cut in zip((one, other), cuts, strict=True)]
    if edges[0][0] != edges[1][0] or edges[0][-1] != edges[1][-1]:
        raise QuestionError(
            f"Axis {name!r} has different bounds in the two releases: {edges[0][0]} to "
            f"{edges[0][-1]}, and {edges[1][0]} to {edges[1][-1]}. Cut both to the same range "
            f"first: release.slice({name}=(lo, hi))."
        )
    shared = set(edges[0]) & set(edges[1])
    if len(shared) == 2 and min(map(len, edges)) > 2:
        if one != other or not one.continuous:
            raise NotAnswerable(
                f"The bins of axis {name!r} have only their ends in common. Compare by other axes."
            )
        even = even_cuts(one, EVEN)
        return between(one, even), between(one, even)
    first_cuts, second_cuts = (
        np.array([cut for cut, edge in zip(cut, edge, strict=True) if edge in shared])
        for cut, edge in zip(cuts, edges, strict=True)
    )
    return with_other(one, first_cuts), with_other(other, second_cuts)


def own_cuts(layout: Boxed, name: str, wanted: int | None) -> Ints:
    """The possible ends of slices of an axis, without "other"."""
    axis, place = layout.domain[name], layout.domain.names.index(name)
    if wanted is not None and wanted < axis.declared:
        cuts = even_cuts(axis, wanted)
    elif isinstance(layout, Lattice):
        cuts = layout.cuts(place)
    else:
        cuts = even_cuts(axis, min(axis.declared, EVEN if axis.continuous else MAX_CELLS))
    return np.asarray(cuts[: len(cuts) - axis.other])


def with_other(axis: Axis, cuts: Ints) -> Chosen:
    return between(axis, np.append(cuts, axis.size) if axis.other else cuts)


def edges_at(axis: Axis, cuts: Ints) -> list[Any]:
    """Cuts as values: numbers or dates."""
    return list(axis.whole.edges_at(cuts + axis.offset))
