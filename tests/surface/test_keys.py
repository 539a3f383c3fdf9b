"""Keys and signatures on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hushgram as hg
from hushgram.errors import ReleaseCorrupted
from tests.surface.conftest import PUBLISH, Run, history


@pytest.fixture
def public(run: Run, folder: Path) -> str:
    """A key in the folder, and its public half."""
    return str(json.loads(run("keys", "new", "steward.key", "--json").out)["public"])


def test_a_key_is_made_and_shown(run: Run, folder: Path) -> None:
    made = run("keys", "new", "steward.key")
    public = (folder / "steward.key.pub").read_text().strip()
    assert (made.code, made.err) == (0, "")
    assert public in made.out
    assert (folder / "steward.key").stat().st_mode & 0o777 == 0o600
    assert run("keys", "show", "steward.key").out == f"{public}\n"
    assert json.loads(run("keys", "show", "steward.key", "--json").out)["public"] == public
    again = run("keys", "new", "steward.key")
    assert (again.code, "exists" in again.err) == (2, True)


def test_publish_signs(run: Run, folder: Path, public: str) -> None:
    assert run(*PUBLISH, "--sign", "steward.key").code == 0
    assert hg.load("out.hush.parquet", signer=public).domain.names == ("age",)
    for signer in (public, "steward.key.pub"):
        counted = run("count", "out.hush.parquet", "--signer", signer)
        assert (counted.code, counted.err) == (0, "")
        assert f"Signed by {public}. Signature verified." in run(
            "show", "out.hush.parquet", "--signer", signer
        ).out  # fmt: skip
    assert f"claims a signature by {public}" in run("show", "out.hush.parquet").out
    told = json.loads(run("show", "out.hush.parquet", "--json").out)["signature"]
    assert told == {"signer": public, "checked": False}


def test_a_request_asked_again_has_the_same_signature(run: Run, folder: Path, public: str) -> None:
    words = (*PUBLISH, "--sign", "steward.key", "--request", "monday")
    assert run(*words).code == 0
    first = (folder / "out.hush.parquet").read_bytes()
    assert run(*words, "--force").code == 0
    assert (folder / "out.hush.parquet").read_bytes() == first


def test_a_plan_is_signed(run: Run, folder: Path, public: str) -> None:
    (folder / "plan.toml").write_text(
        'epsilon = 1\n[[release]]\nname = "ages"\nshare = 1\naxes = { age = "0..9" }\n'
    )
    words = ("publish", "people.csv", "--account", "people", "--plan", "plan.toml")
    result = run(*words, "--sign", "steward.key")
    assert (result.code, result.err) == (0, "")
    assert hg.load("people/ages.hush.parquet", signer=public).epsilon == 1


def test_sign_in_place_or_elsewhere(run: Run, published: Path, public: str) -> None:
    before = published.read_bytes()
    other = run("sign", "out.hush.parquet", "--key", "steward.key", "-o", "signed.hush.parquet")
    assert (other.code, published.read_bytes()) == (0, before)
    refused = run("sign", "out.hush.parquet", "--key", "steward.key", "-o", "signed.hush.parquet")
    assert (refused.code, "exists" in refused.err) == (2, True)
    told = json.loads(run("sign", "out.hush.parquet", "--key", "steward.key", "--json").out)
    assert told == {"release": "out.hush.parquet", "public": public}
    assert published.read_bytes() == Path("signed.hush.parquet").read_bytes()
    assert hg.load(published, signer=public).to_bytes() == before
    assert run("ledger", "verify", "out.hush.parquet").code == 0
    run("keys", "new", "other.key")
    assert run("sign", "out.hush.parquet", "--key", "other.key").code == 0
    with pytest.raises(ReleaseCorrupted):
        hg.load(published, signer=public)


def test_what_is_not_signed_is_refused(run: Run, published: Path, public: str) -> None:
    result = run("count", "out.hush.parquet", "--signer", public)
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert "it has no signature" in result.err
    assert "Not signed." in run("show", "out.hush.parquet").out
    assert "neither a public key" in run("count", "out.hush.parquet", "--signer", "nobody").err


READING = [
    ["count"], ["show"], ["explain"], ["quantile", "age", "0.5"], ["marginal", "age"],
    ["sql", "SELECT 1"], ["plot", "-o", "p.png"], ["report", "-o", "r.html"],
    ["explore", "-o", "e.html"],
    ["export", "-o", "r.csv"], ["sample", "5", "-o", "s.parquet"],
    ["blocks", "out.hush.parquet", "-o", "b.parquet"],
]  # fmt: skip


@pytest.mark.parametrize("words", READING, ids=lambda words: words[0])
def test_whatever_reads_a_release_checks_its_signer(
    run: Run, published: Path, public: str, words: list[str]
) -> None:
    command, *rest = words
    result = run(command, "out.hush.parquet", *rest, "--signer", public)
    assert (result.code, result.out) == (2, "")
    assert "it has no signature" in result.err
    assert run("sign", "out.hush.parquet", "--key", "steward.key").code == 0
    assert run(command, "out.hush.parquet", *rest, "--signer", public).code == 0


def test_both_parties_of_a_linkage_sign(run: Run, published: Path, public: str) -> None:
    words = ("blocks", "out.hush.parquet", "other.hush.parquet", "-o", "b.parquet")
    Path("other.hush.parquet").write_bytes(published.read_bytes())
    assert run("sign", "out.hush.parquet", "--key", "steward.key").code == 0
    both = ("--signer", public, "--other-signer", public)
    refused = run(*words, *both)
    assert (refused.code, "it has no signature" in refused.err) == (2, True)
    assert "other.hush.parquet" in refused.err
    assert run("sign", "other.hush.parquet", "--key", "steward.key").code == 0
    assert run(*words, *both).code == 0


def test_a_key_that_cannot_be_used_costs_nothing(run: Run, folder: Path) -> None:
    (folder / "open.key").write_text("no key")
    (folder / "open.key").chmod(0o644)
    for key in ("nowhere.key", "open.key"):
        result = run(*PUBLISH, "--sign", key)
        assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert history() == {}
    assert not list(folder.glob("*.hush.parquet"))


def test_a_passphrase_comes_from_the_environment(
    run: Run, published: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUSHGRAM_PASSPHRASE", "correct horse")
    assert run("keys", "new", "steward.key").code == 0
    assert "ENCRYPTED" in Path("steward.key").read_text()
    assert run("sign", "out.hush.parquet", "--key", "steward.key").code == 0
    monkeypatch.setenv("HUSHGRAM_PASSPHRASE", "battery staple")
    wrong = run("sign", "out.hush.parquet", "--key", "steward.key")
    assert (wrong.code, "The passphrase is wrong" in wrong.err) == (2, True)
    assert "battery" not in wrong.err
    monkeypatch.delenv("HUSHGRAM_PASSPHRASE")
    nobody = run("sign", "out.hush.parquet", "--key", "steward.key")
    assert (nobody.code, "Set the environment variable HUSHGRAM_PASSPHRASE" in nobody.err) == (
        2,
        True,
    )


def test_a_passphrase_is_asked_for_twice(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []

    def prompt(*_: object, confirmation_prompt: bool, hide_input: bool, **__: object) -> str:
        assert hide_input
        asked.append(confirmation_prompt)
        return "correct horse"

    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("typer.prompt", prompt)
    assert run("keys", "new", "steward.key", "--passphrase").code == 0
    assert run("keys", "show", "steward.key").code == 0
    assert asked == [True, False]
