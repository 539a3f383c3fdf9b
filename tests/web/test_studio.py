"""The Studio in a real browser: a newcomer's way, and what goes wrong on it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hushgram as hg
from hushgram.spending import task as tasks
from hushgram.spending.publish import ReleaseTask
from tests.web.accessibility import serious_faults
from tests.web.studio_server import Running, form_of, running, write_visits

READY = "body[data-state=ready]"
SECONDS = 300_000
"""Milliseconds that anything may take: a machine may have much else to do."""
HOSTILE = ["<script>boom()</script>", "\u202eevil", "<img src=x onerror=boom()>", "x" * 5000, "a=b"]


class Opener:
    """Opens the page, and remembers what the browser has asked for and complained of."""

    def __init__(self, browser: Any, studio: Running) -> None:
        self.browser = browser
        self.studio = studio
        self.contexts: list[Any] = []
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.expected: list[str] = []
        """What requests and complaints of this test may begin with, beside the usual."""

    def __call__(self, **options: Any) -> Any:
        size = {"viewport": {"width": 1100, "height": 900}}
        context = self.browser.new_context(**{**size, **options})
        context.on("page", self.watch)
        self.contexts.append(context)
        page = context.new_page()
        page.goto(self.studio.session.address)
        page.wait_for_selector(READY)
        return page

    def watch(self, page: Any) -> None:
        page.set_default_timeout(SECONDS)
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda said: self.complaints.append(said.text))

    def close(self) -> None:
        for context in self.contexts:
            context.close()
        ours = (f"{self.studio.session.origin}/", "blob:", "data:", *self.expected)
        assert [url for url in self.requests if not url.startswith(ours)] == []
        expected = tuple(self.expected)
        assert [said for said in self.complaints if not said.startswith(expected)] == []


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Running]:
    write_visits(tmp_path)
    with running(tmp_path) as started:
        yield started


@pytest.fixture
def opened(browser: Any, studio: Running) -> Iterator[Opener]:
    opener = Opener(browser, studio)
    yield opener
    opener.close()


def settle(page: Any) -> None:
    """Until the server has checked what was typed."""
    page.wait_for_selector(READY)


def choose_table(page: Any, name: str = "visits.parquet") -> None:
    page.get_by_role("button", name="Browse").click()
    page.locator(".entry", has_text=name).click()
    page.wait_for_selector("#columns")


def go_on(page: Any, to: str) -> None:
    page.click("#next")
    page.wait_for_selector(f"button[aria-current=step]:has-text('{to}')")
    settle(page)


def add_ages(page: Any, low: str = "0", high: str = "99") -> None:
    page.select_option("#add-axis", "0")
    page.get_by_label("Lowest").fill(low)
    page.get_by_label("Highest").fill(high)
    settle(page)


def pay_from(page: Any, account: str, epsilon: str = "1") -> None:
    page.get_by_label("Account that pays").fill(account)
    page.get_by_label("ε of this release").fill(epsilon)
    settle(page)
    page.wait_for_selector(".gauge")


def to_review(page: Any, account: str = "visits", epsilon: str = "1") -> None:
    """All steps up to the button that spends."""
    choose_table(page)
    go_on(page, "Axes")
    add_ages(page)
    go_on(page, "Accuracy")
    go_on(page, "Budget")
    pay_from(page, account, epsilon)
    go_on(page, "Publish")
    page.click("#review")
    page.wait_for_selector("#confirm")


def spent(account: str = "visits") -> str:
    return str(hg.Ledger.open().account(account).spent)


def charges(account: str = "visits") -> int:
    entries = hg.Ledger.open().entries(account)
    return sum(entry.kind == "charge" for entry in entries)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Publishing stops between the charge and the count until this is set."""
    go = threading.Event()
    look = ReleaseTask.run

    def wait_and_run(*arguments: Any) -> Any:
        go.wait(60)
        return look(*arguments)

    monkeypatch.setattr(ReleaseTask, "run", wait_and_run)
    yield go
    go.set()


