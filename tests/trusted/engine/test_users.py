"""Users: each counts with a bounded number of rows, the same ones in every pass."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from hushgram.declare.axis import Category, Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.declare.text_format import Text
from hushgram.declare.unit import Rows, User
from hushgram.errors import SourceError
from hushgram.geometry.partition import Grid, Merged, Refined
from hushgram.trusted.engine.sources.source import open_table
from tests.trusted.engine.tables import cells

pytestmark = pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")

DOMAIN = Domain(x=Integer(0, 9), c=Category([str(i) for i in range(40)], outside="other"))


def people(seed: int = 0, users: int = 50, rows: int = 1000) -> pa.Table:
    rng = np.random.default_rng(seed)
    owner = rng.integers(0, users, rows)
    named = [None if u == 0 else f"u{u}" for u in owner]
    return pa.table({"u": named, "x": rng.integers(-1, 11, rows),
                     "c": rng.integers(0, 50, rows).astype(str)})  # fmt: skip


def kept(table: pa.Table, most: int) -> int:
    """How many rows may count: of each user, those that fit, up to the bound."""
    per_user: dict[str, int] = {}
    for row in table.to_pylist():
        if row["u"] is not None and 0 <= row["x"] <= 9:
            per_user[row["u"]] = per_user.get(row["u"], 0) + 1
    return sum(min(n, most) for n in per_user.values())


@pytest.mark.parametrize("most", [1, 3, 10**9])
def test_each_user_counts_up_to_the_bound(most: int) -> None:
    table = people()
    assert sum(cells(table, DOMAIN, User("u", most))) == kept(table, most)


def test_one_user_alone() -> None:
    table = pa.table({"u": ["a"] * 1000, "x": [i % 10 for i in range(1000)]})
    domain = Domain(x=Integer(0, 9))
    counts = cells(table, domain, User("u", 7))
    assert sum(counts) == 7


def test_rows_without_a_user_drop_out() -> None:
    table = pa.table({"u": pa.array([None, None, "a"], pa.string()), "x": [1, 2, 3]})
    assert cells(table, Domain(x=Integer(0, 3)), User("u", 5)) == [0, 0, 0, 1]


def test_every_pass_counts_the_same_rows() -> None:
    table = open_table(people()).bound_to(DOMAIN, User("u", 2))
    grid = Grid.of_cells(DOMAIN)
    first = table.count(grid)
    assert table.count(grid).tolist() == first.tolist()
    table.bound_to(DOMAIN, User("u", 1)).count(grid)
    assert table.count(grid).tolist() == first.tolist()
    coarse = Grid(DOMAIN, (5, 1))
    expected = first.reshape(5, 2, 41)
    sums = np.stack([expected[:, :, :40].sum((1, 2)), expected[:, :, 40].sum(1)], axis=1)
    assert table.count(coarse).tolist() == sums.ravel().tolist()
    cut = Refined(coarse, np.ones((10, 2), dtype=int))
    assert table.count(cut).tolist() == sums.ravel().tolist()
    joined = Merged(grid, np.arange(grid.size) % 3)
    assert table.count(joined).tolist() == [first[k::3].sum() for k in range(3)]


def test_the_boxes_of_a_split_share_the_bound() -> None:
    """One user, rows in every box: all boxes together count the bound, not each of them."""
    table = open_table(pa.table({"u": ["a"] * 500, "x": [i % 10 for i in range(500)]}))
    domain = Domain(x=Integer(0, 9))
    table = table.bound_to(domain, User("u", 3))
    whole = table.count(Grid.of_cells(domain))
    boxes = [table.count(Grid.of_cells(domain.box([(i, i + 1)])))[0] for i in range(10)]
    assert sum(boxes) == 3
    assert whole.tolist() == boxes
    nested = domain.box([(2, 8)]).box([(1, 4)])
    assert table.count(Grid.of_cells(nested)).tolist() == whole[3:6].tolist()


def test_a_window_may_be_the_whole() -> None:
    part = DOMAIN.box([(2, 8), (0, 41)])
    table = open_table(people()).bound_to(part, User("u", 3))
    first = table.count(Grid.of_cells(part)).reshape(6, 41)
    box = part.box([(1, 3), (40, 41)])
    assert table.count(Grid.of_cells(box)).tolist() == first[1:3, 40].tolist()


def test_what_is_no_box_of_the_domain_is_not_counted() -> None:
    from hushgram.errors import EngineFailed

    table = open_table(people()).bound_to(DOMAIN.box([(2, 8), (0, 41)]), User("u", 3))
    for other in (DOMAIN, Domain(x=Integer(0, 9)), DOMAIN.box([(0, 3), (0, 41)])):
        with pytest.raises(EngineFailed):
            table.count(Grid.of_cells(other))


def test_another_unit_is_another_choice() -> None:
    table = open_table(people())
    for unit in (User("u", 1), Rows(), User("u", 4), User("c", 1)):
        counts = table.bound_to(DOMAIN, unit).count(Grid.of_cells(DOMAIN))
        if isinstance(unit, User) and unit.column == "u":
            assert counts.sum() == kept(people(), unit.max_rows)


@pytest.mark.parametrize("most", [1, 5])
def test_a_user_of_a_thousand_rows_moves_the_counts_by_the_bound(most: int) -> None:
    """With everybody else below the bound, nothing is left to chance but the new user."""
    others = pa.table({"u": [f"u{i // 2}" for i in range(100)] if most > 1 else
                       [f"u{i}" for i in range(100)],
                       "x": [i % 10 for i in range(100)]})  # fmt: skip
    domain = Domain(x=Integer(0, 9))
    before = cells(others, domain, User("u", most))
    rng = np.random.default_rng(1)
    new = pa.table({"u": ["new"] * 1000, "x": rng.integers(-2, 12, 1000)})
    after = cells(pa.concat_tables([others, new]), domain, User("u", most))
    change = np.subtract(after, before)
    assert (change >= 0).all()
    assert change.sum() == most


def test_the_choice_is_fair() -> None:
    """Each of a user's rows is as likely as any other, not the first ones of the file."""
    table = pa.table(
        {"u": [f"u{i // 10}" for i in range(40_000)], "x": [i % 10 for i in range(40_000)]}
    )
    counts = cells(table, Domain(x=Integer(0, 9)), User("u", 1))
    assert sum(counts) == 4000
    assert 300 < min(counts) <= max(counts) < 500


