"""Run everything that must pass before a change is merged: ``./hush test``.

./hush test              format, lint, types, imports, security, all tests except the slow attacks
./hush test all          the same with the slow attacks and twice as many examples of Hypothesis,
                         as in continuous integration; shows branch coverage
./hush test gates        format, lint, types, imports and security only, in half a minute
./hush test engines      only what needs PostgreSQL and Spark: starts its own, on loopback
./hush test package      builds the wheel and tries it outside the clone, on each Python found
./hush test -k ledger    further arguments go to pytest; runs only the tests
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent

GATES = {
    "format": [str(BIN / "ruff"), "format", "--check", "--quiet", "."],
    "lint": [str(BIN / "ruff"), "check", "--quiet", "."],
    "types": [str(BIN / "mypy"), "--no-error-summary"],
    "import contracts": [str(BIN / "lint-imports"), "--no-cache"],
    "security": [str(BIN / "bandit"), "-q", "-c", "pyproject.toml", "-r", "src"],
}


SHORT = {
    (): ["-m", "not slow and not engines"],
    ("all",): ["-m", "not engines", "--hypothesis-profile", "thorough", "--cov", "--cov-report="],
    ("engines",): ["-m", "engines", "--hypothesis-profile", "thorough", "--dist", "loadgroup"],
}
"""Arguments for pytest. Tests of one server run in one process, which starts that server."""


LEAST = 15
"""The number of files to show: those with the lowest branch coverage."""


def main(words: list[str]) -> int:
    os.chdir(ROOT)
    save_time()
    if words[:1] == ["package"]:
        return subprocess.call([sys.executable, "tools/check_package.py", *words[1:]])
    if words in ([], ["all"], ["gates"]):
        if "CI" not in os.environ:
            renew_tables()
        with ThreadPoolExecutor() as pool:
            passed = all(pool.map(passes, GATES, GATES.values()))
        if not passed or words == ["gates"]:
            return int(not passed)
    options = SHORT.get(tuple(words), words)
    workers = ["-n", str(os.cpu_count() or 1)] if "-n" not in options else []
    command = [sys.executable, "-m", "pytest", "-q", "--durations=10", *workers, *options]
    failed = subprocess.call(command)
    return show_coverage() or failed if words == ["all"] else failed


def save_time() -> None:
    """Keep compiled bytecode even if the shell turns that off: the tests start hundreds of
    processes, and pytest rewrites the assertions of every test. Linear algebra runs on one thread:
    every core has a process of its own."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["OPENBLAS_NUM_THREADS"] = "1"


def show_coverage() -> int:
    """Show the files with the lowest branch coverage, and the total. Fails if it is too low."""
    report = [sys.executable, "-m", "coverage", "report", "--sort=cover"]
    done = subprocess.run(report, stdout=subprocess.PIPE, text=True)
    lines = done.stdout.splitlines()
    total = next((n for n, line in enumerate(lines) if line.startswith("TOTAL")), 0)
    print(*lines[: 2 + LEAST], "...", *lines[total:], sep="\n")
    return done.returncode


def renew_tables() -> None:
    """Update the tables in the docs that are made from the code. Continuous integration only
    compares them."""
    for maker in ("make_mechanisms.py", "make_reviewer.py"):
        subprocess.run([sys.executable, str(ROOT / "tools" / maker)], check=True)


def passes(name: str, command: list[str]) -> bool:
    started = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        print(done.stdout)
    verdict = "FAILED" if done.returncode else "ok"
    print(f"{name}: {verdict} ({time.monotonic() - started:.0f} s)", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
