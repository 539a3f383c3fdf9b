"""SDMX-CSV 2.0 export, a format for exchange between statistical offices: one observation per part.

Each axis is a dimension; a single date axis is ``TIME_PERIOD``. Categories become codes with the
characters that SDMX allows, so that no cell is a formula in a spreadsheet. Values of ordered axes
are written as in queries: 17, 18..24 (whole numbers, both included), 0.5:1 (excluding the upper
bound). Observations whose interval includes zero have the status U, low reliability, of the code
list CL_OBS_STATUS; the others A, normal. The data structure is defined by the recipient; the
message only names it, ``AGENCY:ID(VERSION)``.

SDMX Technical Working Group, *SDMX-CSV data message field guide*, version 2.0.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hushgram.base.files import write_new
from hushgram.declare.axis import OTHER, Category, Date, Integer
from hushgram.errors import BadInput
from hushgram.geometry.labels import axis_labels
from hushgram.release.columns import WHOLE, with_margins
from hushgram.release.export import harmless

if TYPE_CHECKING:
    from hushgram.release.release import Release

STRUCTURE = re.compile(
    r"[A-Za-z][\w-]*(\.[A-Za-z][\w-]*)*:[A-Za-z0-9_@$-]+\(\d+(\.\d+){0,2}(-[\w.]+)?\)", re.ASCII
)

OTHER_CODE = "_O"
"""The code for "other" in SDMX's own lists."""

TIME = "TIME_PERIOD"
MEASURES = ("OBS_VALUE", "OBS_VALUE_WHOLE")
ATTRIBUTES = ("OBS_STATUS", "LOWER_95", "UPPER_95")
STATUS = {"A": "Normal", "U": "Low reliability: the interval includes zero"}
HEAD = ("STRUCTURE", "STRUCTURE_ID", "ACTION")


def write_sdmx(
    release: Release,
    path: Path,
    *,
    structure: str | None = None,
    names: bool = False,
    whole: bool = False,
    overwrite: bool = False,
) -> None:
    """Write one observation per part, for information (action I). With ``names``, each column is
    followed by one with its name and values in plain text (SDMX's option ``labels=name``)."""
    found = [*dimensions(release), *observations(release, whole)]
    known = structure_id(structure, [one.id for one in found[: len(release.domain)]])
    title = f"Counts by {', '.join(release.domain)}"
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    if names:
        heads = [harmless(head) for one in found for head in (one.id, one.name)]
        writer.writerow((*HEAD[:2], "STRUCTURE_NAME", HEAD[2], *heads))
        columns = [column for one in found for column in (one.values, one.texts)]
        fixed: tuple[str, ...] = ("dataflow", known, title, "I")
    else:
        writer.writerow((*HEAD, *(one.id for one in found)))
        columns = [one.values for one in found]
        fixed = ("dataflow", known, "I")
    writer.writerows((*fixed, *row) for row in zip(*columns, strict=True))
    write_new(path, text.getvalue().encode(), overwrite=overwrite)


class Component(NamedTuple):
    """A dimension, a measure or an attribute, with a value for each observation."""

    id: str
    name: str
    values: Sequence[Any]
    texts: Sequence[str]
    """The values in plain text, empty if they are plain already."""


def dimensions(release: Release) -> Iterator[Component]:
    ids = dimension_ids(release)
    for (name, axis), code, labels in zip(
        release.domain.items(), ids, axis_labels_of(release), strict=True
    ):
        known = {label: value_text(axis.whole, label) for label in set(labels)}
        texts = [known[label] for label in labels]
        if isinstance(axis.whole, Category):
            yield Component(code, name, codes_of(texts), list(map(harmless, texts)))
        else:
            yield Component(code, name, texts, [""] * len(texts))


def observations(release: Release, whole: bool) -> Iterator[Component]:
    """The measures and their attributes."""
    table = with_margins(release, whole=whole)
    count, lower, upper = (table[name].to_pylist() for name in ("count", "lower", "upper"))
    none = [""] * len(count)
    yield Component(MEASURES[0], "Count, with noise for privacy", count, none)
    if whole:
        yield Component(
            MEASURES[1], "Whole number that adds up, biased", table[WHOLE].to_pylist(), none
        )
    statuses = list(map(status, lower, upper))
    yield Component(ATTRIBUTES[0], "Status", statuses, [STATUS[one] for one in statuses])
    yield Component(ATTRIBUTES[1], "Lower end of the 95 % interval", lower, none)
    yield Component(ATTRIBUTES[2], "Upper end of the 95 % interval", upper, none)