def test_the_user_may_be_an_axis_too() -> None:
    rows = {"u": ["1", "1", "2", None], "x": [0, 0, 1, 1]}
    domain = Domain(x=Integer(0, 1), u=Category(["1", "2"]))
    connection = duckdb.connect()
    table = pa.table(rows)
    connection.register("theirs", table)
    for source in (table, table.to_pandas(), pl.DataFrame(rows), connection.table("theirs")):
        assert cells(source, domain, User("u", 1)) == [1, 0, 0, 1]


def test_users_in_every_source(tmp_path: Path) -> None:
    table = people()
    backend = ibis.duckdb.connect()
    backend.con.register("theirs", table)
    table.to_pandas().to_csv(tmp_path / "t.csv", index=False)
    sources: list[Any] = [
        Text(tmp_path / "t.csv", line_breaks="never"), table.to_pandas(), pl.from_arrow(table),
        backend.table("theirs"), backend.con.table("theirs"),
    ]  # fmt: skip
    for source in sources:
        assert sum(cells(source, DOMAIN, User("u", 2))) == kept(table, 2)


def test_users_of_every_type() -> None:
    domain = Domain(x=Interval(0, 1, outside="clamp"))
    grid = Grid(domain, (1,))
    for owners in (
        pa.array([1, 1, 2, None]), pa.array([Decimal(1), Decimal(1), Decimal(2), None]),
        pa.array(["a", "a", "b", None]), pa.array(["a", "a", "b", None]).dictionary_encode(),
        pa.array(["a", "a", "b", None], pa.string_view()),
    ):  # fmt: skip
        people = pa.table({"u": owners, "x": [0.5] * 4})
        table = open_table(people).bound_to(domain, User("u", 1))
        assert table.count(grid).tolist() == [2], owners.type


