"""What the page may ask: each call takes a form and gives JSON."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hushgram.base.exact import format_number
from hushgram.errors import BadInput
from hushgram.expect.least import as_public, as_share
from hushgram.mechanisms import MECHANISMS
from hushgram.trusted.ledger import Finished, Ledger
from hushgram.web.studio.accounts import (
    list_accounts,
    release_facts,
    set_cap,
    show_history,
    verify,
)
from hushgram.web.studio.checking import ROWS, check, dry_run, read_all, read_columns
from hushgram.web.studio.columns import list_folder, path_in
from hushgram.web.studio.curves import Curves
from hushgram.web.studio.declaration import Declaration, read_account
from hushgram.web.studio.fields import Form, form_in, text_of, whole_number
from hushgram.web.studio.paid_bounds import BoundsForm
from hushgram.web.studio.places import place_paths
from hushgram.web.studio.plan_review import (
    domains_of,
    read_plan_form,
    review_plan,
    show_plan,
)
from hushgram.web.studio.plans import read_plan
from hushgram.web.studio.problems import BadForm, Checks
from hushgram.web.studio.publishing import DONE, Found, Publishing, PublishJob
from hushgram.web.studio.reviewed import check_unchanged
from hushgram.web.studio.words import NO_WORDS, option, suggest_command


class Calls:
    """The state of one run, and the calls by name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.publishing = Publishing()
        self.curves = Curves()
        self.signed: dict[tuple[str, str], bytes] = {}
        known: dict[str, Callable[[Form], dict[str, Any]]] = {
            "folder": lambda form: list_folder(text_of(form, "path"), self.folder),
            "columns": read_columns,
            "check": check,
            "curve": self.curve,
            "least": self.least,
            "dry-run": dry_run,
            "publish": self.publish,
            "plan-text": show_plan,
            "plan-read": read_plan,
            "plan-review": review_plan,
            "publish-plan": self.publish_plan,
            "bounds": self.find_bounds,
            "bounds-words": lambda form: BoundsForm.read(form).describe(),
            "job": self.describe_request,
            "cancel": self.cancel,
            "sign": self.sign,
            "ledger": lambda _: list_accounts(),
            "account": lambda form: show_history(read_account(form)),
            "verify": verify,
            "cap": set_cap,
            "mechanisms": lambda _: list_mechanisms(),
        }
        is_here = folder == Path.cwd()  # then paths work as they are typed, also in commands
        self.known = known if is_here else {n: self.at_home(act) for n, act in known.items()}

    def at_home(self, act: Callable[[Form], dict[str, Any]]) -> Callable[[Form], dict[str, Any]]:
        """The same call, with paths that start in the folder of this run."""
        return lambda form: act(place_paths(form, self.folder))

    def curve(self, form: Form) -> dict[str, Any]:
        """The errors to expect, as far as they are simulated."""
        checks = Checks()
        what = Declaration.read(form, checks)
        rows = 0
        with checks.field("rows"):
            rows = whole_number(form, *ROWS)
        checks.finish()
        assert what is not None
        return self.curves.ask(what, rows).to_json()

    def least(self, asked: Form) -> dict[str, Any]:
        """The least ε that reaches an error, once it is found."""
        checks = Checks()
        what = Declaration.read(form_in(asked, "form"), checks)
        rows = error = 0
        with checks.field("rows"):
            rows = whole_number(form_in(asked, "form"), *ROWS)
        with checks.field("error"):
            error = whole_number(asked, "error", "The error", "50")
        with checks.field("at"):
            as_share(text_of(asked, "at"))
        with checks.field("like"):
            like = self.read_similar(text_of(asked, "like"), what)
        checks.finish()
        assert what is not None
        wish = {"error": error, "at": text_of(asked, "at"), "kind": text_of(asked, "kind")}
        found = self.curves.ask(what, rows, {**wish, **like}).to_json()
        words = [option(name, str(value)) for name, value in {**wish, **like}.items()]
        command = suggest_command(what, rows, *words)
        return {**found, "command": command or NO_WORDS}

    def read_similar(self, path: str, what: Declaration | None) -> dict[str, str]:
        """The path of a release of similar data, if one is given that has the same axes."""
        from hushgram.release import load

        if not path:
            return {}
        found = path_in(self.folder, path)
        release = load(found)
        if what is not None:
            as_public(what.domain, release)
        return {"like": str(found)}

    def publish(self, asked: Form) -> dict[str, Any]:
        """Start to publish. Repeating the call continues the same request."""
        form, request = form_in(asked, "form"), text_of(asked, "request")
        what, payment = read_all(form)
        reviewed = text_of(asked, "reviewed")

        def work(ledger: Ledger) -> Found:
            from hushgram.spending.publish import publish

            check_unchanged(reviewed, what.table, [what.domain], what.unit)
            options = what.options(payment, request)
            options["ledger"] = ledger
            return {"release": publish(what.table.as_source(), what.domain, **options)}

        return self.describe(self.publishing.start(request, form, work))

    def publish_plan(self, asked: Form) -> dict[str, Any]:
        """Start to publish a plan: one charge for all of it."""
        form, request = form_in(asked, "form"), text_of(asked, "request")
        table, payment, plan = read_plan_form(form)
        reviewed = text_of(asked, "reviewed")

        def work(ledger: Ledger) -> Found:
            from hushgram.spending.publish_plan import publish_plan

            check_unchanged(reviewed, table, domains_of(plan), plan.unit)
            return dict(
                publish_plan(
                    table.as_source(), plan, account=payment.account, ledger=ledger,
                    request=request, cap=payment.cap, allow_large=payment.allow_large,
                )
            )  # fmt: skip

        return self.describe(self.publishing.start(request, form, work))

    def find_bounds(self, asked: Form) -> dict[str, Any]:
        """Start to look for bounds, which is paid for like a release."""
        form, request = form_in(asked, "form"), text_of(asked, "request")
        bounds = BoundsForm.read(form)

        def work(ledger: Ledger) -> Found:
            return {"axis": bounds.find(request, ledger).to_json()}

        return self.describe(self.publishing.start(request, form, work))

    def describe_request(self, asked: Form) -> dict[str, Any]:
        """How far a request is; one of an earlier run is found in the ledger."""
        request = text_of(asked, "request")
        job = self.publishing.find(request)
        if job is not None:
            return self.describe(job)
        outcome = Ledger.open().outcome(request) if Ledger.exists() else None
        if outcome is None:
            return {"request": request, "stage": "unknown", "charged": False}
        stage = "kept" if isinstance(outcome, Finished) else "forfeited"
        return {
            "request": request,
            "stage": stage,
            "charged": True,
            "account": outcome.account,
            "epsilon": format_number(outcome.epsilon),
        }

    def describe(self, job: PublishJob) -> dict[str, Any]:
        found = {**job.to_json()}
        if job.stage == DONE:
            found["releases"] = [
                release_facts(name, one) for name, one in job.found.items() if is_release(one)
            ]
            found["axis"] = job.found.get("axis")
        return found

    def cancel(self, asked: Form) -> dict[str, Any]:
        job = self.publishing.find(text_of(asked, "request"))
        if job is None:
            raise BadInput("There is no such request.")
        return {**self.describe(job), "cancelled": job.cancel()}

    def sign(self, asked: Form) -> dict[str, Any]:
        """Sign a release with the private key in a file of the steward's."""
        from hushgram.release.signing import public_text, read_key, sign_release
        from hushgram.web.studio.results import find_release

        request, name = text_of(asked, "request"), text_of(asked, "name")
        checks = Checks()
        with checks.field("key"):
            path = text_of(asked, "key")
            if not path:
                raise BadInput(
                    "Choose the file of your private key. Create one with: hushgram keys new"
                )
            key = read_key(path_in(self.folder, path), text_of(asked, "words") or None)
            release = find_release(self.publishing, request, name)
            self.signed[request, name] = sign_release(release, key)
            return {"public": public_text(key)}
        raise BadForm(checks.problems)


def list_mechanisms() -> dict[str, Any]:
    """The names of mechanisms, and what each does in a sentence."""
    return {
        "mechanisms": [
            {"name": name, "summary": kind.summary()} for name, kind in MECHANISMS.items()
        ]
    }


def is_release(value: object) -> bool:
    from hushgram.release import Release

    return isinstance(value, Release)
