"""Error of box counts on the DPBench arrays of 256 x 256 cells, next to the peers' reference code.

    HUSHGRAM_DATA=… python benchmarks/accuracy2d.py adaptive-grid quadtree hb --runs 20

The measure is that of ``accuracy.py``, with a length and a position drawn per axis. A layout
coarser than the cells is assumed to be even within its parts. NONPRIVATE: it sees true counts.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np
from accuracy import EPSILONS, QUERIES, peer_errors, row
from report import save

import hushgram as hg

PEERS = {
    "adaptive-grid": "AG",
    "quadtree": "QuadTree",
    "hb": "HB2D",
    "uniform-grid": "UG",
    "dpcube": "DPcube",
    "privelet": "Privelet2D",
    "identity": "Identity",
}
RIVALS = ("AG", "QuadTree", "HB2D")
"""A mechanism without a namesake is set next to the best of these."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mechanisms", nargs="+")
    parser.add_argument("--runs", type=int, default=20)
    asked = parser.parse_args()
    folder = Path(os.environ["HUSHGRAM_DATA"])
    peers = peer_errors(folder / "peers_dpbench.csv")
    arrays = {path.name: np.load(path) for path in sorted((folder / "dpbench/2D").glob("*.npy"))}
    rows = []
    for name in asked.mechanisms:
        for epsilon in EPSILONS:
            errors = {file: run(a, name, epsilon, asked.runs) for file, a in arrays.items()}
            rows.append(row(name, epsilon, errors, peers, PEERS, RIVALS))
            print(rows[-1], flush=True)
    save("accuracy-2d", rows, by=("mechanism", "epsilon"))


def run(counts: np.ndarray, name: str, epsilon: str, runs: int) -> np.ndarray:
    """The scaled error of each run."""
    rng = np.random.default_rng(20)
    lengths = rng.integers(1, np.array(counts.shape) + 1, (QUERIES, 2))
    starts = rng.integers(0, np.array(counts.shape) - lengths + 1)
    true = sums(counts, starts, lengths)
    source = hg.Counts(counts)
    found = []
    for _ in range(runs):
        estimate = hg.publish(source, epsilon=epsilon, mechanism=name).estimate
        error = np.linalg.norm(sums(cells_of(estimate, counts.shape), starts, lengths) - true)
        found.append(error / QUERIES / counts.sum())
    return np.array(found)


def cells_of(estimate: hg.Estimate, shape: tuple[int, ...]) -> np.ndarray:
    """The value of every cell: its part's, shared evenly."""
    parts = estimate.partition.parts(list(np.indices(shape).reshape(len(shape), -1)))
    return (estimate.values / np.bincount(parts))[parts].reshape(shape)


def sums(values: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    table = np.zeros(np.array(values.shape) + 1)
    table[1:, 1:] = values.cumsum(axis=0).cumsum(axis=1)
    (a, b), (c, d) = starts.T, (starts + lengths).T
    return table[c, d] - table[a, d] - table[c, b] + table[a, b]


if __name__ == "__main__":
    main()
