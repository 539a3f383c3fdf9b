"""Paper 004, Fig. 17: classifiers of Adult's salary, trained on a release.

    HUSHGRAM_DATA=… python benchmarks/classify.py --runs 20

Work class, marital status, race and sex tell whether the salary is above 50,000; 30,162 complete
rows to train and 15,060 to test. Each row of the table is a classifier at an epsilon: the mean of
its accuracy and of its area under the ROC curve, with 95 % half-widths over the runs, and the share
of the way from the majority class (0.5) to the non-private tree that its area has come. Beside
trees on releases: logistic regression on weighted rows, and the private interactive ID3 of
Friedman & Schuster with two scores and two depths. NONPRIVATE: it sees the table.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from report import save
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import hushgram as hg
from hushgram.lab.interactive_id3 import ChoosingVault, interactive_id3
from hushgram.trusted.engine.counted import CountedTable
from hushgram.trusted.noise import Native
from hushgram.unit import Rows

FEATURES = ["workclass", "marital_status", "race", "sex"]
TARGET = "x4"
EPSILONS = ("0.01", "0.03", "0.1", "0.3", "1")
MECHANISMS = ("identity", "dpcube")

Predict = Callable[[Any], np.ndarray]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    asked = parser.parse_args()
    train, test = adult()
    counts = np.zeros([*(train.max().to_numpy()[:-1] + 1), 2], dtype=np.int64)
    np.add.at(counts, tuple(train.to_numpy().T), 1)
    plain = hg.HistogramClassifier().fit(train[FEATURES].to_numpy(), train["income"])
    full = scores(plain.predict_proba(test[FEATURES].to_numpy())[:, 1], test["income"])
    share = train["income"].mean()
    majority = scores(np.full(len(test), share), test["income"])
    rows = [
        row("majority class", "-", [majority], full[1]),
        row("ID3, not private", "-", [full], full[1]),
    ]
    for epsilon in EPSILONS:
        for name, learn in classifiers(counts).items():
            runs = []
            for _ in range(asked.runs):
                predict = learn(epsilon)
                runs.append(scores(predict(test[FEATURES].to_numpy()), test["income"]))
            rows.append(row(name, epsilon, runs, full[1]))
            print(rows[-1], flush=True)
    save("classify", rows)


def adult() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Complete rows to train and to test, each value by its number."""
    table = pd.read_parquet(Path(os.environ["HUSHGRAM_DATA"]) / "adult.parquet")
    table = table[(table != "?").all(axis=1)]
    codes = table[[*FEATURES, "income"]].apply(lambda column: pd.factorize(column, sort=True)[0])
    return codes[table["split"] == "train"], codes[table["split"] == "test"]


def scores(chance: np.ndarray, rich: pd.Series) -> tuple[float, float]:
    """Accuracy, and the area under the ROC curve."""
    return float(((chance > 0.5) == rich).mean()), float(roc_auc_score(rich, chance))


def classifiers(counts: np.ndarray) -> dict[str, Callable[[str], Predict]]:
    found: dict[str, Callable[[str], Predict]] = {}
    for mechanism in MECHANISMS:
        found[f"tree on {mechanism}"] = lambda epsilon, m=mechanism: tree(counts, epsilon, m)
    found["logistic regression on identity"] = lambda epsilon: logistic(counts, epsilon)
    for quality in ("max", "gain"):
        for depth in (2, 4):
            found[f"interactive ID3, {quality}, depth {depth}"] = (
                lambda epsilon, q=quality, d=depth: interactive(counts, epsilon, q, d)
            )
    return found


def tree(counts: np.ndarray, epsilon: str, mechanism: str) -> Predict:
    release = hg.publish(hg.Counts(counts), epsilon=epsilon, mechanism=mechanism)
    model = hg.HistogramClassifier.from_release(release, target=TARGET)
    return lambda rows: model.predict_proba(rows)[:, 1]


def logistic(counts: np.ndarray, epsilon: str) -> Predict:
    release = hg.publish(hg.Counts(counts), epsilon=epsilon, mechanism="identity")
    features, classes, weights = hg.weighted_rows(release, target=TARGET)
    encoder = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), [0, 1, 2, 3]))
    model = make_pipeline(encoder, LogisticRegression(max_iter=1000))
    model.fit(features.to_numpy(), classes, logisticregression__sample_weight=weights)
    return lambda rows: model.predict_proba(rows)[:, 1]


def interactive(counts: np.ndarray, epsilon: str, quality: str, depth: int) -> Predict:
    source = hg.Counts(counts)
    vault = ChoosingVault(
        CountedTable(source), source.domain, Fraction(epsilon),
        unit=Rows(), neighbours="add-remove", noise=Native(),
    )  # fmt: skip
    root = interactive_id3(vault, TARGET, depth=depth, quality=quality, most_rows=32_768)
    return lambda rows: root.predict(rows)[:, 1]


def row(name: str, epsilon: str, runs: list[tuple[float, float]], full: float) -> dict[str, Any]:
    accuracy, area = np.array(runs).T
    wide = 1.96 / np.sqrt(max(len(runs) - 1, 1))
    return {
        "classifier": name,
        "epsilon": epsilon,
        "accuracy": float(accuracy.mean()),
        "accuracy ±": float(wide * accuracy.std()),
        "AUC": float(area.mean()),
        "AUC ±": float(wide * area.std()),
        "gap closed": float((area.mean() - 0.5) / (full - 0.5)),
        "least gap closed": float((area.min() - 0.5) / (full - 0.5)),
        "runs": len(runs),
    }


if __name__ == "__main__":
    main()
