"""``hushgram keys`` and ``hushgram sign``: releases that carry the steward's signature."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from hushgram.cli.ask import ReleaseFile
from hushgram.cli.output import Json, show
from hushgram.errors import BadInput

VARIABLE = "HUSHGRAM_PASSPHRASE"

KeyFile = Annotated[Path, typer.Argument(help="The private key's file.", metavar="KEYFILE")]


def add_to(app: typer.Typer) -> None:
    keys = typer.Typer(
        help="Make a key to sign releases with, and see its public half.\n\n"
        "\b\nExample:\n  hushgram keys new steward.key",
        rich_markup_mode=None,
    )
    keys.command("new")(new)
    keys.command("show")(public)
    app.add_typer(keys, name="keys")
    app.command("sign")(sign)


def new(
    key: KeyFile,
    passphrase: Annotated[
        bool, typer.Option("--passphrase", help=f"Ask for one, unless {VARIABLE} holds it.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Make a key: KEYFILE, which only its owner may read, and KEYFILE.pub, to hand on.

    \b
    Example:
      hushgram keys new steward.key --passphrase
    """
    from hushgram.release.signing import beside, new_key

    words = os.environ.get(VARIABLE) or (ask_passphrase(key, confirm=True) if passphrase else None)
    made = new_key(key, words)
    data = {"key": str(key), "file": str(beside(key)), "public": made}
    text = (
        f"Private key: {key} (keep it to yourself, and keep a copy of it)\n"
        f"Public key:  {made}, also in {beside(key)}"
    )
    show(data, text, as_json=as_json)


def public(key: KeyFile, as_json: Json = False) -> None:
    """Print the public half of a key; either half's file will do.

    \b
    Example:
      hushgram keys show steward.key
    """
    from hushgram.release.signing import as_signer, public_text

    text = as_signer(key) if key.suffix == ".pub" else public_text(open_key(key))
    show({"key": str(key), "public": text}, text, as_json=as_json)


def sign(
    release: ReleaseFile,
    key: Annotated[Path, typer.Option("--key", help="The private key's file.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Default: the release itself.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the output.")] = False,
    as_json: Json = False,
) -> None:
    """Sign a release, in place or into another file; a signature that it has is replaced.

    Readers check it with --signer, or with load(path, signer=...) in Python.

    \b
    Example:
      hushgram sign checkins.hush.parquet --key steward.key
    """
    from hushgram.base.files import write_new
    from hushgram.release import load
    from hushgram.release.signing import public_text, sign_release

    found, private = load(release), open_key(key)
    target = output or release
    write_new(target, sign_release(found, private), overwrite=force or output is None)
    data = {"release": str(target), "public": public_text(private)}
    show(data, f"Signed: {target}, by {data['public']}", as_json=as_json)


def open_key(key: Path) -> Any:
    """A private key, with its passphrase from the environment or from whoever sits there."""
    from hushgram.release.signing import needs_passphrase, read_key

    words = None
    if needs_passphrase(key):
        words = os.environ.get(VARIABLE) or ask_passphrase(key)
    return read_key(key, words)


def ask_passphrase(key: Path, *, confirm: bool = False) -> str:
    if not sys.stdin.isatty():
        raise BadInput(
            f"{key} needs a passphrase, and there is no terminal to ask at: set {VARIABLE}."
        )
    words: str = typer.prompt(
        f"Passphrase of {key}", hide_input=True, confirmation_prompt=confirm, err=True
    )
    return words
