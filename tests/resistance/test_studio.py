"""The Studio is a server that can spend: whoever is not its steward's own page gets nothing."""

from __future__ import annotations

import json
import os
import re
import socket
import time
import urllib.parse
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hushgram as hg
import hushgram.web.studio
from hushgram.errors import LedgerError
from hushgram.trusted.engine.compiled.arrow import Scan
from hushgram.web.studio.app import PAGE, SCRIPTS, STYLES
from hushgram.web.studio.guard import MOST_BYTES
from hushgram.web.studio.session import COOKIE, HOST
from tests.web.studio_server import Running, at_once, form_of, running, write_visits


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Running]:
    write_visits(tmp_path)
    with running(tmp_path) as started:
        yield started


def spent() -> list[str]:
    return [str(one.spent) for one in hg.Ledger.open().accounts()]


def publish_body(studio: Running) -> bytes:
    form = form_of(studio.folder / "visits.parquet")
    return json.dumps({"form": form, "request": "r1"}).encode()


ATTACKS: dict[str, dict[str, str | None]] = {
    "another host, as after DNS rebinding": {"host": "evil.example:80"},
    "another name of this computer": {"host": "localhost"},
    "no host": {"host": None},
    "the page of a stranger": {"origin": "https://evil.example"},
    "a server of another user, at another port": {"origin": "http://127.0.0.1:1"},
    "a frame without an origin": {"origin": "null"},
    "no origin": {"origin": None},
    "no cookie": {"cookie": None},
    "another cookie": {"cookie": f"{COOKIE}=guessed"},
    "a cookie of odd signs": {"cookie": f'{COOKIE}="\\u00e9;;='},
    "a form, which needs no permission": {"content_type": "text/plain"},
    "a form with fields": {"content_type": "application/x-www-form-urlencoded"},
    "a site, as the browser says": {"sec_fetch_site": "cross-site"},
    "a neighbour, as the browser says": {"sec_fetch_site": "same-site"},
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_only_the_stewards_own_page_spends(studio: Running, attack: str) -> None:
    path = f"{studio.session.path}call/publish"
    status, _, text = studio.ask("POST", path, publish_body(studio), **ATTACKS[attack])
    assert status in (400, 403, 415, 421)
    assert b"visits" not in text
    assert spent() == []


def test_the_same_request_unchanged_spends(studio: Running) -> None:
    path = f"{studio.session.path}call/publish"
    status, _, _ = studio.ask("POST", path, publish_body(studio))
    studio.wait("r1")
    assert (status, spent()) == (200, ["1"])


@pytest.mark.parametrize("attack", ["host", "cookie"])
def test_nothing_is_read_without_host_and_cookie(studio: Running, attack: str) -> None:
    for path in ("", "studio/scripts/main.js", "file/r1/release/release"):
        status, _, text = studio.ask("GET", studio.session.path + path, **{attack: "evil"})
        assert status in (403, 421)
        assert b"import" not in text


def test_the_folder_of_the_run_is_a_secret_too(studio: Running) -> None:
    for path in ("/", "/favicon.ico", "/call/publish", f"/{'x' * 43}/", studio.session.path[:-1]):
        assert studio.ask("GET", path)[0] == 403


def test_the_token_works_once_and_for_get_only(studio: Running) -> None:
    address = urllib.parse.urlsplit(studio.session.address)
    entrance = f"{address.path}?{address.query}"
    wrong = f"{address.path}?token=guess"
    assert studio.ask("GET", wrong, cookie=None)[0] == 403
    assert studio.ask("HEAD", entrance, cookie=None)[0] == 403  # what only looks does not use it
    status, headers, text = studio.ask("GET", entrance, cookie=None, origin=None)
    assert status == 200
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert f"Path={studio.session.path};" in cookie
    assert studio.session.cookie.encode() not in text
    again = studio.ask("GET", entrance, cookie=None, origin=None)
    assert again[0] == 403
    assert "set-cookie" not in again[1]


@pytest.mark.parametrize(
    "others", [f"{COOKIE}=junk", 'notebook={"a": [1]}', "=; ;;", "\xe9=\xff", "x" * 2000]
)
def test_cookies_of_other_servers_do_not_lock_the_steward_out(studio: Running, others: str) -> None:
    """All servers of this computer share the cookies of 127.0.0.1."""
    own = f"{COOKIE}={studio.session.cookie}"
    for cookie in (f"{own}; {others}", f"{others}; {own}"):
        assert studio.ask("GET", studio.session.path, origin=None, cookie=cookie)[0] == 200
    assert studio.ask("GET", studio.session.path, origin=None, cookie=others)[0] == 403


def test_answers_are_kept_by_nobody_and_shared_with_nobody(studio: Running) -> None:
    for path in ("", "studio/style.css", "nothing"):
        _, headers, _ = studio.ask("GET", studio.session.path + path, origin=None)
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert not any(name.startswith("access-control-") for name in headers)
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; ")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert not re.search(r"https?:", policy)


def test_a_preflight_is_not_answered(studio: Running) -> None:
    path = f"{studio.session.path}call/publish"
    status, headers, _ = studio.ask(
        "OPTIONS", path, origin="https://evil.example", access_control_request_method="POST"
    )
    assert status == 403
    assert not any(name.startswith("access-control-") for name in headers)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE", "OPTIONS"])
def test_other_methods_are_refused(studio: Running, method: str) -> None:
    assert studio.ask(method, f"{studio.session.path}call/cap")[0] == 405


def test_a_request_has_a_length_and_not_too_much_of_it(studio: Running) -> None:
    path = f"{studio.session.path}call/check"
    body = b"{}"
    too_long = str(MOST_BYTES + 1)
    assert studio.ask("POST", path, body, content_length=too_long)[0] == 413
    assert (
        studio.ask("POST", path, body, content_length=None, transfer_encoding="chunked")[0] == 411
    )
    assert studio.ask("POST", path, body)[0] == 200


def head_of(studio: Running) -> str:
    headers = {**studio.headers, "Connection": "close"}
    return "".join(f"{name}: {value}\r\n" for name, value in headers.items())


def test_a_request_with_two_lengths_is_refused(studio: Running) -> None:
    """What one server takes for a body, another one takes for the next request."""
    head = head_of(studio)
    path = f"{studio.session.path}call/check"
    text = f"POST {path} HTTP/1.1\r\n{head}Content-Length: 2\r\nContent-Length: 50\r\n\r\n{{}}"
    assert studio.say(text.encode()).startswith(b"HTTP/1.1 400 ")


HOSTS = [
    "http://evil.example/", "//evil.example/", "/\\evil.example/", "http://127.0.0.1@evil.example/",
]  # fmt: skip


@pytest.mark.parametrize("path", HOSTS)
def test_nothing_leads_to_another_server(studio: Running, path: str) -> None:
    """No answer is a redirect, whatever address is asked for."""
    head = head_of(studio)
    inside = studio.session.path
    for target in (path, inside + path, f"{inside}call/check/", f"{inside}open?token={path}"):
        for method in ("GET", "POST"):
            text = f"{method} {target} HTTP/1.1\r\n{head}Content-Length: 0\r\n\r\n"
            answer = studio.say(text.encode())
            assert re.match(rb"HTTP/1.1 (200|40[0345]) ", answer), answer
            assert b"\r\nlocation:" not in answer.lower()


@pytest.mark.parametrize("cookie", ["the steward's", "none"])
def test_no_socket_is_opened_for_a_page(studio: Running, cookie: str) -> None:
    """A WebSocket would pass by what protects requests: there is none."""
    wanted = {
        "connection": "Upgrade", "upgrade": "websocket", "sec_websocket_version": "13",
        "sec_websocket_key": "dGhlIHNhbXBsZSBub25jZQ==",
    }  # fmt: skip
    changed: dict[str, str | None] = {**wanted, **({"cookie": None} if cookie == "none" else {})}
    for path in ("", "call/publish", "socket"):
        status, headers, _ = studio.ask("GET", studio.session.path + path, **changed)
        assert status in (200, 403, 404, 405)
        assert "upgrade" not in headers


@pytest.mark.parametrize("start", [b"", b"GET / HTTP/1.1\r\nHost: ", b"POST / HTTP/1.1\r\nX: y"])
def test_connections_that_say_nothing_lock_nobody_out(studio: Running, start: bytes) -> None:
    """Any user of the computer can open connections, and send their requests a letter at a time."""
    lines = []
    try:
        for _ in range(150):
            lines.append(socket.create_connection((HOST, studio.session.port), timeout=60))
            lines[-1].sendall(start)
        for _ in range(3):
            assert studio.ask("GET", studio.session.path, origin=None)[0] == 200
    finally:
        for line in lines:
            line.close()


ESCAPES = [
    "../../../../etc/passwd",
    "..%2f..%2f..%2f..%2fetc%2fpasswd",
    "studio/scripts/..%2f..%2fapp.py",
    "studio/scripts/../app.py",
    "studio/app.py",
    "studio/templates/page.html",
    "//etc/passwd",
    "%00",
]


@pytest.mark.parametrize("path", ESCAPES)
def test_no_address_leads_to_another_file(studio: Running, path: str) -> None:
    status, _, text = studio.ask("GET", studio.session.path + path, origin=None)
    assert status in (403, 404)
    assert b"root:" not in text
    assert b"import" not in text


def test_no_download_names_a_file(studio: Running) -> None:
    path = f"{studio.session.path}call/publish"
    studio.ask("POST", path, publish_body(studio))
    studio.wait("r1")
    base = f"{studio.session.path}file/r1/"
    name = urllib.parse.quote('../"x\r\nSet-Cookie: a=b\u202e.exe', safe="")
    status, headers, _ = studio.ask("GET", f"{base}release/csv?as={name}", origin=None)
    assert status == 200
    assert re.fullmatch(
        r'attachment; filename="[A-Za-z0-9_-]+\.csv"', headers["content-disposition"]
    )
    assert "set-cookie" not in headers
    for wrong in ("..%2fledger.db/release", "release/..%2fx", "release/__class__", "release/"):
        assert studio.ask("GET", base + wrong, origin=None)[0] == 404


def test_the_explorer_runs_in_an_origin_of_its_own(studio: Running) -> None:
    path = f"{studio.session.path}call/publish"
    studio.ask("POST", path, publish_body(studio))
    studio.wait("r1")
    status, headers, text = studio.ask(
        "GET", f"{studio.session.path}file/r1/release/explore", origin=None
    )
    assert status == 200
    assert headers["content-security-policy"].startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in headers["content-security-policy"]
    assert b"default-src 'none'" in text


def test_a_broken_call_quotes_nothing(studio: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Any) -> Any:
        raise RuntimeError("a private row")

    monkeypatch.setitem(studio.studio.calls.known, "check", broken)
    path = f"{studio.session.path}call/check"
    status, _, text = studio.ask("POST", path, b"{}")
    assert status == 500
    assert b"private" not in text
    assert b"RuntimeError" in text


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"[" * 100_000, b'{"form": 3}'])
def test_a_body_of_any_kind_is_answered(studio: Running, body: bytes) -> None:
    for call in ("publish", "check", "nothing"):
        status, _, _ = studio.ask("POST", f"{studio.session.path}call/{call}", body)
        assert status in (200, 400)
    assert spent() == []


