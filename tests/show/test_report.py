"""The report: all there, true, safe, and its examples run."""

from __future__ import annotations

import base64
import html
import re
import shlex
from collections.abc import Iterator
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest

import hushgram as hg
from hushgram.cli.app import main
from hushgram.declare.axis import Window
from hushgram.errors import OutputError
from hushgram.geometry.partition import Boxes, Cuts, Grid, Raster
from hushgram.show.report.accuracy import single_parts
from hushgram.show.report.privacy import surest
from hushgram.show.report.slices import SliceTable
from tests.samples import RECEIPT, cells, release_of

pytest.importorskip("matplotlib")

SECTIONS = [
    "What it shows", "The numbers", "How private it is", "How accurate it is", "How to query it",
    "Source, licence and contact", "Technical details",
]  # fmt: skip


def ages() -> hg.Release:
    return release_of(cells(age=hg.Integer(0, 9, outside="other")), [*range(20, 120, 10), 3])


class Reader(HTMLParser):
    """Every element with its attributes, and all text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in ("meta", "img", "source"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data.replace("\u00a0", " ")

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def images(page: str) -> Iterator[bytes]:
    for data in re.findall(r'src(?:set)?="data:image/svg\+xml;base64,([^"]+)"', page):
        yield base64.b64decode(data)


def test_everything_is_told() -> None:
    release = release_of(
        ages().grid, mechanism="ahp", parameters={"share": "17/20", "eta": None}, receipt=RECEIPT,
        epsilon=Fraction(1, 10),
    )  # fmt: skip
    read = Reader(release.report())
    assert read.open == []
    for words in (
        *SECTIONS, "ahp", "share = 17/20, eta = chosen by the mechanism", "ε = 0.1", RECEIPT["id"],
        "0 to 9, 10 whole numbers", "are counted as “other”", "at most 1.11", "at most 52 % sure",
        "one of the 11 parts", "all rows", "not protected", "hushgram count release.hush.parquet",
    ):  # fmt: skip
        assert words in read.text
    assert "No ledger" not in read.text


def test_it_needs_no_network_and_runs_nothing() -> None:
    page = ages().report()
    read = Reader(page)
    allowed = {
        "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3", "p", "section",
        "div", "table", "thead", "tbody", "tr", "th", "td", "strong", "span", "code", "pre", "ul",
        "li", "figure", "figcaption", "img", "footer", "header", "caption", "details", "summary",
        "a", "dl", "dt", "dd", "picture", "source",
    }  # fmt: skip
    assert {tag for tag, _ in read.found} <= allowed
    assert not re.search(r"https?:|url\(|@import", re.sub(r"base64,[^\"]+", "", page))
    for image in images(page):
        ElementTree.fromstring(image)
        assert b"<script" not in image
        links = re.findall(rb'xlink:href="([^"]*)"', image)
        assert all(link.startswith((b"#", b"data:image/png;base64,")) for link in links)


EVIL = "<script>alert(1)</script>\"'&$x^"


def test_names_values_and_titles_are_escaped(tmp_path: Path) -> None:
    grid = cells(**{EVIL: hg.Category([EVIL, f"</style>{EVIL}"]), "b": hg.Integer(0, 3)})
    release = release_of(
        grid, parameters={EVIL: EVIL}, mechanism=EVIL, unit=hg.User(EVIL, 3), receipt={"id": EVIL}
    )
    page = release.report(title=EVIL, file=EVIL)
    assert "<script" not in page
    read = Reader(page)
    assert read.open == []
    assert not read.all("script")
    assert all(set(attributes) <= {"src", "alt"} for attributes in read.all("img"))
    assert read.text.count(EVIL) > 5
    for image in images(page):
        ElementTree.fromstring(image)
        assert b"<script" not in image


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize("unit", ["rows", hg.User("id", 5)])
def test_who_is_protected_and_who_is_not(neighbours: str, unit: Any) -> None:
    from hushgram.declare.unit import as_unit

    made = release_of(ages().grid, neighbours=neighbours, unit=as_unit(unit), epsilon=Fraction(1))
    text = Reader(made.report()).text
    assert ("Whether someone is in the table" in text) is (neighbours == "replace-one")
    assert ("People with several rows. Someone with two" in text) is (unit == "rows")
    assert ("“id” (at most 5 of them are counted)" in text) is (unit != "rows")
    assert ("7.39 in total: from 50 % to at most 88 %" in text) is (neighbours == "add-remove")
    assert "The total spent" in text


def test_the_promise_is_the_theorem() -> None:
    """The surest guess, by Bayes's rule from odds that change by e to the power of epsilon."""
    for prior in (0.01, 0.5):
        for epsilon in (0.1, 1.0, 3.0):
            odds = prior / (1 - prior) * np.exp(epsilon)
            assert surest(prior, epsilon) == pytest.approx(odds / (1 + odds))
    weak = Reader(release_of(ages().grid, epsilon=Fraction(800)).report()).text
    assert "more than a billion" in weak
    assert "more than 99.9 % sure" in weak
    assert "weak promise" in weak
    assert "weak promise" not in Reader(ages().report()).text


