"""Write the page about the ledger under stress, from its CSV file alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assurance.fire.campaign import BROKEN
from hushgram.base.text import markdown_table

Cells = Mapping[str, str]

INTRODUCTION = """# The ledger under stress

Made by `./hush assurance fire` from `benchmarks/results/ledger-fire.csv`. To repeat it in full:

<!-- not run -->
```console
$ ./hush assurance fire --kills 1000 -o ledger-fire.csv --page ledger.md
$ ./hush assurance fire --ledger postgresql://… --kills 1000 -o ledger-fire.csv --page ledger.md
```

A publish reads a Parquet file, charges an account whose cap is one such charge, draws its noise,
commits, and writes the release file. There are three kinds of broken promises: **unpaid**, a
release under any name without its charge, or a second draw for one charge; **unsound**, a ledger
that does not verify, or a wrong sum; **changed**, a committed request that is refused or gives
different bytes. All of them together: **{violations}**, in {kills:,} kills and all that follows. If
a table below has fewer kills, attempts or trials than the commands make, `--minutes`,
`--attempts` or `--trials` were smaller. Edits and machine trouble were tried with files only."""

KILLS = """## kill -9

Steps are the moments before and after every system call that changes files, every call to SQLite
or to PostgreSQL's driver, and every function that belongs to the ledger, to publishing or to
writing files. They are found with Python's profiling hook, so the product itself needs no hook.
Each step gets one process and one `kill -9`; more kills come at random times within a publish.

After each kill, the ledger is verified, together with the release if there is one, and the same
request is repeated. *Nothing*: no charge was made, and the request is charged and published now.
*Forfeited*: it was charged, no release left, and it is always refused. *Same*: it was committed,
and gives the same bytes at no cost.

A kill loses nothing that the operating system has received, but a power cut may. Power cuts are
not tried here; the tests of the ledger check that a charge is synced to disk before it counts."""

CROWD = """## A crowd

Many processes charge one account at the same time. The budget covers half of all attempts. Each
attempt, even one that is refused, holds the ledger's only lock while it reads and writes; a charge
is on disk when it returns. Times are from a shared machine with two cores, under load. SQLite has
no queue for waiting processes: they sleep and try again, so unlucky ones wait long, and after 60
seconds a publish gives up with nothing charged (here each waits for up to 600). PostgreSQL has a
queue, at the price of a connection for each charge."""

EDITS = """## Edits

Each edit is followed by `hushgram ledger verify RELEASE` with the newest release. Cut short: the
file ends at one of its sixteenths. Copied back: an older copy, with the old spool, the current one,
or none. Edited: each cell of each entry. Deleted: each entry. Rewritten: somebody removes the
newest charge, its commit or a whole account, or raises caps, and recomputes all hashes and sums;
only the receipt in the release can reveal it. Bit flipped: random bits, after which the ledger must
be reported as damaged or have the same meaning as before. Nothing: an intact ledger, which must
verify."""

TROUBLES = """## A machine in trouble

Full disk: from some step of a publish onwards, no file can be written (`RLIMIT_FSIZE`, which makes
writes fail as on a full disk, but with another error number). Read-only: the ledger's file, or also
its folder. Clock: every entry is dated a day before the previous one. *Clean refusals* counts
publishes that ended with one of Hushgram's own errors; any other error would have ended this
command. The outcome is judged as after a kill."""

FOUND = """## What it found

Deleting the last entry of the ledger, the commit of the newest release, went unnoticed: the charge
was still there, and a release in the spool before its commit is nothing unusual. Nothing could be
spent twice, but a copy from that moment passed as the newest. `hushgram ledger verify RELEASE` now
requires that a release that was handed out has been committed."""


def markdown(rows: Sequence[Cells]) -> str:
    broken = [int(row["value"]) for row in rows if row["measure"] in BROKEN]
    kills = sum(int(row["value"]) for row in rows if row["measure"] == "kills")
    parts = [INTRODUCTION.format(violations=sum(broken), kills=kills)]
    for part, about in (
        ("kills", KILLS),
        ("crowd", CROWD),
        ("edits", EDITS),
        ("troubles", TROUBLES),
    ):
        some = [row for row in rows if row["part"] == part]
        if some:
            parts += [about, pivot(some)]
    return "\n\n".join([*parts, FOUND]) + "\n"


def pivot(rows: Sequence[Cells]) -> str:
    """Return a table with a line for each store and case, and a column for each measure."""
    measures = list(dict.fromkeys(row["measure"] for row in rows))
    cells = {(row["store"], row["case"], row["measure"]): row["value"] for row in rows}
    lines = dict.fromkeys((row["store"], row["case"]) for row in rows)
    table = [(*line, *(number(cells.get((*line, one), "")) for one in measures)) for line in lines]
    return markdown_table(("store", "case", *measures), table)


def number(text: str) -> str:
    return f"{int(text):,}" if text.isdigit() else text
