"""Print one fingerprint per mechanism and table: the hash of its release under repeated noise.

    python tools/fingerprints.py > before.csv     at one commit
    python tools/fingerprints.py > after.csv      at another
    diff before.csv after.csv                     silent if no release changed by one byte

The noise repeats here and nowhere else, so nothing that this tool prints or writes is protected.
A release is compared as its saved file, without the random receipt, together with its answers to a
list of questions, because they are computed on demand. NONPRIVATE.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import warnings
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import hushgram as hg
from hushgram.data import places
from hushgram.trusted.noise import entropy

EPSILONS = (Fraction(1, 10), Fraction(2))


def tables() -> Iterator[tuple[str, Any, hg.Domain | None]]:
    """Yield tables with one, two and three axes, as cells and as rows."""
    rng = np.random.default_rng(7)
    skewed = rng.zipf(1.6, 20_000)
    line = np.bincount(np.minimum(skewed, 120), minlength=128)
    yield "128 cells", hg.Counts(line), None
    peak = rng.normal((20, 9), (6, 3), (30_000, 2)).astype(int)
    field, _, _ = np.histogram2d(*peak.T, bins=(40, 24), range=((0, 40), (0, 24)))
    yield "40 x 24 cells", hg.Counts(field.astype(int)), None
    cube = rng.poisson(rng.gamma(0.3, 12, (6, 10, 8)))
    yield "6 x 10 x 8 cells", hg.Counts(cube), None
    world = hg.Domain(lon=hg.Interval(-180, 180), lat=hg.Interval(-60, 75))
    yield "places", places(), world
    yield "population", places(), hg.Domain(population=hg.Interval(0, 100_000))
    yield "population bins", places(), hg.Domain(population=hg.Regular(300, 0, 100_000))


def fingerprint(name: str, table: Any, domain: hg.Domain | None, epsilon: Fraction) -> str:
    """Return the hash of a release and of its answers, or the kind of error."""
    with tempfile.TemporaryDirectory() as folder:
        ledger = hg.Ledger.in_memory()
        ledger.open_account("all", cap=5)
        counted = {} if domain is None else {"account": "all", "ledger": ledger}

        def publish() -> hg.Release:
            return hg.publish(table, domain, epsilon=epsilon, mechanism=name, **counted)

        try:
            publish()  # includes the rehearsal, so that the next one does not draw for it
            rng = np.random.default_rng(11)
            entropy.words = lambda count: rng.integers(0, 2**64, count, dtype=np.uint64)
            file = Path(folder) / "release.hush.parquet"
            publish().save(file)
        except hg.HushgramError as error:
            return f"refused: {type(error).__name__}"
        release = hg.load(file)
        digest = hashlib.sha256(contents(file))
    for question in questions(release):
        answer = release.count(**question)
        digest.update(repr((answer.value, answer.interval)).encode())
    return digest.hexdigest()[:32]


def contents(file: Path) -> bytes:
    """Return a saved release without its random receipt, and without the seal over both."""
    found = pq.read_table(file)
    metadata = json.loads(found.schema.metadata[b"hushgram"])
    for drawn in ("receipt", "seal"):
        metadata.pop(drawn, None)
    sink = pa.BufferOutputStream()
    pq.write_table(found.replace_schema_metadata(None), sink)
    return json.dumps(metadata, sort_keys=True).encode() + sink.getvalue().to_pybytes()


def questions(release: hg.Release) -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(5)
    axes = release.domain.items()
    for _ in range(12):
        asked = {}
        for name, axis in axes:
            low, high = sorted(rng.uniform(0, 1, 2))
            start, stop = float(axis.edge(0)), float(axis.edge(axis.bins))
            asked[name] = (start + low * (stop - start), start + high * (stop - start))
        yield asked


def main() -> None:
    warnings.simplefilter("ignore")
    system = entropy.words
    out = sys.stdout
    out.write("mechanism,table,epsilon,fingerprint\n")
    for name in hg.MECHANISMS:
        for label, table, domain in tables():
            for epsilon in EPSILONS:
                entropy.words = system
                found = fingerprint(name, table, domain, epsilon)
                out.write(f'{name},{label},{epsilon},"{found}"\n')
                out.flush()


if __name__ == "__main__":
    main()