@pytest.mark.slow
def test_a_newcomers_whole_way(
    opened: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = opened()
    choose_table(page)
    shown = page.locator("#columns tbody tr").all_inner_texts()
    assert [line.split("\t") for line in shown] == [
        ["age", "int64"], ["lon", "float64"], ["sex", "string"], ["day", "date"],
        ["person", "int64"],
    ]  # fmt: skip
    settle(page)
    assert page.inner_text("#command").startswith("hushgram columns ")
    go_on(page, "Axes")
    assert "hg.columns(" in page.inner_text("#python")  # until an axis is declared
    add_ages(page)
    page.select_option("#add-axis", "2")
    page.get_by_label("Categories, one on each line").fill("F\nM")
    settle(page)
    assert page.inner_text("#cells") == "200 cells."
    go_on(page, "Accuracy")
    page.get_by_label("About how many rows").fill("2,000")
    settle(page)
    page.click("#simulate")
    page.wait_for_selector(".curve")
    go_on(page, "Budget")
    pay_from(page, "visits", "0.5")
    assert "0 of 1 is spent. This release adds 0.5 and leaves 0.5." in page.inner_text("#gauge")
    go_on(page, "Publish")
    page.click("#review")
    page.wait_for_selector("#confirm")
    assert not hg.Ledger.exists()  # a review spends nothing, and makes nothing
    page.click("#confirm")
    page.wait_for_selector(".result")
    page.wait_for_selector("#left:has-text('Account visits has 0.5 of 1 left.')")
    assert spent() == "1/2"
    with page.expect_download() as saved:
        page.click(".download-release")
    assert saved.value.suggested_filename == "visits.hush.parquet"
    saved.value.save_as(tmp_path / "r.hush.parquet")
    release = hg.load(tmp_path / "r.hush.parquet")
    assert release.domain.names == ("age", "sex")
    page.click("text=Create these files elsewhere")
    elsewhere = page.locator(".result code").all_inner_texts()
    assert "hushgram explore visits.hush.parquet -o visits.html\n" in elsewhere[0]
    monkeypatch.chdir(tmp_path)
    hg.load(tmp_path / "r.hush.parquet").save("visits.hush.parquet")
    exec(elsewhere[1], {})
    for name in ("visits.html", "visits-report.html", "visits.csv"):
        assert (tmp_path / name).exists()
    with page.expect_popup() as popup:
        page.click("a.explore")
    explorer = popup.value
    explorer.wait_for_selector(READY)
    value = release.count().value
    assert explorer.inner_text(".count").startswith(f"{value:,.0f} ±")
    page.get_by_role("button", name="Accounts").first.click()
    page.get_by_role("button", name="History: visits").click()
    assert "age, sex; " in page.inner_text(".history")
    with page.expect_download() as again:
        page.click(".history a[download]")
    assert again.value.suggested_filename == "visits.hush.parquet"
    assert again.value.path().read_bytes() == (tmp_path / "r.hush.parquet").read_bytes()
    page.click("text=Set cap")
    assert "hushgram ledger set-cap visits CAP" in page.inner_text(
        "[data-account=visits] code >> nth=0"
    )
    page.click("#verify")
    page.wait_for_selector("#sound:has-text('intact')")


@pytest.mark.slow
def test_a_table_that_is_typed_is_opened_on_the_way_on(opened: Opener) -> None:
    """Its columns are known in the next step, and those of a table before it are not shown."""
    page = opened()
    source = page.get_by_label("File, folder, or URL")
    source.fill("nothing.parquet")
    page.click("#next")
    page.wait_for_selector("[data-field=source] > .problem:has-text('nothing.parquet')")
    page.click("#next")  # it is shown again, and stays
    settle(page)
    assert page.is_visible("[data-field=source] > .problem")
    source.fill("visits.parquet")
    go_on(page, "Axes")
    add_ages(page)
    page.get_by_role("button", name="Back").click()
    page.wait_for_selector("#columns")
    source.fill("other.parquet")
    page.wait_for_selector("#columns", state="hidden")
    settle(page)
    pq.write_table(pa.table({"town": ["a"]}), opened.studio.folder / "other.parquet")
    go_on(page, "Axes")
    assert page.locator("#add-axis option").all_inner_texts()[1:] == ["town (string)"]
    assert "has no column of this name" in page.inner_text("fieldset.axis")


@pytest.mark.slow
def test_the_browsers_back_goes_a_step_back(opened: Opener) -> None:
    page = opened()
    choose_table(page)
    go_on(page, "Axes")
    add_ages(page)
    go_on(page, "Accuracy")
    page.get_by_role("button", name="Accounts").first.click()
    page.wait_for_selector("#verify")
    page.go_back()
    page.wait_for_selector("button[aria-current=step]:has-text('Accuracy')")
    page.go_back()
    page.wait_for_selector("button[aria-current=step]:has-text('Axes')")
    assert page.get_by_label("Highest").input_value() == "99"
    page.go_forward()
    page.wait_for_selector("#simulate")


@pytest.mark.slow
def test_people_in_text_files_are_asked_for_line_breaks(opened: Opener) -> None:
    (opened.studio.folder / "visits.csv").write_text("age,person\n41,1\n")
    page = opened()
    choose_table(page, "visits.csv")
    go_on(page, "Axes")
    page.select_option("#add-axis", "0")
    page.get_by_label("Kind of values").select_option("integer")
    page.get_by_label("Lowest").fill("0")
    page.get_by_label("Highest").fill("99")
    page.get_by_label("Column that identifies people").select_option("person")
    page.get_by_label("Rows counted per person").fill("3")
    page.click("#next")
    page.wait_for_selector("[data-field=line_breaks] > .problem")
    page.get_by_label("Line breaks inside values").select_option("never")
    go_on(page, "Accuracy")
    page.get_by_role("button", name="Back").click()
    settle(page)
    assert "person (string)" in page.inner_text("#add-axis")  # the table is still open
    assert "--line-breaks never" in page.inner_text("#command")


def test_a_chosen_table_that_cannot_be_read_is_named(opened: Opener) -> None:
    page = opened()
    (opened.studio.folder / "broken.parquet").write_bytes(b"no table")
    page.get_by_role("button", name="Browse").click()
    page.locator(".entry", has_text="broken.parquet").click()
    page.wait_for_selector("[data-field=source] > .problem:has-text('broken.parquet')")
    source = page.get_by_label("File, folder, or URL").input_value()
    assert source == str(opened.studio.folder / "broken.parquet")


def test_what_an_action_finds_wrong_stays_until_something_is_typed(opened: Opener) -> None:
    page = opened()
    source = page.get_by_label("File, folder, or URL")
    source.fill("nothing.parquet")
    page.click("#next")
    problem = page.locator("[data-field=source] > .problem")
    problem.wait_for()
    with page.expect_response("**/call/check"):  # which comes later than what is opened
        source.fill("none.parquet")
        source.press("Enter")
    page.wait_for_selector("[data-field=source] > .problem:has-text('none.parquet')")
    settle(page)
    assert problem.is_visible()


@pytest.mark.slow
def test_the_command_on_the_page_publishes_the_same(
    opened: Opener, capsys: pytest.CaptureFixture[str]
) -> None:
    import shlex

    from hushgram.cli.app import main

    page = opened()
    to_review(page, epsilon="0.25")
    words = shlex.split(page.inner_text("#command").replace("\\\n", ""))
    assert words.pop(0) == "hushgram"
    with pytest.raises(SystemExit):
        main([*words, "--dry-run", "--json", "--rows", "100"])
    planned = json.loads(capsys.readouterr().out)
    assert planned["domain"] == hg.Domain(age=hg.Integer(0, 99)).to_json()
    assert planned["epsilon"] == "0.25"


@pytest.mark.slow
def test_a_double_click_spends_once(opened: Opener) -> None:
    page = opened()
    to_review(page, epsilon="0.5")
    page.dblclick("#confirm")
    page.wait_for_selector(".result")
    assert (spent(), charges()) == ("1/2", 1)


@pytest.mark.slow
def test_a_reload_while_it_counts_spends_once(opened: Opener, held: threading.Event) -> None:
    page = opened()
    to_review(page, epsilon="0.5")
    page.click("#confirm")
    page.wait_for_selector("#stage:has-text('Charged')")
    page.reload()
    page.wait_for_selector("#stage:has-text('Charged')")
    held.set()
    page.wait_for_selector(".result")
    page.reload()  # what is finished is shown again, for nothing
    page.wait_for_selector(".result")
    assert (spent(), charges()) == ("1/2", 1)


@pytest.mark.slow
def test_a_lost_connection_spends_once(opened: Opener) -> None:
    page = opened()
    to_review(page, epsilon="0.5")
    opened.expected.append("Failed to load resource: net::ERR_FAILED")
    lost: list[int] = []

    def lose_the_answer(route: Any) -> None:
        if len(lost) < 2:
            lost.append(route.fetch().status)  # the server has the request, the page no answer
            route.abort()
        else:
            route.continue_()

    page.route("**/call/publish", lose_the_answer)
    page.click("#confirm")
    page.wait_for_selector(".result")
    assert (spent(), charges(), lost) == ("1/2", 1, [200, 200])


@pytest.mark.slow
def test_two_tabs_with_one_request_spend_once(opened: Opener, held: threading.Event) -> None:
    page = opened()
    to_review(page, epsilon="0.5")
    kept = page.evaluate("JSON.stringify({...sessionStorage})")
    page.click("#confirm")
    page.wait_for_selector("#stage:has-text('Charged')")
    twin = page.context.new_page()  # a tab that was duplicated has what this one had
    twin.goto(page.url)
    twin.evaluate("(kept) => Object.assign(sessionStorage, JSON.parse(kept))", kept)
    twin.evaluate(
        """() => { const [name] = Object.keys(sessionStorage);
          const kept = JSON.parse(sessionStorage[name]);
          kept.sending.sent = true; sessionStorage[name] = JSON.stringify(kept); }"""
    )
    twin.reload()
    twin.wait_for_selector("#stage:has-text('Charged')")
    held.set()
    for tab in (page, twin):
        tab.wait_for_selector(".result")
    assert (spent(), charges()) == ("1/2", 1)


def test_a_request_that_another_server_left_is_not_sent(opened: Opener, studio: Running) -> None:
    """A server that had this port before may have left texts in the tab."""
    page = opened()
    form = form_of(studio.folder / "visits.parquet")
    sending = {"request": "planted", "form": form, "call": "publish", "sent": True}
    kept = json.dumps({"form": form, "view": "publish", "step": "publish", "sending": sending})
    for name in ("hushgram-studio", "hushgram-studio /", "hushgram-studio /other/"):
        page.evaluate("([name, kept]) => { sessionStorage[name] = kept; }", [name, kept])
    page.reload()
    settle(page)
    assert page.locator("button[aria-current=step]").inner_text() == "1 Table"
    assert studio.studio.publishing.find("planted") is None


@pytest.mark.slow
def test_two_tabs_with_two_requests_stop_at_the_cap(opened: Opener) -> None:
    page = opened()
    to_review(page, epsilon="0.6")
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector(READY)
    to_review(other, epsilon="0.6")
    page.click("#confirm")
    page.wait_for_selector(".result")
    other.click("#confirm")
    other.wait_for_selector("#stage:has-text('Nothing was charged')")
    assert "0.4 left" in other.inner_text(".problems >> nth=0")
    assert (spent(), charges()) == ("3/5", 1)


@pytest.mark.slow
def test_over_budget_is_said_before_anything_is_charged(opened: Opener) -> None:
    hg.Ledger.open().open_account("visits", "0.3")
    page = opened()
    choose_table(page)
    go_on(page, "Axes")
    add_ages(page)
    go_on(page, "Accuracy")
    go_on(page, "Budget")
    pay_from(page, "visits", "0.5")
    assert "That exceeds the cap" in page.inner_text("#gauge")
    page.click("#next")
    page.wait_for_selector("[data-field=epsilon] > .problem >> visible=true")
    assert "0.3 left" in page.inner_text("[data-field=epsilon] > .problem")
    page.click(".steps button:has-text('Publish')")
    page.click("#review")
    page.wait_for_selector(".problems >> visible=true")
    assert "0.3 left" in page.inner_text(".problems >> visible=true")
    assert page.locator("#confirm").count() == 0
    assert spent() == "0"


@pytest.mark.slow
def test_the_budget_says_what_was_spent_on_what(opened: Opener, studio: Running) -> None:
    sex = {"name": "sex", "kind": "category", "values": ["F", "M"]}
    form = form_of(studio.folder / "visits.parquet", sex, epsilon="0.25")
    studio.call("publish", {"form": form, "request": "before"})
    studio.wait("before")
    page = opened()
    page.click(".steps button:has-text('Budget')")
    page.get_by_label("Account that pays").fill("visit")
    settle(page)
    assert page.locator("#spent-on button").count() == 0
    page.get_by_label("Account that pays").fill("visits")
    page.click("#spent-on button")
    page.wait_for_selector("#spent-on .history")
    assert "sex; identity, ε = 0.25" in page.inner_text("#spent-on")


@pytest.mark.slow
def test_cancelled_before_the_charge(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    page = opened()
    to_review(page)
    go = threading.Event()
    monkeypatch.setattr(tasks, "rehearse", lambda *_: go.wait(60))
    page.click("#confirm")
    page.wait_for_selector("#stage:has-text('Preparing')")
    page.click("#cancel")
    page.wait_for_selector("#cancel:disabled")
    go.set()
    page.wait_for_selector("#stage:has-text('Cancelled')")
    assert hg.Ledger.open().accounts() == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        ("", "99", "the lowest value is missing"),
        ("99", "0", "bounds are reversed. Did you mean age=0..99?"),
        ("0", "<b>", "must be a whole number"),
        ("0", "1e99", "must be a whole number"),
    ],
)
def test_bad_bounds_are_said_beside_their_axis(
    opened: Opener, low: str, high: str, said: str
) -> None:
    page = opened()
    choose_table(page)
    go_on(page, "Axes")
    add_ages(page, low, high)
    page.click("#next")
    page.wait_for_selector("fieldset.axis > .problem >> visible=true")
    assert said in page.inner_text("fieldset.axis > .problem")
    assert page.locator("button[aria-current=step]").inner_text() == "2 Axes"


