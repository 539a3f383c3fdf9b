"""``hushgram keys`` and ``hushgram sign``: signing keys and signed releases."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from hushgram.cli.output import Json, show
from hushgram.cli.parameters import ReleaseFile
from hushgram.errors import BadInput

VARIABLE = "HUSHGRAM_PASSPHRASE"

KeyFile = Annotated[Path, typer.Argument(help="File of the private key.")]


def add_to(app: typer.Typer) -> None:
    keys = typer.Typer(
        help="Create a key for signing releases, or show one.\n\n"
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
        bool,
        typer.Option(
            "--passphrase",
            help=f"Protect the key with a passphrase: asks for it, or reads {VARIABLE}.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Create a key pair: the private KEYFILE, readable only by you, and the public KEYFILE.pub.

    \b
    Example:
      hushgram keys new steward.key --passphrase
    """
    from hushgram.release.signing import new_key, public_file

    secret = os.environ.get(VARIABLE) or (ask_passphrase(key, confirm=True) if passphrase else None)
    made = new_key(key, secret)
    data = {"key": str(key), "file": str(public_file(key)), "public": made}
    text = (
        f"Private key: {key} (keep it secret, and keep a backup)\n"
        f"Public key:  {made}, also in {public_file(key)}"
    )
    show(data, text, as_json=as_json)


def public(key: KeyFile, as_json: Json = False) -> None:
    """Print the public key, from either file of a key pair.

    \b
    Example:
      hushgram keys show steward.key
    """
    from hushgram.release.signing import as_signer, public_text

    text = as_signer(key) if key.suffix == ".pub" else public_text(open_key(key))
    show({"key": str(key), "public": text}, text, as_json=as_json)


def sign(
    release: ReleaseFile,
    key: Annotated[Path, typer.Option("--key", help="File of the private key.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write. Default: sign in place.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
    as_json: Json = False,
) -> None:
    """Sign a release, in place or to another file. Replaces an existing signature.

    Readers verify it with --signer, or with load(path, signer=...) in Python.

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
    show(data, f"Signed {target} with the key {data['public']}.", as_json=as_json)


def open_key(key: Path) -> Any:
    """Read a private key. Its passphrase comes from the environment or from a prompt."""
    from hushgram.release.signing import needs_passphrase, read_key

    passphrase = None
    if needs_passphrase(key):
        passphrase = os.environ.get(VARIABLE) or ask_passphrase(key)
    return read_key(key, passphrase)


def ask_passphrase(key: Path, *, confirm: bool = False) -> str:
    if not sys.stdin.isatty():
        raise BadInput(
            f"{key} needs a passphrase, but there is no terminal to ask for it. Set the "
            f"environment variable {VARIABLE}."
        )
    passphrase: str = typer.prompt(
        f"Passphrase of {key}", hide_input=True, confirmation_prompt=confirm, err=True
    )
    return passphrase
