"""Trees on releases: what they learn, what they refuse, and what scikit-learn demands."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

import hushgram as hg
from hushgram.answers.learning.id3 import Node, gain, grow
from hushgram.answers.tables.contingency import Contingency, contingency, noiseless
from hushgram.errors import DomainError, MissingExtra, NotAnswerable, QuestionError
from hushgram.geometry.partition import Boxes, Grid, Raster
from tests.samples import cells, release_of

EXEMPT: dict[str, str] = {}
"""Checks of scikit-learn that do not apply, by name, each with the reason."""


@parametrize_with_checks([hg.HistogramClassifier()], expected_failed_checks=lambda _: EXEMPT)
def test_scikit_learn_s_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def information_gain(labels: Any, values: Any) -> float:
    """Quinlan's, in nats, row by row."""

    def entropy(some: Any) -> float:
        shares = np.unique(some, return_counts=True)[1] / len(some)
        return float(-(shares * np.log(shares)).sum())

    parts = [labels[values == value] for value in np.unique(values)]
    return entropy(labels) - sum(len(part) / len(labels) * entropy(part) for part in parts)


rows = st.lists(st.tuples(*[st.integers(0, 2)] * 3, st.integers(0, 2)), min_size=1, max_size=40)


@given(rows)
@settings(max_examples=60)
def test_without_noise_a_gain_is_quinlan_s(table: list[tuple[int, ...]]) -> None:
    given = np.array(table)
    codes, labels = given[:, :3], given[:, 3]
    counts = np.eye(3)[labels]
    found = Contingency(codes, counts, noiseless)
    for feature in range(3):
        expected = 2 * len(given) * information_gain(labels, codes[:, feature])
        assert gain(found, np.arange(len(given)), feature, 2.0) == pytest.approx(expected, abs=1e-9)


def id3(rows: Any, features: tuple[int, ...]) -> Any:
    """ID3 as in the book, on rows whose last column is the class: a tree of tuples. Where two
    features tell the same, any may be chosen: such tables are left out."""
    labels = rows[:, -1]
    gains = [information_gain(labels, rows[:, feature]) for feature in features]
    if not features or max(gains) <= 1e-9:
        return tuple(np.bincount(labels, minlength=3) / len(labels))
    assume(sorted([0.0, *gains])[-1] - sorted([0.0, *gains])[-2] > 1e-9)
    best = features[int(np.argmax(gains))]
    left = tuple(feature for feature in features if feature != best)
    column = rows[:, best]
    return best, {int(v): id3(rows[column == v], left) for v in np.unique(column)}


def drawn(node: Node) -> Any:
    if not node.children:
        return pytest.approx(tuple(node.shares))
    return node.feature, {value: drawn(child) for value, child in node.children.items()}


@given(rows)
@settings(max_examples=100)
def test_without_noise_a_tree_is_id3_s(table: list[tuple[int, ...]]) -> None:
    given = np.array(table)
    expected = id3(given, (0, 1, 2))
    tree = grow(Contingency(given[:, :3], np.eye(3)[given[:, 3]], noiseless))
    assert expected == drawn(tree)
    model = hg.HistogramClassifier().fit(given[:, :3], given[:, 3])
    assert np.allclose(
        model.predict_proba(given[:, :3]), tree.predict(given[:, :3])[:, model.classes_]
    )


def people(scale: int = 1) -> hg.Release:
    """Counts in which colour decides and size does not."""
    grid = cells(
        colour=hg.Category(["red", "blue", "grey"]), size=hg.Integer(1, 4),
        sick=hg.Category(["no", "yes"], outside="other"),
    )  # fmt: skip
    counts = np.zeros(grid.shape, dtype=np.int64)
    counts[0, :, :2] = (900, 100)
    counts[1, :, :2] = (200, 800)
    counts[:, :, 2] = 50
    return release_of(grid, counts * scale)


def test_a_release_is_learnt() -> None:
    model = hg.HistogramClassifier.from_release(people(), target="sick")
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.feature_names_in_.tolist() == ["colour", "size"]
    assert model.tree_.feature == 0
    assert model.tree_.leaves == 2  # grey was never seen, and size tells nothing
    shares = model.predict_proba({"size": [1, 2, 3], "colour": ["red", "blue", "grey"]})
    assert shares[:, 1] == pytest.approx([0.1, 0.8, 0.45], abs=0.01)


def test_rows_may_come_in_any_table() -> None:
    model = hg.HistogramClassifier.from_release(people(), target="sick")
    columns = {"colour": ["red", "blue"], "size": [1, 4]}
    expected = ["no", "yes"]
    assert model.predict(columns).tolist() == expected
    assert model.predict(pd.DataFrame(columns)).tolist() == expected
    assert model.predict(pa.table(columns)).tolist() == expected
    assert model.predict([["red", 1], ["blue", 4]]).tolist() == expected
    assert model.predict(np.array([["red", 1], ["blue", 4]], dtype=object)).tolist() == expected
    assert model.score(pd.DataFrame(columns), expected) == 1


