"""What holds for every inference."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import hushgram as hg
from hushgram.mechanisms.inference.base import Inference
from hushgram.mechanisms.inference.kinds import INFERENCES, inference_from_json

COUNTS = np.random.default_rng(3).poisson(4, 256) + 300 * (np.arange(256) > 200)


def subclasses(base: type[Inference]) -> Iterator[type[Inference]]:
    for one in base.__subclasses__():
        yield one
        yield from subclasses(one)


def test_every_inference_of_the_package_can_be_read() -> None:
    known = {one for one in subclasses(Inference) if one.__module__.startswith("hushgram.")}
    assert set(INFERENCES) == known
    assert len({one.kind for one in INFERENCES}) == len(INFERENCES)


@pytest.mark.parametrize("name", [name for name in hg.MECHANISMS if name != "auto"])
def test_groups_are_the_parts_that_share_one_value(name: str) -> None:
    estimate = hg.publish(hg.Counts(COUNTS), epsilon=1, mechanism=name).estimate
    inference = estimate.inference
    again = inference_from_json(inference.to_json(), estimate.measurements)
    assert type(again) is type(inference)
    groups = inference.groups()
    if groups is None:
        return
    assert groups.labels.shape == estimate.values.shape
    largest = np.full(groups.labels.max() + 1, -np.inf)
    np.maximum.at(largest, groups.labels, estimate.values)
    assert (estimate.values == largest[groups.labels]).all()
    if groups.boxes is not None:
        corners = groups.boxes.boxes()[0]
        assert groups.boxes.parts([corners[:, 0]]).tolist() == list(range(len(largest)))


def test_a_view_shows_what_it_views() -> None:
    release = hg.publish(hg.Counts(COUNTS), epsilon=1, mechanism="ahp")
    axis = release.domain.names[0]
    view = release.rollup(**{axis: 10}).estimate.inference
    assert view.viewed is release.estimate.inference
    assert view.view is not None
    assert view.groups() is None
    assert view.is_linear
