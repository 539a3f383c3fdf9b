"""Small pictures without any text, to compare with those that were kept.

Text is taken out, since fonts and their sizes differ from machine to machine. After a wanted
change make them anew, and look at them:

    python -m tests.pictures
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import hushgram as hg
from hushgram.geometry.partition import Boxes, Cuts, Grid, Raster, Refined
from hushgram.release import Release
from tests.samples import cells, release_of

FOLDER = Path(__file__).parent / "golden" / "pictures"
DPI = 25

Pixels = npt.NDArray[np.uint8]


def hill(size: int, height: float = 60.0) -> npt.NDArray[np.int64]:
    return np.rint(height * np.sin(np.linspace(0, 3, size)) ** 2).astype(np.int64)


def numbers() -> Release:
    return release_of(cells(age=hg.Integer(0, 39, outside="other")), [*hill(40), 9])


def values() -> Release:
    return release_of(cells(state=hg.Category(list("abcdefg"), outside="other")), [*hill(7), 9])


def months() -> Release:
    return release_of(cells(day=hg.Date("2024-01-01", "2024-12-31", "1mo")), hill(12))


def slices() -> Release:
    domain = hg.Domain(size=hg.Regular(20, 0, 10, outside="other"))
    return release_of(Cuts(domain, (np.array([0, 1, 4, 12]),)), [20, 90, 60, 10, 5])


def skewed() -> Release:
    return release_of(cells(cost=hg.Integer(0, 63)), [9000, 900, *hill(62, 40)])


def nothing() -> Release:
    return release_of(cells(x=hg.Integer(0, 19), y=hg.Integer(0, 9)), np.arange(200) % 5 - 2)


def world() -> Release:
    grid = cells(lat=hg.Regular(15, -60, 75), lon=hg.Regular(36, -180, 180))
    return release_of(grid, np.outer(hill(15, 20), hill(36, 20)))


def kd() -> Release:
    domain = hg.Domain(lon=hg.Interval(0, 8), lat=hg.Interval(0, 4))
    axes, cuts = np.array([0, -1, 1, -1, 0, -1, -1]), np.array([2, 0, 1, 0, 5, 0, 0])
    return release_of(Boxes(Raster(domain, (8, 4)), axes, cuts), [80, 900, 40, -5])


def refined() -> Release:
    domain = hg.Domain(x=hg.Interval(0, 1), y=hg.Variable([0, 1, 10, 100, 1000]))
    layout = Refined(Grid(domain, (3, 2)), np.array([[1, 1], [2, 2], [3, 1]] * 2))
    return release_of(layout, 20 * hill(layout.size))


def table() -> Release:
    grid = cells(
        age=hg.Regular(10, 0, 100), sex=hg.Category(["F", "M"]),
        day=hg.Date("2024-01-01", "2024-06-30", "1mo"),
    )  # fmt: skip
    return release_of(grid, np.multiply.outer(np.outer(hill(10, 8), [1, 3]), hill(6, 5)))


def two_way() -> Release:
    grid = cells(sex=hg.Category(["F", "M"]), state=hg.Category(list("abc"), outside="other"))
    return release_of(grid, 30 * hill(8))


def by_sex() -> Release:
    grid = cells(sex=hg.Category(["F", "M"]), age=hg.Integer(0, 59))
    return release_of(grid, np.outer([2, 3], hill(60)))


def map_by_year() -> Release:
    grid = cells(
        lat=hg.Regular(12, 40, 60), lon=hg.Regular(16, -10, 20), year=hg.Integer(2020, 2022)
    )
    return release_of(grid, np.multiply.outer(np.outer(hill(12, 9), hill(16, 9)), [1, 2, 4]))


PICTURES: dict[str, tuple[Callable[[], Release], dict[str, Any]]] = {
    "numbers": (numbers, {}),
    "values": (values, {}),
    "months": (months, {}),
    "slices": (slices, {}),
    "skewed": (skewed, {}),
    "nothing": (nothing, {}),
    "world": (world, {}),
    "window": (world, {"bbox": (-30, 20, 60, 70), "dark": True}),
    "uncertain": (nothing, {"uncertain": True}),
    "two_way": (two_way, {}),
    "by_sex": (by_sex, {}),
    "map_by_year": (map_by_year, {}),
    "kd": (kd, {}),
    "refined": (refined, {}),
    "table": (table, {"kind": "matrix"}),
    "quantiles": (numbers, {"kind": "quantiles"}),
}


def bare(figure: Any) -> Pixels:
    """A figure's dots, small and without text."""
    from matplotlib.image import imread
    from matplotlib.text import Text

    for axes in figure.axes:
        axes.tick_params(labelleft=False, labelbottom=False, labelright=False)
    for legend in figure.legends:
        legend.remove()
    for text in figure.findobj(Text):
        text.set(visible=False, in_layout=False)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DPI)
    buffer.seek(0)
    return np.rint(255 * imread(buffer)[:, :, :3]).astype(np.uint8)


def drawn(name: str) -> Pixels:
    made, options = PICTURES[name]
    return bare(made().plot(**options))


def kept(name: str) -> Pixels:
    from matplotlib.image import imread

    return np.rint(255 * imread(FOLDER / f"{name}.png")[:, :, :3]).astype(np.uint8)


def difference(one: Pixels, other: Pixels) -> float:
    """The mean difference of their dots, from 0 to 255."""
    if one.shape != other.shape:
        return 255.0
    return float(np.abs(one.astype(float) - other).mean())


def main() -> None:
    from matplotlib.image import imsave

    FOLDER.mkdir(exist_ok=True)
    for name in PICTURES:
        imsave(FOLDER / f"{name}.png", drawn(name), metadata={"Software": None})


if __name__ == "__main__":
    main()
