"""Who is protected."""

from __future__ import annotations

from typing import Any

import pytest

from hushgram.declare.unit import Rows, User, as_neighbours, as_unit, present_key
from hushgram.errors import BadInput


def test_rows() -> None:
    assert as_unit("rows") == Rows() == as_unit(Rows())
    assert (Rows().rows, str(Rows()), Rows().key) == (1, "rows", "rows")


@pytest.mark.parametrize("unit", [Rows(), User("id", 3), User("a:1", 2), User("ä b", 10**9)])
def test_json_and_back(unit: Rows | User) -> None:
    assert as_unit(unit.to_json()) == unit


def test_users() -> None:
    user = User("user_id", max_rows=10)
    assert user.rows == 10
    assert str(user) == "user user_id, at most 10 rows"


def test_an_account_knows_people_by_their_column() -> None:
    assert User("user_id", 3).key == User("user_id", 30).key == "user:user_id"
    columns = ("a", "a:1", "a%3A1", "a:1:2", "a:", ":", "%", "ä b")
    keys = [User(column, 1).key for column in columns]
    assert len({*keys, Rows().key}) == len(columns) + 1
    assert [present_key(key) for key in (*keys, "rows")] == [*keys, "rows"]
    assert [present_key(f"user:{column}:17") for column in columns] == keys


@pytest.mark.parametrize(("column", "rows"), [("", 1), (None, 1), (5, 1), ("u", 0), ("u", -1),
                                          ("u", 1.0), ("u", True), ("u", "3"), ("u",
                                          10**10)])  # fmt: skip
def test_what_is_no_user(column: Any, rows: Any) -> None:
    with pytest.raises(BadInput):
        User(column, rows)


@pytest.mark.parametrize("unit", [None, "users", 5, {}, {"user": "a"}, [], {"user": "",
"max_rows": 1},
                                  {"user": "a", "max_rows": 1, "more": 2}])  # fmt: skip
def test_what_is_no_unit(unit: Any) -> None:
    with pytest.raises(BadInput):
        as_unit(unit)


def test_neighbours() -> None:
    assert [as_neighbours(n) for n in ("add-remove", "replace-one")] == [
        "add-remove",
        "replace-one",
    ]
    for wrong in (None, "", "bounded", 5, []):
        with pytest.raises(BadInput):
            as_neighbours(wrong)