def test_a_folder_of_odd_names_is_listed(studio: Running) -> None:
    """What others put into a folder does not stop its listing: names of any bytes, links in a
    circle, folders that nobody may open."""
    folder = studio.folder
    Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.csv")).write_text("age\n1\n")
    (folder / "circle").symlink_to("circle")
    (folder / "gone").symlink_to("nowhere")
    (folder / "\u202e<script>.csv").touch()
    listed = {one["name"]: one for one in studio.call("folder", {"path": ""})["entries"]}
    assert {*listed} == {"visits.parquet", "caf\udce9.csv", "\u202e<script>.csv"}
    found = studio.call("columns", {"source": listed["caf\udce9.csv"]["path"]})
    assert [one["name"] for one in found["columns"]] == ["age"]


ODD = ["\ud800", "\x00", "~nobody-of-this-name/x", "\udce9.csv", "a\nb"]


@pytest.mark.parametrize("text", ODD, ids=ascii)
def test_texts_of_any_kind_are_answered(studio: Running, text: str) -> None:
    """The answer is one of the library's, not a failure of the Studio."""
    axis = {"name": text, "kind": "bins", "lo": text, "hi": "1", "bins": text}
    form = form_of(text, axis, account=text, epsilon=text, mechanism=text, where=text, unit=text)
    calls: dict[str, dict[str, Any]] = {
        "folder": {"path": text}, "columns": form, "check": form, "curve": form, "dry-run": form,
        "least": {"form": form, "at": text, "kind": text, "error": text},
        "publish": {"form": form, "request": text}, "job": {"request": text},
        "bounds-words": {**form, "column": text, "kind": text}, "account": {"account": text},
        "plan-text": {"plan": [{"name": text, "form": form}]}, "plan-read": {"toml": text},
        "sign": {"request": text, "name": text, "key": text}, "cap": {"account": "x", "cap": text},
    }  # fmt: skip
    for call, asked in calls.items():
        path = f"{studio.session.path}call/{call}"
        status, _, answer = studio.ask("POST", path, json.dumps(asked).encode())
        assert status == 200, (call, answer)
        assert isinstance(json.loads(answer), dict)
    assert not hg.Ledger.exists() or spent() == []


