"""Classifiers of Adult's salary, trained on releases or interactively. NONPRIVATE."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

import hushgram as hg
from hushgram.declare.axis import Floats
from hushgram.declare.unit import Rows
from hushgram.errors import MissingExtra
from hushgram.geometry.partition import Ints
from hushgram.trusted.engine.sources.counted import CountedTable
from hushgram.trusted.noise import Native
from reproduction.adult import Adult, count_cells
from reproduction.interactive_id3 import ChoosingVault, interactive_id3

FEATURES = ("workclass", "marital_status", "race", "sex")
TARGET = "x4"

Predict = Callable[[Ints], Floats]
"""Predicts the probabilities of a high salary from rows of features."""

Learn = Callable[[str], Predict]
"""Trains a classifier for an ε."""


def check_extra() -> None:
    from importlib.util import find_spec

    if find_spec("sklearn") is None:
        raise MissingExtra("scikit-learn", "learn", "the classifiers of paper 004")


def split(table: Adult) -> tuple[Ints, Ints]:
    """Return complete rows for training and testing, features first, then the class. Codes start at
    0 and have no gaps among complete rows."""
    codes = table.select((*FEATURES, "income"), table.complete)
    dense = np.stack([np.unique(one, return_inverse=True)[1] for one in codes.T], axis=1)
    train = table.train[table.complete]
    return dense[train], dense[~train]


def cells_of(train: Ints) -> Ints:
    return count_cells(train, tuple(int(n) for n in train.max(axis=0) + 1))


def plain(train: Ints) -> Predict:
    """Train the tree without privacy."""
    model = hg.HistogramClassifier().fit(train[:, :-1], train[:, -1])
    return lambda rows: np.asarray(model.predict_proba(rows)[:, 1])


def tree(counts: Ints, mechanism: Any, epsilon: str) -> Predict:
    release = hg.publish(
        hg.Counts(counts), epsilon=epsilon, mechanism=mechanism, ledger=hg.Ledger.in_memory()
    )
    model = hg.HistogramClassifier.from_release(release, target=TARGET)
    return lambda rows: np.asarray(model.predict_proba(rows)[:, 1])


def logistic(counts: Ints, epsilon: str) -> Predict:
    from sklearn.compose import make_column_transformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    release = hg.publish(
        hg.Counts(counts), epsilon=epsilon, mechanism="identity", ledger=hg.Ledger.in_memory()
    )
    features, classes, weights = hg.weighted_rows(release, target=TARGET)
    encoder = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), [0, 1, 2, 3]))
    model = make_pipeline(encoder, LogisticRegression(max_iter=1000))
    model.fit(features.to_numpy(), classes, logisticregression__sample_weight=weights)
    return lambda rows: np.asarray(model.predict_proba(rows)[:, 1])


def interactive(counts: Ints, quality: str, depth: int, epsilon: str) -> Predict:
    source = hg.Counts(counts)
    vault = ChoosingVault(
        CountedTable(source), source.domain, Fraction(epsilon),
        unit=Rows(), neighbours="add-remove", noise=Native(),
    )  # fmt: skip
    root = interactive_id3(vault, TARGET, depth=depth, quality=quality, most_rows=32_768)
    return lambda rows: np.asarray(root.predict(rows)[:, 1])


def classifiers(counts: Ints) -> dict[str, Learn]:
    """Return the classifiers of paper 004, and some more."""
    found: dict[str, Learn] = {
        f"tree on {mechanism}": partial(tree, counts, mechanism)
        for mechanism in ("identity", "dpcube")
    }
    found["logistic regression on identity"] = partial(logistic, counts)
    for quality in ("max", "gain"):
        for depth in (2, 4):
            name = f"interactive ID3, {quality}, depth {depth}"
            found[name] = partial(interactive, counts, quality, depth)
    return found


def accuracy(chance: Floats, rich: Ints) -> float:
    return float(((chance > 0.5) == rich).mean())


def scores(chance: Floats, rich: Ints) -> tuple[float, float]:
    """Return the accuracy, and the area under the ROC curve."""
    from sklearn.metrics import roc_auc_score

    return accuracy(chance, rich), float(roc_auc_score(rich, chance))
