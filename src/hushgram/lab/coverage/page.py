"""Write the page about coverage, from the CSV alone. NONPRIVATE."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from hushgram.base.files import write_new
from hushgram.base.text import markdown_table
from hushgram.lab.coverage.run import CoverageRow
from hushgram.lab.coverage.summary import (
    ENOUGH,
    FLOOR,
    GROUPS,
    PooledCells,
    count_judged,
    low_cells,
    mechanisms_of,
    of_half,
    pool,
    pool_groups,
)

SHORT_ABOUT = (
    "Measured on the confirming half of the tables: how often, in percent, 95 % intervals "
    "contained the true answer, and their mean half width divided by the mean error. "
    "[All results](../assurance/coverage.md)."
)

MARKS = "<!-- coverage -->", "<!-- end of coverage -->"
"""The marks around the short table in the guide."""

ABOUT = """# How often intervals contain the true answer

**NONPRIVATE**: made on public and generated tables, with their true numbers.

Made by

    HUSHGRAM_DATA=FOLDER hushgram lab coverage -o coverage.csv --resume --page docs/assurance

A 95 % interval should contain the table's true answer 19 times out of 20. To check this, every
mechanism publishes tables whose rows are known, at ε = {epsilons}; each release answers many
queries, and each interval either contains the true answer or misses it. {tables} tables,
{mechanisms} mechanisms,
{answers:,} answers; a mechanism published a table {releases} times.

*Choosing and confirming.* All tuning was done on one half of the tables. The other half, for
confirming, has different files, columns or axes, and shows whether the tuning works elsewhere. One
exception: the confirming table "Adult 2, bins" showed that whole numbers in bins need an allowance
for their steps, so it does not confirm that allowance.

*Queries.* Counts of small, medium and large boxes (0.5 to 5, 5 to 30, 30 to 95 % of each axis),
of ranges on one axis alone, and of single cells; off the edges of declared cells and on them;
around rows (*at rows*), because people look where rows are, and *anywhere*. Quantiles of each
ordered axis, of all rows and of those that another axis restricts; ranks and distribution
functions; tables of groups along an axis and along two; shares, sums and averages.

*Numbers.* `97 / 2.6` means: 97 % of the intervals contained the truth, and the mean half width was
2.6 times the mean error. A wide interval that always holds is not an achievement; for normal errors
the smallest ratio at 95 % is 2.46. Both means are over all answers, so tables with large errors
dominate. A dash means that there was no such query or no answer. Queries that a release
refuses to answer, because it holds too few rows, are left out and counted in the CSV."""

LOW = """## Cells that hold less than {floor:.0%}

A cell is one table, mechanism, ε and kind of query; {judged:,} cells have {enough} answers or
more. {many}"""

HARD = """## Compared with the hard bound

