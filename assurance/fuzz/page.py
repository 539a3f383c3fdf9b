"""Write the page about fuzzing, from its CSV file and the list of fixes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assurance.fuzz.fixed import FIXED
from hushgram.base.text import markdown_table

ABOUT = """# Fuzzing

Made by `./hush assurance fuzz --corpus tests/fuzz/corpus -o fuzz.csv --page fuzz.md`; the
numbers are in `benchmarks/results/fuzz.csv`, one row for each run and target. Another run starts
from the saved inputs, draws new ones, and adds its rows to the CSV.

Valid inputs are corrupted and passed to the program, command by command, in a process that may
crash: the same `main` that the shell calls, with an empty folder, a fresh ledger and no
terminal. Everything on its two output streams is checked as a user would see it.

{mutated}

**What is a finding**: an exception or a traceback that reaches the user; an exit code that is
neither 0 nor 2; a refusal of more than one line or 2,000 characters; a warning; a control character
that affects the terminal; death by a signal; a run of more than a minute; a gigabyte of memory
beyond what the process had; a charge for something that was refused; a trace of the table's private
cells in any output or release; a release that is accepted although its seal does not match; a
changed ledger that verifies; an engine that fails on a valid file, because a single value of one
person could then make it fail.

**What guides it**: an input joins the pool if its command ends in a new way (exit code, error,
where it was raised, the message without its numbers and names), or if it reaches lines of Hushgram
that no other input has reached. Lines are traced in one trial out of ten.

**{trials:,} trials in {hours:.2f} hours of the processor, {findings} findings{since}.** The
time is that of the processes that run trials, as the system reports it when they end. The *longest
trial* is measured by the clock of a shared machine; in run 3 it includes a pause of the run."""

SPOILT = [
    ("csv", "bytes, fields, lines, the header",
     "publish, median, find-bounds, find-max-rows; with people, conditions, dates"),
    ("parquet", "bytes, most of them near the footer and the first page; and valid files of any "
     "type, including nested ones, with extreme values, in every compression, page version and "
     "metadata",
     "the same"),
    ("release", "bytes; and forged descriptions and counts under a matching seal, so that the "
     "code behind the check of the seal is reached",
     "show, count, explain, quantile, marginal, sql, sample, export, blocks, report, verify"),
    ("forged", "releases of every mechanism and kind of axis, and views of them, taken apart and "
     "sealed again: levels swapped; parts moved, lost or repeated; bounds off by one; groups, "
     "sides and whole arrays of another release; another inference; axes at the limits of "
     "numbers and dates; variances, types, views of views, duplicate keys",
     "every query of the library, from count to report, one after the other"),
    ("ledger", "bytes of the file; rows, fields and tables by SQL, bypassing the triggers",
     "ledger show, verify, set-cap; publish, also with a request that was already paid"),
    ("arguments", "arguments of every command, from the program's own list of options", "that "
                                                                                        "command"),
    ("domain", "JSON trees and text", "`Domain.from_json` and back; a forged release"),
    ("plan", "TOML text and bytes", "publish --plan, with and without --dry-run"),
]  # fmt: skip

NOT = """## What is not claimed

- Fuzzing shows the presence of faults. An hour of it is not a proof, and a target with few trials
  is little more than a test.
- Third-party code (Arrow, DuckDB, SQLite) is reached but not instrumented: a fault in it that
neither crashes nor changes the output is not noticed.
- For `lab` and `demo`, only the arguments are fuzzed, not the work itself. Arguments with a path
  out of the trial's folder, and addresses of servers other than a closed port, are left out.
- Large domains need a lot of memory. Unless they are refused, the sizes drawn here end at two
  million bins.
- A Parquet file with broken pages is noticed only when it is counted, after the charge: the engine
  fails, and the charge is forfeited. Reading the pages before the charge would mean looking at
  private values that nobody has paid for.
- A forged release whose pieces fit together is accepted and answers with the numbers it was given:
  false numbers look like true ones. Only a [signature](README.md#signed-releases) shows who wrote a
  file.
- Files named as keys or signers are not corrupted.
- Fuzzing runs on Linux only."""


def markdown(rows: Sequence[Mapping[str, Any]]) -> str:
    trials = sum(int(row["trials"]) for row in rows)
    last = str(max(int(row["run"]) for row in rows))
    findings = sum(int(row["findings"]) for row in rows)
    now = sum(int(row["findings"]) for row in rows if row["run"] == last)
    about = ABOUT.format(
        mutated=markdown_table(("target", "what is corrupted", "what reads it"), SPOILT),
        trials=trials,
        hours=sum(float(row["cpu_seconds"]) for row in rows) / 3600,
        findings=findings,
        since=f", of which {now} in the last run" if findings else "",
    )
    return "\n\n".join((about, totals(rows), fixed_section(), NOT)) + "\n"


def totals(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a table with the totals of each target."""
    heads = ("target", "trials", "CPU seconds", "inputs in the pool", "outcomes", "lines reached",
             "findings", "longest trial, s", "most memory, MB")  # fmt: skip
    lines = []
    for target in dict.fromkeys(str(row["target"]) for row in rows):
        some = [row for row in rows if row["target"] == target]
        lines.append([
            target,
            f"{sum(int(row['trials']) for row in some):,}",
            f"{sum(float(row['cpu_seconds']) for row in some):,.0f}",
            *(f"{max(int(row[name]) for row in some):,}" for name in ("kept", "outcomes", "lines")),
            str(sum(int(row["findings"]) for row in some)),
            f"{max(float(row['longest_seconds']) for row in some):.1f}",
            str(max(int(row["peak_mb"]) for row in some)),
        ])  # fmt: skip
    return markdown_table(heads, lines)


def fixed_section() -> str:
    table = markdown_table(("target", "what was found", "what was done"), FIXED)
    about = "Each input is kept in `tests/fuzz/corpus`, and `./hush test` replays all of them."
    return f"## Found and fixed\n\n{about}\n\n{table}"
