"""No value of one row decides whether there is a release: whoever sees a failure would know it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import hushgram as hg
from hushgram.declare.unit import Rows
from hushgram.errors import BadInput
from hushgram.geometry.partition import Grid, Halving, Raster
from hushgram.trusted.engine.compiled import kernels
from hushgram.trusted.engine.compiled.layout import GridLayout
from hushgram.trusted.engine.sources import frames, plain
from hushgram.trusted.engine.sources.source import open_table

WORDS = [f"w{number}" for number in range(127)]


def numbered(words: list[str | None]) -> pa.DictionaryArray:
    """Words as numbers of one byte, with a dictionary of their own."""
    return pa.DictionaryArray.from_arrays(pa.array(range(len(words)), pa.int8()), pa.array(words))


@pytest.mark.parametrize("last", [[], ["w1"], ["a rare disease"], [None]])
@pytest.mark.parametrize("mechanism", ["auto", "privtree"])
def test_words_that_no_dictionary_holds_together(mechanism: str, last: list[Any]) -> None:
    chunks = [numbered([*WORDS[:100]]), numbered([*WORDS[100:], *last])]
    table = pa.table({"word": pa.chunked_array(chunks)})
    places = np.linspace(0, 1, len(table))
    table = table.append_column("x", [places]).append_column("y", [places])
    domain = hg.Domain(
        word=hg.Category(["w1"], outside="other"), x=hg.Interval(0, 1), y=hg.Interval(0, 1)
    )
    release = hg.publish(
        table, domain, epsilon=1, account="a", mechanism=mechanism, ledger=hg.Ledger.in_memory()
    )
    assert release.mechanism


@pytest.mark.parametrize("lo", [1e15, 1.7e12])
def test_a_guess_outside_of_all_slices_is_looked_up_nowhere(lo: float) -> None:
    """Where bins are a few roundings wide, the guess at the lower end falls below the first slice.
    Compiled code would read whatever lies there; as Python it complains."""
    raster = Raster(hg.Domain(x=hg.Regular(70_000, lo, lo + 280_000)), (65_536,))
    added = tuple(part.astype(np.uint32) for part in Halving.of(raster).slice_places)
    grid = GridLayout.of(raster)
    column = np.array([lo, np.nan, lo - 1, lo + 4, lo + 1000, lo + 280_000, lo + 280_001])
    places = np.empty(len(column), np.uint32)
    kept = kernels.number_places.py_func((column,), grid, added, places)
    exact = [kernels.exact_place((column,), row, grid, added) for row in range(len(column))]
    assert places[:kept].tolist() == [place for place in exact if place >= 0]


UNASKED = {
    "map": pa.array([[("flu", 1)], [("flu", 1), ("flu", 2)]], pa.map_(pa.string(), pa.int32())),
    "span": pa.array([1, 2**62], pa.duration("s")),
    "list": pa.array([[1], [2]], pa.list_(pa.int64())),
    "bytes": pa.array([b"a", b"b"], pa.binary()),
}


@pytest.mark.parametrize("kind", UNASKED)
@pytest.mark.parametrize("words", ["x IS NULL", "x IS NOT NULL", "y = 1 OR NOT x IS NULL"])
def test_null_is_asked_of_no_column_that_an_engine_can_fail_on(kind: str, words: str) -> None:
    table = hg.Where(pa.table({"x": UNASKED[kind], "y": [1, 2]}), words)
    ledger = hg.Ledger.in_memory()
    with pytest.raises(BadInput, match="does not support IS NULL"):
        hg.publish(table, {"y": hg.Integer(0, 9)}, epsilon=1, account="a", ledger=ledger)
    assert ledger.accounts() == []


def test_texts_that_are_too_long_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (plain, frames):
        monkeypatch.setattr(module, "LONGEST", 10)
    words = ["a", "b" * 10, "c" * 11, None]
    domain = hg.Domain(x=hg.Category(["a", "b" * 10, "c" * 11]))
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        assert plain.plain(pa.array(words, kind)).to_pylist() == [*words[:2], None, None]
    for table in (pd.DataFrame({"x": pd.Series(words, dtype=object)}), pa.table({"x": words})):
        opened = open_table(table)
        opened.check(domain, Rows())
        assert opened.count(Grid.of_cells(domain)).tolist() == [1, 1, 0]
