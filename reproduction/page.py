"""Write a paper's findings as a page with pictures, as text, or as JSON. All NONPRIVATE."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hushgram.base.files import write_new
from hushgram.base.progress import watch
from hushgram.base.text import markdown_table
from hushgram.errors import OutputError
from hushgram.show.charts.canvas import new_figure, render
from reproduction.data import origin
from reproduction.findings import LABEL, Claim, Paper, PaperFinding
from reproduction.judged import ABOUT

DPI = 90


def make_findings(paper: Paper, runs: int) -> list[PaperFinding]:
    """Compute all tables and figures, one after another, with a progress bar."""
    findings: list[PaperFinding] = []

    def share() -> float:
        return len(findings) / len(paper.steps)

    with watch(f"paper {paper.number}", share):
        for step in paper.steps:
            findings.append(step(runs))
    return findings


def check_folder(folder: Path) -> None:
    """Raise now if the folder cannot be written, not after the work."""
    new_figure(1, 1)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"Cannot write pages to {folder}: {error.strerror}.") from None


def write(paper: Paper, findings: Sequence[PaperFinding], runs: int, folder: Path) -> list[Path]:
    """Write the page and its pictures."""
    files = [folder / f"{paper.number}.md"]
    for picture in (one for finding in findings for one in finding.pictures):
        files.append(folder / f"{picture.name}.png")
        write_new(files[-1], render(picture.draw(), ".png", dpi=DPI), overwrite=True)
    write_new(files[0], markdown(paper, findings, runs).encode(), overwrite=True)
    return files


def markdown(paper: Paper, findings: Sequence[PaperFinding], runs: int) -> str:
    parts = [
        f"# Paper {paper.number}: {paper.title}",
        f"**{LABEL}**: errors measured against true counts, on public or generated data.",
        f"{paper.reference}",
        f"Made by `./hush reproduce {paper.number} --runs {runs}` with {origin()}. Noise has no "
        f"seed, so numbers vary a little from run to run. Every number is the mean of {runs} runs "
        f"unless its section says otherwise. {ABOUT}",
        *paper.notes,
        verdicts([claim for finding in findings for claim in finding.claims]),
    ]
    for finding in findings:
        parts += section(finding)
    return "\n\n".join(parts) + "\n"


def section(finding: PaperFinding) -> list[str]:
    parts = [f"## {finding.title}", finding.about]
    if finding.claims:
        rows = [
            (one.what, one.printed, one.measured, f"**{one.verdict}**") for one in finding.claims
        ]
        parts.append(markdown_table(("", "the paper", f"here ({LABEL})", ""), rows))
    parts += [f"Why it differs: {why}" for why in reasons(finding.claims)]
    parts += [f"Cannot be tested here: {why}" for why in missing(finding.claims)]
    for numbers in finding.numbers:
        parts += [f"{LABEL}. {numbers.title}", markdown_table(numbers.heads, numbers.rows)]
    for picture in finding.pictures:
        parts.append(f"![{LABEL}. {picture.caption}]({picture.name}.png)")
        parts.append(f"{LABEL}. {picture.caption}")
    return parts


def reasons(claims: Sequence[Claim]) -> list[str]:
    """Return why claims differ, each reason once."""
    found = [claim.why for claim in claims if claim.why and claim.agrees is False]
    return list(dict.fromkeys(found))


def missing(claims: Sequence[Claim]) -> list[str]:
    """Return why claims cannot be tested, each reason once."""
    return list(dict.fromkeys(claim.untestable for claim in claims if claim.untestable))


def verdicts(claims: Sequence[Claim]) -> str:
    """Describe how many statements agree, differ, are within noise, and cannot be tested."""
    found = [claim.agrees for claim in claims if not claim.untestable]
    differ, open_ = found.count(False), found.count(None)
    parts = [f"{found.count(True)} agree", f"{differ} {'differs' if differ == 1 else 'differ'}"]
    if open_:
        parts.append(f"{open_} {'is' if open_ == 1 else 'are'} within noise")
    why = " Where they differ, the page says why." if differ else ""
    left = len(claims) - len(found)
    rest = f" {left} cannot be tested here, for the reasons given." if left else ""
    return f"{len(found)} statements were tried: {', '.join(parts)}.{why}{rest}"


def text(paper: Paper, findings: Sequence[PaperFinding], runs: int) -> str:
    """Return the findings as text for a terminal."""
    from hushgram.base.text import align_columns

    parts = [f"{LABEL}. Paper {paper.number}: {paper.title}. {runs} runs, {origin()}."]
    for finding in findings:
        parts.append(f"{LABEL}. {finding.title}\n{finding.about}")
        for numbers in finding.numbers:
            parts.append(f"{numbers.title}\n" + align_columns(numbers.rows, heads=numbers.heads))
        parts += [format_claim(claim) for claim in finding.claims]
        parts += [f"Why it differs: {why}" for why in reasons(finding.claims)]
        parts += [f"Cannot be tested here: {why}" for why in missing(finding.claims)]
    parts.append(verdicts([claim for finding in findings for claim in finding.claims]))
    return "\n\n".join(parts)


def format_claim(claim: Claim) -> str:
    return (
        f"{claim.verdict.upper()}: {claim.what}\n  paper: {claim.printed}\n"
        f"  here:  {claim.measured}"
    )


def to_json(paper: Paper, findings: Sequence[PaperFinding], runs: int) -> dict[str, Any]:
    return {
        "label": LABEL,
        "paper": paper.number,
        "title": paper.title,
        "runs": runs,
        "data": origin(),
        "findings": [one.to_json() for one in findings],
    }
