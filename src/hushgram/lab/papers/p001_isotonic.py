"""Paper 001: groups of adjacent bins, then isotonic regression. NONPRIVATE."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import hushgram as hg
from hushgram.axis import Floats
from hushgram.lab.evaluate.data import DataSet
from hushgram.lab.nonprivate_grouping import Errors, in_true_order, mean_errors, squared_error
from hushgram.lab.papers.data import texts
from hushgram.lab.papers.drawing import Panel, bars, lines
from hushgram.lab.papers.findings import Claim, Finding, Numbers, Paper, Picture, short, some_of
from hushgram.partition import Ints

D = np.array([4, 3, 3, 7, 6, 5, 2, 3])
NOISY = np.array([4.3677, 3.0691, 2.9174, 7.3485, 6.1965, 5.6298, 3.7323, 3.0327])
"""Fig. 1."""

GROUPS = (1, 6, 10, 20, 100)
"""1, n/15, n/10, n/5 and n."""

EPSILONS = ("1", "0.1", "0.01", "0.001")
ROWS = 100_000
"""With the paper's 349,655,790 no noise of these ε shows beside the structure error."""

PRIVATE = ("isotonic", "identity", "noise-first", "hb")


def cut(values: Floats) -> Floats:
    """Two decimals, the others cut off, as the paper computes "for convenience"."""
    return np.asarray(np.trunc(values * 100 + 1e-9) / 100)


def example(runs: int) -> Finding:
    """Fig. 1 to 5."""
    noisy = cut(NOISY)
    fitted = cut(in_true_order(D, noisy))
    pairs = D.reshape(-1, 2).mean(axis=1).repeat(2).tolist()
    told = [
        ("noise error before isotonic regression", "3.6712", squared_error(D, noisy)),
        ("noise error after it", "2.1553", squared_error(D, fitted)),
        ("what the regression changes", "0.4123", squared_error(noisy, fitted)),
    ]
    return Finding(
        "Fig. 1–5: the worked example",
        "D = 4, 3, 3, 7, 6, 5, 2, 3 and its noisy version, along the order of D itself: the "
        "paper's literal pipeline, which is not private. §4 of the paper says *through isotonic "
        "algorithm* of the first error and *without* of the second, the wrong way round; it "
        "computes with numbers cut to two decimals.",
        [
            *(Claim(what, printed, f"{here:.4f}", f"{here:.4f}" == printed)
              for what, printed, here in told),
            Claim("pairs of bins replaced by their means (Fig. 3)",
                  "3.5, 3.5, 5, 5, 5.5, 5.5, 2.5, 2.5", ", ".join(f"{x:g}" for x in pairs),
                  pairs == [3.5, 3.5, 5.0, 5.0, 5.5, 5.5, 2.5, 2.5]),
        ],
    )  # fmt: skip


def transactions() -> Ints:
    """Rows by category: the 100 countries with most places, by name."""
    from hushgram.examples import places

    _, counts = np.unique(texts(places(), "country"), return_counts=True)
    kept = np.sort(np.argsort(-counts, kind="stable")[: GROUPS[-1]])
    return DataSet("transactions", counts[kept]).scaled(ROWS).counts


