"""The page about the ledger under fire, made of its table and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assurance.fire.campaign import BROKEN
from hushgram.base.text import markdown_table

Cells = Mapping[str, str]

INTRODUCTION = """# The ledger under stress

Made by `./hush assurance fire` from `benchmarks/results/ledger-fire.csv`. Again, in full:

<!-- not run -->
```console
$ ./hush assurance fire --kills 1000 -o ledger-fire.csv --page ledger.md
$ ./hush assurance fire --ledger postgresql://… --kills 1000 -o ledger-fire.csv --page ledger.md
```

A publish reads a Parquet file, charges an account whose cap is one such charge, draws its noise,
commits, and writes the release file. A broken promise is one of these: **unpaid**, a release, under
any name, without its charge, or a second draw for one charge; **unsound**, a ledger that does not
verify, or a sum that is wrong; **changed**, a committed request that is refused or gives other
bytes. All of them together: **{violations}**, in {kills:,} kills and all that follows. Where a
table below has fewer kills, attempts or trials than the commands make, `--minutes`, `--attempts` or
`--trials` were less. Edits and a machine in trouble were tried on files."""

KILLS = """## kill -9

Steps are the moments before and after every call of the operating system that changes files, every
call of SQLite or of PostgreSQL's driver, and every function of the ledger, of publishing and of
writing files, found by Python's hook for profilers: the product has no hook for it. One step, one
process, one `kill -9`; and then random times within a publish.

After each kill the ledger is verified, with the release if there is one, and the same request is
made again. *Nothing*: no charge was made, and the request is charged and published now.
*Forfeited*: it was charged, no release left, and it is always refused. *Same*: it was committed,
and gives the same bytes, at no cost.

A kill loses nothing that the operating system was given; a power cut may. It is not tried here:
that a charge is synced to the disk before it counts is tested with the ledger itself."""

CROWD = """## A crowd

Processes that charge one account at once. The budget covers half of all attempts. Each attempt,
also one that is refused, holds the only lock of the ledger while it reads and writes; a charge is
on disk when it returns. Times are those of a shared machine with two cores, under load. A process
that waits for SQLite has no queue: it sleeps and tries again, so the unlucky ones wait long, and
after 60 seconds a publish gives up with nothing charged (here each waits for up to 600).
PostgreSQL has a queue; its price is a connection for each charge."""

EDITS = """## Edits

What is asked is `hushgram ledger verify RELEASE` with the newest release. Cut short: the file ends
at any sixteenth. Copied back: an older copy, with the spool of then, of now, or none. Edited: each
cell of each entry. Deleted: each entry. Rewritten: all hashes and sums are recomputed, by somebody
who takes away the newest charge, its commit, a whole account, or raises caps; only the receipt in
the release can tell. Bit flipped: random bits, after which the ledger must be found unsound or be
unchanged in meaning. Nothing: a sound ledger must be found sound."""

TROUBLES = """## A machine in trouble

Full disk: from some step of a publish on, no file can be written (`RLIMIT_FSIZE`, where a write
fails as on a full disk, by another error number). Read-only: the
ledger's file, or its folder too. Clock: every entry is a day before the last. *Clean refusals*
counts publishes that ended with one of Hushgram's own errors; any other error would have ended this
command. The result is judged as after a kill."""

FOUND = """## What it found

Deleting the last entry of the book, the commit of the newest release, went unnoticed: the charge
was still there, and a release that lies in the spool before its commit is nothing unusual. Nothing
could be spent twice, but a copy from that moment passed for the newest. `hushgram ledger verify
RELEASE` now insists that a release that has left was committed."""


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
    """A line for each store and case, a column for each measure."""
    measures = list(dict.fromkeys(row["measure"] for row in rows))
    cells = {(row["store"], row["case"], row["measure"]): row["value"] for row in rows}
    lines = dict.fromkeys((row["store"], row["case"]) for row in rows)
    table = [(*line, *(number(cells.get((*line, one), "")) for one in measures)) for line in lines]
    return markdown_table(("store", "case", *measures), table)


def number(text: str) -> str:
    return f"{int(text):,}" if text.isdigit() else text
