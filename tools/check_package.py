"""Build the package and use it outside the clone: ``./hush test package``.

1. The wheel and the sdist are built twice, and once from the sdist: always the same bytes.
2. For each Python that is found (3.11 to 3.14), the wheel is installed into a fresh environment,
   where the demo, the help, a publish and a count run in a separate folder.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
EPOCH = "1767225600"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
TABLE = "age\n" + "".join(f"{n % 90}\n" for n in range(1000))
STEPS = (
    "hushgram --version",
    "hushgram --help",
    "hushgram help axes",
    "hushgram completion bash",
    "hushgram demo",
    "hushgram publish people.csv --account people --epsilon 1 --axis age=0:100/10",
    "hushgram count people.hush.parquet age=20:30",
)


def main(wanted: list[str]) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build_reproducibly(folder)
        found = [python for python in wanted or PYTHONS if find(python)]
        for python in found:
            try_out(find(python) or "", wheel, folder / f"python{python}")
            print(f"Python {python}: installed outside the clone, {len(STEPS)} commands ran")
        missing = ", ".join({*PYTHONS} - {*found})
        print(
            f"{len(found)} passed, 0 failed" + (f" (not found here: {missing})" if missing else "")
        )
    return int(not found)


def build_reproducibly(folder: Path) -> Path:
    """Return the wheel, once all ways to build it have given the same bytes."""
    first = build(ROOT, folder / "first")
    second = build(ROOT, folder / "second")
    source = folder / "source"
    with tarfile.open(first["sdist"]) as archive:
        archive.extractall(source, filter="data")
    third = build(next(source.iterdir()), folder / "third")
    for kind, path in first.items():
        digests = {digest(made[kind]) for made in (first, second, third)}
        if len(digests) > 1:
            raise SystemExit(f"{path.name} is not reproducible: {digests}")
        print(f"{path.name}: {path.stat().st_size:,} bytes, sha256 {digests.pop()}")
    return first["wheel"]


def build(root: Path, target: Path) -> dict[str, Path]:
    target.mkdir()
    here = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH}
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(target)]
    subprocess.run(command, cwd=root, check=True, env=here, capture_output=True)
    return {"wheel": next(target.glob("*.whl")), "sdist": next(target.glob("*.tar.gz"))}


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def find(python: str) -> str | None:
    """Return a working Python of this version: shims may not work."""
    places = [shutil.which(f"python{python}")]
    places += map(str, (Path.home() / ".pyenv" / "versions").glob(f"{python}.*/bin/python"))
    for place in filter(None, places):
        done = subprocess.run([place, "-c", "import venv, ensurepip"], capture_output=True)
        if done.returncode == 0:
            return place
    return None


def try_out(python: str, wheel: Path, folder: Path) -> None:
    """Install the wheel in isolation from the clone, and run every step."""
    folder.mkdir()
    programs = folder / "venv" / "bin"
    here = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    here |= {"HUSHGRAM_LEDGER": str(folder / "ledger.db"), "HOME": str(folder)}
    here["PATH"] = f"{programs}{os.pathsep}{here['PATH']}"
    run([python, "-m", "venv", str(folder / "venv")], folder, here)
    constraints = ["-c", str(ROOT / "constraints.txt")]
    pip = [str(programs / "python"), "-m", "pip", "install", "--quiet", "--only-binary", ":all:"]
    run([*pip, *constraints, str(wheel)], folder, {**os.environ, "PYTHONPATH": ""})
    (folder / "people.csv").write_text(TABLE)
    for step in STEPS:
        run(step.split(), folder, here)


def run(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
