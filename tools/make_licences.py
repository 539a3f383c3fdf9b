"""Write docs/assurance/licences.md: the packages that Hushgram depends on, and their licences.

python tools/make_licences.py    updates it from the installed packages

Names and versions are those of constraints.txt; what each is for follows from pyproject.toml and
from what the packages say that they need. One that is not installed here keeps its old line.
"""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "assurance" / "licences.md"
HEAD = """# Packages and their licences

Made by `tools/make_licences.py` from the packages' own metadata, in the versions that we test
(`constraints.txt`). *core* packages come with Hushgram, extras only if you ask for them,
*tests* are for the tests in a clone, and *build* for building the package. Hushgram itself is
Apache-2.0 and does not copy code from any of them.

| package | version | for | licence |
|---|---|---|---|
"""
TAIL = """
## Known vulnerabilities

[pip-audit](https://pypi.org/project/pip-audit/) asks PyPI or OSV for known vulnerabilities of these
versions. It is not part of `./hush test`, which needs no network. Stewards should run it before
installing, and from time to time afterwards:

```console
$ pip install pip-audit
$ pip-audit --strict --no-deps --disable-pip -r constraints.txt           # asks PyPI
$ pip-audit --strict --no-deps --disable-pip -r constraints.txt -s osv    # asks OSV
```

`--strict` makes a package that could not be audited an error; without it, it is a line below "No
known vulnerabilities found". On 2026-11-15 we tried pip-audit 2.10.1 behind a mirror that only
serves packages: PyPI's service knew none of the 88, and OSV could not be reached. So we have
**not** audited these versions.
"""
SHORT = {
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "http://www.apache.org/licenses/LICENSE-2.0": "Apache-2.0",
    "MIT License": "MIT",
    "BSD License": "BSD",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0",
}


def main() -> None:
    known = purposes()
    old = dict(re.findall(r"^\| ([\w.-]+) \|.*\| (.+) \|$", page(), re.M))
    lines = []
    for name, version in read_pins().items():
        key = canonicalize_name(name)
        found = licence(name) or old.get(name, "unknown")
        lines.append(f"| {name} | {version} | {known.get(key, 'build')} | {found} |")
    PAGE.write_text(HEAD + "\n".join(lines) + "\n" + TAIL, "utf-8")


def page() -> str:
    return PAGE.read_text("utf-8") if PAGE.exists() else ""


def read_pins() -> dict[str, str]:
    """Return the tested versions."""
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pairs = [line.split("==") for line in lines if "==" in line]
    return dict(sorted(pairs, key=lambda pair: pair[0].casefold()))


def purposes() -> dict[str, str]:
    """Return why each package is needed: by the core, an extra or the tests, whichever comes
    first."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    groups = {"core": project["dependencies"]}
    groups |= {name: extras[name] for name in extras if name not in ("test", "all")}
    groups["tests"] = [one for one in extras["test"] if not one.startswith("hushgram")]
    found: dict[str, str] = {}
    for purpose, wanted in groups.items():
        for name in closure(wanted):
            found.setdefault(name, purpose)
    return found


def closure(wanted: list[str]) -> set[str]:
    """Return these packages and all their dependencies."""
    found: set[tuple[str, frozenset[str]]] = set()
    left = [Requirement(text) for text in wanted]
    while left:
        one = left.pop()
        key = (canonicalize_name(one.name), frozenset(one.extras))
        if key not in found:
            found.add(key)
            left += needs(one)
    return {name for name, _ in found}


def needs(one: Requirement) -> list[Requirement]:
    try:
        texts = metadata.requires(one.name) or []
    except metadata.PackageNotFoundError:
        return []
    return [need for need in map(Requirement, texts) if applies(need, one.extras)]


def applies(need: Requirement, extras: set[str]) -> bool:
    if need.marker is None:
        return True
    here = dict(default_environment())
    return any(need.marker.evaluate({**here, "extra": extra}) for extra in ("", *extras))


def licence(name: str) -> str:
    """Return the short name of a package's licence; "" if it is not installed."""
    try:
        about = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return ""
    classes = [
        text.rpartition(" :: ")[2]
        for text in about.get_all("Classifier", [])
        if text.startswith("License :: ") and not text.endswith("OSI Approved")
    ]
    free = (about.get("License") or "").strip()
    first = about.get("License-Expression") or ", ".join(classes)
    if not first and free and "\n" not in free:
        first = free
    return SHORT.get(first, first) or "see its files"


if __name__ == "__main__":
    main()