@pytest.mark.parametrize(
    "kind",
    [
        pa.float64(), pa.bool_(), pa.binary(), pa.list_(pa.int64()), pa.timestamp("ns"),
        pa.timestamp("s"), pa.date32(), pa.duration("ns"), pa.time64("ns"),
    ],
)  # fmt: skip
def test_what_cannot_name_people_is_refused_for_free(kind: pa.DataType) -> None:
    """Engines round some of these: two people would become one, or one would fail the count."""
    table = open_table(pa.table({"u": pa.nulls(3, kind), "x": [0.5] * 3}))
    with pytest.raises(SourceError, match="cannot identify people"):
        table.check(Domain(x=Interval(0, 1)), User("u", 1))


LIKE_ONE = (1, 1.0, True, Decimal("1.0"), np.float64(1), object())


def test_objects_name_people_only_as_texts_and_whole_numbers() -> None:
    """Of a column of objects: a person who is written in many ways has no more rows than others."""
    names = pd.Series([*LIKE_ONE * 9, "1", "2"], dtype=object)
    table = pd.DataFrame({"u": names, "x": [0.5] * len(names)})
    domain = Domain(x=Interval(0, 1, resolution=1))
    assert cells(table, domain, User("u", 3)) == [4]
    assert cells(table.astype({"u": "category"}), domain, User("u", 3)) == [4]


def test_users_of_a_column_that_is_an_axis_too() -> None:
    table = pd.DataFrame({"u": pd.Series([1, 1.0, "1", "2"], dtype=object)})
    domain = Domain(u=Integer(0, 3))
    assert cells(table, domain, User("u", 9)) == [0, 2, 1, 0]
    assert cells(table, domain) == [0, 3, 1, 0]


def test_large_numbers_of_a_relation_name_different_people() -> None:
    names = "unnest([1267650600228229401496703205376, 1267650600228229401496703205377])"
    rows = duckdb.sql(f"SELECT {names} AS u, 0.5 AS x FROM range(10)")
    assert cells(rows, Domain(x=Interval(0, 1, resolution=1)), User("u", 3)) == [6]


@pytest.mark.parametrize("most", [1, 4])
def test_the_choice_looks_at_one_user_alone(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """With the same salt, one more user moves the counts by that user's rows and no others,
    whatever the order of rows and the engine's own random numbers."""
    monkeypatch.setattr("secrets.token_hex", lambda size: "salt")
    table = people(users=200, rows=3000)
    one = people(seed=1, users=2, rows=500).set_column(0, "u", pa.array(["new"] * 500))
    rng = np.random.default_rng(3)
    for seed in (0.1, 0.5):
        duckdb.sql(f"SELECT setseed({seed})")
        more = pa.concat_tables([table, one]).take(rng.permutation(3500))
        after, before = (cells(t, DOMAIN, User("u", most)) for t in (more, table))
        apart = np.array(after) - before
        assert apart.min() >= 0
        assert apart.sum() == most


def test_zero_has_one_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows at 0 and at -0 are counted alike, so they must have the same lots: else the choice
    would follow the order in which an engine happens to number them."""
    monkeypatch.setattr("secrets.token_hex", lambda size: "salt")
    rng = np.random.default_rng(5)
    values = np.concatenate([[-0.0, 0.0] * 5, np.arange(1.0, 10.0)])
    found = {
        tuple(cells(pa.table({"u": ["a"] * 19, "x": order}), Domain(x=Integer(0, 9)), User("u", 5)))
        for order in (rng.permutation(values) for _ in range(8))
    }
    assert len(found) == 1


def test_the_choice_is_even() -> None:
    """Of a hundred rows at one place and one at another, the one is chosen as often as any."""
    users = 2000
    places = [0] * 100 + [1]
    table = pa.table({"u": np.repeat(np.arange(users), 101), "x": places * users})
    rare = cells(table, Domain(x=Integer(0, 1)), User("u", 1))[1]
    assert 2 <= rare <= 50  # 19.8 are expected


def test_a_missing_user_column_is_free() -> None:
    with pytest.raises(SourceError, match="no column 'who'"):
        cells(people(), DOMAIN, User("who", 1))
