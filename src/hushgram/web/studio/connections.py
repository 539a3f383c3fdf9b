"""Connections to the Studio. Every program on the computer can open some and say nothing: those
give way to new ones, so that nobody can keep the steward's browser out."""

from __future__ import annotations

import asyncio
from typing import cast

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 64
"""Connections at a time; more are refused."""

MOST_WAITING = 32
"""Of them, those that have not sent the head of a request. A browser opens six."""


class Connection(H11Protocol):
    """A connection that is closed if it waits and too many others do."""

    opened: float

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.opened = self.loop.time()
        others = cast("set[Connection]", self.connections)
        waiting = sorted((one for one in others if one.waits), key=lambda one: one.opened)
        for one in waiting[:-MOST_WAITING]:
            one.transport.abort()

    @property
    def waits(self) -> bool:
        """Whether there is no request to answer."""
        return self.cycle is None or self.cycle.response_complete
