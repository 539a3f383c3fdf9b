"""What a page holds of a release: its axes, its parts, what errors follow from, and facts about it.

All of it is in the release file, or follows from what is there: anyone may have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.counting.intervals import TERMS, tabulate_quantiles
from hushgram.answers.tables.magnitudes import rounding
from hushgram.base.exact import format_number
from hushgram.data import outlines
from hushgram.declare.axis import Axis, Category, Date, Floats, Variable
from hushgram.declare.axis.areas import Areas
from hushgram.declare.axis.category import to_text
from hushgram.declare.axis.text import ends_of
from hushgram.declare.degrees import map_of
from hushgram.errors import NotAnswerable
from hushgram.geometry.partition import Boxed, Ints
from hushgram.mechanisms.measured import Measured
from hushgram.web.explorer.evidence import describe_layout, describe_unevenness
from hushgram.web.explorer.noise import describe_noise
from hushgram.web.explorer.packing import Packing
from hushgram.web.explorer.shapes import describe_axis_shapes

if TYPE_CHECKING:
    from hushgram.release.release import Release

Described = dict[str, Any]

CONFIDENCES = (0.8, 0.9, 0.95, 0.99)
"""The confidence levels that a reader can choose from."""


def describe_release(release: Release, file: str, packing: Packing) -> Described:
    """Everything that the scripts need to know about one release."""
    estimate = release.estimate
    layout = estimate.partition
    if not isinstance(layout, Boxed):
        raise NotAnswerable(f"Cannot explore a {layout.kind} layout: it does not support counts.")
    degrees = map_of(release.domain)
    reconstruction = describe_reconstruction(release, packing)
    return {
        "file": file,
        "axes": [describe_axis(name, axis, packing) for name, axis in release.domain.items()],
        "layout": describe_layout(layout, packing),
        "noise": describe_noise(estimate, packing),
        "noiseMargin": estimate.inference.noise_margin,
        "unevenness": describe_unevenness(estimate, packing),
        "reconstruction": reconstruction,
        "measures": [describe_measure(one, packing) for one in release.measured],
        "whyWide": release.count().why_wide,
        "map": list(degrees) if degrees else None,
        "facts": facts_of(release),
    }


def facts_of(release: Release) -> Described:
    """What is said about the release."""
    unit, neighbours = release.unit, release.neighbours
    return {
        "mechanism": release.mechanism,
        "epsilon": format_number(release.epsilon),
        "unit": str(unit),
        "neighbours": str(neighbours),
        "parts": release.estimate.partition.size,
        "where": release.where,
        "receipt": release.receipt["id"] if release.receipt else "",
        **asdict(release.about),
    }


def describe_axis(name: str, axis: Axis, packing: Packing) -> Described:
    """An axis: how values become indices, and which of these there are."""
    whole = axis.whole
    found: Described = {
        "name": name,
        "kind": whole.kind,
        "bins": whole.bins,
        "offset": axis.offset,
        "size": axis.size,
        "declared": axis.declared,
        "ordered": axis.ordered,
        "continuous": axis.continuous,
        "window": whole is not axis,
        "other": whole.other,
    }
    if isinstance(whole, Category):
        kind = type(whole.values[0]).__name__
        found |= {"values": [to_text(value) for value in whole.values], "type": kind}
        if isinstance(whole, Areas):
            found["levels"] = [
                {"name": level.name, "groups": list(level.groups)} for level in whole.levels
            ]
            found["shapes"] = describe_axis_shapes(whole, packing)
        return found
    if isinstance(whole, Variable):
        return {**found, "edges": list(whole.edges)}
    if isinstance(whole, Date):
        step = {"months": whole.months} if whole.monthly else {"step": whole.microseconds / 1e6}
        return {**found, "first": whole.moment(0) / 1e6, "days": whole.whole_days, **step}
    given = whole.to_json()
    found |= {"lo": given["lo"], "hi": given["hi"]}
    return found


def describe_measure(measured: Measured, packing: Packing) -> Described:
    """What was measured of a column: of each part, how far its rows are above the centre."""
    amount, estimate, ends = measured.amount, measured.estimate, measured.ends
    layout = estimate.partition
    if not isinstance(layout, Boxed):
        raise NotAnswerable(f"Cannot explore sums on a {layout.kind} layout.")
    return {
        "name": measured.measure.column,
        "kind": measured.measure.kind,
        "amount": {
            "low": amount.low,
            "high": amount.high,
            "least": ends[0],
            "most": ends[1],
            "step": float(amount.step),
            "centre": measured.centre,
            "reach": amount.reach(measured.centre),
            "blur": rounding(measured),
        },
        "layout": describe_layout(layout, packing),
        "noise": describe_noise(estimate, packing),
        "noiseMargin": estimate.inference.noise_margin,
    }


def describe_reconstruction(release: Release, packing: Packing) -> Described | None:
    """The rows along a single axis, if they were reconstructed: quantiles are read from them."""
    found = release.estimate.inference.reconstruction()
    if found is None:
        return None
    return {
        "positions": packing.add(found.curve.positions),
        "ranks": packing.add(found.curve.ranks),
        "deviations": packing.add(found.deviations, rounded=True),
        "longest": int(found.lengths.max()),
        "rows": found.rows,
        "variance": found.total_variance,
    }


def describe_confidences() -> list[Described]:
    """For each confidence, the quantiles of sums of noise and those of normal deviations."""
    normal = NormalDist()
    return [
        {
            "level": level,
            "quantiles": tabulate_quantiles(level).tolist(),
            "both": normal.inv_cdf((1 + level) / 2),
            "one": normal.inv_cdf(level),
        }
        for level in CONFIDENCES
    ]


SCALES = (("10m", 500, 8.0), ("50m", 100, 60.0), ("110m", 100, np.inf))
"""Scales of outlines, the finest first: steps of a degree, and how wide a map they are for."""


def map_window(release: Release) -> list[tuple[float, float]] | None:
    """The longitudes and latitudes that a release has a map of, by its axes or by its areas."""
    degrees = map_of(release.domain)
    if degrees:
        return [ends_of(release.domain[name]) for name in degrees]
    areas = (axis.whole for axis in release.domain.axes if isinstance(axis.whole, Areas))
    axis = next((one for one in areas if one.degrees), None)
    return [(side.lo, side.hi) for side in (axis.raster.x, axis.raster.y)] if axis else None


def describe_outlines(window: Sequence[tuple[float, float]], packing: Packing) -> list[Described]:
    """Coastlines and borders in a window of longitudes and latitudes, as fine as its width asks
    for: in steps of a degree, first all longitudes and then all latitudes."""
    width = max(high - low for low, high in window)
    scale, steps, _ = next(one for one in SCALES if width <= one[2])
    found = []
    with np.load(outlines(), allow_pickle=False) as file:
        for kind in ("coast", "border"):
            points = np.cumsum(file[f"{kind}_{scale}"], axis=1)
            lengths = file[f"{kind}_{scale}_lengths"].astype(np.int64)
            kept = meets(points / steps, lengths, window)
            found.append({
                "kind": kind,
                "steps": steps,
                "lengths": packing.add(lengths[kept]),
                "points": packing.add(points[:, np.repeat(kept, lengths)]),
            })  # fmt: skip
    return found


def meets(points: Floats, lengths: Ints, window: Sequence[tuple[float, float]]) -> Any:
    """Which lines have a box that meets the window; longitudes may count from -180 or from 0."""
    starts = np.cumsum(lengths) - lengths
    low, high = (each.reduceat(points, starts, axis=1) for each in (np.minimum, np.maximum))
    (west, east), (south, north) = window
    across = [(low[0] + turn <= east) & (high[0] + turn >= west) for turn in (-360, 0, 360)]
    return np.any(across, axis=0) & (low[1] <= north) & (high[1] >= south)


def describe_terms() -> list[float]:
    """Numbers of equal terms for which quantiles of noise are tabulated."""
    return [float(terms) for terms in TERMS]
