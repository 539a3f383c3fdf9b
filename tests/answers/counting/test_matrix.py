"""Every mechanism, every answer: it works, or says in a clear sentence why this release cannot.

The answers are all that is public on a `Release`, and the functions of `hushgram` that take one; a
new one without a line in ``ANSWERS`` fails here. ``REFUSED`` lists the domains that mechanisms do
not publish, `cannot` knows the answers that some releases cannot give.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.declare.unit import Rows
from hushgram.errors import DomainError, NotAnswerable
from hushgram.geometry.partition import Lattice
from hushgram.lab.checks import vault_for
from hushgram.lab.memory import IndexedTable
from hushgram.spending.job import Job, make_release

ROWS = 3000


@dataclass(frozen=True)
class Case:
    """A domain, and what can be asked about it."""

    domain: hg.Domain
    number: str
    """An axis of numbers, with an order."""
    at: float
    """A place on it."""
    half: dict[str, Any]
    """A range that cuts no declared bin."""
    width: float
    """Of slices of the number."""
    target: str
    """What a classifier predicts."""
    points: dict[str, Any]


CASES = {
    "line": Case(
        hg.Domain(x=hg.Integer(0, 31)),
        number="x", at=7, half={"x": (0, 16)}, width=4, target="x", points={"x": [3, 9]},
    ),
    "plane": Case(
        hg.Domain(lon=hg.Interval(-10, 10, resolution=32), lat=hg.Interval(-5, 5, resolution=16)),
        number="lon", at=-7.5, half={"lon": (-10, 0)}, width=5, target="lat",
        points={"lon": [-9.0, 2.5], "lat": [-4.0, 0.0]},
    ),
    "mixed": Case(
        hg.Domain(sex=hg.Category(["F", "M"]), age=hg.Integer(0, 15)),
        number="age", at=7, half={"age": (0, 8), "sex": "F"}, width=4, target="sex",
        points={"sex": ["F", "M"], "age": [3, 9]},
    ),
}  # fmt: skip

REFUSED = {
    (name, case)
    for name in ("noise-first", "structure-first", "p-hpartition", "isotonic")
    for case in ("plane", "mixed")
}  # one axis with an order

OF_CELLS = {"ahp", "grouping-smoothing", "hb", "hierarchical", "identity", "privelet"}
"""Mechanisms that count all cells of a domain, of which continuous axes have too many."""

AREA = {"a": {"type": "Polygon", "coordinates": [[[-9, -4], [3, 0], [-2, 4.5], [-9, -4]]]}}

Question = Callable[[hg.Release, Case, Path], Any]


def ranges(case: Case) -> dict[str, Any]:
    axis = case.domain[case.number]
    low, high = axis.edge(0), axis.edge(axis.bins)
    places = np.linspace(low, high, 9)
    return {f"{case.number}_lo": places[:-1], f"{case.number}_hi": places[1:]}


def same(release: hg.Release, case: Case, folder: Path) -> Any:
    """The file's release gives the same answers."""
    file = folder / "r.hush.parquet"
    release.save(file, overwrite=True)
    again = hg.load(file)
    assert again.count(case.half) == release.count(case.half)
    assert str(again.count(case.half)) == str(release.count(case.half))
    return again.count(ranges(case))


def other(release: hg.Release, case: Case) -> hg.Release:
    """A second release of the same domain."""
    return published(release.mechanism, next(n for n, c in CASES.items() if c is case), 1)


def file(name: str, write: Callable[[hg.Release, Path], Any]) -> Question:
    """An answer that is a file."""

    def ask(release: hg.Release, case: Case, folder: Path) -> Any:
        path = folder / name
        path.unlink(missing_ok=True)
        write(release, path)
        return path

    return ask


