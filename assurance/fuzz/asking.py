"""Every kind of query of a release."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from hushgram.errors import HushgramError
from hushgram.release import Release

Question = Callable[[Release], object]

MOST_CLASSES = 6
"""Trees with more classes take seconds, forged or not."""


def drawn_to(name: str, **options: Any) -> Question:
    return lambda release: release.plot(Path(name), overwrite=True, **options)


def facts(release: Release) -> None:
    """Read its metadata."""
    repr(release), release.explain(), release.kind


def again(release: Release) -> None:
    """Write the release and read it again."""
    from hushgram.release.parquet import read

    read(release.to_bytes())


def counts(release: Release) -> None:
    release.count()
    str(release.count(confidence=0.5))
    for name in release.domain:
        release.count({name: some_of(release, name)})


def many_counts(release: Release) -> None:
    ordered = [name for name, axis in release.domain.items() if axis.ordered]
    ends = [release.domain[name] for name in ordered]
    sides = {
        f"{name}_{end}": [axis.edge(0), axis.edge(axis.declared // 2)]
        if end == "lo"
        else [axis.edge(axis.declared)] * 2
        for name, axis in zip(ordered, ends, strict=True)
        for end in ("lo", "hi")
    }
    if sides:
        release.count(sides).to_pandas()


def some_of(release: Release, name: str) -> Any:
    """Return a range of an axis, or one of its categories."""
    axis = release.domain[name]
    if not axis.declared:
        return None
    if not axis.ordered:
        return axis.edge(0)
    return (axis.edge(0), axis.edge((axis.declared + 1) // 2))


def coarser(release: Release, name: str) -> Release:
    """Return a release with an axis in two slices; for categories, one and the rest."""
    axis = release.domain[name]
    if not axis.ordered:
        return release.rollup({name: {"first": [axis.edge(0)]}})
    ends = {0, (axis.declared + 1) // 2, axis.declared}
    return release.rollup({name: [axis.edge(index) for index in sorted(ends)]})


def each_axis(ask: Callable[[Release, str], object]) -> Question:
    """Ask about every axis, because some may have an order and others not."""

    def ask_each(release: Release) -> None:
        refused: HushgramError | None = None
        for name in release.domain:
            try:
                ask(release, name)
            except HushgramError as error:
                refused = refused or error
        if refused is not None:
            raise refused

    return ask_each


def ask_classifier(release: Release, name: str) -> None:
    from hushgram.answers.learning.classify import HistogramClassifier

    if release.domain[name].declared > MOST_CLASSES:
        return
    model = HistogramClassifier.from_release(release, name)
    rest = [other for other in release.domain if other != name]
    model.predict({other: [release.domain[other].edge(0)] for other in rest})


def blocks(release: Release) -> None:
    import hushgram as hg

    hg.match_blocks(release, release)


def distances(release: Release) -> None:
    import hushgram as hg

    for kind in ("l1", "l2", "kl", "emd"):
        hg.distance(release, release, kind)


def ask_weighted_rows(release: Release, name: str) -> None:
    import hushgram as hg

    hg.weighted_rows(release, name)


def ask_sample(release: Release) -> None:
    release.sample(7, rng=np.random.default_rng(1))


QUESTIONS: dict[str, Question] = {
    "facts": facts,
    "again": again,
    "count": counts,
    "count-many": many_counts,
    "quantile": each_axis(lambda release, name: release.quantile(name, [0, 0.25, 0.5, 1])),
    "rank": each_axis(lambda release, name: release.rank(name, release.domain[name].edge(0))),
    "cdf": each_axis(lambda release, name: release.cdf(name, release.domain[name].edge(0))),
    "project": each_axis(lambda release, name: release.project(name).to_pandas()),
    "slice": each_axis(lambda release, name: release.slice({name: some_of(release, name)}).count()),
    "rollup": each_axis(lambda release, name: coarser(release, name).to_pandas()),
    "group-by": each_axis(lambda release, name: release.group_by(name, simultaneous=True)),
    "group-by-all": lambda release: release.group_by(*release.domain, share=True),
    "top": each_axis(lambda release, name: release.top(3, name)),
    "share": each_axis(lambda release, name: release.share({name: some_of(release, name)})),
    "sum": each_axis(lambda release, name: release.sum(name)),
    "average": each_axis(lambda release, name: release.average(name)),
    "sql": lambda release: release.sql("SELECT sum(count) AS rows FROM release"),
    "array": lambda release: release.to_array(),
    "uhi": lambda release: (release.values(), release.variances(), release.axes),
    "hist": lambda release: release.to_hist(),
    "pandas": lambda release: release.to_pandas(),
    "csv": lambda release: release.to_csv("r.csv", overwrite=True),
    "geojson": lambda release: release.to_geojson("r.geojson", overwrite=True),
    "geoparquet": lambda release: release.to_geoparquet("r.geo.parquet", overwrite=True),
    "density": lambda release: release.density(),
    "voronoi": lambda release: release.density(cells="voronoi"),
    "sample": ask_sample,
    "classify": each_axis(ask_classifier),
    "blocks": blocks,
    "distance": distances,
    "weighted": each_axis(ask_weighted_rows),
}
"""Queries that take milliseconds."""

DRAWN: dict[str, Question] = {
    "plot": drawn_to("r.png"),
    "quantiles": drawn_to("q.svg", kind="quantiles"),
    "report": lambda release: release.report("r.html", overwrite=True),
}
"""Queries that draw pictures."""


def ask_all(path: Path, questions: dict[str, Question]) -> None:
    """Load a file and run all queries. The first refusal is raised at the end."""
    import hushgram as hg

    release = hg.load(path)
    refused: HushgramError | None = None
    for question in questions.values():
        try:
            question(release)
        except HushgramError as error:
            refused = refused or error
    if refused is not None:
        raise refused
