"""Choose the mutants to try: all of the core files, and a sample of the others."""

from __future__ import annotations

import math
import random
from pathlib import Path

from tools.mutants.mutant import Mutant, mutants_of

ROOT = Path(__file__).parents[2]
ZONE = Path("src/hushgram/trusted")

SEED = 9
WHOLE = [
    "vault/vault.py", "vault/sensitivity.py", "vault/budget_pool.py",
    "ledger/account.py", "ledger/steps.py", "ledger/chain.py",
    "noise/laplace.py", "noise/entropy.py",
]  # fmt: skip
"""Files whose mutants are all tried: the core of the code that decides on privacy."""
SHARES = {"engine": 0.08, "noise": 0.15, "vault": 0.15, "ledger": 0.15}
LEAST = 6
"""The minimum number of mutants of every other file."""

FRESH_SEED = 10
FRESH = {"engine": 80, "noise": 40}
"""The number of fresh mutants by folder, which are in no sample, and tried once all tests are
written."""


def everything(root: Path) -> dict[str, list[Mutant]]:
    """Return all mutants of the zone, by file."""
    files = sorted((root / ZONE).rglob("*.py"))
    names = [path.relative_to(root / ZONE).as_posix() for path in files]
    found = {
        name: mutants_of(name, path.read_text("utf-8"))
        for name, path in zip(names, files, strict=True)
    }
    return {name: mutants for name, mutants in found.items() if mutants}


def sample(all_of_them: dict[str, list[Mutant]]) -> list[Mutant]:
    """Draw the mutants to try, file by file, so that a change of one file does not affect the
    others."""
    chosen = []
    for name, mutants in all_of_them.items():
        share = 1.0 if name in WHOLE else SHARES.get(name.partition("/")[0], 1.0)
        count = min(len(mutants), max(LEAST, math.ceil(share * len(mutants))))
        drawn = random.Random(f"{SEED} {name}").sample(range(len(mutants)), count)
        chosen += [mutants[index] for index in sorted(drawn)]
    return chosen


def fresh_sample(all_of_them: dict[str, list[Mutant]]) -> list[Mutant]:
    """Draw mutants that nobody has examined, so that no test was written for them."""
    known = {one.key for one in sample(all_of_them)}
    chosen = []
    for package, count in FRESH.items():
        inside = [
            one for name, some in all_of_them.items() for one in some if in_package(name, package)
        ]
        unseen = [one for one in inside if one.key not in known]
        drawn = random.Random(f"{FRESH_SEED} {package}").sample(unseen, min(count, len(unseen)))
        chosen += sorted(drawn, key=lambda one: (one.file, one.start))
    return chosen


def in_package(name: str, package: str) -> bool:
    return name.partition("/")[0] == package
