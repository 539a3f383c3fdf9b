"""URLs that may hold a password: shown in pieces only where it cannot be in one that is shown."""

from __future__ import annotations

import pytest

from hushgram.trusted.url import hosts, pieces


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:pass@word@host/city",
        "postgresql://me:pass/word@host/city",
        "postgresql://me:pass?word@host/city",
        "postgresql://me:pass#word@host/city",
        "postgresql://me:secret@ho st/city",
        "postgresql://me:secret@host:123456/city",
        "postgresql://me:secret@host/ci\x00ty",
        "postgresql://me:secret@[host/city",
    ],
)
def test_a_password_might_be_anywhere(url: str) -> None:
    assert pieces(url) is None


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("postgresql://me:secret@host/city", "host"),
        ("postgresql://host:5432/city", "host:5432"),
        ("postgresql://me@[::1]:5432,other/city", "[::1]:5432,other"),
        ("postgresql:///city", ""),
    ],
)
def test_hosts_are_shown_without_who_asks(url: str, host: str) -> None:
    found = pieces(url)
    assert found is not None
    assert (hosts(found), found.path) == (host, "/city")
