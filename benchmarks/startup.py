"""How long the program takes to start, against importing numpy: python benchmarks/startup.py"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from report import save

SOURCE = Path(__file__).parent.parent / "src"
RUNS = 7
COMMANDS = {
    'python -c "pass"': ["-c", "pass"],
    'python -c "import numpy"': ["-c", "import numpy"],
    'python -c "import hushgram"': ["-c", "import hushgram"],
    "hushgram --help": ["-m", "hushgram", "--help"],
}
BASE = 'python -c "import numpy"'


def seconds(words: list[str]) -> float:
    here = {**os.environ, "PYTHONPATH": str(SOURCE)}
    started = time.perf_counter()
    subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL, env=here)
    return time.perf_counter() - started


def main() -> None:
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(RUNS):  # alternately, so that a busy moment does not hit one command only
        for name, words in COMMANDS.items():
            times[name].append(seconds(words))
    medians = {name: statistics.median(found) for name, found in times.items()}
    save(
        "startup",
        [
            {"command": name, "median ms": round(1000 * median), "to numpy": median / medians[BASE]}
            for name, median in medians.items()
        ],
    )


if __name__ == "__main__":
    main()