ANSWERS: dict[str, Question] = {
    "count": lambda r, c, _: r.count(c.half),
    "count everything": lambda r, c, _: r.count(),
    "count cuts": lambda r, c, _: r.count({c.number: (None, c.at + 0.25)}),
    "count many": lambda r, c, _: r.count(ranges(c)),
    "areas": lambda r, c, _: r.areas(AREA)["a"],
    "project": lambda r, c, _: r.project(c.number).count(),
    "slice": lambda r, c, _: r.slice(c.half, bins=8).count(),
    "rollup": lambda r, c, _: r.rollup({c.number: c.width}, bins=8).count(),
    "group_by": lambda r, c, _: r.group_by(c.number, bins=16),
    "group_by shares": lambda r, c, _: r.group_by(c.number, bins=16, share=True),
    "group_by all": lambda r, c, _: r.group_by(*c.domain.names, bins=8, simultaneous=True),
    "top": lambda r, c, _: r.top(3, c.number, bins=16),
    "share": lambda r, c, _: r.share(c.half),
    "sum": lambda r, c, _: r.sum(c.number, c.half),
    "average": lambda r, c, _: r.average(c.number, c.half),
    "mean": lambda r, c, _: r.mean(c.number, c.half),
    "sql": lambda r, c, _: r.sql(f'SELECT sum(count) AS n, avg("{c.number}") FROM release'),
    "to_array": lambda r, c, _: r.to_array(),
    "grid": lambda r, c, _: r.grid.size,
    "to_arrow": lambda r, c, _: r.to_arrow(),
    "to_pandas": lambda r, c, _: r.to_pandas()[["count", "variance"]],
    "to_csv": file("r.csv", lambda r, path: r.to_csv(path)),
    "whole_counts": lambda r, c, _: r.whole_counts(),
    "to_excel": file("r.xlsx", lambda r, path: r.to_excel(path, whole=True)),
    "to_sdmx": file("r.sdmx.csv", lambda r, path: r.to_sdmx(path, names=True)),
    "to_geopackage": file("r.gpkg", lambda r, path: r.to_geopackage(path)),
    "with_about": lambda r, c, _: r.with_about({"source": "x"}).about.source,
    "to_geojson": file("r.geojson", lambda r, path: r.to_geojson(path)),
    "to_geoparquet": file("r.geoparquet", lambda r, path: r.to_geoparquet(path)),
    "to_hist": lambda r, c, _: r.to_hist().values(),
    "quantile": lambda r, c, _: r.quantile(c.number, [0, 0.1, 0.5, 1]),
    "quantile where": lambda r, c, _: r.quantile(
        c.number, 0.5, where={k: v for k, v in c.half.items() if k != c.number}
    ),
    "median": lambda r, c, _: r.median(c.number),
    "max": lambda r, c, _: r.max(c.number),
    "min": lambda r, c, _: r.min(c.number),
    "rank": lambda r, c, _: r.rank(c.number, c.at),
    "cdf": lambda r, c, _: r.cdf(c.number, c.at),
    "compare": lambda r, c, _: r.compare(other(r, c)).values,
    "density": lambda r, c, _: r.density().counts,
    "density at": lambda r, c, _: r.density(c.points),
    "density voronoi": lambda r, c, _: r.density(cells="voronoi").counts,
    "points": lambda r, c, _: r.points().rows,
    "sample": lambda r, c, _: r.sample(50),
    "sample_to": file("s.parquet", lambda r, path: r.sample_to(path, 50)),
    "plot": file("r.svg", lambda r, path: r.plot(path)),
    "report": file("r.html", lambda r, path: r.report(path)),
    "explore": file("e.html", lambda r, path: r.explore(path)),
    "explain": lambda r, c, _: r.explain(),
    "why": lambda r, c, _: repr(r.why),  # empty where whoever published named the mechanism
    "to_bytes": lambda r, c, _: len(r.to_bytes()),
    "save": same,
    "axes": lambda r, c, _: [len(axis) for axis in r.axes],
    "values": lambda r, c, _: r.values(),
    "counts": lambda r, c, _: r.counts(),
    "variances": lambda r, c, _: r.variances(),
    "hg.distance": lambda r, c, _: hg.distance(r, other(r, c), slices=8),
    "hg.distance l1": lambda r, c, _: hg.distance(r, other(r, c), "l1", slices=8),
    "hg.distance l2": lambda r, c, _: hg.distance(r, other(r, c), "l2", slices=8),
    "hg.distance kl": lambda r, c, _: hg.distance(r, other(r, c), "kl", slices=8),
    "hg.HistogramClassifier": lambda r, c, _: (
        hg.HistogramClassifier.from_release(r, c.target).n_features_in_
    ),
    "hg.weighted_rows": lambda r, c, _: hg.weighted_rows(r, c.target)[2],
    "hg.match_blocks": lambda r, c, _: hg.match_blocks(r, other(r, c)).reduction_ratio,
    "hg.match_blocks shared": lambda r, c, _: (
        hg.match_blocks(r, other(r, c), shared=True).reduction_ratio
    ),
    **{
        name: lambda r, c, _, name=name: str(getattr(r, name))  # type: ignore[misc]
        for name in ("domain", "unaccounted", "kind")
    },
}

MAY_NOT = {"compare", "hg.match_blocks shared"}
"""Answers that depend on how two tables were cut."""

SLOW = {"plot", "report"}
"""Pictures, which depend on nothing but the layout: one of each kind is drawn."""

FIELDS = {
    "estimate", "measured", "mechanism", "parameters", "epsilon", "unit", "neighbours", "receipt",
    "where", "about",
}  # fmt: skip
TAKES_A_RELEASE = {"distance", "HistogramClassifier", "weighted_rows", "match_blocks"}


def test_every_public_answer_is_in_the_matrix() -> None:
    public = {name for name in dir(hg.Release) if not name.startswith("_")} - FIELDS
    asked = {question.split()[0] for question in ANSWERS}
    assert {name for name in asked if not name.startswith("hg.")} == public
    assert {name.removeprefix("hg.") for name in asked if "." in name} == TAKES_A_RELEASE