def test_values_that_were_not_declared_follow_their_node() -> None:
    model = hg.HistogramClassifier.from_release(people(), target="sick")
    shares = model.predict_proba({"colour": ["green", None, float("nan")], "size": [1, 99, None]})
    assert np.allclose(shares, model.tree_.shares)


def test_noise_alone_is_not_learnt() -> None:
    rng = np.random.default_rng(5)
    grid = cells(a=hg.Integer(0, 9), b=hg.Integer(0, 9), y=hg.Category(["n", "p"]))
    splits = 0
    for _ in range(100):
        noisy = 100 + rng.laplace(scale=2, size=grid.size).round()
        model = hg.HistogramClassifier.from_release(release_of(grid, noisy), "y", strictness=6)
        splits += model.tree_.leaves > 1
    assert splits < 30
    eager = hg.HistogramClassifier.from_release(release_of(grid, noisy), "y", strictness=0)
    assert eager.tree_.leaves > 50


def test_a_small_leaf_follows_the_node_above() -> None:
    def noise(rows: Any, label: int) -> float:
        return 50.0 * len(rows)

    counts = np.array([[1000.0, 0.0], [0.0, 1000.0], [-3.0, 10.0]])
    tree = grow(Contingency(np.array([[0], [1], [2]]), counts, noise))
    assert tree.children[1].shares[1] > 0.999
    assert tree.shares[1] < tree.children[2].shares[1] < 0.8  # 100 / (100 + 100) of the way


def test_variances_are_those_of_the_estimate() -> None:
    rng = np.random.default_rng(1)
    counts = hg.Counts(rng.poisson(50, (5, 4, 2)))
    for mechanism in ("identity", "dpcube", "kd-cell", "hb"):
        release = hg.publish(counts, epsilon=1, mechanism=mechanism)
        table = contingency(release, "x1")
        some = rng.permutation(len(table.counts))[:4]
        indices = np.indices((5, 2)).reshape(2, -1)[:, some]
        assert np.array_equal(table.codes[some], indices.T)
        cells_asked = [release.count(x0=int(a), x2=int(b), x1=3).value for a, b in indices.T]
        assert table.counts[some, 3] == pytest.approx(cells_asked, abs=1e-6)
        layout = release.estimate.partition
        inside = np.indices((5, 4, 2)).reshape(3, -1)
        parts = layout.parts(list(inside))
        chosen = [
            cell for cell, (a, c, b) in enumerate(inside.T)
            if c == 3 and [a, b] in indices.T.tolist()
        ]  # fmt: skip
        weights = np.zeros(layout.size)
        for cell in chosen:
            weights[parts[cell]] += 1 / (parts == parts[cell]).sum()
        assert table.noise(some, 3) == pytest.approx(release.estimate.moments(weights)[0])


def test_what_cannot_be_learnt() -> None:
    release = people()
    learn = hg.HistogramClassifier.from_release
    with pytest.raises(QuestionError, match="no axis 'wages'"):
        learn(release, target="wages")
    with pytest.raises(NotAnswerable, match="no axis besides 'x'"):
        learn(release_of(cells(x=hg.Integer(0, 3))), target="x")
    numbers = release_of(cells(x=hg.Regular(3, 0, 1), y=hg.Integer(0, 1)))
    with pytest.raises(NotAnswerable, match=r"'x' must be a category or an integer. Found regular"):
        learn(numbers, target="x")
    model = learn(release, target="sick")
    with pytest.raises(QuestionError, match="has no column 'size'"):
        model.predict({"colour": ["red"]})
    with pytest.raises(QuestionError, match="Rows need 2 columns: colour, size"):
        model.predict([["red"]])
    domain = hg.Domain(x=hg.Interval(0, 1), y=hg.Integer(0, 1))
    raster = Raster(domain, (8, 2))
    boxes = Boxes(raster, np.array([0, -1, 1, -1, -1]), np.array([3, 0, 1, 0, 0]))
    torn = release_of(boxes, [5, 6, 7])  # type: ignore[arg-type]
    with pytest.raises(NotAnswerable, match="splits its continuous axes differently"):
        learn(torn, target="y")
    X, y, weights = hg.weighted_rows(torn, "y")
    assert X["x"].tolist() == [3 / 16, 3 / 16, 11 / 16, 11 / 16]
    assert (y.tolist(), weights.tolist()) == ([0, 1, 0, 1], [2.5, 2.5, 6, 7])


