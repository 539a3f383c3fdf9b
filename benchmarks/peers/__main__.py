"""The same job on diffprivlib, OpenDP, mbi and Hushgram: a private map of 256 x 256 cells.

    pip install -e . -r benchmarks/peers/requirements.txt
    python benchmarks/peers [--rows 1000000] [--runs 5]

From a Parquet file of longitudes and latitudes to a noisy count of every cell, ε = 0.1 and 1. CPU
seconds are those of the whole job, all threads, reading the file included, the least of the runs
after a first one that imports and compiles. The error is DPBench's: the root of the sum of squared
errors of 2,000 random boxes, over their number and the rows. ``times the cpu`` and ``times the
error`` compare with Hushgram's identity, which does what the peers do: noise on every cell.

The peers' noise is what their packages offer: diffprivlib's is rounded and its counts are cut
at zero; OpenDP's is exact; mbi has none of its own, so it gets numpy's Laplace noise, which is not
safe, and makes the counts non-negative by mirror descent, with the 1,000 steps that are its
default. None remembers a budget or gives error bars. NONPRIVATE: it sees true counts.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
import pyarrow.parquet as pq
from publish import write
from report import cpu, save

import hushgram as hg

SIDE, QUERIES = 256, 2_000
BOUNDS = ((-180.0, 180.0), (-90.0, 90.0))
EPSILONS = (0.1, 1.0)

Job = Callable[[Path, float], np.ndarray]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "points.parquet"
        write(path, asked.rows)
        truth = counted(path)
        for epsilon in EPSILONS:
            for name, job in JOBS.items():
                rows.append(
                    {"job": name, "epsilon": epsilon, **measured(job, path, epsilon, truth, asked)}
                )
                ours = next(row for row in rows if row["epsilon"] == epsilon)
                rows[-1]["times the cpu"] = rows[-1]["cpu s"] / ours["cpu s"]
                rows[-1]["times the error"] = rows[-1]["error"] / ours["error"]
                print(rows[-1], flush=True)
    save("peers", rows)


def measured(job: Job, path: Path, epsilon: float, truth: np.ndarray, asked: Any) -> dict[str, Any]:
    """CPU seconds and the geometric mean of the runs' errors."""
    job(path, epsilon)
    found: list[np.ndarray] = []
    seconds = cpu(lambda: found.append(job(path, epsilon)), repeat=asked.runs)
    errors = [error(noisy, truth) for noisy in found]
    return {"rows": asked.rows, "cpu s": seconds, "error": float(np.exp(np.mean(np.log(errors))))}


def error(noisy: np.ndarray, truth: np.ndarray) -> float:
    rng = np.random.default_rng(7)
    lengths = rng.integers(1, SIDE + 1, (QUERIES, 2))
    starts = rng.integers(0, SIDE - lengths + 1)
    table = np.zeros((SIDE + 1, SIDE + 1))
    table[1:, 1:] = (noisy - truth).cumsum(axis=0).cumsum(axis=1)
    (a, c), (b, d) = starts.T, (starts + lengths).T
    apart = table[b, d] - table[a, d] - table[b, c] + table[a, c]
    return float(np.linalg.norm(apart) / QUERIES / truth.sum())


def columns(path: Path) -> list[np.ndarray]:
    table = pq.read_table(path)
    return [table[name].to_numpy() for name in ("lon", "lat")]


def counted(path: Path) -> np.ndarray:
    """The true counts, as numpy users would get them."""
    return np.histogram2d(*columns(path), bins=SIDE, range=BOUNDS)[0].astype(np.int64)


def hushgram(mechanism: str) -> Job:
    def job(path: Path, epsilon: float) -> np.ndarray:
        domain = hg.Domain(lon=hg.Regular(SIDE, *BOUNDS[0]), lat=hg.Regular(SIDE, *BOUNDS[1]))
        release = hg.publish(
            path, domain, epsilon=str(epsilon), mechanism=mechanism, account="bench",
            ledger=hg.Ledger.in_memory(),
        )  # fmt: skip
        return np.asarray(release.to_array(), dtype=float)

    return job


def diffprivlib(path: Path, epsilon: float) -> np.ndarray:
    from diffprivlib.tools import histogram2d

    lon, lat = columns(path)
    return np.asarray(histogram2d(lon, lat, epsilon=epsilon, bins=SIDE, range=BOUNDS)[0], float)


def opendp(path: Path, epsilon: float) -> np.ndarray:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    noisy = dp.m.make_laplace(*space, scale=1 / epsilon)(counted(path).ravel().tolist())
    return np.array(noisy, dtype=float).reshape(SIDE, SIDE)


def mbi(path: Path, epsilon: float) -> np.ndarray:
    import jax

    jax.config.update("jax_enable_x64", True)  # as the package asks for, or it stalls
    from mbi import Domain, LinearMeasurement
    from mbi.estimation import MirrorDescent

    noisy = counted(path) + np.random.default_rng().laplace(0, 1 / epsilon, (SIDE, SIDE))
    looked = LinearMeasurement(noisy.ravel(), ("lon", "lat"), stddev=2**0.5 / epsilon)
    model = MirrorDescent().estimate(Domain(("lon", "lat"), (SIDE, SIDE)), [looked])
    return np.asarray(model.project(("lon", "lat")).datavector()).reshape(SIDE, SIDE)


JOBS: dict[str, Job] = {
    "hushgram identity": hushgram("identity"),
    "hushgram privtree-hb": hushgram("privtree-hb"),
    "hushgram dpcube": hushgram("dpcube"),
    "diffprivlib histogram2d": diffprivlib,
    "OpenDP make_laplace": opendp,
    "mbi mirror descent": mbi,
}


if __name__ == "__main__":
    main()
