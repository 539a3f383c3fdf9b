"""The page gives the numbers and the intervals of the library: thousands of questions to both."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.answers.areas.magnitudes import magnitudes_of_areas
from hushgram.errors import NotAnswerable
from hushgram.mechanisms.inference.kinds import INFERENCES
from hushgram.mechanisms.registry import BUILT_IN
from hushgram.release import Release
from hushgram.web.explorer.bundle import bundle
from hushgram.web.explorer.page import GivenAreas, describe_page
from tests.web import questions, random_releases

MANY = 24
"""Questions for each release."""

RANDOM = 40
"""Releases of random axes."""

CLOSE = 1e-9
"""How far apart two answers may be: relatively or, below 1, in rows."""

SHARES = (0.1, 0.5, 0.77)

ASK_AREAS = """async ([contents, numbers, asked]) => {
  const read = await release_js.Contents.read(JSON.parse(contents), numbers);
  return asked.map(([axes, rings, asking, level]) => {
    const outline = { axes, rings, name: null, file: null };
    const found = read.releases[0].countArea(outline, asking, read.confidence(level));
    const { value, noise, width } = found;
    return [value, noise, width];
  });
}"""

ASK_GIVEN = """async ([contents, numbers]) => {
  const read = await release_js.Contents.read(JSON.parse(contents), numbers);
  return read.shapes.outlines.map((outline) => {
    const { value, noise, width } = read.releases[0].countArea(outline, {}, read.confidence(0.95));
    return [value, noise, width];
  });
}"""

ASK_MEASURES = """async ([contents, numbers, asked]) => {
  const read = await release_js.Contents.read(JSON.parse(contents), numbers);
  const release = read.releases[0];
  return asked.map(([place, asking, level, axes, rings]) => {
    const [measure, confidence] = [release.measures[place], read.confidence(level)];
    const rows = rings
      ? measure.rowsInside(release.weightsOf({ axes, rings }, asking), confidence)
      : measure.rows(release.locate(asking), confidence);
    return [measure.sum(rows), measure.mean(rows)]
      .map((one) => one && [one.value, one.low, one.high]);
  });
}"""

ASK = """async ([contents, numbers, counts, quantiles]) => {
  const read = await release_js.Contents.read(JSON.parse(contents), numbers);
  const release = read.releases[0];
  return {
    counts: counts.map(([asking, level]) => {
      const { value, noise, width } = release.count(asking, read.confidence(level));
      return [value, noise, width];
    }),
    quantiles: quantiles.map(([name, q, where]) => {
      const [{ value, low, high }] = release.quantile(name, [q], where, read.confidence(0.95));
      return [value, low, high];
    }),
  };
}"""


@pytest.fixture(scope="module")
def scripts(browser: Any) -> Iterator[Any]:
    """A page with the scripts that answer, and nothing else."""
    page = browser.new_page()
    page.add_script_tag(content=bundle("release.js") + "\nwindow.release_js = release_js;")
    yield page
    page.close()


def test_every_mechanism_and_every_inference_is_asked() -> None:
    found = questions.releases()
    assert {release.mechanism for release in found.values()} >= {*BUILT_IN} - {"auto"}
    kinds = {type(release.estimate.inference) for release in found.values()}
    assert {*INFERENCES} <= kinds
    assert len(found) * MANY > 3000


def test_counts_and_quantiles_are_those_of_the_library(scripts: Any) -> None:
    rng = np.random.default_rng(8)
    wrong = []
    for name, release in questions.releases().items():
        wrong += compare(scripts, name, release, rng)
    assert not wrong, "\n".join(map(str, [len(wrong), *wrong[:5]]))


@pytest.mark.slow
def test_so_are_those_of_random_axes(scripts: Any) -> None:
    rng = np.random.default_rng(14)
    wrong = []
    for name, release in random_releases.releases(rng, RANDOM):
        wrong += compare(scripts, name, release, rng)
    assert not wrong, "\n".join(map(str, [len(wrong), *wrong[:5]]))


def compare(scripts: Any, name: str, release: Release, rng: np.random.Generator) -> list[Any]:
    """Which questions about a release the page answers in another way."""
    wrong: list[Any] = []
    asked = list(questions.questions(release, rng, MANY))
    ranks = list(quantiles(release, rng))
    contents, numbers = describe_page([(name, release)], name)
    found = scripts.evaluate(
        ASK,
        [
            contents,
            numbers,
            [[one.asking, one.confidence] for one in asked],
            [[axis, q, where.asking] for axis, q, where, _ in ranks],
        ],
    )
    for one, theirs in zip(asked, found["counts"], strict=True):
        answer = release.count(one.question, confidence=one.confidence)
        ends = answer.noise_interval[1], answer.interval[1]
        ours = [answer.value, *(end - answer.value for end in ends)]
        if not close(ours, theirs):
            wrong.append((name, one, ours, theirs))
    for (axis, q, _, ours), theirs in zip(ranks, found["quantiles"], strict=True):
        if not close(ours, theirs):
            wrong.append((name, axis, q, ours, theirs))
    return wrong


def quantiles(
    release: Release, rng: np.random.Generator
) -> Iterator[tuple[str, float, questions.Asked, list[float]]]:
    """Quantiles of each axis that has some, with other axes restricted."""
    for axis in [name for name, one in release.domain.items() if one.ordered and one.declared]:
        (where,) = questions.questions(release, rng, 1)
        for part in (where.question, where.asking):
            part.pop(axis, None)
        for q in SHARES:
            try:
                found = release.quantile(axis, q, where=where.question)
            except NotAnswerable:  # too few rows
                continue
            ours = [moment(value) for value in (found.value, *found.interval)]
            yield axis, q, where, ours


def moment(value: Any) -> float:
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        value = dt.datetime(value.year, value.month, value.day)
    return questions.as_number(value)


def close(ours: list[float], theirs: list[float]) -> bool:
    pairs = zip(ours, theirs, strict=True)
    return all(abs(a - b) <= CLOSE * max(1.0, abs(a)) for a, b in pairs)


@pytest.mark.slow
def test_polygons_are_counted_as_the_library_does(scripts: Any) -> None:
    rng = np.random.default_rng(9)
    wrong, cases = [], 0
    for name, release in questions.releases().items():
        plane = questions.PLANES.get(name.split()[0])
        if plane is None:
            continue
        axes = [release.domain[one] for one in plane]
        drawn = list(questions.polygons(axes, rng, 6, degrees="lon" in plane))
        where = [questions.without(one, plane) for one in questions.questions(release, rng, 6)]
        asked = [[plane, polygon.rings, one.asking, one.confidence]
                 for polygon, one in zip(drawn, where, strict=True)]  # fmt: skip
        found = scripts.evaluate(ASK_AREAS, [*describe_page([(name, release)], name), asked])
        for polygon, one, theirs in zip(drawn, where, found, strict=True):
            answer = release.areas([polygon.geometry], on=plane, where=one.question,
                                   confidence=one.confidence)["1"]  # fmt: skip
            ours = [answer.value, answer.noise_interval[1] - answer.value, answer.half_width]
            cases += 1
            if not close(ours, theirs):
                wrong.append((name, polygon.geometry, one, ours, theirs))
    assert cases > 150
    assert not wrong, "\n".join(map(str, [len(wrong), *wrong[:5]]))


def test_given_areas_are_counted_as_the_library_does(scripts: Any) -> None:
    release = questions.releases()["grid bayes-tree"]
    rng = np.random.default_rng(10)
    axes = [release.domain[one] for one in ("lon", "lat")]
    drawn = {
        str(n): one.geometry
        for n, one in enumerate(questions.polygons(axes, rng, 30, degrees=True))
    }
    drawn["across"] = {  # the 180th meridian
        "type": "Polygon",
        "coordinates": [[[170, 10], [190, 10], [190, 30.25], [170, 30.25], [170, 10]]],
    }
    contents, numbers = describe_page([("grid", release)], "grid", GivenAreas(drawn))
    found = scripts.evaluate(ASK_GIVEN, [contents, numbers])
    areas = release.areas(drawn)
    for name, theirs in zip(drawn, found, strict=True):
        answer = areas[name]
        ours = [answer.value, answer.noise_interval[1] - answer.value, answer.half_width]
        assert close(ours, theirs), (name, ours, theirs)


def test_sums_and_means_are_those_of_the_library(scripts: Any) -> None:
    rng = np.random.default_rng(12)
    wrong, cases, silent = [], 0, 0
    for name, release in questions.measured().items():
        asked = list(questions.questions(release, rng, MANY))
        places = rng.integers(0, len(release.measured), MANY).tolist()
        words = [[place, one.asking, one.confidence]
                 for place, one in zip(places, asked, strict=True)]  # fmt: skip
        found = scripts.evaluate(ASK_MEASURES, [*describe_page([(name, release)], name), words])
        for place, one, (total, mean) in zip(places, asked, found, strict=True):
            column = release.measured[place].measure.column
            cases += 1
            if not close(library(release.sum, column, one), total):
                wrong.append((name, column, one, library(release.sum, column, one), total))
            try:
                ours = library(release.mean, column, one)
            except NotAnswerable:  # too few rows
                silent += 1
                if mean is None:
                    continue
                ours = []
            if mean is None or not ours or not close(ours, mean):
                wrong.append((name, column, one, ours, mean))
    assert cases > 350
    assert 0 < silent < cases / 2
    assert not wrong, "\n".join(map(str, [len(wrong), *wrong[:5]]))


def library(ask: Any, column: str, one: questions.Asked) -> list[float]:
    answer = ask(column, one.question, confidence=one.confidence)
    return [answer.value, *answer.interval]


def test_sums_and_means_of_areas_are_those_of_the_library(scripts: Any) -> None:
    rng = np.random.default_rng(13)
    wrong, cases, silent = [], 0, 0
    for name, release in questions.measured().items():
        plane = questions.PLANES.get(name.split()[0])
        if plane is None:
            continue
        axes = [release.domain[one] for one in plane]
        drawn = list(questions.polygons(axes, rng, 10, degrees="lon" in plane))
        where = [questions.without(one, plane) for one in questions.questions(release, rng, 10)]
        place = int(rng.integers(0, len(release.measured)))
        asked = [[place, one.asking, one.confidence, plane, polygon.rings]
                 for polygon, one in zip(drawn, where, strict=True)]  # fmt: skip
        found = scripts.evaluate(ASK_MEASURES, [*describe_page([(name, release)], name), asked])
        for polygon, one, theirs in zip(drawn, where, found, strict=True):
            areas = release.areas([polygon.geometry], on=plane, where=one.question)
            for kind, answer in zip(("sum", "mean"), theirs, strict=True):
                ours = magnitudes_of_areas(
                    areas.sums, release.measured[place], kind, one.confidence
                )
                numbers = [float(ours.value[0]), float(ours.lower[0]), float(ours.upper[0])]
                cases += 1
                silent += answer is None
                known = [] if np.isnan(numbers[0]) else numbers
                if not (close(known, answer) if known and answer else known == (answer or [])):
                    wrong.append((name, kind, one, numbers, answer))
    assert cases > 150
    assert 0 < silent < cases / 2
    assert not wrong, "\n".join(map(str, [len(wrong), *wrong[:5]]))


def test_intervals_of_few_rows_are_those_of_the_library(scripts: Any) -> None:
    """Where noise could make up half of the rows, one end of an interval may be all that is
    known."""
    release = questions.measured()["ages identity"]
    asked = [questions.Asked({"age": (age, age + 1)}, {"age": {"from": age, "to": age + 1}}, level)
             for age in range(100) for level in (0.8, 0.99)]  # fmt: skip
    words = [[0, one.asking, one.confidence] for one in asked]
    found = scripts.evaluate(ASK_MEASURES, [*describe_page([("ages", release)], "ages"), words])
    few = 0
    for one, (_, mean) in zip(asked, found, strict=True):
        answer = release.count(one.question, confidence=one.confidence)
        if mean is None:
            continue
        few += answer.value < 2 * answer.half_width
        assert close(library(release.mean, "pay", one), mean)
    assert few > 10


def test_lists_that_cut_a_part_with_hardly_any_rows(scripts: Any) -> None:
    """There the parts of an interval cancel each other: rounding must not decide how wide it is."""
    rng = np.random.default_rng(4)
    wrong = []
    for _ in range(12):
        axes = questions.DOMAINS["areas"]
        release = hg.publish(
            questions.table_of(axes, rng), hg.Domain(axes), epsilon=1, mechanism="privtree-hb",
            account="areas", ledger=hg.Ledger.in_memory(),
        )  # fmt: skip
        wrong += compare(scripts, "areas", release, rng)
    assert not wrong, "\n".join(map(str, [len(wrong), *wrong[:5]]))


def test_a_wrong_number_would_be_found(scripts: Any) -> None:
    release = questions.releases()["plane quadtree"]
    contents, numbers = describe_page([("grid", release)], "grid")
    described = json.loads(contents)
    described["releases"][0]["noise"]["variances"][0] *= 1.0001
    asked = [[{"x": {"from": 10, "to": 40}}, 0.95]]
    found = scripts.evaluate(ASK, [json.dumps(described), numbers, asked, []])["counts"][0]
    answer = release.count(x=(10, 40))
    assert close([answer.value], found[:1])
    assert not close([answer.interval[1] - answer.value], found[2:])
