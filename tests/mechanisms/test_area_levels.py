"""Areas within larger ones: every level is counted, and the counts agree."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import hushgram as hg
from hushgram.declare.axis import Window
from hushgram.declare.domain import Domain
from hushgram.mechanisms.area_levels import area_levels


def districts(*within: str, outside: str = "drop") -> hg.Areas:
    """Eight districts in a row, in four cities, in two lands."""
    features = [
        {
            "properties": {"name": f"d{x}", "city": f"c{x // 2}", "land": f"l{x // 4}"},
            "geometry": [(x, 0), (x + 1, 0), (x + 1, 1), (x, 1)],
        }
        for x in range(8)
    ]
    data = {"type": "FeatureCollection", "features": features}
    return hg.Areas(data, ("x", "y"), within=within, resolution=80, outside=outside)  # type: ignore[arg-type]


def test_levels_are_slices_the_largest_areas_first() -> None:
    domain = Domain(sex=hg.Category(["F", "M"]), area=districts("city", "land", outside="other"))
    levels = area_levels(domain)
    assert [level.shape for level in levels] == [(2, 3), (2, 5)]
    assert [level.cuts(1).tolist() for level in levels] == [[0, 4, 8, 9], [0, 2, 4, 6, 8, 9]]
    assert area_levels(Domain(area=districts())) == ()
    assert area_levels(Domain(area=Window(districts("city"), 0, 4))) == ()


@pytest.mark.parametrize("mechanism", ["auto", "hierarchical"])
def test_the_levels_agree_and_larger_areas_are_more_exact(mechanism: str) -> None:
    rows = pa.table({"x": [k % 8 + 0.5 for k in range(800)], "y": [0.5] * 800})
    release = hg.publish(
        rows, {"area": districts("city", "land")}, epsilon=1, mechanism=mechanism, account="a",
        ledger=hg.Ledger.in_memory(),
    )  # fmt: skip
    assert release.mechanism == "hierarchical"
    assert [m.partition.size for m in release.estimate.measurements] == [2, 4, 8]
    for group, members in release.domain["area"].groups("land").items():  # type: ignore[attr-defined]
        parts = [release.count(area=member).value for member in members]
        assert release.count(area=group).value == pytest.approx(sum(parts))
        assert release.count(area=members).value == pytest.approx(sum(parts))
    land = release.estimate.moments(np.repeat([1.0, 0.0], 4))[0]
    assert land < 0.7 * release.estimate.variances()[:4].sum()
