"""``hushgram lab evaluate``: compare mechanisms by experiment. NONPRIVATE."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushgram.base.text import align_columns
from hushgram.cli.output import PROGRAM, Json, show
from hushgram.cli.records import with_records
from hushgram.errors import BadInput

if TYPE_CHECKING:
    from hushgram.lab.evaluate.grid import ExperimentGrid
    from hushgram.lab.evaluate.tables import Regret, SummaryLine
    from hushgram.lab.evaluate.work import Results

DATA = ("zipf-1d", "gaussians-1d", "spiky-1d", "clustered-2d", "road-2d")
MECHANISMS = ("identity", "hb", "ahp", "privtree-hb")

Names = list[str] | None


@dataclass(frozen=True)
class GridOptions:
    """What to run: every mechanism on every data set with every epsilon and workload."""

    data: Annotated[
        Names,
        typer.Option(
            "--data", "-d", help="Data set by name, or a file: FILE.npy or FILE.csv:COLUMNS."
        ),
    ] = None
    mechanism: Annotated[
        Names,
        typer.Option("--mechanism", "-m", help="Mechanism: a name, NAME:KEY=VALUE, auto or all."),
    ] = None
    epsilon: Annotated[
        Names, typer.Option("--epsilon", "-e", help="Privacy budget, e.g. 1, 0.1 or 1/3.")
    ] = None
    workload: Annotated[Names, typer.Option("--workload", "-w", help="Query workload.")] = None
    measure: Annotated[
        Names, typer.Option("--measure", help="Error measure. The first one is drawn.")
    ] = None
    runs: Annotated[
        int, typer.Option(min=1, help="Number of runs for each combination, each with fresh noise.")
    ] = 10
    rows: Annotated[
        list[int] | None,
        typer.Option("--rows", min=1, metavar="N", help="Scale every data set to this many rows."),
    ] = None
    shape: Annotated[
        Names,
        typer.Option(
            "--shape",
            help="Cells per axis, e.g. 1024 or 64x64. Applies to data sets with that many axes.",
        ),
    ] = None
    neighbours: Annotated[str, typer.Option("--neighbours", help="add-remove or replace-one.")] = (
        "add-remove"
    )
    seed: Annotated[
        int, typer.Option(min=0, help="Seed of the sampled data. The noise has no seed.")
    ] = 0

    def grid(self) -> ExperimentGrid:
        from hushgram.lab.evaluate.catalogue import data_sets
        from hushgram.lab.evaluate.grid import ExperimentGrid

        chosen = {
            "epsilons": self.epsilon, "workloads": self.workload, "measures": self.measure,
            "runs": self.runs, "neighbours": self.neighbours,
        }  # fmt: skip
        given: dict[str, Any] = {key: value for key, value in chosen.items() if value is not None}
        grid = ExperimentGrid([], self.mechanisms(), **given)
        shapes = [as_shape(one) for one in self.shape or []]
        return replace(grid, data=data_sets(self.data or DATA, self.rows or [], shapes, self.seed))

    def mechanisms(self) -> list[str]:
        """Return the mechanisms to compare, each once."""
        from hushgram.mechanisms.registry import MECHANISMS as KNOWN

        named = self.mechanism or MECHANISMS
        return list(
            dict.fromkeys(one for name in named for one in (KNOWN if name == "all" else [name]))
        )


@with_records
def evaluate(
    *,
    options: GridOptions,
    best_of: Annotated[
        Names,
        typer.Option("--best-of", help="Mechanisms to compute the regret against. Default: all."),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Number of processes. Default: one per core.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for the results. An existing one is resumed."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", help="Draw the errors to this file (.png, .svg or .pdf)."),
    ] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="List the data sets, workloads and measures and exit.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Compare the accuracy of mechanisms on several data sets, epsilons and workloads.

    Options that take a name can be repeated. Results are NONPRIVATE: they reveal true counts.
    If the output folder contains results, the evaluation resumes and skips what is done.

    \b
    Example:
      hushgram lab evaluate
      hushgram lab evaluate --data zipf-1d -m hb -m ahp -e 0.1 -e 1 --rows 10000 -o results
      hushgram lab evaluate --list
    """
    if listed:
        names = catalogue()
        return show(names, catalogue_text(names), as_json=as_json)
    check_plot(plot)
    grid = options.grid()
    for name in best_of or []:
        if name not in grid.mechanisms:
            raise BadInput(
                f"--best-of: {name} is not among the mechanisms to run. Add it with "
                f"--mechanism {name}."
            )
    return report(grid, run_grid(grid, output, jobs), best_of, output, plot, as_json=as_json)


def check_plot(path: Path | None) -> None:
    """Raise if a picture cannot be written, before anything runs."""
    from hushgram.base.files import check_writable
    from hushgram.show.charts.canvas import check_ending

    if path is not None:
        check_ending(path)
        check_writable(path, overwrite=True)


