"""Signed releases: with the steward's public key, anyone can verify that a file is the steward's.

A signature is a text in the file's metadata, ``hushgram-signature:ed25519:KEY:SIGNATURE``, and
covers **every byte of the file except its own 128 digits**: the description, the seal, all columns
including labels, and everything that Parquet adds. It is an Ed25519 signature of `TAG` and the
SHA-256 digest of the file with zeros instead of those digits.

Why no other file is accepted: let a file be accepted for a key. At the only position after the
prefix ``hushgram-signature:ed25519:KEY:`` it has a valid signature of its digest. So the steward
signed that digest, for a file that is the same once the digits are zeros, unless SHA-256 has
collided. The prefix occurs once in either file, so the digits are at the same position. Hence both
files are equal except for the digits themselves, which contain no information about the table. The
digits are those of a valid signature, in lower case only.

The check only needs the bytes and the key: no parser sees an unsigned byte before it. A signature
belongs to a file, not to a release: `Release.save` writes an unsigned file unless it gets a key,
and a copy of the file keeps its signature.
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
"""Distinguishes these signatures from anything else that a key may sign."""

KIND = "ed25519:"
PUBLIC = re.compile(f"{KIND}[0-9a-f]{{64}}")
PRIVATE = b"PRIVATE KEY-----"
"""Text in the first line of a private key's file."""

MAX_KEY_BYTES = 1 << 12
"""The number of bytes of a file that are searched for a key."""

PREFIX = "hushgram-signature:"
DIGITS = 128
BLANK = b"0" * DIGITS


def new_key(path: str | Path, passphrase: str | None = None) -> str:
    """Create a key: a private file that only its owner can read, and its public half.

    The public half is written to a file ending in ``.pub`` in the same folder, and returned.
    """
    from_library = library()
    private, forms = from_library.PrivateKey.generate(), from_library.forms
    lock = (
        forms.BestAvailableEncryption(passphrase.encode()) if passphrase else forms.NoEncryption()
    )
    pem = private.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, lock)
    file, public = Path(path), public_text(private)
    check_free(file)
    check_free(public_file(file))
    write_new(file, pem, mode=0o600)
    write_new(public_file(file), f"{public}\n".encode())
    return public


def check_free(file: Path) -> None:
    check_writable(file, overwrite=True)
    if is_taken(file):
        raise OutputError(
            f"{file} already exists, and keys are never overwritten. Choose another name."
        )


def public_file(file: Path) -> Path:
    """The file with the public half of a key."""
    return file.with_name(f"{file.name}.pub")


def read_key(path: str | Path, passphrase: str | None = None) -> Any:
    """The private key in a file. Raises if others can read the file."""
    from_library, file = library(), Path(path)
    try:
        data, mode = file.read_bytes(), file.stat().st_mode
    except (OSError, ValueError) as error:  # a name with a null byte is a ValueError
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
    except Exception:  # the library has many kinds of errors for invalid keys
        wrong = "The passphrase is wrong, or " if passphrase else ""
        raise BadInput(f"{wrong}{file} is not a key. Create one with hushgram keys new.") from None
    if not isinstance(key, from_library.PrivateKey):
        raise BadInput(f"{file} is not an Ed25519 key. Create one with hushgram keys new.")
    return key


def needs_passphrase(path: str | Path) -> bool:
    """Whether a key needs a passphrase."""
    try:
        return b"ENCRYPTED" in Path(path).read_bytes()[:64]
    except (OSError, ValueError):
        return False


def public_text(key: Any) -> str:
    """The public half of a key, as text."""
    return f"{KIND}{key.public_key().public_bytes_raw().hex()}"


def as_signer(signer: str | Path) -> str:
    """A public key, given as text or as a file that contains it.

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
    """The public key in a file. Messages never show anything else of the file, which may be the
    private half, or a table."""
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_KEY_BYTES)
    except (OSError, ValueError):
        raise BadInput(
            f"{file} is neither a public key nor a file that contains one. Write the key, {KIND}…, "
            "or name its .pub file."
        ) from None
    if PRIVATE in data:
        raise BadInput(
            f"{file} is a private key. Keep it secret, and use the public key "
            f"{public_file(file)} instead."
        )
    text = data.decode("ascii", "replace").strip()
    if not PUBLIC.fullmatch(text):
        raise BadInput(
            f"{file} does not contain a public key, which is one line: {KIND} and 64 "
            "hexadecimal digits."
        )
    return text


def sign_release(release: Release, key: Any) -> bytes:
    """The bytes of a signed release file; the same release and key give the same bytes."""
    from hushgram.release.parquet import dump

    prefix = prefix_for(public_text(key))
    data = dump(release, {SIGNATURE: prefix + BLANK})
    if data.count(prefix) != 1:
        raise OutputError("This release cannot be signed: one of its labels imitates a signature.")
    place = data.index(prefix) + len(prefix)
    digits: bytes = key.sign(message(data)).hex().encode()
    return data[:place] + digits + data[place + DIGITS :]


def verify(data: bytes, signer: str, name: str) -> None:
    """Raise unless this key has signed the file, without parsing it."""
    prefix = prefix_for(signer)
    place = data.find(prefix) + len(prefix)
    digits = data[place : place + DIGITS]
    if place < len(prefix) or data.count(prefix) > 1:
        raise ReleaseCorrupted(f"{name} is not signed by {signer}: {describe_claim(data)}.")
    blank = data[:place] + BLANK + data[place + DIGITS :]
    if not re.fullmatch(b"[0-9a-f]{%d}" % DIGITS, digits) or not holds(signer, digits, blank):
        raise ReleaseCorrupted(
            f"{name} was changed after {signer} signed it. Get a new copy from its publisher."
        )


def holds(signer: str, digits: bytes, blank: bytes) -> bool:
    """Whether these digits are the signature of a file with zeros in their place."""
    from_library = library()
    try:
        known = from_library.PublicKey.from_public_bytes(bytes.fromhex(signer.removeprefix(KIND)))
        known.verify(bytes.fromhex(digits.decode()), message(blank))
    except (from_library.InvalidSignature, ValueError):  # ValueError: not a point of the curve
        return False
    return True


def message(blank: bytes) -> bytes:
    """The bytes to sign, for a file whose digits are zeros."""
    return TAG + hashlib.sha256(blank).digest()


def prefix_for(signer: str) -> bytes:
    return f"{PREFIX}{signer}:".encode()


def describe_claim(data: bytes) -> str:
    """A description of the signature that a file claims to have, without checking it."""
    signers = claimed_signers(data)
    return f"its signature is by {signers[0]}" if signers else "it has no signature"


def claimed_signers(data: bytes) -> list[str]:
    """The keys whose signatures a file claims to have, without checking them."""
    pattern = rb"%b(ed25519:[0-9a-f]{64}):" % PREFIX.encode()
    return sorted({found.decode() for found in re.findall(pattern, data)})


def library() -> Any:
    """The required parts of the optional library for signatures."""
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
