"""A ledger file with two names: its locks belong to the file, whatever it is called."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import hushgram.errors
from hushgram.errors import LedgerError
from hushgram.trusted.ledger import Ledger

SOURCE = str(Path(hushgram.errors.__file__).parents[1])
AFFORDABLE = 100

MOUNT = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" "$1" && shift && exec "$@"']
"""What follows, with a file mounted over another: sees it as a container would."""

SPEND = """
import sys
from hushgram.errors import BudgetExceeded, LedgerError
from hushgram.trusted.ledger import Ledger
from hushgram.trusted.ledger.sqlite import store
place, attempts, refusing = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "refusing"
if not refusing:
    store.refuse_other_names = lambda path: None
paid = 0
try:
    ledger = Ledger.open(place)
    for _ in range(attempts):
        try:
            ledger.begin("a", "1/100", unit="rows", neighbours="add-remove")
            paid += 1
        except BudgetExceeded:
            pass
except LedgerError as error:
    assert "name" in str(error) or "mount" in str(error), error
sys.stdout.write(str(paid))
"""


def crowd(places: Sequence[Path], *, refusing: bool, mounting: Path | None = None) -> int:
    """How often four processes could pay, taking turns through the names.

    Where a file is to be mounted at the names, each process does so for itself, like a container.
    """
    told = "refusing" if refusing else "not refusing"
    running = []
    for turn in range(4):
        place = str(places[turn % len(places)])
        mount = [] if mounting is None else [*MOUNT, str(mounting), place]
        running.append(
            subprocess.Popen(
                [*mount, sys.executable, "-c", SPEND, place, "60", told],
                env={**os.environ, "PYTHONPATH": SOURCE},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
    ended = [process.communicate(timeout=300) for process in running]
    assert [error for _, error in ended] == [""] * 4
    return sum(int(paid) for paid, _ in ended)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A ledger whose account can pay a hundred times."""
    made = tmp_path / "here" / "ledger.db"
    Ledger.open(made).open_account("a", 1)
    return made


@pytest.fixture
def second_name(file: Path, tmp_path: Path) -> Path:
    other = tmp_path / "there" / "other.db"
    other.parent.mkdir()
    other.hardlink_to(file)
    return other


@pytest.fixture
def mounts(file: Path, tmp_path: Path) -> list[Path]:
    """Two files over which a process may mount the ledger."""
    places = [tmp_path / folder / "my ledger.db" for folder in ("one", "two")]
    for place in places:
        place.parent.mkdir()
        place.touch()
    tried = [*MOUNT, str(file), str(places[0]), "true"]
    if shutil.which("unshare") is None or subprocess.run(tried, capture_output=True).returncode:
        pytest.skip("this machine does not let us mount files (unshare --mount, mount --bind)")
    return places


def check_the_cap_held(file: Path) -> None:
    book = Ledger.open(file)
    assert book.account("a").spent == 1
    assert book.verify() == 1 + AFFORDABLE


def test_a_crowd_through_two_hard_links_stops_at_the_cap(file: Path, second_name: Path) -> None:
    assert crowd([file, second_name], refusing=False) == AFFORDABLE
    second_name.unlink()
    check_the_cap_held(file)


def test_a_crowd_through_two_mounts_of_the_file_stops_at_the_cap(
    file: Path, mounts: list[Path]
) -> None:
    assert crowd(mounts, refusing=False, mounting=file) == AFFORDABLE
    check_the_cap_held(file)


def test_a_ledger_with_two_names_pays_nobody(file: Path, second_name: Path) -> None:
    assert crowd([file, second_name], refusing=True) == 0
    for name in (file, second_name):
        with pytest.raises(LedgerError, match=r"has 2 names \(hard links\).*Keep one name"):
            Ledger.open(name)
    second_name.unlink()
    assert Ledger.open(file).account("a").spent == 0


def test_a_ledger_that_is_mounted_as_a_file_pays_nobody(file: Path, mounts: list[Path]) -> None:
    assert crowd(mounts, refusing=True, mounting=file) == 0
    assert Ledger.open(file).account("a").spent == 0


def test_a_name_that_is_given_later_is_noticed_before_the_next_charge(
    file: Path, tmp_path: Path
) -> None:
    book = Ledger.open(file)
    other = tmp_path / "other.db"
    other.hardlink_to(file)
    with pytest.raises(LedgerError, match="Keep one name"):
        book.begin("a", "0.5", unit="rows", neighbours="add-remove")
    other.unlink()
    assert book.account("a").spent == 0


def test_a_folder_under_two_names_is_one_place(file: Path, tmp_path: Path) -> None:
    """Through a linked folder everybody sees the same journal and spool."""
    (tmp_path / "link").symlink_to(file.parent)
    assert crowd([file, tmp_path / "link" / "ledger.db"], refusing=True) == AFFORDABLE
    check_the_cap_held(file)
