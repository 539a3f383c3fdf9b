"""Write pages about the audits, with text and figures. NONPRIVATE."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assurance.full import RUNS, AuditRow
from hushgram.base.files import write_new
from hushgram.lab import tidy
from hushgram.lab.audit import ALPHA
from hushgram.lab.bound import log_ratio
from hushgram.show.charts.canvas import DARK, GREY, new_figure, render

Rows = Sequence[dict[str, Any]]

READ: dict[str, Callable[[str], Any]] = {
    "claimed": float,
    "at_least": float,
    "level": float,
    "runs": int,
    "convicted": lambda text: text == "True",
}

NEARLY = 0.99
"""The share of the target runs that counts as reaching it: runs are divided among tables, and
rounded down."""

KINDS = {
    "operation": "Operations that add noise",
    "choice": "Operations that choose",
    "mechanism": "Mechanisms",
}


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Read the rows of a CSV file that the audit wrote."""
    rows = tidy.earlier(path, AuditRow)
    return [{k: READ[k](v) if k in READ else v for k, v in row.items()} for row in rows]


def write_page(rows: Rows, folder: Path) -> list[Path]:
    """Write ``audit.md`` and a picture for each kind of subject."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / "audit.md"]
    for kind in present(rows):
        files.append(folder / f"audit-{kind}.png")
        figure = draw_losses([row for row in rows if row["kind"] == kind])
        write_new(files[-1], render(figure, ".png", dpi=90), overwrite=True)
    write_new(files[0], markdown(rows).encode(), overwrite=True)
    return files


def present(rows: Rows) -> list[str]:
    return [kind for kind in KINDS if any(row["kind"] == kind for row in rows)]


def subjects(rows: Rows) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["subject"], []).append(row)
    return found


def share(row: dict[str, Any]) -> float:
    """Return the proved loss as a share of the claim."""
    return float(row["at_least"]) / float(row["claimed"])


def convictable(row: dict[str, Any]) -> float:
    """Return the smallest loss, as a multiple of the claim, that this many runs convict on
    average."""
    tested, claimed = row["runs"] // 2, row["claimed"]
    factors = np.geomspace(1.001, 50, 500)
    ratios = np.exp(-factors * claimed)
    likely, unlikely = np.floor(tested / (1 + ratios)), np.ceil(tested * ratios / (1 + ratios))
    proved = log_ratio(likely, unlikely, tested, row["level"]) > claimed
    return float(factors[proved][0]) if proved.any() else math.inf


def draw_losses(rows: Rows) -> Any:
    """Draw a line for each subject, a dot for each pair of tables, and the threshold of a
    conviction."""
    named = subjects(rows)
    figure = new_figure(7, 1.2 + 0.28 * len(named))
    axes = figure.subplots()
    for place, found in enumerate(named.values()):
        for row in found:
            filled = DARK if row["neighbours"] == "add-remove" else "white"
            axes.plot(share(row), place, "o", color=DARK, markerfacecolor=filled, markersize=5)
    axes.axvline(1, color=GREY, linestyle="--")
    axes.set_yticks(range(len(named)), list(named))
    axes.set_ylim(len(named) - 0.4, -0.6)
    axes.set_xlim(-0.03, 1.25)
    axes.set_xlabel(
        "NONPRIVATE. proved loss / claimed epsilon\n(filled: add-remove, open: replace-one)"
    )
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure


def markdown(rows: Rows) -> str:
    convicted = [row for row in rows if row["convicted"]]
    levels = [row["level"] for row in rows] or [ALPHA]
    tests = round(ALPHA / min(levels))
    parts = [
        "# The full audit",
        "**NONPRIVATE**: made on small generated tables, with their true numbers.",
        "Made by `./hush assurance audit -o audit-full.csv --resume --page docs/assurance`, with "
        "`--minutes` of processor time, from "
        "[audit-full.csv](../../benchmarks/results/audit-full.csv). A proof can "
        "be wrong, and code can differ from its proof. So every vault operation and every "
        "mechanism runs on neighbouring tables that an adversary would choose, and the audit "
        "computes a lower bound on its epsilon. A bound above the claim is a violation.",
        f"**{len(rows)} tests, {len(convicted)} convicted.** "
        + ("" if len(rows) == tests else f"{tests - len(rows)} of {tests} tests are left to do. "),
        "How certain that is: each test is made at the level 10⁻⁶ divided by the number of all "
        f"tests that there were then ({tests} by now), so the probability that a correct build is "
        f"convicted of anything is at most the sum of the levels, {sum(levels) / ALPHA:.2f} · 10⁻⁶ "
        "(Bonferroni's bound, which needs no independence). On half of the runs, an "
        "event is learned: the best threshold on what an attacker sees, the best set of outcomes "
        "by their likelihood ratio, or the best threshold on a likelihood ratio learned by "
        "logistic regression. On the other half it is tested once, with Clopper and Pearson's "
        "exact limits. Runs end after a given time, never because of a result. Earlier audits, "
        "with fewer runs, convicted nothing either; the stated probability is for one audit.",
        "What it does not show: a bound below the claim proves nothing, and the fewer the runs, "
        "the less it says. *Runs* are the runs on each of the two tables of a pair, *in all* "
        "those on both tables of all pairs. *Would convict* is the smallest loss, as a multiple "
        "of the claim, that would on average be convicted with the fewest runs of a subject, if "
        "an event reveals the loss as clearly as it does for Laplace noise.",
        "Operations that choose are drawn in batches (`assurance.batches`). Trees use the "
        "product's sampler. The exponential and Cauchy laws are drawn by assurance's own "
        "batched code instead, so those rows test how an operation sets its scores and scales, "
        "and not the product's sampler; `./hush assurance planted` and the tests try that one with "
        "thousands of draws. Mechanisms run as they are published, from the vault to the "
        "estimate; the product's Laplace noise for them is drawn in advance "
        "(`hushgram.lab.stock`).",
    ]
    for kind in present(rows):
        some = [row for row in rows if row["kind"] == kind]
        parts += [f"## {KINDS[kind]}", f"![NONPRIVATE. Proved losses](audit-{kind}.png)"]
        if kind == "mechanism":
            parts.append(runs_sentence(some))
        parts.append(table_of(some))
    return "\n\n".join(parts) + "\n"


def runs_sentence(rows: Rows) -> str:
    """Describe the number of runs."""
    runs = {name: 2 * sum(row["runs"] for row in found) for name, found in subjects(rows).items()}
    short = {name: many for name, many in runs.items() if many < NEARLY * RUNS}
    text = f"The goal is a million runs for each of {len(runs)} mechanisms, on all tables together."
    if not short:
        return text + " All of them reached it."
    fewest = min(short, key=lambda name: short[name])
    return (
        f"{text} {len(runs) - len(short)} of them reached it. The others, whose runs take longer, "
        f"had as many runs as time allowed; {fewest} had the fewest, {short[fewest]:,}."
    )


def table_of(rows: Rows) -> str:
    from hushgram.base.text import markdown_table

    heads = (
        "subject",
        "pairs",
        "runs",
        "in all",
        "would convict",
        "most proved",
        "on",
        "convicted",
    )
    lines = []
    for subject, found in subjects(rows).items():
        worst = max(found, key=share)
        runs = sorted({row["runs"] for row in found})
        many = f"{runs[0]:,}" if len(runs) == 1 else f"{runs[0]:,} to {runs[-1]:,}"
        convicted = ", ".join(row["pair"] for row in found if row["convicted"]) or "none"
        lines.append(
            (
                subject,
                str(len(found)),
                many,
                f"{2 * sum(row['runs'] for row in found):,}",
                f"{max(map(convictable, found)):.3g} ×",
                f"{share(worst):.1%} of the claim",
                worst["pair"],
                convicted,
            )
        )
    return markdown_table(heads, lines)


def write_planted(found: Rows, alarms: Sequence[str], folder: Path) -> Path:
    """Write ``planted.md``: each bug, and the check that caught it."""
    from hushgram.base.text import markdown_table

    caught = sum(bool(one["caught_by"]) for one in found)
    heads = ("bug", "what is wrong", "caught by", "figure")
    lines = [
        (one["bug"], one["what"], one["caught_by"] or "**nothing**", one["figure"]) for one in found
    ]
    parts = [
        "# Planted bugs",
        "**NONPRIVATE**: made on small generated tables, with their true numbers.",
        "Made by `./hush assurance planted --page docs/assurance`. Checks that never fail prove "
        "nothing. So we plant bugs, one after another, each by replacing one function of the real "
        "code. Then the product's own checks run, and the page lists the first one that fails.",
        f"**{len(found)} bugs planted, {caught} caught.** Without a bug, the same checks find "
        f"{len(alarms)} faults.",
        markdown_table(heads, lines),
    ]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "planted.md"
    write_new(path, ("\n\n".join(parts) + "\n").encode(), overwrite=True)
    return path