@cache
def published(name: str, case: str, turn: int = 0) -> hg.Release:
    domain = CASES[case].domain
    rng = np.random.default_rng(turn)
    places = rng.beta(1.5, 3.0, size=(ROWS, len(domain))) * np.array(domain.shape)
    job = Job(domain, Fraction(2), Rows(), "add-remove")
    mechanism = hg.MECHANISMS[name]()
    mechanism.check(domain)
    vault = vault_for(job, IndexedTable(domain, places.astype(np.int64)))
    return make_release(mechanism, mechanism.estimate(vault), job, None)


PAIRS = [(name, case) for name in hg.MECHANISMS for case in CASES]


@pytest.mark.parametrize(("name", "case"), PAIRS)
def test_every_answer_is_given_or_refused_with_a_reason(
    name: str, case: str, tmp_path: Path
) -> None:
    if (name, case) in REFUSED:
        with pytest.raises(DomainError, match=r"\.$"):
            published(name, case)
        return
    wrong = []
    for question, ask in ANSWERS.items():
        if question in SLOW and not is_first(name, case):
            continue
        known = cannot(question, name, case)
        try:
            found = ask(published(name, case), CASES[case], tmp_path)
        except NotAnswerable as refusal:
            if not (known or question in MAY_NOT) or not is_a_reason(str(refusal)):
                wrong.append(f"{question}: refused, {refusal}")
        except Exception as error:  # any other is what this test looks for
            wrong.append(f"{question}: {type(error).__name__}, {error}")
        else:
            if known or not is_sound(found):
                wrong.append(f"{question}: answers {found!r}")
    assert not wrong, "\n".join(wrong)


def is_first(name: str, case: str) -> bool:
    """Whether this is the first mechanism in the registry with a layout of that kind."""
    kind = published(name, case).estimate.partition.kind
    others = (other for other in hg.MECHANISMS if (other, case) not in REFUSED)
    return name == next(n for n in others if published(n, case).estimate.partition.kind == kind)


def cannot(question: str, name: str, case: str) -> bool:
    """Whether this release is known to have no such answer."""
    release = published(name, case)
    shaped = isinstance(release.estimate.partition, Lattice)
    return {
        **dict.fromkeys(["grid", "axes", "values", "counts", "variances", "to_hist"], not shaped),
        "to_array": not shaped and case == "plane",
        "density voronoi": name != "sorted",
        "points": name != "sorted",
        "areas": case != "plane",
        "to_geopackage": case != "plane",
        "to_geojson": case != "plane",
        "to_geoparquet": case != "plane",
        "hg.distance": case == "mixed",
        "hg.HistogramClassifier": case != "mixed",
        "hg.weighted_rows": case == "plane",
    }.get(question, False)


def test_what_mechanisms_refuse_is_listed() -> None:
    fine = hg.Domain(lon=hg.Interval(-10, 10), lat=hg.Interval(-5, 5))
    reasons = {name: refusal(name, fine) for name in hg.MECHANISMS}
    refused = {name for name, reason in reasons.items() if reason}
    assert refused == OF_CELLS | {name for name, case in REFUSED if case == "plane"}
    assert all(is_a_reason(reasons[name]) for name in refused)


def refusal(name: str, domain: hg.Domain) -> str:
    """Why a mechanism does not publish a domain; empty if it does."""
    try:
        hg.MECHANISMS[name]().check(domain)
    except DomainError as error:
        return str(error)
    return ""


def is_a_reason(text: str) -> bool:
    """A sentence or two, for people."""
    return text.endswith(".") and 20 < len(text) < 400 and "\n" not in text and "Error" not in text


def is_sound(found: Any) -> bool:
    """Whether an answer is one: something, with numbers that are finite and intervals around."""
    if isinstance(found, list):
        return bool(found) and all(map(is_sound, found))
    if isinstance(found, Path):
        return found.stat().st_size > 0
    if isinstance(found, hg.Answer):
        (low, high), (first, last) = found.interval, found.noise_interval
        inside = low <= first <= found.value <= last <= high
        return bool(np.isfinite([low, found.value, high]).all() and inside and str(found))
    if isinstance(found, hg.Answers):
        return all(map(is_sound, [found[place] for place in range(len(found))]))
    if hasattr(found, "q"):
        return bool(found.interval[0] <= found.value <= found.interval[1] and str(found))
    if hasattr(found, "num_rows"):
        return bool(found.num_rows > 0)
    if hasattr(found, "columns") and {"lower", "upper"} <= {*found.columns}:
        inside = (found["lower"] <= found["value"]) & (found["value"] <= found["upper"])
        return len(found) > 0 and bool(inside.all()) and bool(np.isfinite(found["upper"]).all())
    if hasattr(found, "select_dtypes"):
        return len(found) > 0 and bool(np.isfinite(found.select_dtypes("number")).all(axis=None))
    if isinstance(found, str):
        return bool(found)
    numbers = np.asarray(found)
    return bool(numbers.size and np.isfinite(numbers).all())