The hard bound assumes that every part that a query cuts, and every group of cells that share one
value, contributes either none or all of its rows. Whatever the table, only the noise is then left
to chance. The table shows mean half widths of counts off the edges of cells, divided by the mean
error, for all tables."""


def write_page(rows: Sequence[CoverageRow], folder: Path) -> list[Path]:
    """Write ``coverage.md`` to a folder of the docs, and the short table to the guide."""
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "coverage.md"
    write_new(page, markdown(rows).encode(), overwrite=True)
    guide = folder.parent / "guides" / "intervals.md"
    return [page, guide] if fill_guide(rows, guide) else [page]


def fill_guide(rows: Sequence[CoverageRow], guide: Path) -> bool:
    """Put the short table between the marks of a guide; return False if it has none."""
    text = guide.read_text(encoding="utf-8") if guide.is_file() else ""
    before, start, rest = text.partition(MARKS[0])
    _, stop, after = rest.partition(MARKS[1])
    if not start or not stop:
        return False
    text = f"{before}{start}\n{SHORT_ABOUT}\n\n{short_table(rows)}\n{stop}{after}"
    write_new(guide, text.encode(), overwrite=True)
    return True


def markdown(rows: Sequence[CoverageRow]) -> str:
    about = ABOUT.format(
        epsilons=", ".join(f"{one:g}" for one in sorted({float(row.epsilon) for row in rows})),
        tables=len({row.table for row in rows}),
        mechanisms=len(mechanisms_of(rows)),
        answers=sum(row.answers for row in rows),
        releases=format_releases(rows),
    )
    parts = [about]
    for half in ("confirming", "choosing"):
        some = of_half(rows, half)
        if some:
            parts += [f"## The {half} half", group_table(some)]
    parts += [*low_parts(rows), HARD, hard_table(rows), "## Tables", tables_table(rows)]
    return "\n\n".join(parts) + "\n"


def format_releases(rows: Sequence[CoverageRow]) -> str:
    """Describe the number of releases of a table with a mechanism and an ε."""
    found = Counter(
        {(row.table, row.mechanism, row.epsilon): row.releases for row in rows}.values()
    )
    if len(found) == 1:
        return str(next(iter(found)))
    return " or ".join(f"{many} ({times:,} cases)" for many, times in sorted(found.items()))


def group_table(rows: Sequence[CoverageRow]) -> str:
    """Return a table with a line for each mechanism and one for all, and a column for each group of
    questions."""
    lines = [
        (f"`{name}`", *map(format_pooled, groups.values()))
        for name, groups in pool_groups(rows).items()
    ]
    pooled = [pool(row for row in rows if belongs(row.question)) for belongs in GROUPS.values()]
    lines.append(("**all**", *map(format_pooled, pooled)))
    return markdown_table(("mechanism", *GROUPS), lines)


SHORT = ("counts off edges", "counts on edges", "quantiles", "groups", "averages")
"""The groups of questions in the guide."""


def short_table(rows: Sequence[CoverageRow]) -> str:
    """Return the table for the confirming half, or for all rows if there are none."""
    some = of_half(rows, "confirming") or rows
    lines = [
        (f"`{name}`", *(format_pooled(groups[group]) for group in SHORT))
        for name, groups in pool_groups(some).items()
    ]
    return markdown_table(("mechanism", *SHORT), lines)


def format_pooled(found: PooledCells | None) -> str:
    if found is None:
        return "–"
    return f"{format_percent(found.held)} / {format_times(found.ratio)}"


def format_percent(share: float) -> str:
    """Return a share in percent, never rounded up to 100.

    >>> format_percent(0.9996), format_percent(1.0), format_percent(0.25)
    ('99.9', '100', '25.0')
    """
    return "100" if share == 1 else f"{math.floor(1000 * share + 1e-9) / 10:.1f}"


def format_times(ratio: float) -> str:
    """
    >>> format_times(2.46), format_times(1e300), format_times(math.nan)
    ('2.5', '> 1000', '–')
    """
    if math.isnan(ratio):
        return "–"
    return f"{ratio:.1f}" if ratio <= 1000 else "> 1000"


def low_parts(rows: Sequence[CoverageRow]) -> list[str]:
    low = low_cells(rows)
    many = f"{len(low):,} of them hold less, the worst first:" if low else "None holds less."
    about = LOW.format(floor=FLOOR, judged=count_judged(rows), enough=ENOUGH, many=many)
    if not low:
        return [about]
    heads = ("table", "half", "mechanism", "ε", "question", "answers", "held", "width / error")
    lines = [
        (
            row.table,
            row.half,
            f"`{row.mechanism}`",
            row.epsilon,
            row.question,
            str(row.answers),
            f"{format_percent(row.held)} %",
            format_times(row.half_width / row.error if row.error > 0 else math.nan),
        )
        for row in low
    ]
    return [about, markdown_table(heads, lines)]


def hard_table(rows: Sequence[CoverageRow]) -> str:
    heads = ("mechanism", "noise alone", "interval", "hard bound", "interval / hard bound")
    lines = []
    for name, groups in pool_groups(rows).items():
        found = groups["counts off edges"]
        if found is None or not found.error > 0:
            continue
        widths = (found.noise, found.half_width, found.hard)
        share = found.half_width / found.hard if found.hard > 0 else math.nan
        ratios = (format_times(width / found.error) for width in widths)
        lines.append((f"`{name}`", *ratios, format_times(100 * share) + " %"))
    return markdown_table(heads, lines)


def tables_table(rows: Sequence[CoverageRow]) -> str:
    """Return the half of each table, and the coverage of its counts and quantiles."""
    lines = []
    for name in dict.fromkeys(row.table for row in rows):
        mine = [row for row in rows if row.table == name]
        counts = pool(row for row in mine if row.question.startswith("count "))
        lines.append((name, mine[0].half, format_pooled(counts), format_pooled(quantiles(mine))))
    return markdown_table(("table", "half", "counts", "quantiles"), lines)


def quantiles(rows: Sequence[CoverageRow]) -> PooledCells | None:
    return pool(row for row in rows if GROUPS["quantiles"](row.question))
