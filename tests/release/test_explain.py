"""Why a release was made as it was, from the file alone."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

import hushgram as hg
from hushgram.mechanisms import MECHANISMS
from hushgram.release.parquet import read
from hushgram.show.report.explain import meanings


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_is_explained(name: str) -> None:
    cls = MECHANISMS[name]
    assert cls.summary().endswith(".")
    assert cls.use_for().endswith(".")
    told = meanings(cls)
    for field in fields(cls):
        assert told[field.name], f"{name} does not say what {field.name} is"


def test_a_release_explains_itself_from_its_file() -> None:
    release = hg.publish(hg.Counts(np.ones(500, dtype=int)), epsilon="0.5")
    text = read(release.to_bytes()).explain()
    assert text.startswith("This release was made by bayes-tree with ε = 0.5.")
    assert "Why: A coarse first count shows where the rows are" in text
    assert "share = default. The share of the budget for the first pass." in text
    assert "total_share = 1/100. The share for the number of rows" in text
    assert "Error bars contain the true answer as often as they say" in text
    assert max(map(len, text.splitlines())) <= 88


def test_a_named_mechanism_and_an_unknown_one() -> None:
    release = hg.publish(hg.Counts([1, 2]), epsilon=1, mechanism="identity")
    assert "The publisher chose this mechanism." in release.explain()
    assert "parameters:" not in release.explain()
    other = replace(release, mechanism="magic", parameters={"k": 3})
    assert "This version of Hushgram does not" in other.explain().replace("\n", " ")
    assert "  k = 3" in other.explain()
