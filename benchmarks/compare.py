"""How often does ``Release.compare`` see a change where there is none, and where there is one?

    python benchmarks/compare.py           all tables: about ten minutes
    python benchmarks/compare.py 20        that many runs of each instead of 200

Pairs of releases of the same counts, by the same or by two mechanisms: the share of pairs in which
"nothing changed" is rejected at 5 %, and in which any group is called changed. Then with 30/ε rows
more in each of three neighbouring cells: the share of pairs in which that is seen.
NONPRIVATE: it knows the tables.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from report import save

import hushgram as hg

CELLS = 64
PAIRS = (
    ("identity", "identity", "1"),
    ("identity", "identity", "5"),
    ("identity", "hb", "0.1"),
    ("bayes-tree", "bayes-tree", "0.1"),
    ("bayes-tree", "identity", "1"),
    ("ahp", "ahp", "0.1"),
    ("privtree-hb", "bayes-tree", "0.5"),
)


def tables() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    hill = (2000 * np.exp(-(((np.arange(CELLS) - 20) / 12) ** 2))).astype(int)
    heaps = rng.poisson(20, CELLS)
    heaps[::5] += rng.integers(0, 3000, len(heaps[::5]))
    plane = rng.poisson(np.outer(hill[::4], hill[::4]) / 2e4)
    return {"hill": hill, "heaps": heaps, "sparse": rng.poisson(0.3, CELLS), "plane": plane}


def main() -> None:
    warnings.simplefilter("ignore", hg.Unaccounted)
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    rows = []
    for name, counts in tables().items():
        for first, second, epsilon in PAIRS:
            more = counts.copy()
            more.reshape(-1)[30:33] += round(30 / float(epsilon))
            seen = np.zeros(3)
            for _ in range(runs):
                before = hg.publish(hg.Counts(counts), epsilon=epsilon, mechanism=first)
                same = hg.publish(hg.Counts(counts), epsilon=epsilon, mechanism=second)
                grown = hg.publish(hg.Counts(more), epsilon=epsilon, mechanism=second)
                found = before.compare(same)
                seen += [found.changed, found.significant.any(), before.compare(grown).changed]
            false, any_group, change = seen / runs
            rows.append({
                "table": name, "before": first, "after": second, "epsilon": epsilon, "runs": runs,
                "false_alarms": false, "false_groups": any_group, "changes_seen": change,
            })  # fmt: skip
    save("compare", rows)


if __name__ == "__main__":
    main()
