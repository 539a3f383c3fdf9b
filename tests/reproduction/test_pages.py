"""The committed pages: what their overview says of them is true."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import hushgram as hg
from hushgram.mechanisms.registry import parse_mechanism

FOLDER = Path(__file__).parents[2] / "docs" / "reproduction"
PAGES = ("000", "001", "002", "003", "004")
VERDICTS = ("agrees", "differs", "within noise", "cannot be tested here")
SYSTEMS = (FOLDER / "systems.md").read_text(encoding="utf-8")
MECHANISMS = sorted(set(re.findall(r"`publish [^`]*-m ([^`\s]+)`", SYSTEMS)))


def count_verdicts(page: str) -> list[int]:
    text = (FOLDER / f"{page}.md").read_text(encoding="utf-8")
    return [text.count(f"| **{verdict}** |") for verdict in VERDICTS]


def test_the_overview_counts_the_verdicts_of_the_pages() -> None:
    overview = (FOLDER / "README.md").read_text(encoding="utf-8")
    counts = [count_verdicts(page) for page in PAGES]
    for page, found in zip(PAGES, counts, strict=True):
        assert f"| [{page}]({page}.md) | {' | '.join(map(str, found))} |" in overview
    total = " | ".join(f"**{sum(column)}**" for column in zip(*counts, strict=True))
    assert f"| **all** | {total} |" in overview


@pytest.mark.parametrize("page", PAGES)
def test_a_page_counts_its_own_verdicts(page: str) -> None:
    agree, differ, within, untested = count_verdicts(page)
    text = (FOLDER / f"{page}.md").read_text(encoding="utf-8")
    assert f"{agree + differ + within} statements were tried: {agree} agree" in text
    assert (f"{untested} cannot be tested here" in text) == (untested > 0)


def test_many_systems_are_listed() -> None:
    rows = re.findall(r"^\| (\d+) \| (\d{3}) \|", SYSTEMS, re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, len(rows) + 1))
    assert len(rows) > 43
    assert {page for _, page in rows} == set(PAGES)


@pytest.mark.slow
@pytest.mark.parametrize("text", MECHANISMS)
def test_the_mechanisms_of_the_systems_publish(text: str) -> None:
    line = np.arange(64)
    plane = np.arange(64 * 64).reshape(64, 64) % 17
    on_a_line = text.split(":")[0] in (
        "isotonic", "noise-first", "structure-first", "p-hpartition", "sorted",
    )  # fmt: skip
    mechanism = parse_mechanism(text)
    release = hg.publish(hg.Counts(line if on_a_line else plane), epsilon=1, mechanism=mechanism)
    assert release.count().interval[0] < release.count().interval[1]
