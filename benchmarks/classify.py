"""Paper 004, Fig. 17: classifiers of Adult's salary, trained on a release.

    HUSHGRAM_DATA=… python benchmarks/classify.py --runs 20

Work class, marital status, race and sex tell whether the salary is above 50,000; 30,162 complete
rows to train and 15,060 to test. Each row of the table is a classifier at an epsilon: the mean of
its accuracy and of its area under the ROC curve, with 95 % half-widths over the runs, and the share
of the way from the majority class (0.5) to the non-private tree that its area has come. Beside
trees on releases: logistic regression on weighted rows, and the private interactive ID3 of
Friedman & Schuster with two scores and two depths. NONPRIVATE: it sees the table.
``./hush reproduce 004`` makes the paper's figure.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from report import save

from reproduction.adult import adult
from reproduction.classifiers import cells_of, check_extra, classifiers, plain, scores, split

EPSILONS = ("0.01", "0.03", "0.1", "0.3", "1")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    asked = parser.parse_args()
    check_extra()
    train, test = split(adult())
    features, rich = test[:, :-1], test[:, -1]
    full = scores(plain(train)(features), rich)
    majority = scores(np.full(len(test), train[:, -1].mean()), rich)
    rows = [
        row("majority class", "-", [majority], full[1]),
        row("ID3, not private", "-", [full], full[1]),
    ]
    for epsilon in EPSILONS:
        for name, learn in classifiers(cells_of(train)).items():
            runs = [scores(learn(epsilon)(features), rich) for _ in range(asked.runs)]
            rows.append(row(name, epsilon, runs, full[1]))
            print(rows[-1], flush=True)
    save("classify", rows)


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
