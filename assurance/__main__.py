"""``./hush assurance``: campaigns against Hushgram itself. NONPRIVATE."""

from __future__ import annotations

import sys

import typer

from assurance.cli.audit import audit
from assurance.cli.fire import fire
from assurance.cli.fuzz import fuzz
from assurance.cli.planted import plant_bugs
from assurance.cli.replay import replay
from hushgram.cli.running import run

app = typer.Typer(
    help="Campaigns against Hushgram itself. NONPRIVATE: they see true numbers.\n\n"
    "\b\nExample:\n  ./hush assurance planted\n  ./hush assurance replay --pairs 100\n"
    "  ./hush assurance fire --kills 100\n  ./hush assurance fuzz plan --trials 200\n"
    "  ./hush assurance audit --minutes 60",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("planted")(plant_bugs)
app.command("replay")(replay)
app.command("fire")(fire)
app.command("fuzz")(fuzz)
app.command("audit")(audit)

if __name__ == "__main__":
    run(app, sys.argv[1:], "./hush assurance")
