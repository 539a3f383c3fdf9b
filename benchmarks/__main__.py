"""All benchmarks: ``python benchmarks``. Tables are printed and kept in ``benchmarks/results``.

Ratios within one run are what counts; seconds depend on the machine. Heavier ones are run on
purpose: ``python benchmarks/publish.py 100000000``.
"""

from __future__ import annotations

import runpy
from pathlib import Path

HERE = Path(__file__).parent

if __name__ == "__main__":
    for name in ("startup", "ledger", "noise", "ranges", "publish", "mechanisms"):
        print(f"\n{name}\n{'=' * len(name)}")
        runpy.run_path(str(HERE / f"{name}.py"), run_name="__main__")