def axis_labels_of(release: Release) -> Iterator[list[Any]]:
    """The labels of each axis: single values or pairs of bounds."""
    for labels in axis_labels(release.estimate.partition):
        columns = [column.to_pylist() for column in labels.values()]
        yield columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))


def dimension_ids(release: Release) -> list[str]:
    """An ID for each axis, with the characters that SDMX allows.

    >>> from tests.samples import cells, release_of
    >>> import hushgram as hg
    >>> one = hg.Integer(0, 1)
    >>> dimension_ids(release_of(cells(**{"age": one, "Age": one, "1 €": one})))
    ['AGE', 'AGE_2', 'D_1__']
    >>> dimension_ids(release_of(cells(day=hg.Date("2024-01-01", "2024-01-02"))))
    ['TIME_PERIOD']
    """
    dates = [name for name, axis in release.domain.items() if isinstance(axis.whole, Date)]
    found: list[str] = []
    taken = {*HEAD, *MEASURES, *ATTRIBUTES, TIME}
    for name in release.domain:
        wanted = re.sub(r"[^A-Z0-9_]", "_", name.upper(), flags=re.ASCII)
        wanted = wanted if wanted[:1].isalpha() else f"D_{wanted}"
        found.append(TIME if dates == [name] else free(wanted, taken))
    return found


def codes_of(texts: Sequence[str]) -> list[str]:
    """A code of letters, digits and underscores for each text; equal texts have equal codes.

    >>> codes_of(["F", "M", "F", "other", "=1+1", "Île", "île"])
    ['F', 'M', 'F', '_O', '_1_1', '_le', '_le_2']
    """
    taken: set[str] = {OTHER_CODE}
    known = {OTHER: OTHER_CODE}
    for text in dict.fromkeys(texts):
        if text not in known:
            known[text] = free(re.sub(r"\W", "_", text, flags=re.ASCII) or "_", taken)
    return [known[text] for text in texts]


def free(wanted: str, taken: set[str]) -> str:
    """The ID, with a number appended if it is taken."""
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    taken.add(name)
    return name


def structure_id(given: str | None, ids: Sequence[str]) -> str:
    """The dataflow that the message names."""
    if given is None:
        return f"HUSHGRAM:COUNTS_{'_'.join(ids)}(1.0.0)"
    if not STRUCTURE.fullmatch(given):
        raise BadInput(
            "An SDMX structure must be written as AGENCY:ID(VERSION), such as "
            f"ESTAT:NA_MAIN(1.6.0). Found {given!r}."
        )
    return given


def value_text(axis: Any, label: Any) -> str:
    if label is None or label == (None, None):
        return OTHER_CODE
    if not isinstance(label, tuple):
        return str(label)
    low, high = label
    if isinstance(axis, Date):
        return period(low, high)
    return f"{low}..{high - 1}" if isinstance(axis, Integer) else f"{number(low)}:{number(high)}"


def number(bound: float) -> str:
    """A bound with all its digits, so that different bounds have different text.

    >>> number(-180.0), number(0.1), number(12345678.25)
    ('-180', '0.1', '12345678.25')
    """
    return repr(float(bound)).removesuffix(".0")


def period(low: dt.date, high: dt.date) -> str:
    """A day, a month or a year in SDMX's format, or a start with a duration.

    >>> january = dt.date(2024, 1, 1)
    >>> period(january, dt.date(2024, 2, 1)), period(january, dt.date(2025, 1, 1))
    ('2024-01', '2024')
    >>> period(dt.date(2024, 2, 5), dt.date(2024, 2, 12))
    '2024-02-05/P7D'
    >>> period(dt.datetime(2024, 2, 5, 22), dt.datetime(2024, 2, 5, 23))
    '2024-02-05T22:00:00/PT3600S'
    """
    length = high - low
    if isinstance(low, dt.datetime):
        return f"{low:%Y-%m-%dT%H:%M:%S}/PT{round(length.total_seconds())}S"
    if length.days == 1:
        return low.isoformat()
    months = 12 * (high.year - low.year) + high.month - low.month
    if low.day == high.day == 1 and months == 1:
        return low.isoformat()[:7]
    if low.day == high.day == 1 and months == 12 and low.month == 1:
        return low.isoformat()[:4]
    return f"{low.isoformat()}/P{length.days}D"


def status(lower: float, upper: float) -> str:
    """The status: normal, or low reliability if the count cannot be distinguished from zero."""
    return "U" if lower <= 0 <= upper else "A"
