"""Every paper's tables and figures, on few rows of bundled and generated data."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.errors import BadInput, MissingExtra
from hushgram.lab.evaluate.data import DataSet
from hushgram.lab.evaluate.measures import Outcome, kl
from hushgram.lab.evaluate.workloads import cells
from hushgram.lab.papers import (
    MODULES,
    classifiers,
    p000_sorted,
    p001_isotonic,
    p002_grids,
    p003_clusters,
    p004_cubes,
    paper,
    points,
)
from hushgram.lab.papers import adult as adults
from hushgram.lab.papers.findings import Finding
from hushgram.lab.papers.posterior import posterior_means


@pytest.fixture(autouse=True)
def no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HUSHGRAM_DATA", raising=False)


def agreeing(finding: Finding) -> dict[str, bool]:
    return {claim.what: claim.agrees for claim in finding.claims}


def check(finding: Finding) -> None:
    """It says something, every difference has a reason, and its pictures can be drawn."""
    assert finding.title
    assert finding.about
    assert finding.claims
    for numbers in finding.numbers:
        assert numbers.rows
        assert {len(row) for row in numbers.rows} == {len(numbers.heads)}
    for picture in finding.pictures:
        figure = picture.draw()
        assert "NONPRIVATE" in figure.get_suptitle()
        assert all(axes.get_xlabel() or axes.get_xticklabels() for axes in figure.axes)


def test_papers_have_numbers() -> None:
    assert [paper(number).number for number in MODULES] == list(MODULES)
    with pytest.raises(BadInput, match="no paper is called '7'"):
        paper("7")


@pytest.mark.parametrize(
    "step",
    [p000_sorted.table_one, p001_isotonic.example, p002_grids.table_two, p003_clusters.example,
     p004_cubes.example],
)  # fmt: skip
def test_what_is_exact_agrees(step: Any) -> None:
    finding = step(1)
    check(finding)
    assert all(agreeing(finding).values())


def test_paper_000(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(p000_sorted, "MANY", (10, 100))
    monkeypatch.setattr(p000_sorted, "POINTS", 1000)
    monkeypatch.setattr(p000_sorted, "ROWS", 5000)
    monkeypatch.setattr(p000_sorted, "SIDE", 32)
    monkeypatch.setattr(p000_sorted, "MEDIANS", ("1",))
    for step in p000_sorted.PAPER.steps:
        check(step(1))


def test_the_local_sensitivity_is_as_wished() -> None:
    for gap in (0.1, 0.3):
        found = p000_sorted.with_gap(gap)
        assert len(found) == 129
        assert (found == 1).sum() == 64
        assert np.sort(found)[65] - np.sort(found)[64] == pytest.approx(gap, abs=0.01)


def test_paper_001(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(p001_isotonic, "EPSILONS", ("1", "0.001"))
    for step in p001_isotonic.PAPER.steps:
        check(step(1))
    counts = p001_isotonic.transactions()
    assert (len(counts), counts.sum()) == (100, p001_isotonic.ROWS)


def test_paper_002(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(p002_grids, "CONSTANTS", (40.0,))
    finding = p002_grids.on_set(points.SETS["storage"], 1)
    check(finding)
    assert len(finding.claims) == 4


@pytest.mark.parametrize("name", points.SETS)
def test_points_lie_in_their_box(name: str) -> None:
    asked = points.Asked.of(points.SETS[name])
    assert asked.about
    assert len(asked.rows) > 5000
    (x, y), rows = asked.boxes[-1, 0], asked.rows
    inside = (rows >= [x[0], y[0]]) & (rows < [x[1], y[1]])
    assert asked.true.reshape(points.SIZES, -1)[-1, 0] == inside.all(axis=1).sum()


def test_paper_003(monkeypatch: pytest.MonkeyPatch) -> None:
    """AHP's lowest divergence of the five, and a view below it, on a set like the paper's."""
    monkeypatch.setattr(p003_clusters, "EPSILONS", ("1", "0.1"))
    monkeypatch.setattr(p003_clusters, "COARSE", 128)
    finding = p003_clusters.on_set(p003_clusters.SETS[0], 2)
    check(finding)
    found = agreeing(finding)
    assert found["AHP has the lowest KLD of the five at ε = 0.1"]
    assert found["beyond the paper: a non-negative view has a lower KLD than AHP"]


@pytest.mark.parametrize("histogram", p003_clusters.SETS, ids=lambda one: one.name)
def test_the_sets_are_as_large_as_the_paper_s(histogram: p003_clusters.Histogram) -> None:
    sizes = {"Location": 7725, "Social Network": 11342, "Search Log": 32768, "NetTrace": 65536}
    about, counts = histogram.make()
    assert about
    assert len(counts) == sizes[histogram.name]
    if histogram.name in p003_clusters.SORTED:
        assert (np.diff(counts) <= 0).all()


def test_the_divergence_is_that_of_the_evaluation() -> None:
    counts = np.array([0, 5, 30, 0, 2, 100])
    release = hg.publish(hg.Counts(counts), epsilon=1, mechanism="identity")
    data = DataSet("mine", counts)
    asked = cells("cells", counts.shape, np.random.default_rng(1))
    outcome = Outcome(data, asked, asked.true(counts), release)
    found = p003_clusters.divergence(counts, np.asarray(release.to_array(), dtype=float))
    assert found == pytest.approx(kl(outcome))


def test_structure_first_sees_coarser_bins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(p003_clusters, "COARSE", 16)
    counts = np.full(50, 1000)
    found = p003_clusters.released(counts, "structure-first", "1")
    assert len(found) == 50
    assert found.sum() == pytest.approx(50_000, rel=0.02)


def test_posterior_means() -> None:
    rng = np.random.default_rng(1)
    true = np.repeat([0, 40], [900, 100])
    noisy = np.rint(true + rng.laplace(scale=5, size=1000))
    found = posterior_means(noisy, 5.0)
    assert (found >= 0).all()
    assert (np.diff(found[np.argsort(noisy)]) >= -1e-9).all()
    assert ((found - true) ** 2).mean() < ((noisy - true) ** 2).mean() / 3
    assert posterior_means(np.full(9, -3.0), 1.0) == pytest.approx(0, abs=0.2)


def test_paper_004(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(p004_cubes, "EPSILONS", ("1",))
    monkeypatch.setattr(p004_cubes, "BUDGETS", ("0.1", "1"))
    monkeypatch.setattr(p004_cubes, "LINKED", adults.LINKED[:3])
    small = partial(adults.generated, 4000)
    monkeypatch.setattr(p004_cubes, "adult", small)
    for step in (
        partial(p004_cubes.on_cube, "age x education", "a, b"),
        p004_cubes.classification,
        p004_cubes.blocking,
    ):
        check(step(1))


def test_the_learn_extra_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="scikit-learn"):
        classifiers.check_extra()


def test_generated_adults() -> None:
    table = adults.adult()
    train, test = classifiers.split(table)
    assert 28_000 < len(train) < 33_000
    assert 13_000 < len(test) < 17_000
    assert adults.cube(table, "age x hours x education", 10_000).sum() == 10_000
    sides, matches, shape = adults.halves(table, 2)
    assert (sides[0][matches[:, 0]] == sides[1][matches[:, 1]]).all()
    assert len(shape) == 2
    assert classifiers.tree(classifiers.cells_of(train), "identity", str(Fraction(1)))(
        test[:5, :-1]
    ).shape == (5,)
