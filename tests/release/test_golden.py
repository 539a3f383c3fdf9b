"""Releases of every schema load for ever, with the numbers that they had.

The files were written by ``tools/make_golden.py`` and are never written again.
"""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import hushgram as hg
from hushgram.base.exact import format_number
from hushgram.geometry.partition import Grid

GOLDEN = Path(__file__).parent.parent / "golden"


def test_all_golden_files_are_looked_at() -> None:
    found = sorted(path.name for path in GOLDEN.glob("*.hush.parquet"))
    assert found == ["v1-people.hush.parquet", "v1-signed.hush.parquet", "v1-trips.hush.parquet"]


def test_signed() -> None:
    signer = "ed25519:03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8"
    release = hg.load(GOLDEN / "v1-signed.hush.parquet", signer=signer)
    plain = hg.load(GOLDEN / "v1-people.hush.parquet")
    assert np.array_equal(release.to_array(), plain.to_array())
    assert (release.domain, release.receipt) == (plain.domain, plain.receipt)


def test_people() -> None:
    release = hg.load(GOLDEN / "v1-people.hush.parquet")
    assert release.domain == hg.Domain(
        {
            "age": hg.Integer(17, 19, outside="other"),
            "income €": hg.Variable([0, 1000, 2500.5], outside="clamp"),
            "sex": hg.Category(["F", "M"], outside="other"),
        }
    )
    assert np.array_equal(release.to_array(), (np.arange(24) ** 2 - 40).reshape(4, 2, 3))
    assert release.variances().flat[0] == pytest.approx(22.05630288539704, rel=1e-12)
    assert (release.mechanism, release.parameters) == ("identity", {})
    assert (str(release.unit), release.neighbours) == ("rows", "add-remove")
    assert (release.epsilon, format_number(release.epsilon)) == (Fraction(3, 10), "0.3")
    assert release.receipt == {
        "id": "0123456789abcdef" * 2, "epsilon": "3/10", "seal": "fedcba9876543210" * 4,
    }  # fmt: skip
    assert release.count().value == 3364
    assert release.count(age=(17, 19)).value == 26
    cut = release.count({"income €": (500, 1000), "sex": ["F", "other"]})
    assert (cut.value, cut.partial) == (424, 424)


def test_trips() -> None:
    release = hg.load(GOLDEN / "v1-trips.hush.parquet")
    assert release.domain == hg.Domain(
        lon=hg.Interval(-180, 180),
        lat=hg.Regular(3, -60, 75),
        day=hg.Date("2024-02-28", "2024-03-01", "1d", outside="other"),
        month=hg.Date("2024-01-01", "2024-12-31", "6mo"),
    )
    assert release.estimate.partition == Grid(release.domain, (4, 3, 3, 2))
    values = np.array([(37 * k) % 101 - 7 for k in range(96)]).reshape(4, 3, 4, 2)
    assert np.array_equal(release.to_array(), values)
    assert release.variances().flat[0] == pytest.approx(3199.8333, abs=1e-4)
    assert release.unit == hg.User("user id", max_rows=10)
    assert release.neighbours == "replace-one"
    assert release.parameters == {"cells": [4, 3], "share": "1/2"}
    assert (release.unaccounted, release.receipt) == (True, None)
    assert release.count(lon=(-180, 0)).value == values[:2].sum()
    middle = release.count(lon=(-45, 45), day=dt.date(2024, 2, 29))
    assert middle.value == values[1:3, :, 1].sum() / 2
    assert release.count(day="other", month=("2024-07-01", None)).value == values[:, :, 3, 1].sum()
