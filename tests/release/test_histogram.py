"""A release becomes a hist.Hist and keeps its axes, values and variances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hushgram as hg

hist = pytest.importorskip("hist")


def test_round_trip() -> None:
    import pandas as pd

    frame = pd.DataFrame({"age": [20, 30, 40], "sex": ["F", "M", "F"], "x": [0.1, 0.5, 0.9]})
    domain = hg.Domain(
        age=hg.Integer(18, 60), sex=hg.Category(("F", "M")), x=hg.Variable((0, 0.25, 1))
    )
    release = hg.publish(
        frame, domain, epsilon=1, account="a", ledger=hg.Ledger.in_memory(), mechanism="identity"
    )
    found = release.to_hist()
    assert [axis.name for axis in found.axes] == ["age", "sex", "x"]
    assert np.array_equal(found.values(), release.values())
    assert np.allclose(found.variances(), release.variances())
    assert list(found.axes[1]) == ["F", "M"]
    assert found.axes[2].edges.tolist() == [0, 0.25, 1]
    assert list(found.axes[0])[:2] == [18, 19]
    for ours, theirs in zip(release.axes, found.axes, strict=True):
        assert [tuple(np.atleast_1d(b)) for b in ours] == [tuple(np.atleast_1d(b)) for b in theirs]


def test_hist_projects_and_plots_it() -> None:
    found = hg.publish(hg.Counts(np.arange(12).reshape(3, 4)), epsilon=5).to_hist()
    assert found.project("x0").values().shape == (3,)


@pytest.mark.parametrize(
    "axis", [hg.Integer(0, 3, outside="other"), hg.Regular(4, 0, 4, outside="other")]
)
def test_a_view_of_nothing_but_others_has_one_bin(axis: Any) -> None:
    values = pa.table({"x": [1, 2, 99, 99]})
    release = hg.publish(
        values,
        {"x": axis},
        epsilon=1,
        account="a",
        ledger=hg.Ledger.in_memory(),
        mechanism="identity",
    )
    others = release.slice(x="other")
    assert list(others.axes[0]) == ["other"]
    assert others.to_hist().values().tolist() == others.values().tolist()
