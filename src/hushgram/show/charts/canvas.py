"""Creating and saving matplotlib figures; the same picture always has the same bytes."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hushgram.errors import MissingExtra, OutputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = "cividis"
"""Readable without colour vision, and in grey."""

DARK = "#00204c"
GREY = "0.6"

ENDINGS = (".png", ".svg", ".pdf")

WIDTH = 8.0
"""The width of a picture in inches; a matrix is wider."""

AROUND = 1.05
"""The height of the text above and below a picture in inches."""

UNDATED = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}


def new_figure(width: float, height: float) -> Figure:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "plot", "a picture") from None
    return Figure(figsize=(width, height), layout="constrained")


def panel_grid(
    ax: Any, width: float, height: float, shape: tuple[int, int] = (1, 1)
) -> tuple[Figure, Any]:
    """A figure and its panels, rows x columns: a new figure, or the caller's axes, divided if there
    are several panels."""
    import numpy as np

    if ax is None:
        figure = new_figure(width, height)
        return figure, figure.subplots(*shape, squeeze=False)
    grid = np.full(shape, ax, dtype=object)
    if shape != (1, 1):
        ax.set_axis_off()
        rows, columns = shape
        for row in range(rows):
            for column in range(columns):
                low = 1 - (row + 1) / rows
                box = (column / columns + 0.02, low + 0.06 / rows, 0.92 / columns, 0.78 / rows)
                grid[row, column] = ax.inset_axes(box)
    return ax.figure, grid


def room_of(ax: Any, width: float, height: float) -> tuple[float, float]:
    """The size of a picture in inches: that of the caller's axes, or the wanted one."""
    if ax is None:
        return width, height
    box = ax.get_position()
    wide, high = ax.figure.get_size_inches()
    return float(box.width * wide), float(box.height * high)


def check_ending(path: str | Path) -> str:
    """The file extension of a picture. Raises if it is not supported."""
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise OutputError(
            f'Unsupported picture format "{ending}" ({Path(path).name}). Use .png, .svg or .pdf.'
        )
    return ending


def render(figure: Any, ending: str, *, dpi: int = 150, texts: bool = False) -> bytes:
    """The bytes of a figure's file. SVG contains outlines of letters or, with ``texts``, text in
    the reader's fonts. Letters that are missing from a font are drawn as boxes, without a
    warning."""
    from matplotlib import rc_context

    settings = {"svg.hashsalt": "hushgram", "svg.fonttype": "none" if texts else "path"}
    buffer = io.BytesIO()
    with rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(buffer, format=ending[1:], dpi=dpi, metadata=UNDATED[ending])
    return buffer.getvalue()


def save(figure: Any, path: str | Path, *, overwrite: bool) -> None:
    from hushgram.base.files import write_new

    write_new(Path(path), render(figure, check_ending(path)), overwrite=overwrite)


def plain(text: Any) -> str:
    """Text on one line, without formulas for matplotlib or unprintable characters.

    >>> print(plain("US$ and CA$"), plain("two\\nlines"), plain("\\x08"))
    US\\$ and CA\\$ two lines �
    """
    line = " ".join(str(text).split()).replace("$", r"\$")
    return "".join(letter if letter.isprintable() else "�" for letter in line)


def numbers(values: Sequence[float]) -> list[str]:
    """The numbers along one axis, as text. Thousands are separated if one has more than four
    digits, so that years are not.

    >>> numbers([0.0, 5000.0, 10000.0]), numbers([1990.0, 2000.0])
    (['0', '5,000', '10,000'], ['1990', '2000'])
    """
    largest = max(map(abs, values), default=0.0)
    return [number(value, largest) for value in values]


def write_ticks(axis: Any, largest: float) -> None:
    """Format the numbers along one side of a chart, of which none exceeds ``largest``."""
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: number(value, largest)))


def number(value: float, largest: float | None = None) -> str:
    """A number as text, short if it is very large or small.

    >>> [number(x) for x in (0.1 + 0.2, 2024.0, 25000.0, 4.5e9, 1e-9, -0.0, -1.5)]
    ['0.3', '2024', '25,000', '4.5e9', '1e−9', '0', '−1.5']
    """
    size = abs(value)
    if size == 0:
        return "0"
    if 1e-4 <= size < 1e8:
        separated = (size if largest is None else largest) >= 1e4
        text = f"{value:,.10g}" if separated else f"{value:.10g}"
    else:
        digits, _, power = f"{value:.6g}".partition("e")
        text = f"{digits}e{int(power)}" if power else digits
    return text.replace("-", "−")


def decades(noise: float, most: float) -> list[float]:
    """Zero and the powers of ten above the noise; also twos and fives if there are few.

    >>> decades(0.6, 500.0), decades(2.0, 30.0)
    ([0.0, 1.0, 10.0, 100.0], [0.0, 2.0, 5.0, 10.0, 20.0])
    """
    first, last = math.floor(math.log10(noise)), math.floor(math.log10(most))
    powers = [10.0**power for power in range(first, last + 1)]
    steps = (1, 2, 5) if math.log10(most / noise) < 2 else (1,)
    found = [step * power for power in powers for step in steps]
    return [0.0, *(x for x in found if noise <= x <= most)]
