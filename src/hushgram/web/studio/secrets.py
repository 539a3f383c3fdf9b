"""Addresses of tables without what opens them: for commands that are copied, and pictures of a
page."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

from hushgram.trusted.engine.sources.address import LEADING
from hushgram.trusted.url import pieces

PASSWORD = "PASSWORD"  # nosec B105 - this replaces one


def hide_secrets(source: str) -> str:
    """A table's address as it may be shown; the steward puts the password back.

    >>> hide_secrets("postgresql://me:hunter2@db/city/trips?port=1&password=hunter2")
    'postgresql://me:PASSWORD@db/city/trips?port=1&password=PASSWORD'
    >>> hide_secrets("data/2025/*.csv"), hide_secrets("postgresql://me:hunter/2@db/city/trips")
    ('data/2025/*.csv', 'postgresql://PASSWORD')
    """
    scheme, mark, _ = source.partition("://")
    if not mark:
        return source
    found = pieces(source)
    if found is None:  # nobody knows where the password ends
        return f"{scheme}://{PASSWORD}"
    login, at, host = found.netloc.rpartition("@")
    user, colon, _ = login.partition(":")
    query = urlencode(
        [
            (name, value if name in LEADING else PASSWORD)
            for name, value in parse_qsl(found.query, keep_blank_values=True)
        ],
        safe="*/:,",
    )
    place = f"{user}{colon and ':' + PASSWORD}{at}{host}"
    return found._replace(netloc=place, query=query).geturl()
