"""Domains of 10^12 cells: refused at once and unread, or published by what needs no cells."""

from __future__ import annotations

import pytest

import hushgram as hg
from hushgram.errors import DomainError, NotAnswerable, SourceError

MILLION = 1_000_000
CELLS = hg.Domain(x=hg.Regular(MILLION, 0, 1), y=hg.Regular(MILLION, 0, 1))
SPACE = hg.Domain(x=hg.Interval(0, 1), y=hg.Interval(0, 1))


@pytest.mark.parametrize("mechanism", hg.MECHANISMS)
def test_no_mechanism_makes_cells_before_the_table_is_opened(mechanism: str) -> None:
    """The table does not exist: a mechanism that takes the domain gets as far as missing it, and
    eight terabytes would not have been had."""
    for domain in (CELLS, SPACE):
        with pytest.raises((DomainError, SourceError)):
            hg.publish("nowhere.parquet", domain, epsilon=1, account="a", mechanism=mechanism)


def test_a_million_million_cells_can_be_published_in_parts() -> None:
    import pyarrow as pa

    table = pa.table({"x": [0.5] * 1000 + [0.1], "y": [0.5] * 1000 + [0.9]})
    release = hg.publish(
        table, CELLS, epsilon=1, account="a", mechanism="uniform-grid",
        ledger=hg.Ledger.in_memory(),
    )  # fmt: skip
    assert release.domain.cells == 10**12
    assert release.estimate.partition.size < 10**5
    assert release.count(x=(0, 1), y=(0, 1)).value == pytest.approx(1001, abs=300)
    with pytest.raises(NotAnswerable, match="An array of 1,000,000,000,000 cells is too large"):
        release.to_array()
