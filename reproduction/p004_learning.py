"""Fig. 17 of paper 004: classifiers trained on a release and interactively. NONPRIVATE."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from reproduction.adult import adult
from reproduction.classifiers import (
    accuracy,
    cells_of,
    check_extra,
    interactive,
    plain,
    split,
    tree,
)
from reproduction.drawing import Panel, lines
from reproduction.findings import Claim, Numbers, PaperFinding, Picture
from reproduction.judged import Judged, Runs, every, format_mean, less, mean, times

BUDGETS = ("0.01", "0.03", "0.1", "0.3", "1")


def classification(runs: int) -> PaperFinding:
    """Fig. 17."""
    check_extra()
    table = adult()
    train, test = split(table)
    features, rich = test[:, :-1], test[:, -1]
    counts = cells_of(train)
    learners = {
        "DPCube ID3": partial(tree, counts, "dpcube"),
        "private interactive ID3": partial(interactive, counts, "max", 4),
    }
    base = accuracy(plain(train)(features), rich)
    majority = max(float(rich.mean()), 1 - float(rich.mean()))
    found: dict[str, list[Runs]] = {
        name: [[accuracy(learn(e)(features), rich) for _ in range(runs)] for e in BUDGETS]
        for name, learn in learners.items()
    }
    ours, theirs = found["DPCube ID3"], found["private interactive ID3"]
    ahead = [less(b, a) for a, b in zip(ours, theirs, strict=True)]
    shown: dict[str, list[Runs]] = {
        "original ID3": [[base]] * len(BUDGETS),
        **found,
        "majority class": [[majority]] * len(BUDGETS),
    }
    places = [float(e) for e in BUDGETS]
    return PaperFinding(
        "Fig. 17: classification",
        f"{table.about}: {len(train):,} rows to train and {len(test):,} to test; salary is "
        "predicted from work class, marital status, race and sex. Interactive ID3 uses the score "
        "*max* and depth 4.",
        [
            Claim("accuracy of the original ID3", "76.9 %", f"{100 * base:.1f} %",
                  abs(base - 0.769) < 0.01,
                  "only the distribution of the table decides this, and where it is not Adult "
                  "itself, it is another."),
            Claim("DPCube ID3 outperforms the private interactive ID3", "at all α",
                  times(ahead, "α"), every(ahead)),
            Claim("DPCube ID3 comes close to the original", "slightly worse",
                  f"{format_mean(ours[-1], percent=True)} at α = {BUDGETS[-1]}",
                  abs(mean(ours[-1]) - base) < 0.01),
            *(Claim(f"{name} improves with the budget", "yes", times(rises(y), "steps of α"),
                    every(rises(y))) for name, y in found.items()),
        ],
        [Numbers("Accuracy", ("classifier", *(f"α = {e}" for e in BUDGETS)),
                 [(name, *(format_mean(one, percent=True) for one in y))
                  for name, y in shown.items()])],
        [Picture("004-fig17", "Fig. 17: classification accuracy by privacy budget.", partial(
            lines, [Panel("salary of Adult", "privacy budget α", "classification accuracy",
                          {name: (places, [mean(one) for one in y]) for name, y in shown.items()},
                          log_y=False)]))],
    )  # fmt: skip


def rises(y: list[Runs]) -> list[Judged]:
    return [less(fewer, more) for fewer, more in pairwise(y)]
