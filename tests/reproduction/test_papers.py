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
from hushgram.lab.evaluate.measures import RunOutcome, kl
from hushgram.lab.evaluate.workloads import cells
from reproduction import (
    MODULES,
    classifiers,
    line,
    p000_density,
    p000_errors,
    p000_exact,
    p000_headline,
    p000_medians,
    p000_ranges,
    p000_sorted,
    p001_isotonic,
    p001_private,
    p001_statements,
    p002_adaptive,
    p002_grids,
    p002_hierarchies,
    p002_sizes,
    p002_trials,
    p003_clusters,
    p003_headlines,
    p003_rivals,
    p003_sets,
    p004_blocking,
    p004_cubes,
    p004_equations,
    p004_learning,
    p004_targets,
    p004_variance,
    page,
    paper,
    points,
)
from reproduction import adult as adults
from reproduction.findings import Claim, PaperFinding
from reproduction.posterior import posterior_means


@pytest.fixture(autouse=True)
def no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HUSHGRAM_DATA", raising=False)


def agreeing(finding: PaperFinding) -> dict[str, bool | None]:
    return {claim.what: claim.agrees for claim in finding.claims}


def check(finding: PaperFinding) -> None:
    """It says something, and its pictures can be drawn."""
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
    with pytest.raises(BadInput, match="Unknown paper '7'"):
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
    monkeypatch.setattr(p000_errors, "MANY", (10, 100))
    monkeypatch.setattr(p000_errors, "POINTS", 1000)
    monkeypatch.setattr(p000_errors, "TIMES", 4)
    monkeypatch.setattr(line, "ROWS", 5000)
    monkeypatch.setattr(p000_ranges, "SIDE", 32)
    monkeypatch.setattr(p000_density, "REFERENCES", (8, 32))
    monkeypatch.setattr(p000_density, "WIDTHS", (4, 16))
    monkeypatch.setattr(p000_density, "FEW", 1000)
    monkeypatch.setattr(p000_headline, "MANY", (500, 2000))
    monkeypatch.setattr(p000_medians, "EPSILONS", ("1",))
    monkeypatch.setattr(p000_medians, "AGE_EPSILONS", ("1",))
    monkeypatch.setattr(p000_medians, "TIMES", 2)
    cached = (p000_ranges.line_errors, p000_ranges.map_values, p000_ranges.map_errors,
              p000_medians.median_errors)  # fmt: skip
    for one in cached:
        one.cache_clear()
    for step in p000_sorted.PAPER.steps:
        check(step(1))
    for one in cached:
        one.cache_clear()


def test_distances_to_new_york_are_shares_of_the_longest() -> None:
    found = line.from_new_york(np.array([line.NEW_YORK, (0.0, 0.0), (0.9, 0.6)]))
    assert found[0] == pytest.approx(0)
    assert found[1] == 1
    assert 0 < found[2] < 0.3


def test_voronoi_cells_of_a_map_hold_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(p000_ranges, "SIDE", 16)
    counts = np.random.default_rng(3).poisson(40, (16, 16))
    release = p000_ranges.publish_replaced(counts, "sorted")
    assert p000_ranges.voronoi_cells(release).sum() == pytest.approx(counts.sum())


def test_statements_without_noise() -> None:
    assert p000_exact.sensitivities() == (1, [1] * 15)
    found = agreeing(p000_exact.exact_statements(1))
    assert list(found.values()).count(False) == 1


def test_rows_in_squares_are_spread_evenly() -> None:
    rng = np.random.default_rng(3)
    values = rng.integers(0, 50, (6, 6)).astype(float)
    (box,) = boxes = rng.uniform(0, 1, (1, 2, 1)) * [[[0.5, 1]]]
    shares = [
        [max(min(high, (n + 1) / 6) - max(low, n / 6), 0) * 6 for n in range(6)]
        for low, high in box
    ]
    expected = float(np.array(shares[0]) @ values @ np.array(shares[1]))
    assert p000_ranges.in_squares(values, boxes) == pytest.approx(expected)


def test_smooth_sensitivity_by_its_definition() -> None:
    """The largest local sensitivity of all tables so many rows away, less for those farther."""
    ordered = np.array([0.0, 0.2, 0.5, 0.6, 1.0])
    ends = [0.0, 0.0, 0.0, *ordered, 1.0, 1.0, 1.0]
    widest = [
        max(ends[5 + t] - ends[5 + t - k - 1] for t in range(k + 2)) * np.exp(-0.3 * k)
        for k in range(3)
    ]
    assert p000_medians.smooth_sensitivity(ordered, 0.3) == pytest.approx(max(widest))