def test_errors_are_those_of_the_answers() -> None:
    release = ages()
    answer = release.count()
    width = (answer.interval[1] - answer.interval[0]) / 2
    text = Reader(release.report()).text
    assert f"all rows{round(answer.value):,}± {round(width)}" in text
    assert "They contain the true answer as often as they say" in text
    assert "approximate" not in text


def test_a_part_that_shares_its_value_has_the_error_of_a_count() -> None:
    counts = np.repeat([900, 0, 700, 20], 25)
    release = hg.publish(hg.Counts(counts), epsilon=1, mechanism="noise-first")
    assert release.estimate.inference.groups() is not None
    for part, answer in zip(np.linspace(0, 99, 5).astype(int), single_parts(release), strict=True):
        expected = release.count(x0=int(part))
        assert answer.interval == pytest.approx(expected.interval)
        assert answer.noise_interval == pytest.approx(expected.noise_interval)


def test_the_same_release_gives_the_same_page() -> None:
    assert ages().report() == ages().report()


def test_pages_are_written_once(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    page = ages().report(path)
    assert path.read_text(encoding="utf-8") == page
    with pytest.raises(OutputError, match="exists"):
        ages().report(path)
    ages().report(path, overwrite=True, title="Anew \udcff")
    assert "<h1>Anew ?</h1>" in path.read_text(encoding="utf-8")


def boxes() -> hg.Release:
    domain = hg.Domain(lon=hg.Interval(-20, 20), lat=hg.Interval(0, 40))
    axes, cuts = np.array([0, -1, 1, -1, -1]), np.array([2, 0, 1, 0, 0])
    return release_of(Boxes(Raster(domain, (8, 4)), axes, cuts), [80, 120, 30])


RELEASES = {
    "ages": ages,
    "boxes": boxes,
    "one bin": lambda: release_of(cells(x=hg.Integer(3, 3)), [50]),
    "nothing": lambda: release_of(cells(x=hg.Regular(4, 0, 1)), [0, 0, 0, 0]),
    "negative": lambda: release_of(cells(x=hg.Regular(4, 0, 1)), [-5, 2, -3, 1]),
    "categories": lambda: release_of(cells(sex=hg.Category(["F, or not", "M"])), [5, 9]),
    "truth": lambda: release_of(cells(yes=hg.Category([True, False], outside="other")), [5, 9, 1]),
    "days": lambda: release_of(cells(day=hg.Date("2024-01-01", "2024-01-31")), [9] * 31),
    "hours": lambda: release_of(cells(at=hg.Date("2024-01-01", "2024-01-02", "1h")), [9] * 48),
    "edges": lambda: release_of(cells(x=hg.Variable([0, 0.1, 7, 1e6], outside="other")), [9] * 4),
    "cuts": lambda: release_of(
        Cuts(hg.Domain(x=hg.Interval(0, 0.001)), (np.array([0, 9, 700]),)), [8, 9, 10]
    ),
    "window": lambda: release_of(
        Grid.of_cells(hg.Domain(x=Window(hg.Integer(0, 9, outside="other"), 7, 11))), [9] * 4
    ),
    "other": lambda: release_of(
        Grid.of_cells(hg.Domain(x=Window(hg.Integer(0, 9, outside="other"), 10, 11))), [9]
    ),
    "odd names": lambda: release_of(
        cells(**{name: hg.Integer(0, 5) for name in ("-a b'", "x=y", "confidence")})
    ),
    "seven axes": lambda: release_of(cells(**{f"a{n}": hg.Integer(0, 1) for n in range(7)})),
}  # fmt: skip


SLOW = {"seven axes": [pytest.mark.slow]}
"""Pages with many pictures."""


@pytest.mark.parametrize("name", [pytest.param(one, marks=SLOW.get(one, [])) for one in RELEASES])
def test_what_a_page_shows_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """The commands and the Python of a page, as a reader would take them from it; both answer as
    the page says."""
    monkeypatch.chdir(tmp_path)
    release = RELEASES[name]()
    release.save("it's.hush.parquet")
    page = release.report(file="it's.hush.parquet")
    assert Reader(page).open == []
    shown = [
        html.unescape(code) for code in re.findall(r"<pre[^>]*><code>(.*?)</code>", page, re.S)
    ]
    shell, python = shown
    for line in shell.splitlines():
        with pytest.raises(SystemExit) as stop:
            main(shlex.split(line)[1:])
        assert stop.value.code == 0, line
    capsys.readouterr()
    exec(compile(python, name, "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    promised = re.findall(r"print\(.*\)  # (.*)", python)
    assert printed == promised


def categories(values: list[int], **more: Any) -> hg.Release:
    names = [f"c{n}" for n in range(len(values))]
    return release_of(cells(kind=hg.Category(names)), values, **more)


def test_what_it_shows_is_said_in_words() -> None:
    text = Reader(categories([900, 20, 500, 0], where="age >= 18").report()).text
    assert "about 1,420 ± 12 rows in total, only rows where age >= 18." in text
    assert "By kind, most rows are in c0 (900 ± 10, 63 % of the total); then c2 (500 ± 10" in text
    assert "too close" not in text
    assert "Uncertain: 1 of the 4 groups by kind may be empty" in text


def test_what_cannot_be_told_apart_is_not() -> None:
    assert "The difference between the first two" in Reader(categories([502, 500, 3]).report()).text
    assert "stands out from the noise" in Reader(categories([1, 2, -1]).report()).text


def test_every_number_of_the_table_is_that_of_a_count() -> None:
    release = release_of(cells(age=hg.Integer(0, 99), sex=hg.Category(["F", "M"])))
    page = html.unescape(release.report())
    answer = release.count(age=(30, 35), sex="M")
    row = re.search(r'<th scope="row">30 to 34</th>(.*?)</tr>', page)
    assert row is not None
    assert re.findall(r">([^<]+)</td>", row[1])[1] == (
        f"{round(answer.value):,}\u00a0±\u00a0{round(answer.half_width)}"
    )


def test_of_many_slices_the_largest_are_listed() -> None:
    grid = cells(x=hg.Regular(40, 0, 40), y=hg.Regular(40, 0, 40))
    text = Reader(release_of(grid).report()).text
    assert "Rows by x and y, the 24 largest of 400" in text


def test_credits_are_stored_or_given_and_linked_with_care() -> None:
    release = ages().with_about({"publisher": "Office <b>", "licence": "javascript:alert(1)"})
    page = release.report(about={"contact": "me@b.org", "licence": "https://a.b/c"})
    assert "Office &lt;b&gt;" in page
    assert '<a href="https://a.b/c">' in page
    assert '<a href="mailto:me@b.org">' in page
    assert "href" not in release.report().partition("Technical")[0].partition("</a>")[2]
    assert "The publisher gave no source" in ages().report()


@pytest.mark.parametrize(
    ("axis", "first"),
    [
        (hg.Date("2024-01-01", "2024-12-31"), "January 2024"),
        (hg.Date("2024-01-01", "2024-01-20"), "2024-01-01"),
        (hg.Date("2010-01-01", "2019-12-31", "1mo"), "2010"),
        (hg.Date("2024-01-03", "2024-03-05"), "2024-01-03 to 2024-01-07"),
        (hg.Date("2024-01-01", "2024-01-04", "1h"), "2024-01-01 00:00 to 2024-01-02 00:00"),
        (hg.Regular(40, 0, 1), "0 to 0.05"),
        (hg.Regular(37, 0, 0.37), "0 to 0.02"),
        (hg.Regular(31, 1, 7.2), "1 to 2"),
        (hg.Interval(0, 1000), "0 to 200"),
        (hg.Interval(0, 1000, resolution=2**20 - 1), "0 to 200"),
        (hg.Integer(17, 90, outside="other"), "17 to 19"),
        (hg.Variable([n * n for n in range(50)]), "0 to 9"),
    ],
)
def test_slices_have_round_bounds(axis: Any, first: str) -> None:
    layout = Grid(hg.Domain(x=axis), (5,)) if axis.continuous else cells(x=axis)
    found = SliceTable.of(release_of(layout), ["x"], 24)
    assert found.texts[0] == (first,)
    assert len(found.values) <= 26
    assert found.values.sum() == pytest.approx(np.arange(layout.size).sum())


@pytest.fixture(scope="module")
def measured() -> hg.Release:
    rng = np.random.default_rng(2)
    people = pa.table({
        "age": rng.integers(0, 60, 4000), "sex": rng.choice(["F", "M"], 4000),
        "hours": rng.integers(0, 60, 4000), "weight": rng.uniform(0, 9, 4000),
    })  # fmt: skip
    axes: dict[str, Any] = {"age": hg.Integer(0, 90), "sex": hg.Category(["F", "M"])}
    return hg.publish(
        people, axes, epsilon=2, account="people", cap=2, ledger=hg.Ledger.in_memory(),
        measures=[hg.Mean("hours", 0, 60), hg.Weighted("weight", 0, 9, missing=0)],
    )  # fmt: skip


def test_sums_and_means_have_pictures_and_tables(measured: hg.Release) -> None:
    page = measured.report()
    read = Reader(page)
    assert read.open == []
    for words in (
        "Sums and means", "Mean of hours", f"mean {measured.mean('hours')}",
        f"sum {measured.sum('weight')}", "Values outside 0 to 60 count as the nearest bound",
        "rows without a value are left out", "rows without a value count as 0",
        "too few rows to say", "hushgram mean release.hush.parquet hours",
        "release.sum('weight')", "mean hours 0:60, in steps of 1/2048",
    ):  # fmt: skip
        assert words in read.text, words
    assert len(read.all("img")) == 3
    young = measured.mean("hours", age=(0, 5))
    assert f"{young.interval[0]:.5g} to {young.interval[1]:.5g}" in read.text
    assert "Sums and means" not in Reader(ages().report()).text
