"""The page gives the numbers and the intervals of the library: thousands of questions to both."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from hushgram.errors import NotAnswerable
from hushgram.mechanisms.inference.kinds import INFERENCES
from hushgram.mechanisms.registry import BUILT_IN
from hushgram.release import Release
from hushgram.web.explorer.bundle import bundle
from hushgram.web.explorer.page import describe_page
from tests.web import questions

MANY = 24
"""Questions for each release."""

CLOSE = 1e-9
"""How far apart two answers may be: relatively or, below 1, in rows."""

SHARES = (0.1, 0.5, 0.77)

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
    assert not wrong, "\n".join(map(str, [len(wrong), *wrong[:5]]))


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
