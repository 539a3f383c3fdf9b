"""Draw how `bayes-tree` works: its queries on a small table, and what it publishes.

python tools/make_bayes_tree.py        draws docs/mechanisms/bayes-tree.svg
python tools/make_bayes_tree.py -o bayes-tree.png

The table is generated and the noise repeats, so the drawing is reproducible. NONPRIVATE.
"""

from __future__ import annotations

import argparse
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

from hushgram.base.files import write_new
from hushgram.declare.unit import Rows
from hushgram.geometry.measured.nested_nodes import NestedNodes
from hushgram.geometry.measured.weighted_nodes import WeightedNodes
from hushgram.mechanisms.bayes_tree import BayesTree
from hushgram.mechanisms.inference.cut_tree import CutTree
from hushgram.queries import Measurement, NestedCounts, NodeCounts
from hushgram.release import Release
from hushgram.show.charts.canvas import render
from hushgram.spending.job import Job, make_release
from hushgram.trusted.engine.sources.counted import CountedTable, Counts
from hushgram.trusted.noise import Native, entropy
from hushgram.trusted.vault import TableVault

PICTURE = Path(__file__).parent.parent / "docs" / "mechanisms" / "bayes-tree.svg"
CELLS = 256
EPSILON = Fraction(1)

BLUE, ORANGE, GREY, DARK = "#4c72b0", "#dd8452", "0.78", "0.25"
"""The colours of the other drawings."""


class Pass(NamedTuple):
    """A tree, and the counts of its nodes."""

    tree: CutTree
    measurement: Measurement


class ListeningVault(TableVault):
    """Answers as usual, and records queries about nodes."""

    passes: list[Pass]

    def ask(self, query: Any) -> Any:
        answer = super().ask(query)
        if isinstance(query, NodeCounts | NestedCounts):
            self.passes.append(Pass(CutTree.of(nodes_of(answer).leaves), answer))
        return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=PICTURE)
    path = parser.parse_args().output
    write_new(path, render(draw(), path.suffix, texts=path.suffix == ".svg"), overwrite=True)


def table() -> Any:
    """Return counts with empty space, a hill, an even stretch, and a spike."""
    rng, counts = np.random.default_rng(11), np.zeros(CELLS, dtype=np.int64)
    x = np.arange(64, 128)
    counts[64:128] = rng.poisson(42 * np.exp(-(((x - 92) / 13) ** 2)))
    counts[128:192] = rng.poisson(6, 64)
    counts[211] = 150
    return counts


def run(counts: Any) -> tuple[list[Pass], Release]:
    """Return the two passes, and the release."""
    source = Counts(counts)
    job = Job(source.domain, EPSILON, Rows(), "add-remove")
    vault = ListeningVault(
        CountedTable(source), job.domain, job.epsilon, unit=job.unit, neighbours=job.neighbours,
        noise=Native(),
    )  # fmt: skip
    vault.passes = []
    rng = np.random.default_rng(4)
    words = lambda count: rng.integers(0, 2**64, count, dtype=np.uint64)  # noqa: E731
    with mock.patch.object(entropy, "words", words):
        estimate = BayesTree().estimate(vault)
    return vault.passes, make_release(BayesTree(), estimate, job, None)


def draw() -> Any:
    from matplotlib.figure import Figure

    counts = table()
    (first, second), release = run(counts)
    figure = Figure(figsize=(9.5, 9), layout="constrained")
    heights = [first.tree.depths.max() + 1, second.tree.depths.max() + 1, 8.5]
    one, two, three = figure.subplots(3, 1, sharex=True, height_ratios=heights)
    draw_nodes(one, first, BLUE, densities(first), noisy_counts(first))
    one.set_title("1   The first pass, with a twentieth of the budget: noisy counts", loc="left")
    draw_nodes(two, second, ORANGE, shares(second), percents(second))
    two.set_title(
        "2   The second pass, with the rest: empty space stays coarse, crowded space is cut;\n"
        "     darker nodes get a larger share of the budget",
        loc="left",
    )
    draw_release(three, counts, release)
    three.set_title("3   Published: expected counts, with 95 % intervals", loc="left")
    for axes in (one, two, three):
        axes.title.set_fontsize(10.5)
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def draw_nodes(axes: Any, counted: Pass, colour: str, darkness: Any, labels: list[str]) -> None:
    """Draw a tree from the root downwards. Nodes that were not counted are white."""
    tree = counted.tree
    places = counted_nodes(counted)
    lower, upper = tree.leaves.corners
    left, right = lower[tree.starts, 0], upper[tree.stops - 1, 0]
    for v in range(len(tree)):
        place = places.get(v)
        shade = 0.0 if place is None else float(darkness[place])
        width = right[v] - left[v]
        axes.bar(left[v], 0.86, width, bottom=-tree.depths[v] - 0.86, align="edge",
                 color=(*rgb(colour), shade), edgecolor="0.55", linewidth=0.5,
                 clip_on=False)  # fmt: skip
        label = "" if place is None else labels[place]
        if label and width >= 2.6 * len(label):
            axes.text((left[v] + right[v]) / 2, -tree.depths[v] - 0.45, label, ha="center",
                      va="center", fontsize=8, color="white" if shade > 0.55 else DARK)  # fmt: skip
    axes.set_ylim(-tree.depths.max() - 1, 0.1)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(bottom=False)


