"""Publishing in the background: each request once, however often the page asks for it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from hushgram.base.progress import observe
from hushgram.errors import (
    BadInput,
    BudgetError,
    HushgramError,
    LedgerCorrupted,
    MissingExtra,
    RequestConflict,
    UnknownAccount,
)
from hushgram.trusted.ledger import Finished, Ledger, Ticket
from hushgram.web.studio.problems import Problem

if TYPE_CHECKING:
    from hushgram.release import Release

PREPARING, COUNTING, DONE, FAILED, CANCELLED = (
    "preparing", "counting", "done", "failed", "cancelled",
)  # fmt: skip

RUNNING = (PREPARING, COUNTING)

Found = dict[str, Any]
"""What came of a request, by name: releases, or an answer."""

Work = Callable[[Ledger], Found]
"""Spends through a ledger that it is given."""


class Cancelled(Exception):
    """Ends a publish before its charge."""


@dataclass(eq=False)
class PublishJob:
    """One request on its way."""

    request: str
    digest: str
    stage: str = PREPARING
    charged: bool | None = False
    """None if only the ledger knows."""
    problem: Problem | None = None
    found: Found = field(default_factory=dict)
    cancelled: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)
    thread: threading.Thread | None = None

    def cancel(self) -> bool:
        """Stop before the charge; False if it is too late for that."""
        with self.lock:
            if self.stage == PREPARING:
                self.cancelled = True
            return self.cancelled

    def wait(self) -> None:
        if self.thread is not None:
            self.thread.join()

    def to_json(self) -> dict[str, Any]:
        """How far the job is, in stages only: the share of the rows that are counted grows in steps
        of one row group or block, and so would say how many there are."""
        return {
            "request": self.request,
            "stage": self.stage,
            "charged": self.charged,
            "problem": self.problem and self.problem.to_json(),
            "found": [*self.found],
        }


REFUSALS = BadInput, BudgetError, LedgerCorrupted, MissingExtra, UnknownAccount
"""What a ledger raises if it charges nothing. After other errors, such as a lost connection, the
request may have been charged."""


class WatchedLedger(Ledger):
    """The steward's ledger, which notes when a job is charged, and charges no cancelled one."""

    def __init__(self, ledger: Ledger, job: PublishJob) -> None:
        super().__init__(ledger._store, allow_large=ledger._allow_large)
        self._job = job

    def begin(self, *arguments: Any, **options: Any) -> Ticket | Finished:
        job = self._job
        with job.lock:
            if job.cancelled:
                raise Cancelled
            job.stage = COUNTING
        charged, job.charged = job.charged, None
        try:
            ticket = super().begin(*arguments, **options)
        except REFUSALS:
            job.charged = charged
            raise
        job.charged = charged or isinstance(ticket, Ticket)
        return ticket


class Publishing:
    """The requests of this run."""

    def __init__(self) -> None:
        self._jobs: dict[str, PublishJob] = {}
        self._lock = threading.Lock()
        self._stopping = False

    def start(self, request: str, asked: object, work: Work) -> PublishJob:
        """The job of this request: a new one, or the one that runs or has ended.

        One that ended before its charge, for a problem or by the steward, may start again.
        """
        text = json.dumps(asked, sort_keys=True, separators=(",", ":"))
        digest = sha256(text.encode()).hexdigest()
        with self._lock:
            known = self._jobs.get(request)
            if known is not None and known.digest != digest and known.stage not in OPEN:
                raise RequestConflict(
                    "This request was already sent with a different declaration. Review it again."
                )
            if known is not None and (known.charged or known.stage not in OPEN):
                return known
            if self._stopping:
                raise RequestConflict("The Studio is being stopped. Start it again to publish.")
            job = PublishJob(request, digest)
            self._jobs[request] = job
            job.thread = threading.Thread(target=run, args=(job, work), daemon=True)
            job.thread.start()
            return job

    def find(self, request: str) -> PublishJob | None:
        return self._jobs.get(request)

    def find_release(self, request: str, name: str) -> Release | None:
        """A release of a job that is done."""
        from hushgram.release import Release

        job = self._jobs.get(request)
        one = None if job is None else job.found.get(name)
        return one if isinstance(one, Release) else None

    def stop(self) -> list[PublishJob]:
        """Cancel what is not paid for; the jobs that are still counting."""
        with self._lock:
            self._stopping = True
            jobs = [job for job in self._jobs.values() if job.stage in RUNNING]
        return [job for job in jobs if not job.cancel()]


OPEN = (FAILED, CANCELLED)
"""Where a request may be tried again, if it was not charged."""


def run(job: PublishJob, work: Work) -> None:
    """Do the work; whatever goes wrong is shown on the page."""
    try:
        with observe(lambda *_: None):  # no bar in the terminal either
            job.found = work(WatchedLedger(Ledger.open(), job))
        job.stage = DONE
    except Cancelled:
        job.stage = CANCELLED
    except HushgramError as error:
        job.problem = Problem.of(error)
        job.stage = FAILED
    except Exception as error:  # its text may quote what nobody may see
        name = type(error).__name__
        job.problem = Problem("", name, f"Publishing stopped unexpectedly ({name}).")
        job.stage = FAILED