def test_slices_of_a_continuous_axis_are_values() -> None:
    grid = Grid(hg.Domain(x=hg.Interval(0, 1), y=hg.Category([False, True])), (2, 2))
    model = hg.HistogramClassifier.from_release(release_of(grid, [900, 10, 10, 900]), "y")
    assert model.predict({"x": [0.2, 0.49, 0.5, 1.0]}).tolist() == [False, False, True, True]


def test_weighted_rows_hold_what_the_release_holds() -> None:
    X, y, weights = hg.weighted_rows(people(), "sick")
    assert list(X.columns) == ["colour", "size"]
    assert set(y) == {"no", "yes"}
    assert weights.sum() == 8 * 1000
    assert weights[(X["colour"] == "blue") & (y == "yes")].tolist() == [800] * 4
    model = LogisticRegression().fit(pd.get_dummies(X), y, sample_weight=weights)
    assert model.predict(pd.get_dummies(X)).tolist() == [
        "no" if colour == "red" else "yes" for colour in X["colour"]
    ]


def test_weighted_rows_of_every_kind_of_axis() -> None:
    release = release_of(
        cells(
            a=hg.Variable([0, 1, 5], outside="other"), b=hg.Integer(3, 4, outside="other"),
            d=hg.Date("2024-01-01", "2024-01-02", outside="other"),
            c=hg.Category(["F"], outside="other"), y=hg.Integer(0, 1),
        ),
        np.ones(3 * 3 * 3 * 2 * 2),
    )  # fmt: skip
    X, y, weights = hg.weighted_rows(release, "y")
    assert len(X) == len(y) == 108
    assert (weights == 1).all()
    assert {key: set(X[key].dropna()) for key in ("a", "b", "c")} == {
        "a": {0.5, 3.0}, "b": {3, 4}, "c": {"F"},
    }  # fmt: skip
    assert set(X["d"].dropna()) == {pd.Timestamp(f"2024-01-0{day} 12:00") for day in (1, 2)}
    assert X.isna().sum().tolist() == [36, 36, 36, 54]


@pytest.mark.parametrize("mechanism", hg.MECHANISMS)
def test_every_mechanism_s_release_can_be_learnt(mechanism: str) -> None:
    counts = np.zeros((8, 6, 2), dtype=int)
    counts[:4, :, 0] = counts[4:, :, 1] = 500
    try:
        release = hg.publish(hg.Counts(counts), epsilon=1, mechanism=mechanism)
    except DomainError:
        release = hg.publish(hg.Counts(counts[:, 0, 0]), epsilon=1, mechanism=mechanism)
        with pytest.raises(NotAnswerable, match="no axis besides 'x0'"):
            hg.HistogramClassifier.from_release(release, "x0")
        return
    model = hg.HistogramClassifier.from_release(release, "x2")
    assert model.predict([[1, 3], [6, 3]]).tolist() == [0, 1]
    X, y, weights = hg.weighted_rows(release, "x2")
    assert len(X) == len(y) == len(weights)
    assert weights[(X["x0"] < 4) & (y == 0)].sum() > 0.8 * 12_000


def test_it_clones_and_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib
    import sys

    assert clone(hg.HistogramClassifier(strictness=3)).strictness == 3
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "sklearn.base", None)
        patch.delitem(sys.modules, "hushgram.answers.learning.classify")
        with pytest.raises(MissingExtra, match='the extra "learn"'):
            importlib.import_module("hushgram.answers.learning.classify")


@pytest.mark.skipif("HUSHGRAM_DATA" not in os.environ, reason="HUSHGRAM_DATA is not set")
def test_adult_is_learnt_through_noise() -> None:
    from sklearn.metrics import roc_auc_score

    path = Path(os.environ["HUSHGRAM_DATA"]) / "adult.parquet"
    table = pd.read_parquet(path)
    table = table[(table != "?").all(axis=1)]
    names = ["workclass", "marital_status", "race", "sex"]
    train, test = (table[table["split"] == part] for part in ("train", "test"))
    assert (len(train), len(test)) == (30_162, 15_060)
    plain = hg.HistogramClassifier().fit(train[names], train["income"])
    rich = test["income"] == ">50K"
    full = roc_auc_score(rich, plain.predict_proba(test[names])[:, 1])
    assert (plain.predict(test[names]) == test["income"]).mean() == pytest.approx(0.7697, abs=1e-4)
    domain = hg.Domain({name: hg.Category(sorted(set(table[name]))) for name in [*names, "income"]})
    for epsilon, least in (("0.1", 0.6), ("1", 0.9)):
        release = hg.publish(
            train[[*names, "income"]],
            domain,
            epsilon=epsilon,
            account=f"a{epsilon}",
            mechanism="identity",
        )
        model = hg.HistogramClassifier.from_release(release, "income")
        found = roc_auc_score(rich, model.predict_proba(test[names])[:, 1])
        assert (found - 0.5) / (full - 0.5) > least