@pytest.mark.slow
def test_hostile_names_and_categories_are_text(opened: Opener, studio: Running) -> None:
    columns = {name: pa.array(["a", "b"]) for name in HOSTILE}
    pq.write_table(pa.table(columns), studio.folder / "hostile.parquet")
    page = opened()
    choose_table(page, "hostile")
    go_on(page, "Axes")
    for number in range(len(HOSTILE)):
        page.select_option("#add-axis", str(number))
        area = page.get_by_label("Categories, one on each line").nth(number)
        area.fill("\n".join([*HOSTILE, "a"]))
    settle(page)
    go_on(page, "Accuracy")
    go_on(page, "Budget")
    page.get_by_label("Account that pays").fill("<script>boom()</script>")
    settle(page)
    page.click("#next")
    page.wait_for_selector("[data-field=account] > .problem >> visible=true")
    pay_from(page, "hostile")
    go_on(page, "Publish")
    page.click("#review")
    page.wait_for_selector("#confirm")
    page.click("#confirm")
    page.wait_for_selector(".result")
    assert page.evaluate("document.querySelectorAll('script').length") == 1
    assert page.evaluate("document.querySelectorAll('img').length") == 0
    assert "cannot express" in page.inner_text("#command")
    namespace: dict[str, Any] = {}
    python = page.inner_text("#python").split("release =")[0]
    exec(python, namespace)  # the Python on the page is Python, whatever the names are
    assert namespace["domain"].names == tuple(HOSTILE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 1100


@pytest.mark.slow
def test_a_million_characters_are_refused_and_not_shown(opened: Opener) -> None:
    page = opened()
    choose_table(page)
    go_on(page, "Axes")
    page.select_option("#add-axis", "2")
    page.get_by_label("Categories, one on each line").evaluate(
        "(area) => { area.value = 'x'.repeat(1e6); area.dispatchEvent(new Event('input')); }"
    )
    settle(page)
    page.click("#next")
    page.wait_for_timeout(500)
    assert max(map(len, page.locator(".problem").all_inner_texts())) < 2100


def test_the_cookie_goes_to_no_other_server(opened: Opener, studio: Running) -> None:
    """Cookies know no ports: one of 127.0.0.1 could reach the server of another user."""
    import socket

    page = opened()
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.settimeout(20)
        heard: list[bytes] = []

        def listen() -> None:
            line, _ = other.accept()
            with line:
                heard.append(line.recv(65536))
                line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

        thread = threading.Thread(target=listen)
        thread.start()
        stranger = page.context.new_page()
        address = f"http://127.0.0.1:{other.getsockname()[1]}/"
        opened.expected.append(address)
        stranger.goto(address)
        thread.join()
        stranger.close()
    assert heard[0].startswith(b"GET / ")
    assert studio.session.cookie.encode() not in heard[0]
    assert b"referer" not in heard[0].lower()
    assert page.evaluate("document.cookie") == ""


@pytest.mark.slow
def test_without_the_cookie_the_page_is_locked(
    browser: Any, opened: Opener, studio: Running
) -> None:
    opened()
    context = browser.new_context()
    page = context.new_page()
    for address in (studio.session.origin + studio.session.path, studio.session.origin):
        assert page.goto(address).status == 403
        assert "opens with the address" in page.inner_text("body")
    context.close()


def wait_for_bounds(page: Any) -> None:
    lowest = page.locator("fieldset.axis").get_by_label("Lowest")
    for _ in range(300):
        if lowest.input_value():
            return
        page.wait_for_timeout(200)
    raise AssertionError("no bounds were found")


@pytest.mark.slow
def test_a_plan_and_paid_bounds_on_the_page(opened: Opener) -> None:
    page = opened()
    choose_table(page)
    go_on(page, "Axes")
    page.select_option("#add-axis", "0")
    page.click("text=Are the bounds unknown?")
    page.locator("fieldset.axis").get_by_label("Account that pays").fill("visits")
    page.locator("fieldset.axis").get_by_label("ε for the search").fill("0.4")
    page.click(".review-bounds")
    assert "spends ε = 0.4 of account visits" in page.inner_text("fieldset.axis .warning")
    assert not hg.Ledger.exists()
    page.dblclick(".pay-bounds")
    page.wait_for_selector("fieldset.axis .pay-bounds", state="detached")
    wait_for_bounds(page)
    assert (spent(), charges()) == ("2/5", 1)
    settle(page)
    for _ in range(2):
        page.click(".steps button:has-text('Budget')")
        page.get_by_label("ε of this release").fill("0.25")
        settle(page)
        page.click("#add-to-plan")
        page.wait_for_selector("#save-plan")
        page.click(".view:has-text('Publish')")
        page.wait_for_selector(".steps")
    page.click(".view:has-text('Plan')")
    page.wait_for_selector("#save-plan")
    with page.expect_download() as saved:
        page.click("#save-plan")
    plan = hg.Plan.load(saved.value.path())
    assert [one.name for one in plan.releases] == ["age", "age-2"]
    page.click("#review-plan")
    page.dblclick("#confirm-plan")
    page.locator(".result").nth(1).wait_for()
    assert (spent(), charges()) == ("9/10", 2)


@pytest.mark.slow
def test_paid_bounds_are_not_lost_by_a_reload(opened: Opener) -> None:
    page = opened()
    choose_table(page)
    go_on(page, "Axes")
    page.select_option("#add-axis", "0")
    page.click("text=Are the bounds unknown?")
    page.locator("fieldset.axis").get_by_label("Account that pays").fill("visits")
    page.click(".review-bounds")
    opened.expected.append("Failed to load resource: net::ERR_FAILED")
    sent: list[int] = []

    def lose_the_answer(route: Any) -> None:
        sent.append(route.fetch().status)
        route.abort()

    page.route("**/call/bounds", lose_the_answer)
    page.click(".pay-bounds")
    page.wait_for_selector("fieldset.axis .status:has-text('No connection')")
    page.unroute("**/call/bounds")
    page.reload()
    wait_for_bounds(page)
    assert sent[0] == 200
    assert (spent(), charges()) == ("1/10", 1)
    page.reload()  # what was found is kept, and not looked for again
    settle(page)
    assert page.get_by_label("Lowest").input_value() != ""
    assert charges() == 1


@pytest.mark.slow
def test_the_curve_goes_on_while_another_step_is_shown(opened: Opener) -> None:
    page = opened()
    choose_table(page)
    go_on(page, "Axes")
    add_ages(page)
    go_on(page, "Accuracy")
    page.get_by_label("Mechanism").fill("identity")
    page.get_by_label("About how many rows").fill("2,000")
    settle(page)
    page.click("#simulate")
    page.wait_for_selector("#curve progress")
    page.click(".steps button:has-text('Budget')")
    page.wait_for_selector("button[aria-current=step]:has-text('Budget')")
    page.click(".steps button:has-text('Accuracy')")
    page.wait_for_selector("#curve button:has-text('Use ε = 0.03')")
    page.locator("#curve progress").wait_for(state="detached")


@pytest.mark.slow
def test_one_column_of_many_is_pointed_out(opened: Opener, studio: Running) -> None:
    (studio.folder / "semi.csv").write_text("age;income\n1;2\n")
    page = opened()
    choose_table(page, "semi.csv")
    assert "contains separators" in page.inner_text(".warning")
    page.click("text=Text format (CSV files)")
    page.get_by_label("Separator").fill(";")
    page.click("#open")
    page.wait_for_selector("#columns tbody tr:nth-child(2)")
    assert page.locator(".warning").count() == 0


@pytest.mark.slow
def test_the_least_epsilon_is_found_and_used(opened: Opener) -> None:
    page = opened()
    choose_table(page)
    go_on(page, "Axes")
    add_ages(page)
    go_on(page, "Accuracy")
    page.get_by_label("Mechanism").fill("identity")
    page.get_by_label("About how many rows").fill("2000")
    page.click("#find-least")
    page.wait_for_selector("[data-field=error] > .problem >> visible=true")
    page.get_by_label("I need").fill("20")
    page.click("#find-least")
    page.wait_for_selector("#use-least", timeout=SECONDS)
    assert "--error 20 " in page.inner_text("#least code").replace("\\\n", "")
    page.click("#use-least")
    go_on(page, "Budget")
    assert page.get_by_label("ε of this release").input_value().startswith("0.")


@pytest.mark.slow
def test_the_accessibility_engine_sees_a_fault(browser: Any) -> None:
    page = browser.new_page()
    page.set_content("<html lang=en><title>t</title><main><button></button></main>")
    assert [one.split(":")[0] for one in serious_faults(page)] == ["button-name"]
    page.close()


@pytest.mark.slow
def test_an_accessibility_engine_finds_no_serious_fault(opened: Opener) -> None:
    page = opened()
    choose_table(page)
    faults = {}
    for step in ("Table", "Axes", "Accuracy", "Budget", "Publish"):
        page.click(f".steps button:has-text('{step}')")
        if step == "Axes":
            add_ages(page)
        settle(page)
        faults[step] = serious_faults(page)
    for view in ("Plan", "Accounts"):
        page.click(f".view:has-text('{view}')")
        page.wait_for_selector("section.card")
        faults[view] = serious_faults(page)
    assert {step: found for step, found in faults.items() if found} == {}


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (820, "light"), (1400, "dark")])
def test_it_fits_a_phone_and_a_screen(opened: Opener, width: int, scheme: str) -> None:
    page = opened(viewport={"width": width, "height": 844}, color_scheme=scheme)
    choose_table(page)
    for step in ("Axes", "Accuracy", "Budget", "Publish"):
        page.click(f".steps button:has-text('{step}')")
        if step == "Axes":
            add_ages(page)
        settle(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, textarea, svg[role=img]")]
          .filter((one) => !(one.getAttribute("aria-label") || one.textContent.trim()))
          .filter((one) => !one.labels?.length)
          .map((one) => one.outerHTML.slice(0, 80))"""
    )
    assert nameless == []
