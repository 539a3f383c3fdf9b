"""Densities, reconstructed points and synthetic rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, overload

from hushgram.declare.axis import Floats
from hushgram.release.methods.record import Record

if TYPE_CHECKING:
    import pyarrow as pa

    from hushgram.answers.learning.density import Density, Points
    from hushgram.answers.learning.points import ReconstructedPoints
    from hushgram.answers.learning.synthetic import Randomness


class Learning(Record):
    """Densities, reconstructed points and synthetic rows."""

    @overload
    def density(self, at: None = None, *, cells: str = ...) -> Density: ...

    @overload
    def density(self, at: Points, *, cells: str = ...) -> Floats: ...

    def density(self, at: Points | None = None, *, cells: str = "parts") -> Density | Floats:
        """The density, in rows per unit of space: of every part, or at given points.

        Points are a table with a column per axis, or a list of values for a single axis. For a
        ``sorted`` release of up to three axes, ``cells="voronoi"`` gives the density of Voronoi
        cells around its reconstructed `points`.
        """
        from hushgram.answers.learning.density import density

        found = density(self.estimate, cells)
        return found if at is None else found.at(at)

    def points(self) -> ReconstructedPoints:
        """The points that a ``sorted`` release reconstructs, and how many rows each stands for.

        With several axes, rows are sorted along a Hilbert curve, and the points are mapped back.
        ``points().to_pandas()`` returns a table.
        """
        from hushgram.answers.learning.points import points

        return points(self.estimate)

    def sample(self, rows: int, *, rng: Randomness | None = None) -> pa.Table:
        """Draw synthetic rows, as an Arrow table with the columns of the domain.

        Counts are made non-negative first (norm-sub), and rows are distributed over the parts in
        proportion. Within a part, values are spread evenly; "other" becomes NULL. Randomness comes
        from the operating system, or from a numpy generator.
        """
        from hushgram.answers.learning.synthetic import sample

        return sample(self._release, rows, rng=rng)

    def sample_to(
        self,
        path: str | Path,
        rows: int,
        *,
        rng: Randomness | None = None,
        overwrite: bool = False,
    ) -> None:
        """Write any number of synthetic rows as Parquet, in constant memory."""
        from hushgram.answers.learning.synthetic import sample_to

        sample_to(self._release, path, rows, rng=rng, overwrite=overwrite)
