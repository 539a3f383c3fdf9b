"""``hushgram areas``: counts by area, from a release and polygons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushgram.base.text import align_columns
from hushgram.cli.output import Json, show
from hushgram.cli.parameters import (
    Confidence,
    Force,
    OtherRanges,
    ReleaseFile,
    Signer,
    Simultaneous,
)
from hushgram.cli.picture import PictureOptions
from hushgram.cli.records import with_records
from hushgram.errors import OutputError, QuestionError

if TYPE_CHECKING:
    from hushgram.release.area_changes import AreaDifferences
    from hushgram.release.areas import AreaCounts

SHOWN = 40
"""Areas to print in the text output."""


def add_to(app: typer.Typer) -> None:
    app.command("areas")(areas)


@dataclass(frozen=True)
class AreaOptions:
    """The polygons, and how to count rows in them."""

    polygons: Annotated[
        str,
        typer.Argument(help="Polygons, as GeoJSON, GeoParquet, Shapefile or GeoPackage."),
    ]
    name: Annotated[
        str | None, typer.Option(help="Column with the names of the areas. Default: name.")
    ] = None
    population: Annotated[
        str | None, typer.Option(help="Column with the population, for rates.")
    ] = None
    per: Annotated[float, typer.Option(help="Show rates per this many inhabitants.")] = 1000.0
    where: OtherRanges = None
    on: Annotated[
        str | None, typer.Option(help="The two axes of the polygons. Default: lon,lat or x,y.")
    ] = None
    confidence: Confidence = 0.95
    simultaneous: Simultaneous = False

    def count(self, path: Path, signer: str | None) -> AreaCounts:
        """Count the rows of a release file by area."""
        from hushgram.cli.grammar import parse_question
        from hushgram.release import load

        release = load(path, signer=signer)
        return release.areas(
            self.polygons, name=self.name, population=self.population, per=self.per,
            on=axes_of(self.on), where=parse_question(release.domain, self.where or []),
            confidence=self.confidence, simultaneous=self.simultaneous,
        )  # fmt: skip


@with_records
def areas(
    *,
    release: ReleaseFile,
    asked: AreaOptions,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write: a table (.csv), a map (.png, .svg, .pdf) or polygons "
            "(.geojson). Can be repeated.",
        ),
    ] = None,
    of: Annotated[
        str | None,
        typer.Option(
            help="What to draw or compare: count, share, density, rate, or 'mean earnings' and "
            "'sum earnings' of a measured column."
        ),
    ] = None,
    compare: Annotated[
        Path | None,
        typer.Option(
            help="A later release to compare with: shows changes and which are significant."
        ),
    ] = None,
    look: PictureOptions,
    force: Force = False,
    signer: Signer = None,
    as_json: Json = False,
) -> None:
    """Count rows by area, such as districts, with error bars. Also shares, densities and rates.
    Costs nothing.

    \b
    Example:
      hushgram areas stops.hush.parquet districts.geojson
      hushgram areas stops.hush.parquet districts.geojson -o table.csv -o map.png -o out.geojson
      hushgram areas stops.hush.parquet districts.gpkg --population inhabitants --of rate -o map.png
      hushgram areas 2023.hush.parquet districts.geojson --compare 2024.hush.parquet -o change.png
    """  # fmt: skip
    outputs = output or []
    check_outputs(outputs, force=force)
    counts = asked.count(release, signer)
    found: AreaCounts | AreaDifferences = counts
    keywords = look.keywords()
    if compare is None:
        if of is not None:
            counts.measure(of)  # raises if it is unknown
        keywords["of"] = of
    else:
        later = asked.count(compare, signer)
        found = counts.compare(later, of=of or "count", simultaneous=asked.simultaneous)
    for path in outputs:
        write(found, path, keywords, force=force)
    report(found, counts.notes, outputs, as_json=as_json)


def report(
    found: AreaCounts | AreaDifferences, notes: Sequence[str], files: list[Path], *, as_json: bool
) -> None:
    """Print the files that were written, or the table if there are none."""
    data = {"areas": records(found), "notes": notes, "files": [str(path) for path in files]}
    text = table_text(found) if not files else "\n".join(f"Wrote {path}." for path in files)
    show(data, "\n".join([text, *notes]), as_json=as_json)


def axes_of(on: str | None) -> tuple[str, str] | None:
    if on is None:
        return None
    names = [part.strip() for part in on.split(",")]
    if len(names) != 2:
        raise QuestionError(f"--on needs two axes, horizontal first: --on x,y. Found {on!r}.")
    return names[0], names[1]


def check_outputs(paths: list[Path], *, force: bool) -> None:
    """Refuse files that cannot be written before anything is computed."""
    from hushgram.base.files import check_writable
    from hushgram.show.charts.canvas import ENDINGS

    known = (".csv", ".geojson", *ENDINGS)
    for path in paths:
        if path.suffix.lower() not in known:
            raise OutputError(
                f'Unsupported format "{path.suffix}" of {path.name}. Use {", ".join(known)}.'
            )
        check_writable(path, overwrite=force)


def write(
    found: AreaCounts | AreaDifferences, path: Path, look: dict[str, Any], *, force: bool
) -> None:
    files: dict[str, Callable[..., None]] = {".csv": found.to_csv, ".geojson": found.to_geojson}
    save = files.get(path.suffix.lower())
    if save is None:
        found.plot(path, overwrite=force, **look)
    else:
        save(path, overwrite=force)


def records(found: AreaCounts | AreaDifferences) -> list[dict[str, Any]]:
    from hushgram.release.area_files import plain

    columns = found.columns()
    rows = zip(*columns.values(), strict=True)
    return [{key: plain(value) for key, value in zip(columns, row, strict=True)} for row in rows]


def table_text(found: AreaCounts | AreaDifferences) -> str:
    """Return a table of the first areas, in the order of their file."""
    from hushgram.release.areas import AreaCounts

    line = count_line if isinstance(found, AreaCounts) else change_line
    heads = COUNT_HEADS if isinstance(found, AreaCounts) else CHANGE_HEADS
    rows = records(found)
    lines = [line(row) for row in rows[:SHOWN]]
    more = len(rows) - SHOWN
    rest = [f"… and {more:,} more. See --output or --json."] if more > 0 else []
    return "\n".join([align_columns(lines, heads=heads), *rest])


COUNT_HEADS = ("area", "count", "", "share", "density")
CHANGE_HEADS = ("area", "before", "after", "change", "", "")


def count_line(row: dict[str, Any]) -> tuple[str, ...]:
    from hushgram.answers.answer import format_digits, format_rows

    if row["count"] is None:
        return row["name"], "unknown", "", "", ""
    share = "" if row["share"] is None else f"{100 * row['share']:.1f} %"
    on_map = "per_km2" in row
    density = format_digits(row["per_km2" if on_map else "per_unit"], 3)
    width = format_rows(row["upper"] - row["count"])
    unit = "/km²" if on_map else " per square unit"
    return row["name"], format_rows(row["count"]), f"± {width}", share, f"{density}{unit}"


def change_line(row: dict[str, Any]) -> tuple[str, ...]:
    from hushgram.answers.answer import format_digits

    if row["difference"] is None:
        return row["name"], "unknown", "", "", "", ""
    numbers = (row["before"], row["after"], row["difference"])
    before, after, change = (format_digits(number, 4) for number in numbers)
    width = format_digits(row["upper"] - row["difference"], 3)
    sign = "+" if row["difference"] > 0 else ""
    return (
        row["name"], before, after, f"{sign}{change}", f"± {width}",
        "significant" if row["significant"] else "",
    )  # fmt: skip
