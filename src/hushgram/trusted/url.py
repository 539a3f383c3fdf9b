"""URLs that may contain a password, split into their parts reliably."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit

_HOST = r"([\w.%-]*|\[[\w.:%]+\])(:\d{0,5})?"
_HOSTS = re.compile(rf"{_HOST}(,{_HOST})*")


def pieces(url: str) -> SplitResult | None:
    """Return the parts of a URL; None if a part that is shown might contain a secret.

    A password with an unescaped "@", "/", "?" or "#" would extend into the host or the path.

    >>> pieces("postgresql://me:secret@host/city").path
    '/city'
    >>> pieces("postgresql://me:pass/word@host/city") is None
    True
    """
    try:
        found = urlsplit(url)
    except ValueError:
        return None
    login = found.netloc.rpartition("@")[0]
    spilt = "@" in login + found.path + found.query + found.fragment
    if spilt or not _HOSTS.fullmatch(hosts(found)) or not url.isprintable():
        return None
    return found


def hosts(found: SplitResult) -> str:
    """Return host and port, without user and password."""
    return found.netloc.rpartition("@")[2]