def test_a_request_without_a_name_is_not_charged(studio: Running) -> None:
    """Without a name it could be charged again."""
    form = form_of(studio.folder / "visits.parquet")
    for request in ("", "\n", "x" * 500):
        studio.call("publish", {"form": form, "request": request})
        studio.wait(request.strip())
    assert spent() == []


def test_it_listens_on_this_computer_only(studio: Running) -> None:
    assert studio.session.origin == f"http://{HOST}:{studio.session.port}"
    assert HOST == "127.0.0.1"


SECRET_URLS = [
    "postgresql://me:hunter2@127.0.0.1:1/city/trips",
    "postgresql://me:hunter2@",
    "postgresql://me:hun/hunter2@127.0.0.1:1/city/trips",
    "postgresql://127.0.0.1:1/city/trips?user=me&password=hunter2",
    "https://127.0.0.1:1/x.csv?signature=hunter2",
    "s3://key:hunter2@bucket/x.parquet",
]


@pytest.mark.parametrize("url", SECRET_URLS)
def test_a_password_of_a_table_is_in_no_answer(studio: Running, url: str) -> None:
    """Answers become commands that are copied, and pictures of the page."""
    form = form_of(url)
    calls: dict[str, dict[str, Any]] = {
        "columns": form, "check": form, "dry-run": form,
        "bounds-words": {**form, "column": "age", "kind": "integer"},
        "plan-text": {**form, "plan": [{"name": "a", "form": form}]},
        "publish": {"form": form, "request": "r1"}, "job": {"request": "r1"},
    }  # fmt: skip
    for call, asked in calls.items():
        path = f"{studio.session.path}call/{call}"
        status, _, text = studio.ask("POST", path, json.dumps(asked).encode())
        assert status == 200
        assert b"hunter2" not in text, (call, text)
        studio.wait("r1") if call == "publish" else None
    assert not hg.Ledger.exists() or spent() == []


