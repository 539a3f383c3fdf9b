"""Signed releases: whoever knows the steward's public key knows that a file is the steward's.

A signature is one text among the file's metadata, ``hushgram-signature:ed25519:KEY:SIGNATURE``,
and covers **every byte of the file but its own 128 digits**: the description, the seal, all
columns, labels for people included, and whatever Parquet puts around them. It is Ed25519 over
`TAG` and the SHA-256 of the file in which those digits are zeros.

Why no other file passes. Let a file be accepted for a key. Its one place after the words
``hushgram-signature:ed25519:KEY:`` holds a valid signature of its digest, so the steward signed
that digest, and signed it for a file that is the same once the digits are zeros, or SHA-256 has
collided. The words occur once in either file, so their digits are in the same place. Hence both
files are equal except for the digits themselves, which say nothing about the table. The digits are
those of one valid signature, in lower case only.

The check needs the bytes and the key alone: no parser has seen an unsigned byte before it. A
signature belongs to a file, not to a release: `Release.save` writes an unsigned file unless it is
given a key, and a copy of the file keeps its signature.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from hushgram.base.files import check_writable, is_taken, write_new
from hushgram.errors import BadInput, MissingExtra, OutputError, ReleaseCorrupted

if TYPE_CHECKING:
    from hushgram.release.release import Release

SIGNATURE = b"hushgram.signature"
"""The metadata's key."""

TAG = b"hushgram release signature 1\0"
"""Sets these signatures apart from whatever else a key may sign."""

KIND = "ed25519:"
PUBLIC = re.compile(f"{KIND}[0-9a-f]{{64}}")
PRIVATE = b"PRIVATE KEY-----"
"""What a private key's file has in its first line."""

LONGEST = 1 << 12
"""Bytes of a file that are looked at for a key."""

WORDS = "hushgram-signature:"
DIGITS = 128
BLANK = b"0" * DIGITS


def new_key(path: str | Path, passphrase: str | None = None) -> str:
    """Make a key: a private file that only its owner may read, and its public half.

    The public half lies next to it, in a file that ends in ``.pub``, and is returned.
    """
    from_library = library()
    private, forms = from_library.PrivateKey.generate(), from_library.forms
    lock = (
        forms.BestAvailableEncryption(passphrase.encode()) if passphrase else forms.NoEncryption()
    )
    pem = private.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, lock)
    file, public = Path(path), public_text(private)
    check_free(file)
    check_free(beside(file))
    write_new(file, pem, mode=0o600)
    write_new(beside(file), f"{public}\n".encode())
    return public


def check_free(file: Path) -> None:
    check_writable(file, overwrite=True)
    if is_taken(file):
        raise OutputError(
            f"{file} already exists, and keys are never overwritten. Choose another name."
        )


def beside(file: Path) -> Path:
    """Where a key's public half lies."""
    return file.with_name(f"{file.name}.pub")


def read_key(path: str | Path, passphrase: str | None = None) -> Any:
    """The private key in a file, which nobody else may be able to read."""
    from_library, file = library(), Path(path)
    try:
        data, mode = file.read_bytes(), file.stat().st_mode
    except (OSError, ValueError) as error:  # a ValueError is a name with a null byte in it
        reason = getattr(error, "strerror", None) or error
        raise BadInput(f"Cannot read the key {file}: {reason}.") from None
    if data.startswith(KIND.encode()):
        raise BadInput(f"{file} is a public key. Sign with the private key, the file without .pub.")
    if PRIVATE not in data:
        raise BadInput(f"{file} is not a key. Create one with hushgram keys new.")
    if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
        raise BadInput(f"Others can read {file}. Restrict access: chmod 600 {file}")
    try:
        key = from_library.forms.load_pem_private_key(
            data, passphrase.encode() if passphrase else None
        )
    except TypeError:
        raise BadInput(
            f"{file} has no passphrase." if passphrase else f"{file} needs its passphrase."
        ) from None
    except Exception:  # the library has many words for a file that is no key
        wrong = "The passphrase is wrong, or " if passphrase else ""
        raise BadInput(f"{wrong}{file} is not a key. Create one with hushgram keys new.") from None
    if not isinstance(key, from_library.PrivateKey):
        raise BadInput(f"{file} is not an Ed25519 key. Create one with hushgram keys new.")
    return key


