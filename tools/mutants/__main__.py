"""Mutation testing of the trusted zone: do its tests notice small faults in the code?

python -m tools.mutants map      records which test runs which line (needs the package coverage);
                                 with --only tests/…, adds a new test
python -m tools.mutants run      tries the sample; resumes if it was stopped
python -m tools.mutants again    tries survivors without a reason once more, with every test that
                                 reaches them
python -m tools.mutants fresh    tries, once and with every test, mutants that are in no sample
python -m tools.mutants page     writes benchmarks/results/mutants.csv and docs/assurance/mutants.md

A mutant is the trusted zone with one expression or statement changed. It is killed if a test that
passes on the real code fails or times out. All mutants are enumerated. Those of the core files are
all tried, of the others a random sample with a fixed seed.

Everything is kept in the folder ``--work``, by default ``mutants`` in the temporary folder.

Not changed, because tests need not notice: docstrings, annotations, decorators, strings (including
error messages), imports, and checks of what cannot happen: ``assert``, and ``strict=True`` of
``zip``. Tests that need Spark, and the slow attacks, are not run.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
from fnmatch import fnmatch
from pathlib import Path

from tools.mutants.bench import Bench, copy_sources, tried_in, try_all
from tools.mutants.page import PAGE, page, reasons, write_results
from tools.mutants.reach import Reach, make_map
from tools.mutants.sample import ROOT, SEED, everything, fresh_sample, sample

TRIED, FRESH = "tried.jsonl", "fresh.jsonl"


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("step", choices=["map", "run", "again", "fresh", "page"])
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "mutants")
    parser.add_argument("--only", default="*", help="files of the zone, as 'vault/*'; map: a test")
    asked = parser.parse_args(words)
    if asked.step == "map":
        copy_sources(asked.work)
        make_map(asked.work.resolve(), asked.only)
        return 0
    all_of_them, work = everything(ROOT), asked.work.resolve()
    drawn = fresh_sample(all_of_them) if asked.step == "fresh" else sample(all_of_them)
    chosen = [one for one in drawn if fnmatch(one.file, asked.only)]
    kept = FRESH if asked.step == "fresh" else TRIED
    known = tried_in(work / kept)
    tried = [known[one.key] for one in chosen if one.key in known]
    if asked.step == "page":
        also = tried_in(work / FRESH)
        fresh = [also[one.key] for one in fresh_sample(all_of_them) if one.key in also]
        write_results(tried, fresh)
        PAGE.write_text(page(all_of_them, tried, fresh), "utf-8")
        return 0
    if asked.step == "again":
        explained = reasons()
        left = [one.mutant for one in tried if one.outcome == "survived"]
        left = [one for one in left if one.name not in explained]
    else:
        left = [one for one in chosen if one.key not in known]
        random.Random(SEED).shuffle(left)  # so that the mutants tried so far are a sample, too
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # leaves no mutant behind
    bench, reach = Bench(work), Reach(work)
    with bench.serving():
        try_all(bench, reach, left, kept, thorough=asked.step != "run")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