def test_files_are_not_quoted_in_errors(studio: Running) -> None:
    """Whatever file is given for a table, areas or a key, no answer has a line of it."""
    for name in ("a.csv", "a.geojson", "a.parquet", "a.xlsx", "a.db", "a.pem", "a.toml"):
        file = studio.folder / name
        file.write_text("name,age\n" + "hunter2,41\n" * 50)
        areas = {
            "name": "a",
            "kind": "areas",
            "file": str(file),
            "names": "name",
            "x": "x",
            "y": "y",
        }
        calls: dict[str, dict[str, Any]] = {
            "columns": {"source": str(file)},
            "check": form_of(studio.folder / "visits.parquet", areas),
            "dry-run": form_of(file),
            "sign": {"request": "r", "name": "release", "key": str(file)},
            "folder": {"path": str(file)},
        }
        for call, asked in calls.items():
            path = f"{studio.session.path}call/{call}"
            _, _, text = studio.ask("POST", path, json.dumps(asked).encode())
            assert b"hunter2" not in text, (call, text)


def square(size: int) -> str:
    corners = [[0, 0], [size, 0], [size, size], [0, 0]]
    area = {"type": "Polygon", "coordinates": [corners]}
    feature = {"type": "Feature", "properties": {"name": "a"}, "geometry": area}
    return json.dumps({"type": "FeatureCollection", "features": [feature]})


