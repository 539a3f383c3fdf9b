"""The application behind the guard: a page, its scripts, its calls and its downloads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from hushgram.errors import HushgramError
from hushgram.web.studio.calls import Calls
from hushgram.web.studio.guard import Guard
from hushgram.web.studio.problems import BadForm, Problem
from hushgram.web.studio.results import Download, find_release, make_download
from hushgram.web.studio.session import Session

HERE = Path(__file__).parent
SHARED = HERE.parent / "explorer"

PAGE = HERE / "page.html"

SCRIPTS = {
    f"{folder.name}/{path.relative_to(folder).as_posix()}": path
    for folder in (HERE, SHARED)
    for path in (folder / "scripts").rglob("*.js")
}
STYLES = {f"{folder.name}/style.css": folder / "style.css" for folder in (HERE, SHARED)}
"""All files that are served, by their address: no request is made into a path."""

WRONG = 400
BROKEN = 500


class Studio:
    """The page of one steward."""

    def __init__(self, session: Session, folder: Path) -> None:
        self.session = session
        self.calls = Calls(folder)
        self.guarded = Guard(
            Starlette(
                routes=[
                    Route("/", self.page),
                    Route("/call/{name}", self.call, methods=["POST"]),
                    Route("/file/{request}/{name}/{what}", self.file),
                    Route("/{path:path}", self.asset),
                ]
            ),
            session,
        )

    @property
    def publishing(self) -> Any:
        return self.calls.publishing

    @property
    def curves(self) -> Any:
        return self.calls.curves

    def page(self, _: Request) -> Response:
        return HTMLResponse(PAGE.read_bytes())

    def asset(self, request: Request) -> Response:
        path = request.path_params["path"]
        if path in SCRIPTS:
            return Response(SCRIPTS[path].read_bytes(), media_type="text/javascript")
        if path in STYLES:
            return Response(STYLES[path].read_bytes(), media_type="text/css")
        return Response("Not found.", status_code=404, media_type="text/plain")

    async def call(self, request: Request) -> Response:
        """A call: its form is the body, and errors are returned next to its fields."""
        known = self.calls.known.get(request.path_params["name"])
        try:
            form = json.loads(await request.body())
        except (ValueError, RecursionError):
            form = None
        except ClientDisconnect:
            return Response(status_code=WRONG)
        if known is None or not isinstance(form, dict):
            return problems([Problem("", "BadInput", "Unknown call.")])
        return await run_in_threadpool(answer_call, known, form)

    def file(self, request: Request) -> Response:
        """A file of a release."""
        asked = request.path_params
        called = request.query_params.get("as", "release")
        try:
            found = self.make_file(asked["request"], asked["name"], asked["what"], called)
        except HushgramError as error:
            return Response(str(error), status_code=404, media_type="text/plain")
        return as_response(found)

    def make_file(self, request: str, name: str, what: str, called: str) -> Download:
        release = find_release(self.calls.publishing, request, name)
        signed = self.calls.signed.get((request, name))
        found = make_download(release, what, called)
        if what == "release" and signed is not None:
            return Download(signed, found.kind, found.name)
        return found


class AsciiJSON(JSONResponse):
    """JSON in ASCII: names of files may be of any bytes, which UTF-8 does not have."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


def answer_call(known: Any, form: dict[str, Any]) -> Response:
    try:
        return AsciiJSON(known(form))
    except BadForm as bad:
        return problems(bad.problems)
    except HushgramError as error:
        return problems([Problem.of(error)])
    except Exception as error:  # its text may quote what nobody may see
        name = type(error).__name__
        message = f"The Studio failed ({name}). This is a bug in the Studio. Please report it."
        return problems([Problem("", name, message)], BROKEN)


def problems(found: list[Problem], status: int = 200) -> Response:
    """What is wrong with a form is an answer like others: the request went well."""
    return AsciiJSON({"wrong": [one.to_json() for one in found]}, status)


def as_response(download: Download) -> Response:
    response = Response(download.content, media_type=download.kind)
    if download.name:
        response.headers["content-disposition"] = f'attachment; filename="{download.name}"'
    if download.policy is not None:
        response.headers["content-security-policy"] = download.policy
    return response
