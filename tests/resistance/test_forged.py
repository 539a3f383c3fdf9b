"""Forged releases: whoever changes a file can compute its seal, but its pieces have to fit.

A forgery is refused when it is read, or it answers: nothing but an error of Hushgram's is raised.
Numbers that are false and fit are not found out this way; signatures are for that.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hushgram as hg
from assurance.fuzz import published
from assurance.fuzz.asking import DRAWN, QUESTIONS, ask_all
from assurance.fuzz.forging import Draft, forged_release, sealed_file, text_of
from hushgram.errors import DomainError, HushgramError, NotAnswerable, ReleaseCorrupted
from hushgram.geometry.partition import Grid, pack, partition_from_json
from hushgram.release import Release
from hushgram.release.parquet import read
from tests.samples import cells, release_of

LINE = hg.Counts([5, 0, 300, 900, 9, 1, 0, 2])
PLANE = hg.Counts([[40, 0, 1, 1], [900, 2, 2, 0]] * 2)

Forge = Callable[[Any], object]


def straight(data: bytes, forge: Forge, values: Any = None) -> bytes:
    """A release whose description was changed, and sealed again."""
    draft = Draft.of(data)
    forge(draft.about)
    counts = draft.values if values is None else values
    return sealed_file(text_of(draft.about), counts, Plain())


class Plain(random.Random):
    """No twist of the fuzzer's."""

    def random(self) -> float:
        return 1.0

    def choice(self, seq: Any) -> Any:
        return seq[0]


def made(source: Any, mechanism: str) -> bytes:
    return hg.publish(source, epsilon=4, mechanism=mechanism).to_bytes()


def swapped(levels: list[Any], key: str | None = None) -> None:
    if key is None:
        levels[0], levels[-1] = levels[-1], levels[0]
    else:
        levels[0][key], levels[-1][key] = levels[-1][key], levels[0][key]


def as_levels(about: Any) -> None:
    """Two levels of as many parts that cut across each other."""
    across, along = ({"kind": "grid", "slices": slices} for slices in ([4, 1], [1, 4]))
    one = about["measurements"][0]
    about["measurements"] = [
        {**one, "partition": part, "values": np.arange(4)} for part in (across, along)
    ]
    about["layout"], about["inference"] = along, {"kind": "tree"}


def shifted(about: Any) -> None:
    """Another layout of as many parts as there are counts."""
    about["layout"] = {"kind": "cuts", "slices": [8], "widths": [np.array([1] * 6 + [1])]}


def other_parts(about: Any) -> None:
    about["measurements"][0]["partition"] = {"kind": "grid", "slices": [4]}
    about["measurements"][0]["values"] = np.arange(4)