def publish_in_vain(studio: Running, asked: dict[str, Any], call: str = "publish") -> str:
    """What is said of a request that fails and is not charged."""
    studio.call(call, asked)
    studio.wait(asked["request"])
    found = studio.call("job", {"request": asked["request"]})
    assert (found["stage"], found["charged"]) == ("failed", False)
    assert not hg.Ledger.exists() or spent() == []
    return str(found["problem"]["message"])


def test_what_is_published_is_what_was_reviewed(studio: Running) -> None:
    """A file of areas that changes between the review and the confirmation is not published."""
    file, table = studio.folder / "areas.geojson", studio.folder / "places.csv"
    table.write_text("x,y\n" + "1,1\n" * 20)
    file.write_text(square(2))
    areas = {"name": "a", "kind": "areas", "file": str(file), "names": "name", "x": "x", "y": "y"}
    form = form_of(table, areas)
    reviewed = studio.call("dry-run", form)["reviewed"]
    file.write_text(square(3))
    asked = {"form": form, "request": "r1", "reviewed": reviewed}
    assert "changed since the review" in publish_in_vain(studio, asked)
    file.write_text(square(2))
    studio.call("publish", asked)
    studio.wait("r1")
    assert spent() == ["1"]


def test_a_table_of_other_columns_is_not_what_was_reviewed(studio: Running) -> None:
    """The review shows the types of columns: a number that became a text is counted otherwise."""
    pq.write_table(pa.table({"age": [1, 2]}), studio.folder / "ages.parquet")
    form = form_of(studio.folder / "ages.parquet")
    reviewed = studio.call("dry-run", form)["reviewed"]
    pq.write_table(pa.table({"age": ["1", "2"]}), studio.folder / "ages.parquet")
    asked = {"form": form, "request": "r1", "reviewed": reviewed}
    assert "changed since the review" in publish_in_vain(studio, asked)
    asked = {"form": form, "request": "r1", "reviewed": studio.call("dry-run", form)["reviewed"]}
    studio.call("publish", asked)
    studio.wait("r1")
    assert spent() == ["1"]


