"""``hushgram blocks``: which parts of two releases can contain the same people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hushgram.cli.output import Json, show
from hushgram.cli.parameters import Force, ReleaseFile, Signer
from hushgram.cli.view import Output


def add_to(app: typer.Typer) -> None:
    app.command("blocks")(blocks)


def blocks(
    release: ReleaseFile,
    other: Annotated[Path, typer.Argument(help="Release of the other party.")],
    output: Output,
    shared: Annotated[
        bool, typer.Option("--shared", help="Use the blocks of the first release for both parties.")
    ] = False,
    margin: Annotated[
        float,
        typer.Option(
            help="Safety margin added to each block size, in standard deviations of the noise."
        ),
    ] = 2.0,
    signer: Signer = None,
    other_signer: Annotated[
        str | None,
        typer.Option(
            help="Fail unless the other release is signed with this public key (or .pub file)."
        ),
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Find the blocks to compare for record linkage.

    Writes pairs of blocks as Parquet. Costs
    nothing.

    \b
    Example:
      hushgram blocks ours.hush.parquet theirs.hush.parquet -o pairs.parquet
      hushgram blocks ours.hush.parquet theirs.hush.parquet -o pairs.parquet \\
        --signer our.key.pub --other-signer their.key.pub
    """
    import io

    import pyarrow.parquet as pq

    from hushgram.answers.learning.blocking import match_blocks
    from hushgram.base.files import check_format, check_writable, write_new
    from hushgram.release import load

    check_format(output, "a table of pairs")
    check_writable(output, overwrite=force)
    ours, theirs = load(release, signer=signer), load(other, signer=other_signer)
    matched = match_blocks(ours, theirs, shared=shared, margin=margin)
    buffer = io.BytesIO()
    pq.write_table(matched.to_arrow(), buffer, compression="zstd")
    write_new(output, buffer.getvalue(), overwrite=force)
    data = {
        "file": str(output),
        "pairs": len(matched.pairs),
        "comparisons": matched.comparisons,
        "reduction_ratio": matched.reduction_ratio,
    }
    text = (
        f"Wrote {output}: {len(matched.pairs):,} pairs of blocks.\n"
        f"{matched.comparisons:,} pairs of records to compare, about "
        f"{100 * matched.reduction_ratio:.1f} % fewer than all pairs."
    )
    show(data, text, as_json=as_json)