PIECES: dict[str, tuple[Any, str, Forge]] = {
    "levels swapped": (LINE, "hierarchical", lambda about: swapped(about["measurements"])),
    "levels swapped in a tree of boxes": (
        PLANE, "kd-standard", lambda about: swapped(about["measurements"]),
    ),
    "levels upside down": (LINE, "hierarchical", lambda about: about["measurements"].reverse()),
    "a level twice, and too late": (
        LINE, "hierarchical", lambda about: about["measurements"].append(about["measurements"][0]),
    ),
    "no level": (LINE, "hierarchical", lambda about: about.update(measurements=[])),
    "counts of other parts": (LINE, "identity", other_parts),
    "parts that were not measured": (LINE, "identity", shifted),
    "parts that are not pooled": (LINE, "ahp", shifted),
    "parts that are no wavelet's": (LINE, "privelet", shifted),
    "another kind of inference": (
        LINE, "identity", lambda about: about.update(inference={"kind": "wavelet"}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PIECES)
def test_pieces_that_do_not_fit_are_refused(name: str) -> None:
    source, mechanism, forge = PIECES[name]
    data = made(source, mechanism)
    read(straight(data, lambda about: None))
    with pytest.raises(ReleaseCorrupted):
        read(straight(data, forge))


def test_levels_that_cross_are_refused() -> None:
    data = made(hg.Counts(np.arange(16).reshape(4, 4)), "identity")
    with pytest.raises(ReleaseCorrupted):
        read(straight(data, as_levels, np.arange(4)))


def view() -> bytes:
    return hg.publish(PLANE, epsilon=1, mechanism="identity").project("x1").to_bytes()


VIEWS: dict[str, Forge] = {
    "another shape": lambda about: about.update(layout={"kind": "grid", "slices": [2]}),
    "an axis twice": lambda about: about["inference"].update(order=[1, 1]),
    "an axis that is true": lambda about: about["inference"].update(order=[True]),
    "an axis between two": lambda about: about["inference"].update(order=[1.0]),
    "a size that is no whole number": lambda about: about["inference"]["sides"][1].update(size=4.0),
    "other parts below": lambda about: about["inference"].update(
        layout={"kind": "grid", "slices": [2, 4]}
    ),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_that_do_not_fit_are_refused(name: str) -> None:
    values = np.arange(2.0) if name == "another shape" else None
    with pytest.raises(ReleaseCorrupted):
        read(straight(view(), VIEWS[name], values))


def test_views_of_views_come_to_an_end() -> None:
    """In a file and in memory alike: each asks the one below it."""
    deep = release_of(cells(x=hg.Integer(0, 3)))
    for _ in range(64):
        deep = deep.project("x")
    assert read(deep.to_bytes()).count().value == deep.count().value
    with pytest.raises(NotAnswerable, match="65 levels deep"):
        deep.project("x")

    def bury(about: Any) -> None:
        for _ in range(2):
            about["inference"] = {**about["inference"], "inference": about["inference"]}

    with pytest.raises(ReleaseCorrupted):
        read(straight(deep.to_bytes(), bury))


def set_level(**change: Any) -> Forge:
    return lambda about: about["measurements"][0].update(change)


WILD: dict[str, Forge] = {
    "a variance without end": set_level(variance=1e200),
    "a variance that is true": set_level(variance=True),
    "a variance in words": set_level(variance="2"),
    "a scale of 4,000 digits": set_level(scale="9" * 4000),
    "an epsilon of 0": lambda about: about.update(epsilon="0"),
    "an epsilon of 4,000 digits": lambda about: about.update(epsilon="9" * 4000),
    "an epsilon of 5,000 digits": lambda about: about.update(epsilon="9" * 5000),
    "a parameter within parameters": lambda about: about.update(parameters={"a": [[[]]]}),
    "slices that are true": lambda about: about["layout"].update(slices=[True]),
}


@pytest.mark.parametrize("name", WILD)
def test_numbers_that_nothing_can_be_done_with_are_refused(name: str) -> None:
    source = hg.Counts([5]) if "slices" in name else LINE
    with pytest.raises(ReleaseCorrupted):
        read(straight(made(source, "identity"), WILD[name]))


@pytest.mark.parametrize("value", [1e300, -1e31, np.nan, np.inf])
def test_counts_that_no_table_has_are_refused(value: float) -> None:
    data = made(LINE, "ahp")
    with pytest.raises(ReleaseCorrupted):
        read(straight(data, lambda about: None, np.array([value] + [1.0] * 7)))


@pytest.mark.parametrize("kind", [pa.timestamp("us"), pa.time64("us"), pa.uint64()], ids=str)
def test_counts_of_another_type_are_refused(monkeypatch: pytest.MonkeyPatch, kind: Any) -> None:
    """They take eight bytes each, as counts do, and pass for finite numbers."""
    from assurance.fuzz import forging

    data = made(hg.Counts([5, 1000, 300]), "identity")
    draft = Draft.of(data)
    counts = np.abs(draft.values)
    monkeypatch.setattr(
        forging, "odd_column", lambda values, chance: pa.array(values, pa.int64()).cast(kind)
    )
    with pytest.raises(ReleaseCorrupted):
        read(straight(data, lambda about: None, counts))


def test_a_key_twice_is_refused() -> None:
    """Of two epsilons, this reader would take the last and another one the first."""
    draft = Draft.of(made(LINE, "identity"))
    text = text_of(draft.about)
    twice = text.replace('"epsilon"', '"epsilon": "1/100", "epsilon"', 1)
    assert json.loads(twice) == json.loads(text)
    read(sealed_file(text, draft.values, Plain()))
    with pytest.raises(ReleaseCorrupted):
        read(sealed_file(twice, draft.values, Plain()))


def test_much_that_was_measured_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each level may have as many numbers as a release; all together may not have a hundred times
    as many, of a hundred kilobytes."""
    from hushgram.release import parquet

    data = made(LINE, "hierarchical")
    unpacked = []
    monkeypatch.setattr(parquet, "MAX_MEASURED", 200)
    monkeypatch.setattr(parquet, "unpack", lambda text, count: unpacked.append(count))

    def many(about: Any) -> None:
        about["measurements"] = [copy.deepcopy(about["measurements"][-1]) for _ in range(30)]

    with pytest.raises(ReleaseCorrupted):
        read(straight(data, many))
    assert unpacked == []


def test_widths_that_wrap_are_refused() -> None:
    """0, 2^63 - 1, -2: each start is 2^63 - 1 after the one before, in 64 bits."""
    widths = pack(np.array([2**63 - 1] * 2))
    with pytest.raises(DomainError, match="must start at 0, in increasing order"):
        partition_from_json(
            hg.Domain(x=hg.Integer(0, 9)), {"kind": "cuts", "slices": [3], "widths": [widths]}
        )


@pytest.mark.parametrize("quiet", [0.0, 5e-324, 1e-200, 1e-90])
def test_noise_that_is_hardly_there_is_no_warning(quiet: float) -> None:
    """An honest epsilon of hundreds has such a variance, too; here one level has, or all have."""
    table = {"x0_lo": [0, 1], "x0_hi": [3, 3], "x1_lo": [0, 1], "x1_hi": [2, 3]}
    for mechanism in ("kd-standard", "privtree", "quadtree:height=2"):
        for loud in (quiet, 1e100):

            def hush(about: Any, loud: float = loud) -> None:
                for number, level in enumerate(about["measurements"]):
                    level["variance"] = loud if number % 2 else quiet

            release = read(straight(made(PLANE, mechanism), hush))
            answers = release.count(table)
            assert np.isfinite([answers.lower, answers.upper]).all()
            assert (release.estimate.variances() >= 0).all()


def test_a_count_that_is_hardly_there_is_no_warning() -> None:
    pytest.importorskip("sklearn")
    data = made(hg.Counts([[9, 1], [2, 8]]), "ahp")
    release = read(straight(data, lambda about: None, np.array([9.0, 5e-324, 0.0, 8.0])))
    model = hg.HistogramClassifier.from_release(release, target="x1")
    assert model.predict({"x0": [0, 1]}).tolist() == [0, 1]


def test_a_label_is_not_repeated_at_any_length() -> None:
    """One name of a megabyte would be in every row of the table."""
    grid = cells(x=hg.Integer(0, 199), name=hg.Category(["x" * 10**6, "y"]))
    table = release_of(grid).to_arrow()
    assert table.nbytes < 10**6
    assert set(map(len, table["name"].to_pylist())) == {1, 1000}


FAR = {
    "reals": hg.Interval(-1e300, 1e300),
    "edges": hg.Variable([-8e307, 0, 8e307]),
    "near": hg.Interval(0, 1e-290),
    "wholes": hg.Integer(2**53 - 3, 2**53 - 1),
    "numbers": hg.Category([10**30, 10**4000]),
    "first": hg.Date("0001-01-01", "0001-01-04"),
    "last": hg.Date("9999-12-20", "9999-12-30"),
}


@pytest.mark.parametrize("name", FAR)
@pytest.mark.parametrize("drawn", [False, True])
def test_axes_at_the_ends_of_numbers_and_dates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, drawn: bool
) -> None:
    """They can be declared, honestly or not, and are answered or refused without a warning."""
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    domain = hg.Domain({name: FAR[name], "b": hg.Integer(0, 2)})
    slices = tuple(min(axis.bins, 4) for axis in domain.axes)
    release = release_of(Grid(domain, slices))
    release.save("r.hush.parquet")
    with suppress(HushgramError):
        ask_all(Path("r.hush.parquet"), DRAWN if drawn else QUESTIONS)


@pytest.mark.slow
def test_forgeries_are_refused_or_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A little of what ``./hush assurance fuzz forged`` does, always the same."""
    monkeypatch.chdir(tmp_path)
    sound, chance, answered = list(published.releases()), random.Random(5), 0
    for data in sound:
        assert isinstance(read(data), Release)
    for _ in range(150):
        Path("f.parquet").write_bytes(forged_release(chance.choice(sound), sound, chance))
        try:
            ask_all(Path("f.parquet"), QUESTIONS)
        except ReleaseCorrupted:
            continue
        except HushgramError:
            answered += 1
    assert 20 < answered < 130


def test_a_public_total_without_noise_reads_back() -> None:
    """Its scale is 0, honestly: no row can drop out, and rows are replaced only."""
    domain = hg.Domain(x=hg.Integer(0, 9, outside="clamp"))
    table = pa.table({"x": np.arange(300) % 10})
    release = hg.publish(
        table, domain, epsilon=1, mechanism="sorted", neighbours="replace-one", account="a",
        ledger=hg.Ledger.in_memory(),
    )  # fmt: skip
    assert release.estimate.measurements[0].scale == 0
    assert read(release.to_bytes()).count().value == release.count().value


def test_the_forger_keeps_what_it_does_not_change() -> None:
    for data in published.releases()[::10]:
        again = read(straight(data, lambda about: None))
        assert again.estimate.values.tolist() == read(data).estimate.values.tolist()
