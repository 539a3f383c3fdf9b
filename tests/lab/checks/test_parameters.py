"""Whatever parameters a mechanism is given, it refuses them before anything is charged, or
publishes."""

from __future__ import annotations

from dataclasses import fields
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hushgram.declare.axis import Category, Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.errors import BadInput
from hushgram.lab.checks import rows_of, run_mechanism, vault_for
from hushgram.lab.memory import IndexedTable
from hushgram.mechanisms import MECHANISMS
from hushgram.mechanisms.base import Mechanism
from hushgram.spending.job import Job

NASTY = (
    0, -1, True, 1, 3, 63, 2**62, 2**63 - 1, 2**63, -(2**63), 10**400, 10**5000,
    0.0, 0.5, 1e-300, 5e-324, 1e300, 1e99, 1e9, 1e-9, float("nan"), float("inf"), float("-inf"),
    Fraction(1, 10**40), 1 - Fraction(1, 10**40), Fraction(1, 10**400), Fraction(10**400, 3),
    Decimal("0.5"), Decimal("NaN"), 1j, np.int64(2), np.float64(0.5), np.float32(0.1), np.True_,
    np.array([1, 2]), np.array(3), "", "x", "0.5", "1/0", "1e-999999999", "1e999999999",
    "1/" + "3" * 60, None, [], {}, b"", object(),
)  # fmt: skip

DOMAINS = (
    Domain(x=Integer(0, 12)),
    Domain(x=Interval(0, 1, resolution=32), y=Integer(0, 9)),
    Domain(x=Integer(0, 3), sex=Category(("F", "M"), outside="other")),
)

FIELDS = [(name, field.name) for name, kind in MECHANISMS.items() for field in fields(kind)]


def publishes(mechanism: Mechanism, domain: Domain) -> None:
    job = Job(domain, Fraction(1), Rows(), "add-remove")
    run_mechanism(mechanism, job, vault_for(job, IndexedTable(domain, rows_of(domain, 40))))


def accepted(name: str, field: str, value: Any, domain: Domain) -> Mechanism | None:
    """What publishing would run, or None where the value was refused in a sentence."""
    try:
        mechanism = MECHANISMS[name](**{field: value})
        mechanism.check(domain)
    except BadInput as error:
        return None if len(str(error)) < 300 else pytest.fail(str(error))
    return mechanism


@pytest.mark.parametrize(("name", "field"), FIELDS)
def test_bad_parameters_end_before_the_charge(name: str, field: str) -> None:
    refused = 0
    for value in NASTY:
        for domain in DOMAINS:
            mechanism = accepted(name, field, value, domain)
            if mechanism is None:
                refused += 1
            else:
                publishes(mechanism, domain)
    assert refused > len(NASTY)