def rgb(colour: str) -> tuple[float, float, float]:
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(colour)
    return red, green, blue


def counted_nodes(counted: Pass) -> dict[int, int]:
    """Return the nodes that were counted, with their positions among the measured values."""
    nodes = nodes_of(counted.measurement)
    return {int(v): k for k, v in enumerate(counted.tree.find(nodes.starts, nodes.stops))}


def nodes_of(measurement: Measurement) -> WeightedNodes:
    measured = measurement.partition
    if isinstance(measured, NestedNodes):
        return measured.nodes
    assert isinstance(measured, WeightedNodes)
    return measured


def densities(counted: Pass) -> Any:
    """Return the noisy rows per cell, as shades from pale to dark."""
    nodes, (lower, upper) = nodes_of(counted.measurement), counted.tree.leaves.corners
    cells = upper[nodes.stops - 1, 0] - lower[nodes.starts, 0]
    rows = np.maximum(counted.measurement.values / nodes.weights / cells, 0)
    return 0.06 + 0.9 * np.minimum(rows / 40, 1) ** 0.5


def noisy_counts(counted: Pass) -> list[str]:
    rows = counted.measurement.values / nodes_of(counted.measurement).weights
    return [f"{count:,.0f}".replace("-0", "0").replace("-", "−") for count in rows]


def shares(counted: Pass) -> Any:
    nodes = nodes_of(counted.measurement)
    return 0.06 + 0.9 * (nodes.weights / nodes.cover) ** 1.3


def percents(counted: Pass) -> list[str]:
    nodes = nodes_of(counted.measurement)
    return [f"{share:.0%}".replace("%", " %") for share in nodes.weights / nodes.cover]


def draw_release(axes: Any, counts: Any, release: Release) -> None:
    """Draw the true and the published rows per cell, leaf by leaf."""
    starts = release.estimate.partition.boxes()[0][:, 0]
    stops = np.append(starts[1:], CELLS)
    answers = [release.count(x0=(int(a), int(b))) for a, b in zip(starts, stops, strict=True)]
    cells = stops - starts
    values = np.array([answer.value for answer in answers]) / cells
    low, high = np.array([answer.noise_interval for answer in answers]).T / cells
    edges = np.arange(CELLS + 1)
    axes.stairs(counts, edges, fill=True, color=GREY, label="true counts (private)")
    axes.stairs(values, np.append(starts, CELLS), color=BLUE, linewidth=1.4, label="published",
                baseline=None)  # fmt: skip
    axes.stairs(np.maximum(high, 0), np.append(starts, CELLS), baseline=np.maximum(low, 0),
                fill=True, color=BLUE, alpha=0.25, linewidth=0,
                label="95 % interval of a leaf")  # fmt: skip
    axes.set_ylim(0, 60)
    axes.set_xlim(0, CELLS)
    axes.set_xticks(range(0, CELLS + 1, 32))
    axes.set_ylabel("rows per cell")
    axes.set_xlabel("cell")
    peak = int(counts.argmax())
    place = int(np.searchsorted(starts, peak, side="right") - 1)
    axes.annotate(
        f"{counts[peak]:,} rows in one cell;\npublished: {values[place]:,.0f}",
        (peak, 58), (peak + 6, 46), fontsize=8.5, color=DARK,
        arrowprops={"arrowstyle": "-", "color": "0.5", "linewidth": 0.7},
    )  # fmt: skip
    axes.legend(loc="upper left", frameon=False, fontsize=9)


if __name__ == "__main__":
    main()
