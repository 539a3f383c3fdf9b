"""``hushgram publish --plan``: many releases of one table."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hushgram.base.text import aligned
from hushgram.cli.account import announced, rest_of, told
from hushgram.cli.inside import inside_json, inside_text
from hushgram.cli.output import PROGRAM, show


def publish_plan(
    source: Any,
    file: Path,
    *,
    account: str,
    folder: Path | None,
    key: Any,
    force: bool,
    request: str | None,
    dry_run: bool,
    as_json: bool,
    **more: Any,
) -> None:
    """Publish what a plan names into a folder, or only say what it would do."""
    from hushgram.base.files import check_writable
    from hushgram.spending.plan import Plan
    from hushgram.spending.publish_plan import publish_plan as run

    plan = Plan.load(file)
    targets = files(plan, folder or Path(account))
    if dry_run:
        preview(plan, targets, account, as_json=as_json)
        return
    prepare(folder or Path(account))
    for target in targets.values():
        check_writable(target, overwrite=force)
    ticket = request or secrets.token_hex(8)
    releases, opening = announced(run, source, plan, account=account, request=ticket, **more)
    save_all(releases, targets, ticket, key=key, overwrite=force)
    report(plan, releases, targets, account, opening, as_json=as_json)


def files(plan: Any, folder: Path) -> dict[str, Path]:
    """Each release's file."""
    return {output.name: folder / f"{output.name}.hush.parquet" for output in plan.outputs()}


def prepare(folder: Path) -> None:
    from hushgram.errors import OutputError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"{folder} cannot be used as a folder: {reason}.") from None


def save_all(
    releases: Mapping[str, Any],
    targets: Mapping[str, Path],
    ticket: str,
    *,
    key: Any,
    overwrite: bool,
) -> None:
    """Write the releases. They are paid for by now, so a full disk must not be the end of them."""
    from hushgram.cli.publish import write
    from hushgram.errors import OutputError

    for name, release in releases.items():
        try:
            write(release, targets[name], key=key, overwrite=overwrite)
        except OutputError as error:
            raise OutputError(
                f"{error} The releases are paid for and kept: repeat the command with another "
                f"--output and --request {ticket}, which is free."
            ) from None


def preview(plan: Any, targets: Mapping[str, Path], account: str, *, as_json: bool) -> None:
    """What would be spent and written. Neither the table nor the ledger is opened."""
    from hushgram.base.exact import format_number as plain

    lines = [
        {
            "release": str(targets[output.name]),
            "where": output.where,
            "mechanism": one.mechanism.name,
            "epsilon": plain(one.epsilon),
            "exists": targets[output.name].exists(),
        }
        for one, output in paired(plan)
    ]
    data = {
        "account": account,
        "epsilon": plain(plan.epsilon),
        "unit": str(plan.unit),
        "neighbours": plan.neighbours,
        "releases": lines,
    }
    rows = [
        (
            line["release"], line["epsilon"], line["mechanism"],
            f"{line['where']}{' (exists)' if line['exists'] else ''}",
        )
        for line in lines
    ]  # fmt: skip
    text = (
        aligned(rows, heads=("release", "epsilon", "mechanism", "rows"))
        + f"\n\nWould charge {account} epsilon {data['epsilon']} once, for all of it; protects "
        f"{data['unit']}, {plan.neighbours}.\nNothing was opened, spent or written."
    )
    show(data, text, as_json=as_json)


def paired(plan: Any) -> Iterator[tuple[Any, Any]]:
    """What is planned, with each of its outputs."""
    outputs = iter(plan.outputs())
    for one in plan.releases:
        for _ in one.keys or (None,):
            yield one, next(outputs)


def report(
    plan: Any,
    releases: Mapping[str, Any],
    targets: Mapping[str, Path],
    account: str,
    opening: Any,
    *,
    as_json: bool,
) -> None:
    from hushgram.base.exact import format_number as plain

    rest = rest_of(account, opening)
    lines = [
        {
            "release": str(targets[name]),
            "where": release.where,
            "mechanism": release.mechanism,
            "epsilon": plain(release.epsilon),
            "parts": release.estimate.partition.size,
            "rows_inside": inside_json(release),
        }
        for name, release in releases.items()
    ]
    data = {**rest, "epsilon": plain(plan.epsilon), "releases": lines}
    rows = [
        (line["release"], line["epsilon"], line["mechanism"], f"{line['parts']:,}", line["where"])
        for line in lines
    ]
    text = (
        aligned(rows, heads=("release", "epsilon", "mechanism", "parts", "rows"))
        + "\n\n"
        + "\n".join(f"{name}: {inside_text(release)}" for name, release in releases.items())
        + f"\n\nCharged {data['epsilon']} once.\n{told(rest, opening)}\n"
        f"Ask them: {PROGRAM} count {lines[0]['release']}"
    )
    show(data, text, as_json=as_json)
