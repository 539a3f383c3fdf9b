"""What a plan says: budgets that add up exactly, keys, names, and a file that is read strictly."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hushgram as hg
from hushgram.base.exact import format_number
from hushgram.errors import BadInput, EpsilonError, HushgramError
from hushgram.spending.plan import MOST_KEYS, as_plan
from hushgram.spending.plan_names import file_name_part, free_name

AGES = {"age": hg.Integer(0, 9)}
BY_SEX = {"age": hg.Integer(0, 9), "sex": hg.Category(["F", "M"])}

TOML = """
epsilon = 0.3
unit = "who"
max_rows = 2
neighbours = "replace-one"

[[release]]
name = "ages"
axes = { age = "0..9" }
outside = { age = "clamp" }
share = "1/3"
mechanism = "hb"

[[release]]
name = "days"
epsilon = 0.2
per = "month"
workload = "cells"
[release.axes]
age = "0..9"
month = "2024-01-01..2024-03-31/1mo"
"""


def test_a_plan_is_read_as_it_is_written() -> None:
    plan = hg.Plan.from_toml(TOML)
    ages, days = plan.releases
    assert plan.epsilon == Fraction(3, 10)
    assert (ages.epsilon, days.epsilon) == (Fraction(1, 10), Fraction(1, 5))
    assert plan.unit == hg.User("who", max_rows=2)
    assert plan.neighbours == "replace-one"
    assert ages.domain == hg.Domain(age=hg.Integer(0, 9, outside="clamp"))
    assert ages.mechanism.name == "hb"
    assert days.mechanism.workload == "cells"
    assert days.published == hg.Domain(AGES)
    assert [(one.name, one.where) for one in plan.outputs()] == [
        ("ages", ""),
        ("days-2024-01", "month = 2024-01"),
        ("days-2024-02", "month = 2024-02"),
        ("days-2024-03", "month = 2024-03"),
    ]


def test_a_plan_comes_from_a_file_or_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(TOML)
    plan = as_plan(str(tmp_path / "plan.toml"))
    assert plan == hg.Plan.load(tmp_path / "plan.toml") == hg.Plan.from_toml(TOML)
    assert as_plan(plan) is plan
    with pytest.raises(BadInput, match=r"path of a TOML file. Found int"):
        as_plan(7)
    with pytest.raises(BadInput, match=r"nothing\.toml does not exist"):
        as_plan(tmp_path / "nothing.toml")
    with pytest.raises(BadInput, match="Cannot read the plan"):
        as_plan(tmp_path)
    (tmp_path / "bad.toml").write_bytes(b"\xff")
    with pytest.raises(BadInput, match="it is not UTF-8 text"):
        as_plan(tmp_path / "bad.toml")
    (tmp_path / "bad.toml").write_text("epsilon = ")
    with pytest.raises(BadInput, match=r"bad\.toml: invalid TOML: Invalid value"):
        as_plan(tmp_path / "bad.toml")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("max_rows", "max_row", "Unknown key 'max_row' in a plan. Did you mean 'max_rows'?"),
        ("mechanism", "mecanism", "release 'ages': unknown key 'mecanism' in a"),
        ("share", "zzz", "plan. Did you mean"),
        ("max_rows = 2", "", "together"),
        ('unit = "who"', "unit = 3", "The user column must be the name"),
        ("replace-one", "replace", "neighbours='replace'. Use"),
        ('name = "ages"', "", "release 1: it needs a name and axes"),
        ('name = "ages"', 'name = "a/b"', "letters, digits, _, - and "),
        ('name = "ages"', 'name = "DAYS"', "Two releases of the plan are named 'DAYS'"),
        ('{ age = "0..9" }', '"age=0..9"', "release 'ages': axes and outside must be tables"),
        ('{ age = "0..9" }', "{ age = 9 }", "axes and outside must be tables of names"),
        ('{ age = "0..9" }', '{ age = "9..0" }', "release 'ages': axis age: bounds are reversed"),
        ('{ age = "0..9" }', "{}", "outside names 'age', which is not one of its axes"),
        ('age = "clamp"', 'age = "away"', "outside='away'. Use drop,"),
        ('"hb"', '"hbb"', "release 'ages': unknown mechanism 'hbb'. Did you mean 'hb'?"),
        ('"cells"', '"words"', "release 'days': unknown workload='words'"),
        ('per = "month"', 'per = "day"', "per = 'day' is not one of its axes ('age', 'month')"),
        ('"2024-01-01..2024-03-31/1mo"', '"0:1"', "a category, a date or an"),
        ('age = "0..9"\nmonth', "month", "has no axis besides its key 'month'. Declare one"),
        ("03-31/1mo", "01-31/1min", "the key 'month' has 44,640 values"),
        ("epsilon = 0.2", "", "give either an epsilon, or a share of the plan's"),
        ("epsilon = 0.2", "epsilon = 0.2\nshare = 1", "give either an epsilon, or a share"),
        ("epsilon = 0.2", "epsilon = 0", "release 'days': epsilon must be a positive number"),
        ("epsilon = 0.2", "epsilon = true", "such as 1, 0.1 or 1/3. Found True"),
        ("epsilon = 0.2", "epsilon = nan", "epsilon must be a positive number"),
        ("epsilon = 0.2", "epsilon = 0.21", "0.31, but the plan has epsilon 0.3: 0.01 too much"),
        ('"1/3"', "0.333", "0.2999, but the plan has epsilon 0.3: 0.0001 too little"),
        ("epsilon = 0.3", "", "Release 'ages' has a share, but the plan has no epsilon to share"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(old: str, new: str, said: str) -> None:
    assert old in TOML
    with pytest.raises(HushgramError) as error:
        hg.Plan.from_toml(TOML.replace(old, new, 1))
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["", "release = 3", "release = [1]", "[release]"])
def test_a_plan_without_releases_is_none(text: str) -> None:
    with pytest.raises(BadInput):
        hg.Plan.from_toml(text)


def test_a_plan_of_other_things_is_none() -> None:
    with pytest.raises(BadInput, match=r"more Planned\(…\)"):
        hg.Plan(["ages"])


amounts = st.fractions(Fraction(1, 1000), 10, max_denominator=1000)


def plan_of(releases: list[dict[str, Any]], **more: Any) -> hg.Plan:
    return hg.Plan(
        [hg.Planned(f"r{n}", AGES, **one) for n, one in enumerate(releases)],
        **more,
    )


@given(st.lists(amounts, min_size=1, max_size=6))
def test_epsilons_add_up_exactly(parts: list[Fraction]) -> None:
    plan = plan_of([{"epsilon": part} for part in parts])
    assert plan.epsilon == sum(parts)
    assert [one.epsilon for one in plan.releases] == parts
    assert plan_of([{"epsilon": part} for part in parts], epsilon=sum(parts)) == plan


@given(st.lists(amounts, min_size=1, max_size=6), amounts)
def test_shares_of_one_spend_all_of_it(weights: list[Fraction], epsilon: Fraction) -> None:
    shares = [weight / sum(weights) for weight in weights]
    plan = plan_of([{"share": share} for share in shares], epsilon=epsilon)
    assert plan.epsilon == epsilon == sum(one.epsilon for one in plan.releases)
    assert [one.epsilon for one in plan.releases] == [share * epsilon for share in shares]


@given(st.lists(amounts, min_size=1, max_size=6), amounts, st.fractions(-1, 1, max_denominator=99))
def test_the_least_miss_is_refused(
    weights: list[Fraction], epsilon: Fraction, miss: Fraction
) -> None:
    shares = [weight / sum(weights) for weight in weights]
    shares[-1] += miss * shares[-1] / 10**6
    if not miss:
        plan_of([{"share": share} for share in shares], epsilon=epsilon)
        return
    with pytest.raises(EpsilonError, match="too much" if miss > 0 else "too little"):
        plan_of([{"share": share} for share in shares], epsilon=epsilon)


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_decimals_of_a_file_are_exact(first: int, second: int) -> None:
    """Six digits after the point: binary fractions would miss most of them."""
    text = "".join(
        f'[[release]]\nname = "r{n}"\naxes = {{ x = "0..1" }}\nepsilon = {part / 10**6:.6f}\n'
        for n, part in enumerate((first, second))
    )
    total = Fraction(first + second, 10**6)
    assert hg.Plan.from_toml(f"epsilon = {format_number(total)}\n{text}").epsilon == total


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=150)


@given(st.lists(texts.filter("other".__ne__), min_size=1, max_size=8, unique=True))
def test_names_of_files_are_safe_and_unique(values: list[str]) -> None:
    domain = {"key": hg.Category(values, outside="other"), **AGES}
    plan = hg.Plan(
        [
            hg.Planned("a", domain, 1, per="key"),
            hg.Planned("a-b", domain, 1, per="key"),
            hg.Planned("a-b-c", AGES, 1),
        ]
    )
    names = [output.name for output in plan.outputs()]
    assert len({name.casefold() for name in names}) == len(names) == 2 * (len(values) + 1) + 1
    for name in names:
        assert Path(name).name == name
        assert not set(name) & set('/\\:*?"<>|\0')
        assert len(f"{name}.hush.parquet".encode()) < 255
    wheres = [output.where for output in plan.outputs()]
    assert wheres[: len(values)] == [f"key = {value}" for value in values]
    assert wheres[len(values)] == "key = other"


def test_names_that_meet_get_a_number() -> None:
    assert file_name_part("a/b") == file_name_part("a b") == "a_b"
    taken = {"x-a_b"}
    assert [free_name("x-a_b", taken) for _ in range(2)] == ["x-a_b-2", "x-a_b-3"]


@pytest.mark.parametrize(
    ("axis", "keys"),
    [
        (hg.Date("2023-01-01", "2024-12-31", "1y"), ("2023", "2024")),
        (hg.Date("2023-12-01", "2024-01-31", "mo"), ("2023-12", "2024-01")),
        (hg.Date("2024-02-28", "2024-02-29"), ("2024-02-28", "2024-02-29")),
        (hg.Date("2024-02-01", "2024-02-14", "1w"), ("2024-02-01 1w", "2024-02-08 1w")),
        (hg.Date("2024-02-01", "2024-02-01", "12h"),
         ("2024-02-01 00:00:00 12h", "2024-02-01 12:00:00 12h")),
        (hg.Integer(7, 8), ("7", "8")),
        (hg.Category([True, False]), ("True", "False")),
        (hg.Category(["N"], outside="other"), ("N", "other")),
    ],
)  # fmt: skip
def test_keys_in_words(axis: Any, keys: tuple[str, ...]) -> None:
    assert hg.Planned("x", {"k": axis, **AGES}, 1, per="k").keys == keys


def test_too_many_keys_are_refused() -> None:
    hg.Planned("x", {"k": hg.Integer(1, MOST_KEYS), **AGES}, 1, per="k")
    with pytest.raises(BadInput, match="make it coarser,"):
        hg.Planned("x", {"k": hg.Integer(0, MOST_KEYS), **AGES}, 1, per="k")


def test_a_bound_per_person_is_refused_where_it_lowers_no_noise() -> None:
    bounded = hg.Sum("pay", 0, 100, per_person=150)
    hg.Planned("x", BY_SEX, 1, measures=bounded)
    with pytest.raises(BadInput, match="release 'x': per_person of 'pay' does not lower the noise"):
        hg.Planned("x", BY_SEX, 1, per="sex", measures=bounded)


def test_a_mechanism_sees_the_domain_without_the_key() -> None:
    """Isotonic regression works along one axis: here it does, and without a key it does not."""
    hg.Planned("x", BY_SEX, 1, per="sex", mechanism="isotonic")
    with pytest.raises(BadInput, match="release 'x': isotonic"):
        hg.Planned("x", {**BY_SEX, "day": hg.Integer(0, 9)}, 1, per="sex", mechanism="isotonic")