def needs_passphrase(path: str | Path) -> bool:
    """Whether a key wants a passphrase."""
    try:
        return b"ENCRYPTED" in Path(path).read_bytes()[:64]
    except (OSError, ValueError):
        return False


def public_text(key: Any) -> str:
    """The public half of a key, as people hand it on."""
    return f"{KIND}{key.public_key().public_bytes_raw().hex()}"


def as_signer(signer: str | Path) -> str:
    """A public key: its text, or a file that holds it.

    >>> as_signer("ed25519:12")
    Traceback (most recent call last):
    hushgram.errors.BadInput: Not a public key: 'ed25519:12'. A public key has 64 ...digits.
    """
    text = str(signer)
    if not text.startswith(KIND):
        return public_in(Path(signer))
    if not PUBLIC.fullmatch(text):
        raise BadInput(f"Not a public key: {text[:80]!r}. A public key has 64 hexadecimal digits.")
    return text


def public_in(file: Path) -> str:
    """The public key that a file holds. Nothing else of a file is ever shown: it may be the private
    half, or a table."""
    try:
        with file.open("rb") as stream:
            data = stream.read(LONGEST)
    except (OSError, ValueError):
        raise BadInput(
            f"{file} is neither a public key nor a file that contains one. Write the key, {KIND}…, "
            "or name its .pub file."
        ) from None
    if PRIVATE in data:
        raise BadInput(
            f"{file} is a private key. Keep it secret, and use the public key "
            f"{beside(file)} instead."
        )
    text = data.decode("ascii", "replace").strip()
    if not PUBLIC.fullmatch(text):
        raise BadInput(
            f"{file} does not contain a public key, which is one line: {KIND} and 64 "
            "hexadecimal digits."
        )
    return text


def sign_release(release: Release, key: Any) -> bytes:
    """The file of a release with a signature; the same release and key give the same bytes."""
    from hushgram.release.parquet import dump

    words = words_of(public_text(key))
    data = dump(release, {SIGNATURE: words + BLANK})
    if data.count(words) != 1:
        raise OutputError("This release cannot be signed: one of its labels imitates a signature.")
    place = data.index(words) + len(words)
    digits: bytes = key.sign(message(data)).hex().encode()
    return data[:place] + digits + data[place + DIGITS :]


def verify(data: bytes, signer: str, name: str) -> None:
    """Refuse a file that this key has not signed, without parsing it."""
    words = words_of(signer)
    place = data.find(words) + len(words)
    digits = data[place : place + DIGITS]
    if place < len(words) or data.count(words) > 1:
        raise ReleaseCorrupted(f"{name} is not signed by {signer}: {describe_claim(data)}.")
    blank = data[:place] + BLANK + data[place + DIGITS :]
    if not re.fullmatch(b"[0-9a-f]{%d}" % DIGITS, digits) or not holds(signer, digits, blank):
        raise ReleaseCorrupted(
            f"{name} was changed after {signer} signed it. Get a new copy from its publisher."
        )


def holds(signer: str, digits: bytes, blank: bytes) -> bool:
    """Whether these are the signature of a file without its digits."""
    from_library = library()
    try:
        known = from_library.PublicKey.from_public_bytes(bytes.fromhex(signer.removeprefix(KIND)))
        known.verify(bytes.fromhex(digits.decode()), message(blank))
    except (from_library.InvalidSignature, ValueError):  # a ValueError: no point of the curve
        return False
    return True


def message(blank: bytes) -> bytes:
    """What is signed of a file whose digits are zeros."""
    return TAG + hashlib.sha256(blank).digest()


def words_of(signer: str) -> bytes:
    return f"{WORDS}{signer}:".encode()


def describe_claim(data: bytes) -> str:
    """Whose signature a file claims to have, as text; nothing is checked."""
    signers = claimed_signers(data)
    return f"its signature is by {signers[0]}" if signers else "it has no signature"


def claimed_signers(data: bytes) -> list[str]:
    """The keys whose signatures a file claims to carry."""
    pattern = rb"%b(ed25519:[0-9a-f]{64}):" % WORDS.encode()
    return sorted({found.decode() for found in re.findall(pattern, data)})


def library() -> Any:
    """What is needed of the library, which is an extra."""
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise MissingExtra("cryptography", "sign", "Signing releases") from None
    return SimpleNamespace(
        forms=serialization,
        PrivateKey=ed25519.Ed25519PrivateKey,
        PublicKey=ed25519.Ed25519PublicKey,
        InvalidSignature=InvalidSignature,
    )
