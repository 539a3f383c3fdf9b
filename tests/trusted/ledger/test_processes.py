"""Many processes on one ledger, and processes that die."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import hushgram.errors
from hushgram.errors import RequestConflict
from hushgram.trusted.ledger import Finished, Ledger

from .ledger_contract import ROWS, pay

SOURCE = str(Path(hushgram.errors.__file__).parents[1])

SPEND = """
import sys
from hushgram.errors import BudgetExceeded
from hushgram.trusted.ledger import Ledger
path, epsilon, attempts = sys.argv[1], sys.argv[2], int(sys.argv[3])
ledger, paid = Ledger.open(path), 0
for _ in range(attempts):
    try:
        ticket = ledger.begin("a", epsilon, unit="rows", neighbours="add-remove")
    except BudgetExceeded:
        continue
    paid += 1
    ledger.commit(ticket, ticket.receipt.id.encode())
sys.stdout.write(str(paid))
"""

DIE = """
import os, signal, sys
from hushgram.trusted.ledger import Ledger, spool, journal
path, moment = sys.argv[1:]
def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
def then_die(step):
    return lambda *given, **named: die(step(*given, **named))
ledger = Ledger.open(path)
ledger.open_account("a", 5, unit="rows", neighbours="add-remove")
if moment == "before the charge is durable":
    journal.Journal.record = then_die(journal.Journal.record)
ticket = ledger.begin("a", 1, unit="rows", neighbours="add-remove", request_id="r1")
if moment == "before the commit":
    die()
if moment == "before the spool is named":
    spool.Path.replace = die
if moment == "before the commit is durable":
    journal.Journal.append = then_die(journal.Journal.append)
ledger.commit(ticket, b"release")
die()
"""


def start(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": SOURCE},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_eight_processes_spend_exactly_the_cap(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    ledger = Ledger.open(path)
    ledger.open_account("a", 1, **ROWS)
    running = [start(SPEND, path, "1/100", 25) for _ in range(8)]
    outputs = [process.communicate(timeout=60) for process in running]
    assert [error for _, error in outputs] == [""] * 8
    assert sum(int(paid) for paid, _ in outputs) == 100
    assert ledger.account("a").spent == 1
    assert ledger.verify() == 1 + 100 + 100


def test_processes_that_meet_at_an_empty_place_make_one_ledger(tmp_path: Path) -> None:
    path = tmp_path / "new" / "ledger.db"
    running = [start(SPEND, path, 1, 1) for _ in range(6)]
    outputs = [process.communicate(timeout=60) for process in running]
    assert [error for _, error in outputs] == [""] * 6
    assert sorted(int(paid) for paid, _ in outputs) == [0, 0, 0, 0, 0, 1]
    assert Ledger.open(path).verify() == 3
    assert {file.name for file in path.parent.iterdir()} == {"ledger.db", "ledger.db.spool"}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
@pytest.mark.parametrize(
    ("moment", "spent", "committed"),
    [
        ("before the charge is durable", 0, False),
        ("before the commit", 1, False),
        ("before the spool is named", 1, False),
        ("before the commit is durable", 1, False),
        ("at the end", 1, True),
    ],
)
def test_a_killed_publish(tmp_path: Path, moment: str, spent: int, committed: bool) -> None:
    path = tmp_path / "ledger.db"
    process = start(DIE, path, moment)
    assert (process.communicate(timeout=60)[1], process.returncode) == ("", -9)
    ledger = Ledger.open(path)
    ledger.verify()
    assert ledger.account("a").spent == spent
    if committed:
        again = ledger.begin("a", 1, **ROWS, request_id="r1")
        assert isinstance(again, Finished)
        assert again.release == b"release"
    elif spent:
        with pytest.raises(RequestConflict, match="did not finish"):
            pay(ledger, "a", request_id="r1")
        pay(ledger, "a", request_id="r2")
    else:
        pay(ledger, "a", request_id="r1")
    ledger.verify()
    assert ledger.account("a").spent == spent + (not committed)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_uses_the_ledger_of_its_parent(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "ledger.db")
    ledger.open_account("a", 1, **ROWS)
    pay(ledger, "a", "0.5")
    child = subprocess.run(
        [
            sys.executable,
            "-c",
            "import os, sys\n"
            "from hushgram.trusted.ledger import Ledger\n"
            "ledger = Ledger.open(sys.argv[1])\n"
            "ledger.accounts()\n"
            "for _ in range(4):\n"
            "    if os.fork() == 0:\n"
            "        ledger.begin('a', '1/10', unit='rows', neighbours='add-remove')\n"
            "        os._exit(0)\n"
            "assert [os.wait()[1] for _ in range(4)] == [0] * 4\n",
            str(tmp_path / "ledger.db"),
        ],
        env={**os.environ, "PYTHONPATH": SOURCE},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (child.returncode, child.stderr) == (0, "")
    assert ledger.account("a").spent == Fraction(9, 10)
    ledger.verify()
