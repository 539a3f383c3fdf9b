"""The secrets of one run: who knows them is the steward's browser."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from hmac import compare_digest

HOST = "127.0.0.1"

COOKIE = "hushgram-studio"


def new_secret() -> str:
    return secrets.token_urlsafe(32)


@dataclass
class Session:
    """Where the page is, and what opens it.

    Cookies know no ports: a cookie of 127.0.0.1 goes to every server of this computer, other
    people's too. So it is bound to a folder whose name nobody else knows.
    """

    port: int
    folder: str = field(default_factory=new_secret)
    cookie: str = field(default_factory=new_secret, repr=False)
    _token: str | None = field(default_factory=new_secret, repr=False)

    @property
    def origin(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def path(self) -> str:
        return f"/{self.folder}/"

    @property
    def address(self) -> str:
        """The address that opens the page, once."""
        return f"{self.origin}{self.path}open?token={self._token}"

    def use_token(self, given: str) -> bool:
        """Whether this is the token. It works once: what stays in a history opens nothing."""
        if self._token is None or not same(given, self._token):
            return False
        self._token = None
        return True

    def knows(self, cookie: str) -> bool:
        return same(cookie, self.cookie)


def same(given: str, secret: str) -> bool:
    """Compared in a time that does not depend on where they differ."""
    return compare_digest(given.encode("utf-8", "replace"), secret.encode())
