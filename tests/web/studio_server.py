"""A Studio that runs beside the test, and raw requests to it."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hushgram.web.studio.app import Studio
from hushgram.web.studio.server import listening, make_server
from hushgram.web.studio.session import COOKIE, HOST, Session


@dataclass
class Running:
    """The Studio of a test, and what its steward's browser would send."""

    studio: Studio
    session: Session
    folder: Path

    @property
    def host(self) -> str:
        return f"{HOST}:{self.session.port}"

    @property
    def headers(self) -> dict[str, str]:
        return {
            "Host": self.host,
            "Origin": self.session.origin,
            "Cookie": f"{COOKIE}={self.session.cookie}",
            "Content-Type": "application/json",
        }

    def ask(
        self, method: str, path: str, body: bytes | None = None, **changed: str | None
    ) -> tuple[int, dict[str, str], bytes]:
        """One request; headers that are given replace the steward's, None leaves one out."""
        names = {name.lower().replace("-", "_"): name for name in self.headers}
        headers: dict[str, str | None] = dict(self.headers)
        for name, value in changed.items():
            headers[names.get(name, name.replace("_", "-"))] = value
        line = http.client.HTTPConnection(HOST, self.session.port, timeout=60)
        try:
            line.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in headers.items():
                if value is not None:
                    line.putheader(name, value)
            if body is not None and "content_length" not in changed:
                line.putheader("Content-Length", str(len(body)))
            line.endheaders(body)
            answer = line.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, found, answer.read()
        finally:
            line.close()

    def say(self, text: bytes) -> bytes:
        """What the server answers to these bytes: a request that closes the connection."""
        with socket.create_connection((HOST, self.session.port), timeout=60) as line:
            line.sendall(text)
            return b"".join(iter(lambda: line.recv(65536), b""))

    def wait(self, request: str) -> None:
        """Until a request has ended."""
        job = self.studio.publishing.find(request)
        assert job is not None
        job.wait()

    def call(self, name: str, form: dict[str, Any]) -> Any:
        """A call as the page makes it."""
        path = f"{self.session.path}call/{name}"
        return json.loads(self.ask("POST", path, json.dumps(form).encode())[2])


def at_once(many: int, act: Callable[[int], Any]) -> list[Any]:
    """Do the same from many threads at one time."""
    start = threading.Barrier(many)

    def wait_and_act(number: int) -> Any:
        start.wait()
        return act(number)

    with ThreadPoolExecutor(many) as pool:
        return list(pool.map(wait_and_act, range(many)))


@contextmanager
def running(folder: Path) -> Iterator[Running]:
    with listening(0) as sock:
        session = Session(sock.getsockname()[1])
        studio = Studio(session, folder)
        server = make_server(studio)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]})
        thread.start()
        try:
            yield Running(studio, session, folder)
        finally:
            for job in studio.publishing.stop():
                job.wait()
            studio.curves.stop()
            server.should_exit = True
            thread.join()


def write_visits(folder: Path) -> Path:
    """A small table with columns of several types."""
    rng = np.random.default_rng(1)
    many = 2000
    table = pa.table(
        {
            "age": rng.integers(0, 100, many),
            "lon": rng.normal(10, 3, many),
            "sex": rng.choice(["F", "M"], many),
            "day": np.datetime64("2024-01-01") + rng.integers(0, 366, many),
            "person": rng.integers(0, 500, many),
        }
    )
    path = folder / "visits.parquet"
    pq.write_table(table, path)
    return path


def form_of(source: Path | str, *axes: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A form as the page sends it."""
    declared = axes or ({"name": "age", "kind": "integer", "lo": "0", "hi": "99"},)
    return {
        "source": str(source),
        "axes": list(declared),
        "epsilon": "1",
        "account": "visits",
        "mechanism": "identity",
        "rows": "2000",
        **more,
    }
