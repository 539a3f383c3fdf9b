"""Build the documentation site: ``./hush site``.

./hush site          builds the pages into site/; a dead link or a missing reference is an error
./hush site serve    serves them on http://127.0.0.1:8000, and rebuilds after each change
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def main(words: list[str]) -> int:
    if words not in ([], ["serve"]):
        print(__doc__)
        return 2
    here = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONWARNINGS": "ignore"}
    verb = words or ["build", "--strict"]
    done = subprocess.call([sys.executable, "-m", "mkdocs", "--quiet", *verb], cwd=ROOT, env=here)
    if verb[0] == "build" and done == 0:
        pages = len([*(ROOT / "site").rglob("*.html")])
        print(f"{pages} pages in site/: open site/index.html. No dead link, no missing reference.")
    return done


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
