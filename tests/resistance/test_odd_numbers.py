"""Numbers that are none, or too long to write: one plain error at every entrance, at once."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hushgram as hg
from hushgram.cli.app import main
from hushgram.errors import BadInput, BudgetError, EpsilonError
from hushgram.mechanisms import MECHANISMS
from hushgram.mechanisms.registry import as_mechanism

ODD: dict[str, Any] = {
    "a huge integer": 10**5000,
    "a huge negative integer": -(10**5000),
    "a fraction with a huge numerator": Fraction(10**5000, 3),
    "a fraction with a huge denominator": Fraction(1, 10**5000),
    "a huge exponent": "1e999999",
    "a huge negative exponent": "1e-999999999",
    "thousands of digits": "9" * 5000,
    "a fraction of thousands of digits": f"1/{'9' * 5000}",
    "a decimal that is no number": Decimal("NaN"),
    "a signalling decimal": Decimal("sNaN"),
    "a huge decimal": Decimal("1E+999999"),
    "numpy's not a number": np.float64("nan"),
    "numpy's infinity": np.float32("inf"),
    "numpy's truth": np.bool_(True),
    "an array of one": np.array([1.0]),
    "truth": True,
    "nothing": None,
    "an empty text": "",
    "a complex number": 1j,
    "full-width digits": "１",
    "zero": 0,
}

TABLE = pa.table({"who": [1, 2, 3], "age": [3, 4, 5]})
AGES = {"age": hg.Integer(0, 9)}


def paying(**more: Any) -> dict[str, Any]:
    return {"account": "a", "ledger": hg.Ledger.in_memory(), **more}


ENTRANCES: dict[str, Callable[[Any], object]] = {
    "publish": lambda odd: hg.publish(hg.Counts([1, 2]), epsilon=odd),
    "publish a table": lambda odd: hg.publish(TABLE, AGES, epsilon=odd, **paying()),
    "smooth_median": lambda odd: hg.smooth_median(hg.Counts([1, 2]), epsilon=odd),
    "ask": lambda odd: hg.ask(hg.Counts([1, 2]), epsilon=odd),
    "find_bounds": lambda odd: hg.find_bounds(TABLE, "age", epsilon=odd, **paying()),
    "find_max_rows": lambda odd: hg.find_max_rows(
        TABLE, "who", release_epsilon=1, epsilon=odd, **paying()
    ),
    "find_max_rows for": lambda odd: hg.find_max_rows(
        TABLE, "who", release_epsilon=odd, epsilon=1, **paying()
    ),
    "an account's cap": lambda odd: hg.Ledger.in_memory().open_account("a", odd),
    "a new cap": lambda odd: opened().set_cap("a", odd),
    "a charge": lambda odd: opened().begin("a", odd, unit="rows", neighbours="add-remove"),
}


def opened() -> hg.Ledger:
    ledger = hg.Ledger.in_memory()
    ledger.open_account("a", 1)
    return ledger


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
@pytest.mark.parametrize("entrance", ENTRANCES.values(), ids=ENTRANCES)
def test_no_entrance_takes_an_odd_epsilon(entrance: Callable[[Any], object], odd: Any) -> None:
    with pytest.raises(EpsilonError, match="must be a positive number of at most 100 digits"):
        entrance(odd)


@pytest.mark.parametrize("what", [what for what in ODD if what != "nothing"])
def test_no_plan_takes_an_odd_epsilon(what: str) -> None:
    odd = ODD[what]
    for made in (
        lambda: hg.Planned("x", AGES, odd),
        lambda: hg.Planned("x", AGES, share=odd),
        lambda: hg.Plan([hg.Planned("x", AGES, 1)], epsilon=odd),
    ):
        with pytest.raises(EpsilonError, match="must be a positive number"):
            made()


def test_prices_of_a_plan_that_add_up_to_no_short_number_are_refused() -> None:
    """Fifty unrelated fractions add up to one that Python does not print."""
    parts = [hg.Planned(f"p{n}", AGES, Fraction(1, 10**99 - 2 * n - 1)) for n in range(50)]
    with pytest.raises(EpsilonError, match="add up to"):
        hg.Plan(parts, epsilon=1)
    with pytest.raises(EpsilonError, match="at most 100 digits"):
        hg.publish_plan(TABLE, hg.Plan(parts), **paying())


NUMBERS = [
    (name, parameter)
    for name, kind in MECHANISMS.items()
    for parameter, value in kind().parameters().items()
    if not isinstance(value, str) or value.replace("/", "").isdigit()
]


@pytest.mark.parametrize(("name", "parameter"), NUMBERS)
def test_no_mechanism_takes_an_odd_number(name: str, parameter: str) -> None:
    may_be_zero = parameter in ("eta", "xi")  # then a tiny fraction is a number like any other
    allowed = {"nothing", "zero", *(["a fraction with a huge denominator"] * may_be_zero)}
    for odd in (odd for what, odd in ODD.items() if what not in allowed):
        with pytest.raises((BadInput, BudgetError)):
            MECHANISMS[name](**{parameter: odd})
        if isinstance(odd, str) and odd:
            with pytest.raises((BadInput, BudgetError)):
                as_mechanism(f"{name}:{parameter}={odd}")


@pytest.mark.parametrize("odd", ["1e999999", "9" * 5000, "nan", "-1", "0", "１", "1_0", "1/0"])
def test_the_program_takes_no_odd_number(
    odd: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "t.csv"
    table.write_text("age\n3\n")
    axis = [str(table), "--axis", "age=0..9", "--account", "a"]
    for words in (
        ["publish", *axis, f"--epsilon={odd}"],
        ["median", *axis, f"--epsilon={odd}"],
        ["ledger", "open", "a", f"--cap={odd}"],
        ["ledger", "set-cap", "--", "a", odd],
    ):
        with pytest.raises(SystemExit) as stop:
            main(words)
        assert stop.value.code == 2
        assert "must be a positive number" in capsys.readouterr().err
