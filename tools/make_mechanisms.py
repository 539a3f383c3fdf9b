"""Write the mechanism tables of the docs, from the mechanisms' docstrings.

python tools/make_mechanisms.py    writes docs/mechanisms/README.md, and the list of docs/proofs
"""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path

from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.registry import BUILT_IN

ROOT = Path(__file__).parent.parent
HEAD = """# Mechanisms

`tools/make_mechanisms.py` makes this page from the docstrings; `hushgram mechanisms` prints the
same. See also: [which mechanism `auto` chooses](../guides/choosing.md), [how often error bars
contain the true answer](../guides/intervals.md), [how defaults were found](tuning.md), and
[how to write your own mechanism](../guides/own-mechanism.md).

| mechanism | what it does | use it for | parameters | proof |
|---|---|---|---|---|
"""


def mechanisms_page() -> str:
    """Return the page on all mechanisms."""
    return HEAD + "".join(table_row(kind) for kind in BUILT_IN.values())


def table_row(kind: type[Mechanism]) -> str:
    use = kind.use_for().removeprefix("Use it for ")
    parameters = ", ".join(f"`{name}`" for name in kind().parameters())
    cells = (
        f"[`{kind.name}`](../../src/{kind.__module__.replace('.', '/')}.py)",
        kind.summary() + link_to_page(kind),
        use[:1].upper() + use[1:],
        parameters,
        f"[{kind.proof}](../proofs/{kind.proof}.md)",
    )
    return f"| {' | '.join(cells)} |\n"


def link_to_page(kind: type[Mechanism]) -> str:
    """Return a link to the mechanism's own page, if it has one."""
    page = ROOT / "docs" / "mechanisms" / f"{kind.name}.md"
    return f" [How it works]({page.name})." if page.exists() else ""


def proofs_page(page: str) -> str:
    """Return the page on proofs with its line of mechanisms updated."""
    pages = groupby(sorted(BUILT_IN.values(), key=lambda kind: kind.proof), lambda kind: kind.proof)
    links = [f"[{join([kind.name for kind in kinds])}]({proof}.md)" for proof, kinds in pages]
    return re.sub(r"(?m)^\| .* \| mechanisms \|$", f"| {', '.join(links)} | mechanisms |", page)


def join(names: list[str]) -> str:
    """Join names as in ``"a, b and c"``."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


PAGES = {
    ROOT / "docs" / "mechanisms" / "README.md": lambda page: mechanisms_page(),
    ROOT / "docs" / "proofs" / "README.md": proofs_page,
}


if __name__ == "__main__":
    for path, renew in PAGES.items():
        text = renew(path.read_text("utf-8") if path.exists() else "")
        path.write_text(text, "utf-8")
