"""A publish from file to file, and what must hold however it ends."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from assurance.fire.children import done
from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.errors import HushgramError, RequestConflict
from hushgram.release import load
from hushgram.spending.publish import publish
from hushgram.trusted.ledger import Ledger, Receipt

DOMAIN = Domain(age=Integer(0, 9))
MAGIC = b"PAR1"


@dataclass(frozen=True)
class Scene:
    """The files of a publish. The account's cap is the epsilon of one publish."""

    folder: Path
    place: str
    account: str = "people"

    @property
    def table(self) -> Path:
        return self.folder / "table.parquet"

    @property
    def output(self) -> Path:
        return self.folder / "out.hush.parquet"

    def prepare(self) -> None:
        pq.write_table(pa.table({"age": [3, 4, 4, 7, 9, 11]}), self.table)

    def publish(self) -> bytes:
        """Publish, up to the release file."""
        request = f"request of {self.account}"
        ledger = Ledger.open(self.place)
        release = publish(
            str(self.table), DOMAIN, epsilon=1, account=self.account, mechanism="identity",
            ledger=ledger, request=request,
        )  # fmt: skip
        if not self.output.exists():
            release.save(self.output)
        return release.to_bytes()

    def judge(self) -> Verdict:
        """Judge what a killed or failed publish has left, and the result of repeating the
        request."""
        try:
            return self._judge()
        except HushgramError as error:
            return Verdict("unsound", f"{type(error).__name__}: {error}")

    def _judge(self) -> Verdict:
        left = self.output.read_bytes() if self.output.exists() else None
        held = bool(left) or any(self._releases())
        ledger = Ledger.open(self.place)
        ledger.verify([] if left is None else [self._receipt()], committed=True)
        kinds = self._kinds(ledger)
        charged, committed = kinds.count("charge") == 1, kinds.count("commit") == 1
        if (held and not charged) or (left is not None and not committed):
            return Verdict("unpaid", f"there is a release, and the book has {kinds}")
        verdict = self._again(charged, committed, left)
        ledger.verify([self._receipt()] if self.output.exists() else [], committed=True)
        spent = ledger.account(self.account).spent
        if self._kinds(ledger).count("charge") != 1 or spent != 1:
            return Verdict("unsound", f"after a repeated request, the account has spent {spent}")
        return verdict

    def _again(self, charged: bool, committed: bool, left: bytes | None) -> Verdict:
        try:
            release = self.publish()
        except RequestConflict:
            if charged and not committed:
                return Verdict("forfeited")
            return Verdict("changed", "a request that was committed is refused")
        if charged and not committed:
            return Verdict("unpaid", "a second draw for one charge")
        if not charged:
            return Verdict("nothing")
        same = release == self.output.read_bytes() and left in (None, release)
        return Verdict("same") if same else Verdict("changed", "other bytes for one request")

    def _receipt(self) -> Receipt:
        receipt = load(self.output).receipt
        assert receipt is not None
        return Receipt.from_json(receipt)

    def _kinds(self, ledger: Ledger) -> list[str]:
        if self.account not in [one.name for one in ledger.accounts()]:
            return []
        return [entry.kind for entry in ledger.entries(self.account)]

    def _releases(self) -> Iterator[Path]:
        """Yield complete releases in the folder, under any name."""
        for file in self.folder.rglob("*"):
            if file.is_file() and file != self.table and file.read_bytes().endswith(MAGIC):
                yield file


@dataclass(frozen=True)
class Verdict:
    """The verdict on a publish that was killed or failed."""

    outcome: str
    """Valid outcomes are "nothing" (and the next attempt is charged), "forfeited" (charged, without
    a release) and "same" (charged, and a repeated request returns the same bytes). "unpaid",
    "unsound" and "changed" are violations."""

    why: str = ""

    @property
    def sound(self) -> bool:
        return self.outcome in SOUND


def judge_scene(here: Scene) -> Verdict:
    """Return the verdict, computed in a child process."""
    return Verdict(**done(lambda: vars(here.judge())))


SOUND = ("nothing", "forfeited", "same")
VIOLATIONS = ("unpaid", "unsound", "changed")


@contextmanager
def scene(place: str | None = None, account: str = "people") -> Iterator[Scene]:
    """Create a scene in a temporary folder, with the ledger, unless that is at ``place``."""
    with tempfile.TemporaryDirectory(prefix="hushgram-fire-", ignore_cleanup_errors=True) as home:
        folder = Path(home)
        made = Scene(folder, place or str(folder / "book" / "ledger.db"), account)
        made.prepare()
        yield made
