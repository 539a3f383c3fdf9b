"""``hushgram demo``: the main job on bundled data."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated, Any

import typer

from hushgram.cli.output import PROGRAM, Json, show

QUESTIONS = {
    "Western Europe": {"lon": (-10, 15), "lat": (36, 60)},
    "India": {"lon": (68, 90), "lat": (8, 30)},
    "Japan": {"lon": (129, 146), "lat": (30, 46)},
    "Open Atlantic": {"lon": (-40, -30), "lat": (0, 30)},
}


PICTURE = "places.png"
PAGE = "places.html"
LEDGER = "demo-ledger.db"
"""Not ``ledger.db``: a demo must not delete a ledger that is in use."""


def add_to(app: typer.Typer) -> None:
    app.command("demo")(demo)


def demo(
    folder: Annotated[Path, typer.Option("--folder", help="Folder for the release.")] = Path(
        "hushgram-demo"
    ),
    epsilon: Annotated[
        str, typer.Option("--epsilon", "-e", help="Privacy budget, e.g. 1, 0.1 or 1/3.")
    ] = "1",
    as_json: Json = False,
) -> None:
    """Publish a bundled table and query the release.

    The table has 69,472 places of the world.

    \b
    Example:
      hushgram demo
    """
    import hushgram as hg
    from hushgram.cli.account import opening_json, opening_text, spend
    from hushgram.data import places
    from hushgram.errors import BudgetExceeded

    clear_folder(folder)
    source = places()
    domain = hg.Domain(lon=hg.Regular(360, -180, 180), lat=hg.Regular(135, -60, 75))
    ledger = hg.Ledger.open(folder / LEDGER)
    release, opening = spend(
        lambda: hg.publish(
            source, domain, epsilon=epsilon, account="places", cap=epsilon, ledger=ledger
        )
    )
    target = folder / "places.hush.parquet"
    release.save(target)

    loaded = hg.load(target)
    picture = draw(loaded, folder / PICTURE)
    page = folder / PAGE
    loaded.explore(page, title="Places of the world", file=target.name)
    answers = {name: loaded.count(box) for name, box in QUESTIONS.items()}
    try:
        hg.publish(source, domain, epsilon=epsilon, account="places", ledger=ledger)
        refusal = ""
    except BudgetExceeded as error:
        refusal = error.reason  # without the hint to raise the cap
    data = {
        "release": str(target),
        "picture": picture,
        "page": str(page),
        "answers": {name: [a.value, *a.interval] for name, a in answers.items()},
        "second_publish": refusal,
        "new_account": opening and opening_json(opening),
    }
    account = opening_text(opening) if opening else ""
    text = demo_text(loaded, answers, refusal, target, picture, page, account)
    show(data, text, as_json=as_json)


def draw(release: Any, path: Path) -> str | None:
    """Draw the map, if matplotlib is installed."""
    from hushgram.errors import MissingExtra

    try:
        release.plot(path, title="Places of the world per square degree, noise included")
    except MissingExtra:
        return None
    return str(path)


def clear_folder(folder: Path) -> None:
    """Create the folder, and delete the files of an earlier demo. Other files stay."""
    from hushgram.errors import OutputError

    try:
        for name in ("places.hush.parquet", PICTURE, PAGE, LEDGER, f"{LEDGER}-journal"):
            (folder / name).unlink(missing_ok=True)
        shutil.rmtree(folder / f"{LEDGER}.spool", ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"Cannot write to {folder}: {error.strerror}.") from None


def demo_text(
    release: Any,
    answers: dict[str, Any],
    refusal: str,
    target: Path,
    picture: str | None,
    page: Path,
    account: str,
) -> str:
    width = max(map(len, answers))
    lines = [
        "Published 69,472 places in one-degree cells, with differential privacy.",
        f"{release!r}",
        account,
        "",
        "How many places are there in … (asked from the saved release, with error bars)",
        *(f"  {name.ljust(width)}  {answer}" for name, answer in answers.items()),
        "",
        "Publishing again is refused, because the budget is spent:",
        f"  {refusal}",
        "",
        f"Map as a picture: {picture or 'not drawn (needs matplotlib: pip install matplotlib)'}",
        f"Release: {target}. Query it with:",
        f"  {PROGRAM} count {target} lon=-10:15 lat=36:60",
        "",
        f"Open this page in a browser to explore the release: {page}",
        f"Publish a table of your own on a page: {PROGRAM} studio",
    ]
    return "\n".join(lines)
