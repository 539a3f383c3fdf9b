"""Decides which requests the Studio answers: each one passes here first.

A page of a stranger can send requests to 127.0.0.1 with the steward's cookie, or under a name of
its own that leads there (DNS rebinding); another user of the computer can connect to the port.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qs

from hushgram.web.studio.session import COOKIE, HOST, Session

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BYTES = 4 << 20
"""Of a request's body."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

HEADERS = {
    "content-security-policy": POLICY,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
"""Of every answer, unless it has its own."""

OPENING = """<!DOCTYPE html><html lang="en"><meta charset="utf-8">
<meta http-equiv="refresh" content="0;url=./"><title>Hushgram Studio</title>
<link rel="icon" href="data:,">
<p><a href="./">Open the Studio</a>"""
"""The answer to the token. Not a redirect: a browser that came from elsewhere would follow that
without its new cookie, which is for requests of this page only."""

LOCKED = (
    "This page opens with the address that hushgram studio printed, and that works once. Stop the "
    "Studio with Ctrl-C and start it again for a new address."
)


class Refused(Exception):
    """A request that goes no further: a status and what to say."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(message)


class Guard:
    """An ASGI application in front of another one."""

    def __init__(self, app: App, session: Session) -> None:
        self.app = app
        self.session = session

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError("the Studio only supports HTTP")
        try:
            headers = read_headers(scope)
            self.check_names(headers)
            path = self.path_inside(scope)
            if path == "/open" and scope["method"] == "GET":
                await self.open_page(scope, send)
                return
            self.check_caller(scope, headers)
        except Refused as refused:
            await answer(send, refused.status, str(refused))
            return
        scope["path"], scope["raw_path"] = path, path.encode()
        await self.app(scope, limit_body(receive), with_headers(send))

    def check_names(self, headers: dict[str, list[str]]) -> None:
        """The Host that was asked for, and the Origin of who asks: both are ours and no other's."""
        if headers.get("host") != [f"{HOST}:{self.session.port}"]:
            raise Refused(421, "Unknown host.")
        if headers.get("origin", [self.session.origin]) != [self.session.origin]:
            raise Refused(403, "Requests from other pages are refused.")

    def path_inside(self, scope: Scope) -> str:
        """The path below the folder of this run."""
        path = str(scope["path"])
        folder = self.session.path
        if not path.startswith(folder):
            raise Refused(403, LOCKED)
        return path[len(folder) - 1 :]

    async def open_page(self, scope: Scope, send: Send) -> None:
        """Take the token for a cookie."""
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if not self.session.use_token(given):
            raise Refused(403, LOCKED)
        cookie = (
            f"{COOKIE}={self.session.cookie}; Path={self.session.path}; HttpOnly; SameSite=Strict"
        )
        await answer(send, 200, OPENING, kind="text/html", cookie=cookie)

    def check_caller(self, scope: Scope, headers: dict[str, list[str]]) -> None:
        """The cookie; a method that is known; and that it was our own page that sent it."""
        if not any(map(self.session.knows, read_cookies(headers))):
            raise Refused(403, LOCKED)
        if headers.get("sec-fetch-site", ["none"]) not in (["none"], ["same-origin"]):
            raise Refused(403, "Requests from other pages are refused.")
        if scope["method"] in ("GET", "HEAD"):
            return
        if scope["method"] != "POST":
            raise Refused(405, "The Studio only accepts GET and POST.")
        if "origin" not in headers:  # every browser sends it with POST
            raise Refused(403, "A POST without an Origin is refused.")
        if headers.get("content-type") != ["application/json"]:  # what no form can send
            raise Refused(415, "A POST to the Studio must be JSON.")
        length = headers.get("content-length", [""])[0]
        if not length.isascii() or not length.isdigit():
            raise Refused(411, "A POST to the Studio must state its length.")
        if int(length[:20]) > MOST_BYTES:
            raise Refused(
                413, f"A request can have at most {MOST_BYTES:,} bytes. Found {length[:20]}."
            )


def read_headers(scope: Scope) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def read_cookies(headers: dict[str, list[str]]) -> list[str]:
    """All cookies of our name. Other servers of this computer may set cookies too, of our name or
    of any signs: they must not hide ours."""
    pairs = [one.partition("=") for line in headers.get("cookie", []) for one in line.split(";")]
    return [value.strip() for name, _, value in pairs if name.strip() == COOKIE]


def limit_body(receive: Receive) -> Receive:
    """A body that ends where it was said to: the server holds it to its length, and this is the
    second lock on that door."""
    left = MOST_BYTES

    async def receive_some() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise RuntimeError("a body beyond its length")
        return message

    return receive_some


def with_headers(send: Send) -> Send:
    """Answers with the headers of all answers."""

    async def send_more(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name.lower() for name, _ in message["headers"]}
            more = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message["headers"] = [
                *message["headers"],
                *((name, value) for name, value in more if name not in own),
            ]
        await send(message)

    return send_more


async def answer(
    send: Send, status: int, text: str, kind: str = "text/plain", cookie: str | None = None
) -> None:
    body = text.encode()
    headers = [
        (b"content-type", f"{kind}; charset=utf-8".encode()),
        (b"content-length", str(len(body)).encode()),
        *([(b"set-cookie", cookie.encode())] if cookie else []),
    ]
    respond = with_headers(send)
    await respond({"type": "http.response.start", "status": status, "headers": headers})
    await respond({"type": "http.response.body", "body": body})
