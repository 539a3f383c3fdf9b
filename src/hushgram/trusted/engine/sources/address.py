"""The address of a table on a server, without its secrets."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlunsplit

from hushgram.errors import SourceError
from hushgram.trusted.url import hosts, pieces

SCHEMES = {"postgresql": "postgresql", "postgres": "postgresql", "spark": "spark"}

LEADING = ("dbname", "host", "hostaddr", "options", "port", "service")
"""URL options that determine which table is meant. None of them is secret."""

HOW = {
    "postgresql": (
        "postgresql://USER:PASSWORD@HOST:5432/DATABASE/SCHEMA.TABLE, where USER, PASSWORD, "
        "port and SCHEMA are optional"
    ),
    "spark": "spark://HOST:7077/DATABASE.TABLE for a table of the catalog, or "
    "spark://HOST:7077/folder/file.parquet for files that the workers can read",
}


@dataclass(frozen=True)
class ServerAddress:
    """The parts of a URL. ``opening`` contains its secrets and is never shown.

    >>> print(ServerAddress.parse("postgresql://me:secret@db.example:5432/city/public.trips"))
    postgresql://db.example:5432/city/public.trips
    """

    scheme: str
    host: str
    path: tuple[str, ...]
    """The parts between slashes, as written."""

    opening: SplitResult = field(repr=False, compare=False)

    @classmethod
    def parse(cls, url: str) -> ServerAddress:
        found = pieces(url)
        if found is None:
            raise SourceError(
                "Cannot read the URL of the table. Percent-encode special characters of a "
                "password (%40 for @, %2F for /), or leave it out and keep it in a "
                ".pgpass file."
            )
        scheme = found.scheme.lower()
        if scheme not in SCHEMES:
            raise SourceError(
                f"Unsupported table URL {scheme}://. Use "
                f"{', '.join(f'{known}://' for known in SCHEMES)}, or for files https://, "
                "s3://, gs:// and abfs://. In Python, open other tables with Ibis and "
                "publish the Ibis table."
            )
        path = tuple(piece for piece in found.path.split("/") if piece)
        return cls(SCHEMES[scheme], hosts(found), path, found)

    def __str__(self) -> str:
        return f"{self.scheme}://{'/'.join((self.host, *self.path))}"

    @property
    def identity(self) -> str:
        """What distinguishes this table from others: its location, and options that change it."""
        leading = sorted(pair for pair in parse_qsl(self.opening.query) if pair[0] in LEADING)
        return f"{self}?{urlencode(leading)}" if leading else str(self)

    def server(self, path: str) -> str:
        """Return the URL that opens the server, with its secrets and another path."""
        return urlunsplit(self.opening._replace(scheme=self.scheme, path=path, fragment=""))

    def names(self, piece: str) -> list[str]:
        """Return the names in ``schema.table``. A dot inside a name is written ``%2E``."""
        return [unquote(name) for name in piece.split(".")]

    def no_table_error(self) -> SourceError:
        return SourceError(f"{self} does not name a table. Write {HOW[self.scheme]}.")
