"""Signed releases: whatever was changed is found, and nothing else is refused."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

import hushgram as hg
from hushgram.errors import BadInput, MissingExtra, OutputError, ReleaseCorrupted
from hushgram.release import Release, load
from hushgram.release.parquet import KEY, SEAL, describe, read
from hushgram.release.signing import (
    BLANK,
    SIGNATURE,
    as_signer,
    claimed_signers,
    library,
    needs_passphrase,
    new_key,
    prefix_for,
    public_text,
    read_key,
    sign_release,
    verify,
)
from tests.samples import RECEIPT, cells, release_of, releases

PRIVATE = library().PrivateKey
STEWARD = PRIVATE.from_private_bytes(bytes(range(32)))
STRANGER = PRIVATE.from_private_bytes(bytes(32))
SIGNER = public_text(STEWARD)


def small(**more: Any) -> Release:
    domain = cells(age=hg.Integer(0, 4, outside="other"), sex=hg.Category(["F", "M"]))
    return release_of(domain, **{"receipt": RECEIPT, **more})


def accepted(data: bytes, signer: str = SIGNER) -> bool:
    try:
        verify(data, signer, "r")
    except ReleaseCorrupted:
        return False
    return True


@settings(max_examples=40)
@given(releases())
def test_a_signed_release_is_the_release(release: Release) -> None:
    data = sign_release(release, STEWARD)
    verify(data, SIGNER, "r")
    assert describe(read(data)) == describe(release)
    assert read(data).to_bytes() == release.to_bytes()
    assert sign_release(read(data), STEWARD) == data


def test_nothing_but_the_signature_is_added() -> None:
    plain, data = small().to_bytes(), sign_release(small(), STEWARD)
    before, after = (pq.ParquetFile(io.BytesIO(file)) for file in (plain, data))
    assert set(after.metadata.metadata) == {KEY, SEAL, SIGNATURE}
    assert {**after.metadata.metadata} == {
        **before.metadata.metadata, SIGNATURE: after.metadata.metadata[SIGNATURE],
    }  # fmt: skip
    assert after.read().equals(before.read())


@pytest.mark.parametrize("mask", [0x01, 0x20, 0x80, 0xFF])
def test_every_flipped_byte_is_found(mask: int) -> None:
    data = bytearray(sign_release(small(), STEWARD))
    for place in range(len(data)):
        data[place] ^= mask
        assert not accepted(bytes(data)), place
        data[place] ^= mask
    assert accepted(bytes(data))


@pytest.mark.parametrize("place", [0, 4, 700, -8, -1])
def test_bytes_that_are_added_or_cut_off_are_found(place: int) -> None:
    data = sign_release(small(), STEWARD)
    assert not accepted(data[:place] + b"0" + data[place:])
    assert not accepted(data[:place] + data[place:][1:])
    assert not accepted(data + b"PAR1")
    assert not accepted(b"")


def transplanted(onto: Release) -> bytes:
    """A file of one release with the signature of another."""
    prefix = prefix_for(SIGNER)
    other, data = sign_release(small(), STEWARD), sign_release(onto, STEWARD)
    digits = other.split(prefix)[1][: len(BLANK)]
    head, tail = data.split(prefix)
    return head + prefix + digits + tail[len(BLANK) :]


OTHERS: dict[str, Any] = {
    "mechanism": "hb",
    "parameters": {"alpha": "1/2"},
    "epsilon": hg.publish(hg.Counts([1]), epsilon="1/3").epsilon,
    "unit": hg.User("id", 3),
    "neighbours": "replace-one",
    "receipt": {**RECEIPT, "id": "0e" * 16},
    "why": "because",
    "where": "region = north",
}


@pytest.mark.parametrize("field", OTHERS)
def test_a_signature_of_one_release_fits_no_other(field: str) -> None:
    assert accepted(transplanted(small()))
    assert not accepted(transplanted(small(**{field: OTHERS[field]})))


def test_other_counts_and_other_labels_have_other_signatures() -> None:
    values = np.arange(12)
    values[3] += 1
    assert not accepted(transplanted(small(values=values)))
    renamed = cells(age=hg.Integer(0, 4, outside="other"), sex=hg.Category(["F", "N"]))
    assert not accepted(transplanted(release_of(renamed, receipt=RECEIPT)))


def test_labels_for_people_are_covered_though_nothing_is_computed_from_them() -> None:
    data = sign_release(release_of(cells(sex=hg.Category(["north", "south"]))), STEWARD)
    swapped = data.replace(b"north", b"SOUTH").replace(b"south", b"north")
    assert swapped != data
    assert not accepted(swapped)


def test_signatures_of_strangers_and_of_nobody(tmp_path: Path) -> None:
    stranger = public_text(STRANGER)
    data = sign_release(small(), STRANGER)
    (tmp_path / "r").write_bytes(data)
    small().save(tmp_path / "plain")
    assert load(tmp_path / "r", signer=stranger).epsilon == small().epsilon
    with pytest.raises(ReleaseCorrupted, match=f"r is not signed by {SIGNER}: its signature is by"):
        load(tmp_path / "r", signer=SIGNER)
    with pytest.raises(ReleaseCorrupted, match=r"plain is not signed by .*: it has no sig"):
        load(tmp_path / "plain", signer=SIGNER)
    renamed = data.replace(prefix_for(stranger), prefix_for(SIGNER))
    assert not accepted(renamed)
    assert claimed_signers(renamed) == [SIGNER]


def test_a_second_signature_confuses_nobody() -> None:
    data = sign_release(small(), STEWARD)
    assert not accepted(data + prefix_for(SIGNER) + BLANK)
    both = data + prefix_for(public_text(STRANGER)) + BLANK
    assert not accepted(both)
    assert not accepted(both, public_text(STRANGER))


def test_a_label_that_imitates_a_signature_is_refused() -> None:
    trick = release_of(cells(x=hg.Category([prefix_for(SIGNER).decode() + "0" * 128, "b"])))
    with pytest.raises(BadInput, match="imitates a signature"):
        sign_release(trick, STEWARD)


def test_an_unsigned_file_is_never_parsed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("hushgram.release.parquet.read", lambda *_: pytest.fail("parsed"))
    (tmp_path / "r").write_bytes(sign_release(small(), STRANGER))
    with pytest.raises(ReleaseCorrupted, match="not signed by"):
        load(tmp_path / "r", signer=SIGNER)


def test_saving_signs_and_saving_again_drops_the_signature(tmp_path: Path) -> None:
    public = new_key(tmp_path / "k")
    small().save(tmp_path / "r", key=tmp_path / "k")
    again = load(tmp_path / "r", signer=tmp_path / "k.pub")
    again.save(tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == small().to_bytes()
    with pytest.raises(ReleaseCorrupted, match="no signature"):
        load(tmp_path / "copy", signer=public)


def test_keys_are_private_and_never_overwritten(tmp_path: Path) -> None:
    public = new_key(tmp_path / "k")
    assert (tmp_path / "k").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "k.pub").read_text() == f"{public}\n"
    assert public_text(read_key(tmp_path / "k")) == public
    assert not needs_passphrase(tmp_path / "k")
    for taken in ("k", "k.pub"):
        (tmp_path / ("k.pub" if taken == "k" else "k")).unlink()
        with pytest.raises(OutputError, match="already exists, and keys are never overwritten"):
            new_key(tmp_path / "k")
        new_key(tmp_path / "other")
        (tmp_path / "other").replace(tmp_path / "k")
        (tmp_path / "other.pub").replace(tmp_path / "k.pub")
    (tmp_path / "k").chmod(0o640)
    with pytest.raises(BadInput, match=r"Others can read .* chmod 600"):
        read_key(tmp_path / "k")


def test_a_passphrase_is_needed_and_must_be_right(tmp_path: Path) -> None:
    public = new_key(tmp_path / "k", "correct horse")
    assert needs_passphrase(tmp_path / "k")
    assert public_text(read_key(tmp_path / "k", "correct horse")) == public
    for words, message in [
        (None, "needs its passphrase"),
        ("wrong", "The passphrase is wrong, or"),
    ]:
        with pytest.raises(BadInput, match=message):
            read_key(tmp_path / "k", words)
    new_key(tmp_path / "open")
    with pytest.raises(BadInput, match="has no passphrase"):
        read_key(tmp_path / "open", "words")


def test_what_is_no_key(tmp_path: Path) -> None:
    from cryptography.hazmat.primitives.asymmetric import x25519

    forms = library().forms
    other = x25519.X25519PrivateKey.generate().private_bytes(
        forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption()
    )
    for name, data, message in [
        ("text", b"secret words", "text is not a key. Create one with hushgram keys new"),
        ("empty", b"", "empty is not a key"),
        ("other", other, "other is not an Ed25519 key"),
    ]:
        (tmp_path / name).write_bytes(data)
        (tmp_path / name).chmod(0o600)
        with pytest.raises(BadInput, match=message) as caught:
            read_key(tmp_path / name)
        assert "secret" not in str(caught.value)
    with pytest.raises(BadInput, match=r"Cannot read the key .*: No such file"):
        read_key(tmp_path / "nothing")
    with pytest.raises(BadInput, match=r"Cannot read the key .*: embedded null"):
        read_key("null\0byte")
    assert not needs_passphrase("null\0byte")


def test_files_that_hold_no_public_key_are_not_shown(tmp_path: Path) -> None:
    """They may be the private key, or a table."""
    new_key(tmp_path / "steward.key")
    pem = (tmp_path / "steward.key").read_text()
    (tmp_path / "people.csv").write_text("person,age\nP02840,12\n")
    for name, message in {
        "steward.key": r"is a private key. Keep it secret.*steward\.key\.pub",
        "people.csv": "people.csv does not contain a public key, which is one line: ed25519:",
    }.items():
        with pytest.raises(BadInput, match=message) as caught:
            as_signer(tmp_path / name)
        said = str(caught.value)
        assert "P02840" not in said
        assert not any(line in said for line in pem.splitlines())
        assert pem.splitlines()[1][:12] not in said


def test_a_public_key_signs_nothing(tmp_path: Path) -> None:
    new_key(tmp_path / "k")
    with pytest.raises(BadInput, match=r"k\.pub is a public key\. Sign with the private key"):
        read_key(tmp_path / "k.pub")


@pytest.mark.parametrize(
    ("signer", "message"),
    [
        ("ed25519:" + "g" * 64, "Not a public key"),
        ("ed25519:" + "A" * 64, "Not a public key"),
        ("ed25519:", "Not a public key"),
        ("rsa:00", "rsa:00 is neither a public key"),
        ("nowhere.pub", "nowhere.pub is neither a public key"),
        ("null\0byte", "is neither a public key"),
        ("", "is neither a public key"),
    ],
)
def test_what_is_no_signer(tmp_path: Path, signer: str, message: str) -> None:
    small().save(tmp_path / "r")
    with pytest.raises(BadInput, match=message):
        load(tmp_path / "r", signer=signer)
    with pytest.raises(BadInput, match=message):
        as_signer(signer)


def test_a_key_that_is_no_point_of_the_curve_accepts_nothing() -> None:
    for digits in ("ff" * 32, "02" + "00" * 31):
        forged = sign_release(small(), STEWARD).replace(
            prefix_for(SIGNER), prefix_for(f"ed25519:{digits}")
        )
        assert not accepted(forged, f"ed25519:{digits}")


def test_without_the_library_releases_still_load(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "r").write_bytes(sign_release(small(), STEWARD))
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    assert load(tmp_path / "r").epsilon == small().epsilon
    with pytest.raises(MissingExtra, match=r"pip install \"cryptography\""):
        load(tmp_path / "r", signer=SIGNER)


def test_the_signature_says_nothing_of_the_table() -> None:
    text = pq.ParquetFile(io.BytesIO(sign_release(small(), STEWARD))).metadata.metadata[SIGNATURE]
    assert text.startswith(prefix_for(SIGNER))
    assert len(text) == len(prefix_for(SIGNER)) + len(BLANK)
    assert json.loads(describe(small())) == json.loads(
        pq.ParquetFile(io.BytesIO(sign_release(small(), STEWARD))).metadata.metadata[KEY]
    )


@pytest.mark.parametrize("path", ["", ".", "/"])
def test_a_key_has_a_name(path: str) -> None:
    with pytest.raises(OutputError):
        new_key(path)
