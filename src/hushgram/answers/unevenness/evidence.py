"""Which evidence an estimate has about how rows are in its parts."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from hushgram.answers.unevenness.base import Unevenness
from hushgram.answers.unevenness.groups import BlindGroups, GroupUnevenness
from hushgram.answers.unevenness.parts import PartUnevenness
from hushgram.answers.unevenness.ranks import RankUnevenness
from hushgram.answers.unevenness.views import ViewUnevenness
from hushgram.geometry.partition import Boxed
from hushgram.mechanisms.estimate import Estimate

KNOWN: WeakKeyDictionary[Estimate, Unevenness] = WeakKeyDictionary()
"""What was found out before, for as long as somebody keeps the estimate."""


def unevenness_of(estimate: Estimate) -> Unevenness:
    """What an estimate shows about the rows in its parts: found once, then remembered."""
    if estimate not in KNOWN:
        KNOWN[estimate] = find_unevenness(estimate)
    return KNOWN[estimate]


def find_unevenness(estimate: Estimate) -> Unevenness:
    view = estimate.inference.view
    if view is not None:
        viewed = estimate.inference.viewed
        values = viewed.push(estimate.measurements)
        source = Estimate(view.chain[-1].source, values, estimate.measurements, viewed)
        assert isinstance(estimate.partition, Boxed)
        return ViewUnevenness(view, unevenness_of(source), estimate.partition)
    layout = estimate.partition
    assert isinstance(layout, Boxed)
    groups = estimate.inference.groups()
    values = np.asarray(estimate.values, dtype=np.float64)
    if groups is None:
        unbiased, ranks = estimate.inference.unbiased_values(), estimate.inference.sorted_parts()
        if unbiased:
            return PartUnevenness(layout, *unbiased)
        linear = estimate.inference.is_linear
        parts = PartUnevenness(layout, values, estimate.variances(), measured=linear)
        return RankUnevenness(ranks, parts) if ranks else parts
    # The cells of a group have one value and one error: those of their sum, over their number.
    labels = groups.labels
    sums = np.asarray(np.bincount(labels, values), dtype=np.float64)
    noise = np.asarray(np.bincount(labels) * np.bincount(labels, estimate.variances()))
    boxes = PartUnevenness(groups.boxes, sums, noise) if groups.boxes else None
    blind = BlindGroups(layout, labels, boxes, sums, noise)
    look = estimate.inference.first_look(estimate.measurements)
    if look is None:
        return blind
    looked = np.full(layout.size, look.variance)
    cells = PartUnevenness(layout, look.values.astype(np.float64), looked)
    return GroupUnevenness(cells, blind, look)