def figure_six(runs: int) -> Finding:
    counts = transactions()
    rng = np.random.default_rng(6)
    found = {
        epsilon: [mean_errors(counts, k, float(epsilon), runs=runs, rng=rng) for k in GROUPS]
        for epsilon in EPSILONS
    }
    every = [one for by in found.values() for one in by]
    less = sum(one.total_isotonic < one.total_noisy for one in every)
    falls = all(
        np.all(np.diff([one.structure for one in by]) <= 1e-6 * by[0].structure)
        for by in found.values()
    )
    gains = {
        epsilon: float(np.mean([1 - one.total_isotonic / one.total_noisy for one in by]))
        for epsilon, by in found.items()
    }
    most = max(gains, key=gains.__getitem__)
    saved = {e: by[-1].total_noisy - by[-1].total_isotonic for e, by in found.items()}
    return Finding(
        "Fig. 6: data release error, the literal pipeline",
        f"{ROWS:,} rows in {len(counts)} categories: places of the world by country "
        "(bundled). The paper has 349,655,790 rows, and leaves out *singular dots* by a rule that "
        "it does not state; with as many rows here, no noise of these ε shows beside the structure "
        "error. **Not private**: the groups are chosen by true counts and the regression goes "
        "along the true order. For the shape of the paper's figure only.",
        [
            Claim("error with isotonic regression is below that without, for every ε and k",
                  "always", some_of(less, len(every)), less == len(every)),
            Claim("structure error falls as the groups become more", "yes",
                  "yes" if falls else "no", falls),
            Claim("regression takes most off the error at ε = 0.001", "yes",
                  f"at k = n it takes off {short(saved['0.001'])} there, {short(saved['1'])} at "
                  f"ε = 1; as a share, most at ε = {most}",
                  max(saved, key=saved.__getitem__) == "0.001"),
        ],
        [numbers_of(found)],
        [Picture("001-fig6", "Fig. 6: data release error by number of groups; E(H*) is structure "
                 "error (0 with 100 groups), E(Hm) without and E(Hs) with isotonic regression.",
                 partial(bars, {f"ε = {e}": series(by) for e, by in found.items()},
                         [str(k) for k in GROUPS], "number of groups", "error", log=True))],
    )  # fmt: skip


def series(by: list[Errors]) -> dict[str, list[float]]:
    return {
        "E(H*)": [one.structure or np.nan for one in by],
        "E(Hm)": [one.total_noisy for one in by],
        "E(Hs)": [one.total_isotonic for one in by],
    }


def numbers_of(found: dict[str, list[Errors]]) -> Numbers:
    rows = [
        (epsilon, str(k), short(one.structure), short(one.total_noisy), short(one.total_isotonic))
        for epsilon, by in found.items()
        for k, one in zip(GROUPS, by, strict=True)
    ]
    return Numbers("Errors", ("ε", "groups", "E(H*)", "E(Hm)", "E(Hs)"), rows)


def private(runs: int) -> Finding:
    """What is left of the idea when everything is paid for."""
    counts = transactions()
    found: dict[str, list[float]] = {name: [] for name in PRIVATE}
    for name in PRIVATE:
        for epsilon in EPSILONS:
            errors = [total_error(counts, name, epsilon) for _ in range(runs)]
            found[name].append(float(np.mean(errors)))
    won = sum(a < b for a, b in zip(found["isotonic"], found["identity"], strict=True))
    places = [float(e) for e in EPSILONS]
    return Finding(
        "The idea, paid for",
        "The mechanism `isotonic` buys the groups and their order with a share of ε. The same "
        "categories; total error, the sum of squares over all bins.",
        [
            Claim("beyond the paper: isotonic regression has a lower error than plain noise", "–",
                  f"at {some_of(won, len(EPSILONS))} ε", won == len(EPSILONS),
                  "where no two bins look alike, what the groups cost is lost: the advantage that "
                  "the paper shows comes from true counts and their order, which it does not pay "
                  "for."),
        ],
        [Numbers("Total errors", ("mechanism", *(f"ε = {e}" for e in EPSILONS)),
                 [(name, *map(short, y)) for name, y in found.items()])],
        [Picture("001-private", "Total error of private mechanisms by ε.", partial(
            lines, [Panel(f"{ROWS:,} rows in 100 categories", "ε", "total error",
                          {name: (places, y) for name, y in found.items()})]))],
    )  # fmt: skip


def total_error(counts: Ints, mechanism: Any, epsilon: str) -> float:
    release = hg.publish(hg.Counts(counts), epsilon=epsilon, mechanism=mechanism)
    return squared_error(counts, release.to_array())


PAPER = Paper(
    "001",
    "groups of adjacent bins, then isotonic regression",
    "Shi & Zhou, *Difference privacy histogram release based on isotonic regression*, 2015.",
    20,
    [example, figure_six, private],
    [
        "The paper's data, transactions of a company, are not public. Figures of the paper are "
        "plots without printed numbers; its text gives the worked example.",
    ],
)
