"""Error of range counts on the DPBench arrays, next to the peers' reference code.

    HUSHGRAM_DATA=… python benchmarks/accuracy.py hb ahp --runs 30

Error = ‖Wx − Wx̂‖₂ / (number of queries) / (number of records) over 2,000 random ranges: a length
uniform in 1 … n, then a position uniform among those that fit. NONPRIVATE: it sees true counts.
The peers' figures are those of ``peers_dpbench.csv``, obtained in the same way.
"""

from __future__ import annotations

import argparse
import csv
import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from report import save

import hushgram as hg

QUERIES = 2000
PEERS = {
    "hb": "HB",
    "ahp": "AHP",
    "privelet": "Privelet",
    "p-hpartition": "PHP",
    "identity": "Identity",
}
RIVALS = ("HB", "AHP", "Privelet", "PHP")
"""A mechanism without a namesake is set next to the best of these."""
EPSILONS = ("0.01", "0.1", "1.0")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mechanisms", nargs="+")
    parser.add_argument("--runs", type=int, default=30)
    asked = parser.parse_args()
    folder = Path(os.environ["HUSHGRAM_DATA"])
    peers = peer_errors(folder / "peers_dpbench.csv")
    rows = []
    for name in asked.mechanisms:
        for epsilon in EPSILONS:
            errors = {
                path.name: run(np.load(path), name, epsilon, asked.runs)
                for path in sorted((folder / "dpbench" / "1D").glob("*.npy"))
            }
            rows.append(row(name, epsilon, errors, peers))
            print(rows[-1], flush=True)
    save("accuracy-1d", rows, by=("mechanism", "epsilon"))


def run(counts: np.ndarray, name: str, epsilon: str, runs: int) -> np.ndarray:
    """The scaled error of each run."""
    rng = np.random.default_rng(20)
    lengths = rng.integers(1, len(counts) + 1, QUERIES)
    starts = rng.integers(0, len(counts) - lengths + 1)
    true = sums(counts, starts, lengths)
    source = hg.Counts(counts)
    found = []
    for _ in range(runs):
        release = hg.publish(source, epsilon=epsilon, mechanism=name)
        error = np.linalg.norm(sums(release.to_array(), starts, lengths) - true)
        found.append(error / QUERIES / counts.sum())
    return np.array(found)


def sums(values: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    table = np.concatenate([[0.0], np.cumsum(values)])
    return table[starts + lengths] - table[starts]


def row(
    name: str,
    epsilon: str,
    errors: dict,
    peers: dict,
    namesakes: dict = PEERS,
    rivals: tuple = RIVALS,
) -> dict:
    """The geometric mean over the arrays, and its ratio to the peer's, with a 95 % interval.

    The peer's figures are means of two or three runs, whose scatter counts too: one run of the
    peer's is taken to scatter like one of ours on the same array.
    """
    logs = np.log([found.mean() for found in errors.values()])
    peer = namesakes.get(name) or min(rivals, key=lambda p: mean_log(p, epsilon, errors, peers))
    ratio = np.exp(np.mean(logs) - mean_log(peer, epsilon, errors, peers))
    variance = sum(
        (found.std(ddof=1) / found.mean()) ** 2
        * (1 / len(found) + 1 / peers[file, peer, float(epsilon)]["runs"])
        for file, found in errors.items()
    )
    half = 1.96 * np.sqrt(variance) / len(logs)
    return {
        "mechanism": name,
        "epsilon": epsilon,
        "runs": len(next(iter(errors.values()))),
        "geometric mean": float(np.exp(logs.mean())),
        "peer": peer,
        "ratio": float(ratio),
        "ratio low": float(ratio * np.exp(-half)),
        "ratio high": float(ratio * np.exp(half)),
    }


def mean_log(peer: str, epsilon: str, files: Iterable[str], peers: dict) -> float:
    """The logarithm of a peer's geometric mean over the arrays."""
    return float(np.mean([np.log(peers[file, peer, float(epsilon)]["error"]) for file in files]))


def peer_errors(path: Path) -> dict:
    """Each peer's error, and the number of runs that it is the mean of."""
    with path.open() as file:
        return {
            (Path(line["file"]).name, line["algorithm"], float(line["epsilon"])): {
                "error": float(line["l2_scaled_error"]),
                "runs": int(line["runs"]),
            }
            for line in csv.DictReader(file)
        }


if __name__ == "__main__":
    main()
