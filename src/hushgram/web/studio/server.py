"""The server of one steward, on this computer only, until Ctrl-C."""

from __future__ import annotations

import html
import socket
import tempfile
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from hushgram.errors import BadInput, MissingExtra
from hushgram.web.studio.session import HOST, Session

if TYPE_CHECKING:
    import uvicorn

    from hushgram.web.studio.app import Studio

GRACE = 2
"""Seconds for open requests to end in, when the server stops."""


def serve(
    folder: Path, *, port: int = 0, browser: bool = True, say: Callable[[str], None] = print
) -> None:
    """Show the page until somebody stops it.

    Parameters
    ----------
    folder
        Where the page looks for tables first.
    port
        Port to listen on; 0 uses any free port.
    browser
        Whether to open the page in a browser.
    say
        What prints lines for the steward.
    """
    check_packages()
    from hushgram.web.studio.app import Studio

    with listening(port) as sock:
        session = Session(sock.getsockname()[1])
        studio = Studio(session, folder)
        say(f"Hushgram Studio, for you alone: {session.address}")
        say("The address works once. Stop the Studio with Ctrl-C.")
        server = make_server(studio)
        with door(session, browser), suppress(KeyboardInterrupt):  # which is how it is stopped
            server.run(sockets=[sock])
        finish(studio, say)


def check_packages() -> None:
    """Refuse to start without the packages of the extra, and say which one is missing."""
    try:
        import starlette  # noqa: F401
    except ImportError:
        raise MissingExtra("starlette", "studio", "the Studio") from None
    try:
        import uvicorn  # noqa: F401
    except ImportError:
        raise MissingExtra("uvicorn", "studio", "the Studio") from None


@contextmanager
def listening(port: int) -> Iterator[socket.socket]:
    """A socket that only this computer can reach."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as sock:
        try:
            sock.bind((HOST, port))
        except (OSError, OverflowError) as error:
            reason = str(getattr(error, "strerror", None) or error).rstrip(".")
            raise BadInput(
                f"Cannot listen on port {port}: {reason}. Leave out --port to use a free one."
            ) from None
        sock.listen(64)
        yield sock


def make_server(studio: Studio) -> uvicorn.Server:
    import uvicorn

    from hushgram.web.studio.connections import MOST, Connection

    return uvicorn.Server(
        uvicorn.Config(
            studio.guarded,
            log_level="critical",  # no address with a token in a log, and no traceback at Ctrl-C
            access_log=False,
            lifespan="off",
            ws="none",
            http=Connection,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=GRACE,
            limit_concurrency=MOST,
        )
    )


@contextmanager
def door(session: Session, browser: bool) -> Iterator[None]:
    """Open a browser, by a file that only its owner can read: everybody on a computer sees the
    words that programs are started with, and so would see the token."""
    if not browser:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="hushgram-studio-") as private:
        page = Path(private) / "open.html"
        address = html.escape(session.address)
        page.write_text(
            f'<!DOCTYPE html><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
            f'<meta http-equiv="refresh" content="0;url={address}">'
            f'<a href="{address}">Open the Studio</a>',
            "utf-8",
        )
        webbrowser.open(page.as_uri())
        yield


def finish(studio: Studio, say: Callable[[str], None]) -> None:
    """Let a publish end that is paid for; cancel one that is not."""
    waiting = studio.publishing.stop()
    if waiting:
        say(
            "A publish that is already paid for is still counting. Waiting for it, so that it is "
            "not lost."
        )
        say("Press Ctrl-C again to stop it; its epsilon stays spent.")
        for job in waiting:
            job.wait()
    studio.curves.stop()
