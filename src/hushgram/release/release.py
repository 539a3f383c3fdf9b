"""A release: published noisy counts, and everything needed to use them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from hushgram.base.exact import format_number
from hushgram.declare.about import AboutOption, as_about
from hushgram.geometry.partition import Lattice
from hushgram.release.methods.comparing import Comparing
from hushgram.release.methods.counting import Counting
from hushgram.release.methods.exports import Exports
from hushgram.release.methods.histogram import UnifiedHistogram
from hushgram.release.methods.learning import Learning
from hushgram.release.methods.measures import Measures
from hushgram.release.methods.showing import Showing
from hushgram.release.methods.views import Views


@dataclass(frozen=True, eq=False)
class Release(Counting, Views, Measures, Comparing, Learning, Showing, Exports, UnifiedHistogram):
    """Published noisy counts. They can be shared, and queried as often as you like at no cost.

    `hushgram.publish` creates a release, `hushgram.load` reads one from a file.

    Examples
    --------
    >>> import hushgram as hg
    >>> release = hg.publish(hg.Counts([[10, 20, 30], [40, 50, 60]]), epsilon=10)
    >>> release
    <Release of x0, x1 (2x3 cells), identity, epsilon 10>
    >>> release.count(x0=1).value
    150.0
    """

    def with_about(self, about: AboutOption) -> Release:
        """The same release with other credits, which replace stored ones of the same name.

        Signatures do not carry over: sign the new file.

        Examples
        --------
        >>> import hushgram as hg
        >>> release = hg.publish(hg.Counts([50, 60]), epsilon=1)
        >>> release.with_about({"publisher": "City of Bremen"}).about.publisher
        'City of Bremen'
        """
        return replace(self, about=self.about.merge(as_about(about)))

    def to_bytes(self) -> bytes:
        """The bytes of the release file."""
        from hushgram.release.parquet import dump

        return dump(self)

    def save(
        self,
        path: str | Path,
        *,
        overwrite: bool = False,
        key: str | Path | None = None,
        passphrase: str | None = None,
    ) -> None:
        """Write the release to a Parquet file, which also opens in pandas, DuckDB and Polars.

        Parameters
        ----------
        path
            The file to write, such as ``stops.hush.parquet``.
        overwrite
            Replace an existing file.
        key, passphrase
            The file of a private key to sign the release with, and its passphrase if it has one;
            see `hushgram.release.signing`.
        """
        from hushgram.base.files import check_format, write_new
        from hushgram.release.signing import read_key, sign_release

        check_format(Path(path), "a release")
        data = self.to_bytes() if key is None else sign_release(self, read_key(key, passphrase))
        write_new(Path(path), data, overwrite=overwrite)

    def __repr__(self) -> str:
        layout = self.estimate.partition
        shape = layout.shape if isinstance(layout, Lattice) else (layout.size,)
        cells = "x".join(map(str, shape))
        return (
            f"<Release of {', '.join(self.domain.names)} ({cells} cells), "
            f"{self.mechanism}, epsilon {format_number(self.epsilon)}>"
        )