def test_the_local_sensitivity_is_as_wished() -> None:
    for gap in (0.1, 0.3):
        found = p000_medians.with_gap(gap)
        assert len(found) == 129
        assert (found == 1).sum() == 64
        assert np.sort(found)[65] - np.sort(found)[64] == pytest.approx(gap, abs=0.01)


def test_paper_001(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (p001_isotonic, p001_private, p001_statements):
        monkeypatch.setattr(module, "EPSILONS", ("1", "0.001"))
    for step in p001_isotonic.PAPER.steps:
        check(step(1))
    counts = p001_isotonic.transactions()
    assert (len(counts), counts.sum()) == (100, p001_isotonic.ROWS)


@pytest.mark.slow
def test_paper_002(monkeypatch: pytest.MonkeyPatch) -> None:
    """One small set stands for all, with few sizes and one run."""
    monkeypatch.setattr(p002_trials, "FEW_TIMES", 1)
    monkeypatch.setattr(p002_trials, "LADDER", (10, 48))
    p002_trials.trials.cache_clear()
    for module in (p002_grids, p002_sizes):
        monkeypatch.setattr(module, "SETS", {"storage": points.SETS["storage"]})
    for module in (p002_grids, p002_hierarchies, p002_adaptive):
        monkeypatch.setattr(module, "ON", ("storage",), raising=False)
    monkeypatch.setattr(p002_hierarchies, "SIDE", 36)
    found = {}
    for step in (
        p002_grids.headlines, p002_grids.formulas, p002_sizes.grid_sizes,
        p002_hierarchies.hierarchies, p002_adaptive.parameters,
        partial(p002_grids.on_set, "storage"), p002_grids.not_tested,
    ):  # fmt: skip
        finding = step(2)
        check(finding)
        found[finding.title] = len(finding.claims)
    assert list(found.values()) == [4, 3, 8, 6, 14, 12, 3]
    p002_trials.trials.cache_clear()


def test_absolute_and_relative_errors_of_the_same_answers() -> None:
    asked = points.AskedPoints.of(points.SETS["storage"])
    absolute = np.full((1, points.SIZES, points.QUERIES), 3.0)
    relative = asked.to_relative(absolute)
    assert relative.max() == 3 / (points.RHO * len(asked.rows))
    assert np.allclose(asked.to_absolute(relative), absolute)


@pytest.mark.parametrize("name", points.SETS)
def test_points_lie_in_their_box(name: str) -> None:
    asked = points.AskedPoints.of(points.SETS[name])
    assert asked.about
    assert len(asked.rows) > 5000
    (x, y), rows = asked.boxes[-1, 0], asked.rows
    inside = (rows >= [x[0], y[0]]) & (rows < [x[1], y[1]])
    assert asked.true.reshape(points.SIZES, -1)[-1, 0] == inside.all(axis=1).sum()


def test_paper_003(monkeypatch: pytest.MonkeyPatch) -> None:
    """AHP's lowest divergence of the five, and a view below it, on a set like the paper's."""
    monkeypatch.setattr(p003_clusters, "EPSILONS", ("0.1",))
    monkeypatch.setattr(p003_headlines, "EPSILONS", ("0.1",))
    monkeypatch.setattr(p003_headlines, "SETS", p003_sets.SETS[:1])
    monkeypatch.setattr(p003_rivals, "COARSE", 128)
    finding = p003_clusters.on_set(p003_sets.SETS[0], 4)
    check(finding)
    found = {claim.what: claim.verdict for claim in finding.claims}
    assert found["AHP has the lowest KLD of the five at ε = 0.1"] == "agrees"
    assert found["AHP has the lowest KLD of the five, bins in random order"] == "agrees"
    (view,) = [verdict for what, verdict in found.items() if what.startswith("beyond the paper")]
    assert view == "agrees"
    check(p003_headlines.headlines(4))


@pytest.mark.parametrize("histogram", p003_sets.SETS, ids=lambda one: one.name)
def test_the_sets_have_the_facts_of_table_1(histogram: p003_sets.PaperSet) -> None:
    facts = histogram.facts
    about, counts = histogram.make()
    assert about
    assert (len(counts), (counts == 0).sum(), counts.sum()) == facts[:3]
    assert counts.var() == pytest.approx(facts.variance, rel=0.01)
    assert counts.max() <= facts.largest
    if histogram.sorted:
        assert (np.diff(counts) <= 0).all()
    shares = counts / counts.sum()
    even = float((shares[shares > 0] * np.log(shares[shares > 0] * len(shares))).sum())
    assert even < histogram.even


def test_clusters_given_in_advance() -> None:
    counts = np.random.default_rng(2).integers(0, 500, 1000)
    found = p003_rivals.in_advance(counts, "1")
    assert 85 <= (np.diff(found) != 0).sum() + 1 <= 115


def test_rules_for_zeros() -> None:
    counts, values = np.array([0, 5, 5]), np.array([4.0, 8.0, -2.0])
    left_out = 0.5 * np.log(0.5 / (8 / 12))
    assert p003_rivals.divergence(counts, values, p003_rivals.left_out) == pytest.approx(left_out)
    floored = partial(p003_rivals.floor_counts, 1.0)
    expected = 0.5 * np.log(0.5 / (8 / 13)) + 0.5 * np.log(0.5 / (1 / 13))
    assert p003_rivals.divergence(counts, values, floored) == pytest.approx(expected)


def test_the_divergence_is_that_of_the_evaluation() -> None:
    counts = np.array([0, 5, 30, 0, 2, 100])
    release = hg.publish(hg.Counts(counts), epsilon=1, mechanism="identity")
    data = DataSet("mine", counts)
    asked = cells("cells", counts.shape, np.random.default_rng(1))
    outcome = RunOutcome(data, asked, asked.true(counts), release)
    found = p003_rivals.divergence(counts, np.asarray(release.to_array(), dtype=float))
    assert found == pytest.approx(kl(outcome))


def test_structure_first_sees_coarser_bins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(p003_rivals, "COARSE", 16)
    counts = np.full(50, 1000)
    found = p003_rivals.structure_first(counts, "1")
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


@pytest.mark.slow
def test_paper_004(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(p004_cubes, "EPSILONS", ("1",))
    monkeypatch.setattr(p004_learning, "BUDGETS", ("0.1", "1"))
    monkeypatch.setattr(p004_blocking, "BUDGETS", ("0.1", "1"))
    monkeypatch.setattr(p004_blocking, "LINKED", adults.LINKED[:3])
    small = partial(adults.generate_adult, 4000)
    monkeypatch.setattr(p004_targets, "EPSILONS", ("1",))
    monkeypatch.setattr(p004_targets, "ASKED", 3)
    monkeypatch.setattr(p004_variance, "BUDGETS", ("1",))
    monkeypatch.setattr(p004_variance, "THRESHOLDS", (10, 1000))
    monkeypatch.setattr(p004_variance, "SHARES", ("1/4", "3/4"))
    for module in (p004_cubes, p004_learning, p004_blocking, p004_targets, p004_variance):
        monkeypatch.setattr(module, "adult", small)
    for step in (
        partial(p004_cubes.on_cube, "age x education", "a, b"),
        p004_learning.classification,
        p004_blocking.blocking,
        p004_targets.interactive,
        p004_targets.whole_tree,
        p004_targets.merged_cells,
        p004_variance.histograms,
        p004_variance.thresholds,
        p004_variance.budgets,
        p004_cubes.all_rows,
        p004_cubes.not_tested,
    ):
        check(step(1))


def test_the_equations_of_paper_004() -> None:
    simulated, equations = p004_equations.simulations(1), p004_equations.equations(5)
    check(simulated)
    check(equations)
    apart = [what for what, agrees in agreeing(simulated).items() if not agrees]
    assert apart == ["least squares is best with half of α for the cells, or slightly more"]
    apart = [what for what, agrees in agreeing(equations).items() if not agrees]
    assert [what[:10] for what in apart] == ["equation 8"]


def test_what_cannot_be_tested_is_counted_apart() -> None:
    claims = [Claim("a", "1", "1", True), Claim.not_tested("b", "2", "nobody has it")]
    assert claims[1].verdict == "cannot be tested here"
    assert claims[1].to_json()["why"] == "nobody has it"
    assert page.missing(claims) == ["nobody has it"]
    assert page.verdicts(claims) == (
        "1 statements were tried: 1 agree, 0 differ. "
        "1 cannot be tested here, for the reasons given."
    )


def test_reduction_by_true_sizes() -> None:
    """Equation 10, with cells as blocks: a quarter of the pairs is compared in the first cell, and
    a sixteenth in each of the others."""
    rows = np.repeat([[0], [1], [2]], [2000, 1000, 1000], axis=0)
    release = hg.publish(hg.Counts([2000, 1000, 1000]), epsilon=1, mechanism="identity")
    pairs = hg.match_blocks(release, release, margin=0.0)
    assert adults.by_true_sizes(pairs, [rows, rows]) == pytest.approx(1 - 6 / 16)


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