def as_shape(text: str) -> tuple[int, ...]:
    """Parse the number of cells per axis.

    >>> as_shape("64x32")
    (64, 32)
    """
    sides = text.lower().split("x")
    if not all(side.isdecimal() and 0 < int(side) < 2**31 for side in sides):
        raise BadInput(f"--shape: cannot read {text!r}. Write 1024, or 64x64 for two axes.")
    return tuple(map(int, sides))


def run_grid(grid: ExperimentGrid, output: Path | None, jobs: int | None) -> Results:
    """Run the grid in the output folder, or in a temporary one."""
    from tempfile import TemporaryDirectory

    from hushgram.lab.evaluate.work import cores, run

    many = jobs or cores()
    if output is not None:
        return run(grid, output, jobs=many)
    with TemporaryDirectory(prefix="hushgram-") as folder:
        return run(grid, folder, jobs=many)


def report(
    grid: ExperimentGrid,
    results: Results,
    best_of: Names,
    output: Path | None,
    plot: Path | None,
    *,
    as_json: bool,
) -> None:
    from hushgram.lab.evaluate.measures import NO_ERROR
    from hushgram.lab.evaluate.tables import regrets, summary

    lines = summary(results)
    first = next((one for one in grid.measures if one not in NO_ERROR), None)
    found = regrets(results, first, best_of) if first else []
    if plot is not None:
        from hushgram.lab.evaluate.plots import plot as draw

        draw(lines, plot, grid.measures[0])
    data = {
        "label": "NONPRIVATE",
        "cells": results.cells,
        "ran": results.ran,
        "folder": str(output) if output else None,
        "picture": str(plot) if plot else None,
        "results": [line.to_json() for line in lines],
        "regret": {
            "measure": first,
            "best_of": best_of or [str(one) for one in grid.mechanisms],
            "mechanisms": [one.to_json() for one in found],
        },
        "skipped": grid.skipped,
    }
    show(data, story(grid, results, lines, first, found, output, plot), as_json=as_json)


def story(
    grid: ExperimentGrid,
    results: Results,
    lines: list[SummaryLine],
    first: str | None,
    found: list[Regret],
    output: Path | None,
    plot: Path | None,
) -> str:
    """Return tables and a few sentences."""
    from hushgram.lab.evaluate.tables import by_measure, by_size, of_regrets

    parts = [
        (
            f"NONPRIVATE. Means of {grid.runs} runs ± their 95 % sampling error; * marks the "
            "smallest."
        )
    ]
    parts.append(table_text(by_measure(lines)))
    for workload in dict.fromkeys(line.setting.workload for line in lines):
        mine = [line for line in lines if line.setting.workload == workload]
        if first and any(line.measure == first and line.size != "all" for line in mine):
            parts.append(f"NONPRIVATE. {first} by size of {workload}")
            parts.append(table_text(by_size(mine, first)))
    if len(found) > 1:
        parts.append(
            f"NONPRIVATE. Regret in {first}: the error divided by that of the best "
            "mechanism, which is chosen on the other half of the runs"
        )
        parts.append(table_text(of_regrets(found)))
    parts += [f"Skipped: {one['mechanism']} on {one['data']}." for one in grid.skipped]
    parts.append(closing(results, output, plot))
    return "\n\n".join(parts)


def table_text(found: tuple[tuple[str, ...], list[tuple[str, ...]]]) -> str:
    heads, rows = found
    return align_columns(rows, heads=heads)


def closing(results: Results, output: Path | None, plot: Path | None) -> str:
    kept = f"saved in {output}" if output else "not saved (use -o to name a folder)"
    picture = f" Picture: {plot}" if plot else ""
    return f"{results.cells} cells, {results.ran} of them run now; {kept}.{picture}"


def catalogue() -> dict[str, dict[str, str]]:
    from hushgram.lab.evaluate.catalogue import sources_by_name
    from hushgram.lab.evaluate.measures import MEASURES
    from hushgram.lab.evaluate.workloads import WORKLOADS

    return {
        "data": {name: source.about for name, source in sources_by_name().items()},
        "workloads": {name: about(maker) for name, maker in WORKLOADS.items()},
        "measures": {name: about(measure) for name, measure in MEASURES.items()},
    }


def about(thing: Any) -> str:
    """Return the first paragraph of a docstring on one line."""
    return " ".join((thing.__doc__ or "").strip().partition("\n\n")[0].split())


def catalogue_text(names: dict[str, dict[str, str]]) -> str:
    parts = [
        f"{title.capitalize()}\n"
        + align_columns([(f"  {name}", text) for name, text in entries.items()])
        for title, entries in names.items()
    ]
    parts.append(f"For mechanisms, see: {PROGRAM} mechanisms")
    return "\n\n".join(parts)