def test_a_charge_whose_outcome_is_unknown_is_not_called_free(
    studio: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection to the ledger breaks after it has charged the account."""
    begin = hg.Ledger.begin

    def begin_and_break(*arguments: Any, **options: Any) -> Any:
        begin(*arguments, **options)
        raise LedgerError("The connection was lost.")

    form = form_of(studio.folder / "visits.parquet")
    asked = {"form": form, "request": "r1", "reviewed": studio.call("dry-run", form)["reviewed"]}
    monkeypatch.setattr(hg.Ledger, "begin", begin_and_break)
    for _ in range(2):  # asking again is not charged again
        studio.call("publish", asked)
        studio.wait("r1")
        found = studio.call("job", {"request": "r1"})
        assert (found["stage"], found["charged"]) == ("failed", None)
        assert spent() == ["1"]


def test_a_plan_is_published_as_it_was_reviewed(studio: Running) -> None:
    table = studio.folder / "ages.parquet"
    pq.write_table(pa.table({"age": [1, 2]}), table)
    form = form_of(table, plan=[{"name": "a", "form": form_of(table)}])
    reviewed = studio.call("plan-review", form)["reviewed"]
    pq.write_table(pa.table({"age": ["1", "2"]}), table)
    asked = {"form": form, "request": "r1", "reviewed": reviewed}
    assert "changed since the review" in publish_in_vain(studio, asked, "publish-plan")
    pq.write_table(pa.table({"age": [1, 2, 3]}), table)  # more rows are nobody's business
    studio.call("publish-plan", asked)
    studio.wait("r1")
    assert spent() == ["1"]


def test_twenty_confirmations_of_one_request_are_charged_once(studio: Running) -> None:
    form = form_of(studio.folder / "visits.parquet", epsilon="0.25", cap="10")
    asked = {"form": form, "request": "r1"}
    answers = at_once(20, lambda _: studio.call("publish", asked))
    studio.wait("r1")
    assert {one["request"] for one in answers} == {"r1"}
    assert spent() == ["1/4"]
    others = at_once(20, lambda n: studio.call("publish", {"form": form, "request": f"s{n % 4}"}))
    for number in range(4):
        studio.wait(f"s{number}")
    assert len(others) == 20
    assert spent() == ["5/4"]


@pytest.mark.parametrize("pause", [0, 0.001, 0.01, 0.03, 0.1])
def test_a_cancelled_request_is_free_and_one_that_is_not_is_charged_once(
    studio: Running, pause: float
) -> None:
    """Whenever the cancellation comes: what the page says of it is true."""
    form = form_of(studio.folder / "visits.parquet", epsilon="0.01")
    expected = Fraction(0)
    for number in range(8):
        request = f"r{number}"

        def act(one: int, request: str = request, wait: float = pause * number / 4) -> Any:
            if one == 0:
                return studio.call("publish", {"form": form, "request": request})
            time.sleep(wait)
            return studio.call("cancel", {"request": request})

        _, *cancelled = at_once(3, act)
        studio.wait(request)
        found = studio.call("job", {"request": request})
        if any(one.get("cancelled") for one in cancelled):
            assert (found["stage"], found["charged"]) == ("cancelled", False)
        else:
            assert (found["stage"], found["charged"]) == ("done", True)
            expected += Fraction(1, 100)
        assert sum(map(Fraction, spent() if hg.Ledger.exists() else [])) == expected


def test_a_request_of_an_earlier_run_is_not_spent_on_something_else(tmp_path: Path) -> None:
    """The Studio is started again, and a request that was paid comes back with another form."""
    table = write_visits(tmp_path)
    with running(tmp_path) as first:
        first.call("publish", {"form": form_of(table, epsilon="0.25"), "request": "r1"})
        first.wait("r1")
    with running(tmp_path) as second:
        for epsilon, stage in (("0.5", "failed"), ("0.25", "done")):
            second.call("publish", {"form": form_of(table, epsilon=epsilon), "request": "r1"})
            second.wait("r1")
            assert second.call("job", {"request": "r1"})["stage"] == stage
    assert spent() == ["1/4"]


@pytest.mark.parametrize("path", ["call/cap?account=visits&cap=9", "call/publish", "call/verify"])
def test_nothing_is_spent_or_set_by_an_address(studio: Running, path: str) -> None:
    hg.Ledger.open().open_account("visits", "1")
    status, _, text = studio.ask("GET", studio.session.path + path, origin=None)
    assert status in (404, 405)
    assert b"visits" not in text
    assert str(hg.Ledger.open().account("visits").cap) == "1"


def test_what_is_served_is_a_file_and_no_link(studio: Running) -> None:
    """Scripts are listed once, from the package: nothing that is put beside them is served."""
    for path in (*SCRIPTS.values(), *STYLES.values(), PAGE):
        assert not path.is_symlink()
        assert path.resolve().is_relative_to(Path(hushgram.web.studio.__file__).parents[1])


def test_the_progress_says_nothing_of_the_rows(
    studio: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the page learns while rows are counted is the same for one row group and for seven."""
    table = pq.read_table(studio.folder / "visits.parquet")
    pq.write_table(table, studio.folder / "seven.parquet", row_group_size=300)
    count, said = Scan.run, dict[str, set[str]]()

    def count_and_ask(scan: Scan, work: Any, most: int = 1 << 16) -> Any:
        def work_and_ask(task: Any) -> Any:
            found = work(task)
            answers.add(json.dumps(studio.call("job", {"request": name})).replace(name, ""))
            return found

        return count(scan, work_and_ask, most)

    monkeypatch.setattr(Scan, "run", count_and_ask)
    for name in ("visits", "seven"):
        answers = said.setdefault(name, set())
        form = form_of(studio.folder / f"{name}.parquet", account=name)
        studio.call("publish", {"form": form, "request": name})
        studio.wait(name)
    assert said["visits"]
    assert said["visits"] == said["seven"]
