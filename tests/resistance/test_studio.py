"""The Studio is a server that can spend: whoever is not its steward's own page gets nothing."""

from __future__ import annotations

import json
import os
import re
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hushgram as hg
import hushgram.web.studio
from hushgram.web.studio.app import PAGE, SCRIPTS, STYLES
from hushgram.web.studio.guard import MOST_BYTES
from hushgram.web.studio.session import COOKIE, HOST
from tests.web.studio_server import Running, form_of, running, write_visits


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
    assert "changed since the review" in studio.call("publish", asked)["wrong"][0]["message"]
    assert not hg.Ledger.exists() or spent() == []
    file.write_text(square(2))
    studio.call("publish", asked)
    studio.wait("r1")
    assert spent() == ["1"]


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
