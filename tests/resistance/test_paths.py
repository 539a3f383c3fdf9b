"""Path tricks: a name never becomes a place, and an impossible place costs nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hushgram as hg
from hushgram.base.files import check_writable
from hushgram.errors import BadInput, OutputError
from hushgram.spending.plan_names import file_name_part

ESCAPES = [
    "../x", "..", ".", "/etc/x", "a/b", "a\\b", "\\\\host\\x", "C:x", "x\0y", "~", "~root/x", "",
    " ", "a\nb", "$HOME", "..%2fx", "file://x",
]  # fmt: skip
AGES = {"age": hg.Integer(0, 9)}


@pytest.mark.parametrize("name", ESCAPES)
def test_accounts_are_no_paths(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ledger = hg.Ledger.in_memory()
    with pytest.raises(BadInput):
        hg.publish(hg.Counts([1]), epsilon=1, account=name, ledger=ledger)
    assert ledger.accounts() == []
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ESCAPES)
def test_releases_of_a_plan_are_no_paths(name: str) -> None:
    with pytest.raises(BadInput, match="A release of a plan needs a name"):
        hg.Planned(name, AGES, 1)


@given(st.text(max_size=300) | st.sampled_from(ESCAPES))
def test_keys_of_a_plan_are_no_paths(key: str) -> None:
    name = f"ages-{file_name_part(key)}.hush.parquet"
    assert Path(name).name == name
    assert not set(name) & set('/\\:*?"<>|\0\n')
    assert len(name.encode(errors="surrogatepass")) < 255


@pytest.mark.parametrize(
    "name", ["con", "NUL.hush.parquet", "Aux.csv", "com1.x.y", "LPT9", "prn .csv"]
)
def test_devices_are_no_outputs(name: str, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="the name of a device on Windows"):
        check_writable(tmp_path / name)


@pytest.mark.parametrize("name", ["console.csv", "null.csv", "com.csv", "auxiliary"])
def test_names_that_only_look_like_devices_are_fine(name: str, tmp_path: Path) -> None:
    check_writable(tmp_path / name)


@pytest.mark.parametrize("request_id", ["../x", "x\0y", "/etc/passwd"])
def test_request_ids_name_no_files(request_id: str, tmp_path: Path) -> None:
    """What is kept lies under the receipt's id, which is random."""
    ledger = hg.Ledger.open(tmp_path / "ledger.db")
    try:
        hg.publish(hg.Counts([1]), epsilon=1, account="a", ledger=ledger, request=request_id)
    except BadInput:
        return
    kept = list(tmp_path.rglob("*.hush.parquet"))
    assert [path.parent.name for path in kept] == ["ledger.db.spool"]
    assert all(len(path.name.partition(".")[0]) == 32 for path in kept)
