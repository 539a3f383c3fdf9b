"""``hushgram publish --plan``: many releases of one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hushgram.base.text import align_columns
from hushgram.cli.account import account_json, account_text, spend
from hushgram.cli.inside import inside_json, inside_text
from hushgram.cli.options import OutputOptions, PaymentOptions
from hushgram.cli.output import PROGRAM, show
from hushgram.cli.write import write_releases

if TYPE_CHECKING:
    from hushgram.declare.about import About
    from hushgram.declare.source import Source
    from hushgram.release import Release
    from hushgram.spending.plan import Output, Plan, Planned
    from hushgram.trusted.ledger.opening import Opening


def publish_plan(
    source: Source,
    file: Path,
    payment: PaymentOptions,
    output: OutputOptions,
    about: About,
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Publish the releases of a plan into a folder, or only show what would be published."""
    from hushgram.base.files import check_writable
    from hushgram.spending.plan import Plan
    from hushgram.spending.publish_plan import publish_plan as run

    key = output.open_key()
    plan = Plan.load(file)
    folder = output.output or Path(payment.account)
    targets = files(plan, folder)
    if dry_run:
        preview(plan, targets, payment.account, as_json=as_json)
        return
    make_folder(folder)
    for target in targets.values():
        check_writable(target, overwrite=output.force)
    releases, opening = spend(lambda: run(source, plan, about=about, **payment.keywords()))
    written = {targets[name]: release for name, release in releases.items()}
    write_releases(written, payment, output, key)
    report(
        plan, releases, targets, account_json(payment.account, opening), opening, as_json=as_json
    )


def files(plan: Plan, folder: Path) -> dict[str, Path]:
    """Return the file of each release."""
    return {output.name: folder / f"{output.name}.hush.parquet" for output in plan.outputs()}


def make_folder(folder: Path) -> None:
    from hushgram.errors import OutputError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"Cannot use {folder} as a folder: {reason}.") from None


def preview(plan: Plan, targets: Mapping[str, Path], account: str, *, as_json: bool) -> None:
    """Show what would be spent and written. Neither the table nor the ledger is opened."""
    from hushgram.base.exact import format_number as plain

    lines: list[dict[str, Any]] = [
        {
            "release": str(targets[output.name]),
            "where": output.where,
            "mechanism": one.mechanism.name,
            "epsilon": plain(one.budget),
            "exists": targets[output.name].exists(),
        }
        for one, output in each_output(plan)
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
    text = align_columns(rows, heads=("release", "epsilon", "mechanism", "rows")) + (
        "\n"
        "\n"
        f"Would charge {data['epsilon']} to account {account}, once for all releases. "
        f"Protects {data['unit']}, {plan.neighbours}.\n"
        "Dry run: nothing was opened, spent or written."
    )
    show(data, text, as_json=as_json)


def each_output(plan: Plan) -> Iterator[tuple[Planned, Output]]:
    """Yield each planned release with each of its outputs."""
    outputs = iter(plan.outputs())
    for one in plan.releases:
        for _ in one.keys or (None,):
            yield one, next(outputs)


def report(
    plan: Plan,
    releases: Mapping[str, Release],
    targets: Mapping[str, Path],
    account: dict[str, Any],
    opening: Opening | None,
    *,
    as_json: bool,
) -> None:
    from hushgram.base.exact import format_number as plain

    lines: list[dict[str, Any]] = [
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
    data = {**account, "epsilon": plain(plan.epsilon), "releases": lines}
    rows = [
        (line["release"], line["epsilon"], line["mechanism"], f"{line['parts']:,}", line["where"])
        for line in lines
    ]
    text = (
        align_columns(rows, heads=("release", "epsilon", "mechanism", "parts", "rows"))
        + "\n\n"
        + "\n".join(f"{name}: {inside_text(release)}" for name, release in releases.items())
        + (
            "\n"
            "\n"
            f"Charged {data['epsilon']} once.\n"
            f"{account_text(account, opening)}\n"
            f"Query them with: {PROGRAM} count {lines[0]['release']}"
        )
    )
    show(data, text, as_json=as_json)
