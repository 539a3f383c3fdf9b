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

        Parameters
        ----------
        at
            A table with a column per axis, or a list of values for a single axis.
        cells
            ``"parts"``, or ``"voronoi"`` for the Voronoi cells around the reconstructed `points` of
            a ``sorted`` release of up to three axes.

        Returns
        -------
        Density or array
            An array for given points.

        Examples
        --------
        >>> import hushgram as hg
        >>> release = hg.publish(hg.Counts([[10, 20, 30], [40, 50, 60]]), epsilon=10)
        >>> release.density({"x0": [1], "x1": [2]}).tolist()
        [60.0]
        """
        from hushgram.answers.learning.density import density

        found = density(self.estimate, cells)
        return found if at is None else found.at(at)

    def points(self) -> ReconstructedPoints:
        """The points reconstructed from a ``sorted`` release, with the number of rows of each.

        With several axes, rows are sorted along a Hilbert curve, and the points are mapped back.
        ``points().to_pandas()`` returns a table.
        """
        from hushgram.answers.learning.points import points

        return points(self.estimate)

    def sample(self, rows: int, *, rng: Randomness | None = None) -> pa.Table:
        """Draw synthetic rows, as an Arrow table with the columns of the domain.

        Counts are made non-negative first (norm-sub), and rows are distributed over the parts in
        proportion. Within a part, values are spread evenly; "other" becomes NULL.

        Parameters
        ----------
        rows
            How many rows to draw.
        rng
            A numpy generator, to draw the same rows again. By default, the operating system's
            randomness.

        Examples
        --------
        >>> import hushgram as hg
        >>> release = hg.publish(hg.Counts([[10, 20, 30], [40, 50, 60]]), epsilon=10)
        >>> release.sample(5).column_names
        ['x0', 'x1']
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
        """Write any number of synthetic rows as Parquet, in constant memory. See `sample`.

        Examples
        --------
        >>> import hushgram as hg
        >>> release = hg.publish(hg.Counts([[10, 20, 30], [40, 50, 60]]), epsilon=10)
        >>> release.sample_to("rows.parquet", 10_000)  # doctest: +SKIP
        """
        from hushgram.answers.learning.synthetic import sample_to

        sample_to(self._release, path, rows, rng=rng, overwrite=overwrite)
