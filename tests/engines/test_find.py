"""What is found before a release, on every engine: people by what they own, and bounds."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hushgram as hg
from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, User
from hushgram.geometry.partition import Grid
from hushgram.spending.bounds import LADDERS
from hushgram.trusted.engine.ibis.owners import row_count_column
from hushgram.trusted.engine.sources.source import open_table
from tests.engines.stores import Store

OWNED = Domain({row_count_column("who"): Integer(1, 5, outside="clamp")})


def people(source: Any, domain: Domain | None = None) -> list[int]:
    """How many own 1, 2, 3, 4, and 5 rows or more."""
    table = open_table(source).owners("who", domain).bound_to(OWNED, User("who", 1))
    return list(table.count(Grid.of_cells(OWNED)).tolist())


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (pa.string(), ["Ada", "ada", "Ada ", "", "ä", "a\u0308", None]),
        (pa.int64(), [0, 1, -1, 2**63 - 1, -(2**63), 2**53 + 1, 2**53, None]),
    ],
)
def test_people_are_counted_by_what_they_own(
    store: Store, kind: pa.DataType, names: list[Any]
) -> None:
    rng = np.random.default_rng(2)
    owner = [names[k] for k in rng.integers(0, len(names), 30)] + [names[0]] * 20_000
    places = rng.integers(-5, 15, len(owner))
    table = pa.table({"who": pa.array(owner, kind), "x": pa.array(places, pa.int64())})
    source = store.load(table)
    for domain in (None, Domain(x=Integer(0, 9))):
        inside = [w for w, x in zip(owner, places, strict=True) if domain is None or 0 <= x <= 9]
        owned = Counter(who for who in inside if who is not None)
        expected = Counter(min(rows, 5) for rows in owned.values())
        assert people(source, domain) == [expected[k] for k in range(1, 6)]


@pytest.mark.parametrize("kind", sorted(LADDERS))
def test_the_bins_of_a_search_are_the_same_everywhere(store: Store, kind: str) -> None:
    axis = LADDERS[kind].coarse
    edges = [axis.edge(index) for index in range(axis.bins + 1)]
    values = [*edges, *edges[::7], None]
    table = pa.table({"x": values})
    opened = open_table(store.load(table))
    opened.check(Domain(x=axis), Rows())
    found = opened.count(Grid.of_cells(Domain(x=axis)))
    expected = Counter(axis.index(value) for value in values)
    assert found.tolist() == [expected[index] for index in range(axis.bins)]


def test_what_is_found_is_found_everywhere(store: Store) -> None:
    names = [f"u{n % 1500}" for n in range(6000)]
    years = [1990 + n % 31 for n in range(6000)]
    source = store.load(pa.table({"who": names, "year": years}))
    terms: dict[str, Any] = {"account": "visits", "ledger": hg.Ledger.in_memory(allow_large=True)}
    terms["ledger"].open_account("visits", 100, unit="user:who", neighbours="add-remove")
    rows = hg.find_max_rows(source, "who", release_epsilon=1, epsilon=5, **terms)
    assert rows == 4
    unit = hg.User("who", max_rows=rows)
    axis = hg.find_bounds(source, "year", kind="integer", epsilon=10, unit=unit, **terms)
    assert isinstance(axis, hg.Integer)
    assert 1900 < axis.lo <= 1992
    assert 2018 <= axis.hi < 2100
