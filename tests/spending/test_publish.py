"""The one public call: what it takes, what it spends, and what it never spends."""

from __future__ import annotations

import inspect
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hushgram as hg
from hushgram.errors import (
    AccountMismatch,
    BadInput,
    BudgetExceeded,
    DomainError,
    EpsilonError,
    LedgerError,
    RequestConflict,
    SourceError,
    UnknownMechanism,
)
from hushgram.lab.audit import accepts
from hushgram.mechanisms.identity import Identity
from hushgram.trusted.ledger import ledger_path

TABLE = pd.DataFrame({"age": [1, 2, 2, 3, 9], "who": ["a", "a", "b", "c", "c"]})
DOMAIN = hg.Domain(age=hg.Integer(0, 4))


def publish(source: Any = TABLE, domain: Any = DOMAIN, **more: Any) -> hg.Release:
    return hg.publish(source, domain, **{"epsilon": 1, "account": "ages", **more})


def spent() -> dict[str, Fraction]:
    """What is spent, by account."""
    if not ledger_path().exists():
        return {}
    return {account.name: account.spent for account in hg.Ledger.open().accounts()}


def test_the_signature_is_stable() -> None:
    parameters = list(inspect.signature(hg.publish).parameters.values())
    found = [(p.name, p.kind.name[:3], p.default) for p in parameters]
    none = inspect.Parameter.empty
    assert found[:10] == [
        ("source", "POS", none),
        ("domain", "POS", None),
        ("epsilon", "KEY", none),
        ("account", "KEY", None),
        ("mechanism", "KEY", "auto"),
        ("unit", "KEY", "rows"),
        ("neighbours", "KEY", "add-remove"),
        ("workload", "KEY", None),
        ("ledger", "KEY", None),
        ("noise", "KEY", "native"),
    ]
    assert all(p.kind is p.KEYWORD_ONLY and p.default is not none for p in parameters[10:])


def test_counts_need_no_account_and_are_unaccounted(ledger_file: Path) -> None:
    release = hg.publish(hg.Counts([[5, 6], [7, 8]]), epsilon="0.5")
    assert release.unaccounted
    assert release.receipt is None
    assert release.domain == hg.Domain(x0=hg.Integer(0, 1), x1=hg.Integer(0, 1))
    assert release.to_array().shape == (2, 2)
    assert not ledger_file.exists()


def test_counts_with_an_account_are_remembered() -> None:
    release = hg.publish(hg.Counts([5, 6]), epsilon="0.5", account="lab")
    assert not release.unaccounted
    assert spent() == {"lab": Fraction(1, 2)}


def test_counts_bring_their_own_domain() -> None:
    with pytest.raises(SourceError, match="Counts already have a domain"):
        hg.publish(hg.Counts([1, 2]), {"age": hg.Integer(0, 5)}, epsilon=1)
    with pytest.raises(SourceError, match="Counts have no users"):
        hg.publish(hg.Counts([1, 2]), epsilon=1, unit=hg.User("who", 2))


def test_a_release_knows_what_was_asked_for() -> None:
    release = publish(unit=hg.User("who", max_rows=2), neighbours="replace-one", epsilon="1/3")
    assert release.domain == DOMAIN
    assert release.epsilon == Fraction(1, 3)
    assert release.unit == hg.User("who", max_rows=2)
    assert (release.neighbours, release.mechanism) == ("replace-one", "identity")
    assert release.estimate.measurements[0].scale == 12


def test_a_receipt_has_three_fields_and_the_ledger_knows_it() -> None:
    from hushgram.trusted.ledger import Receipt

    release = publish(epsilon="0.25")
    assert release.receipt is not None
    assert set(release.receipt) == {"id", "epsilon", "seal"}
    assert Fraction(release.receipt["epsilon"]) == Fraction(1, 4)
    assert hg.Ledger.open().find(Receipt.from_json(release.receipt))


def test_the_noise_is_that_of_epsilon() -> None:
    truth = np.full(4000, 1000)
    release = hg.publish(hg.Counts(truth), epsilon="0.5", mechanism="identity")
    noise = release.to_array() - truth
    # 4000 draws: the standard error of the variance is 3.5 %, that of the mean 0.045
    assert np.var(noise) == pytest.approx(7.835, rel=0.2)
    assert abs(noise.mean()) < 0.3


def test_a_short_domain_will_do() -> None:
    release = publish(domain={"age": hg.Regular(2, 0, 4)})
    assert release.domain == hg.Domain(age=hg.Regular(2, 0, 4))


@pytest.mark.parametrize("noise", ["native", "opendp"])
def test_noise_of_either_source(noise: str) -> None:
    release = hg.publish(hg.Counts([1000] * 50), epsilon=1, noise=noise)
    found = release.to_array()
    assert 950 < found.min() <= found.max() < 1050
    assert len(set(found.tolist())) > 3


def test_the_first_publish_opens_the_account_and_the_second_is_refused() -> None:
    publish()
    account = hg.Ledger.open().account("ages")
    assert (account.cap, account.spent, account.unit) == (1, 1, "rows")
    with pytest.raises(BudgetExceeded, match=r"'ages' has epsilon 0 left, but 0.5 was") as no:
        publish(epsilon="0.5")
    assert (no.value.requested, no.value.remaining) == (Fraction(1, 2), 0)
    assert spent() == {"ages": 1}
    assert len(hg.Ledger.open().entries("ages")) == 3  # opened, charged, committed


def test_budgets_are_exact() -> None:
    hg.Ledger.open().open_account("ages", "0.3", unit="rows", neighbours="add-remove")
    for epsilon in (0.1, "0.1", Fraction(1, 10)):
        assert publish(epsilon=epsilon).epsilon == Fraction(1, 10)
    assert hg.Ledger.open().account("ages").remaining == 0
    with pytest.raises(BudgetExceeded):
        publish(epsilon="1/1000000000")


def test_a_ledger_of_ones_own() -> None:
    ledger = hg.Ledger.in_memory()
    release = publish(ledger=ledger)
    assert release.unaccounted  # nothing will be remembered
    assert ledger.account("ages").spent == 1
    assert spent() == {}


def test_a_request_asked_again_is_free_and_the_same() -> None:
    first = publish(request="monday")
    again = publish(request="monday")
    assert again.to_bytes() == first.to_bytes()
    assert spent() == {"ages": 1}


@pytest.mark.parametrize(
    "other",
    [
        {"domain": {"age": hg.Integer(0, 5)}},
        {"domain": {"age": hg.Integer(0, 4, outside="other")}},
        {"epsilon": "0.5"},
        {"account": "others"},
        {"unit": hg.User("who", 2)},
        {"neighbours": "replace-one"},
        {"source": "another table"},
    ],
    ids=str,
)
def test_a_request_id_stands_for_one_request(other: dict[str, Any], tmp_path: Path) -> None:
    publish(request="monday")
    if "source" in other:
        TABLE.to_csv(tmp_path / "t.csv", index=False)
        other = {"source": tmp_path / "t.csv"}
    with pytest.raises(RequestConflict, match="'monday' was already used for a different request"):
        publish(request="monday", **other)
    assert spent() == {"ages": 1}


def test_a_publish_that_never_finished_is_forfeited(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Identity, "estimate", crash)
        with pytest.raises(KeyboardInterrupt):
            publish(request="monday")
    assert spent() == {"ages": 1}  # charged before anything was looked at
    with pytest.raises(RequestConflict, match="did not finish"):
        publish(request="monday")


def test_an_account_protects_one_thing() -> None:
    publish(unit=hg.User("who", 2), epsilon="0.5")
    hg.Ledger.open().set_cap("ages", 5)
    for other in ({}, {"unit": hg.User("age", 2)}):
        with pytest.raises(AccountMismatch, match=r"'ages' protects unit 'user:who'"):
            publish(**other)
    with pytest.raises(AccountMismatch, match="neighbours"):
        publish(unit=hg.User("who", 2), neighbours="replace-one")
    assert spent() == {"ages": Fraction(1, 2)}


def test_an_account_pays_for_people_whatever_number_of_their_rows_counts() -> None:
    first = publish(unit=hg.User("who", 2), epsilon="0.5", request="monday")
    hg.Ledger.open().set_cap("ages", 5)
    assert publish(unit=hg.User("who", 3)).unit == hg.User("who", 3)
    assert spent() == {"ages": Fraction(3, 2)}
    again = publish(unit=hg.User("who", 2), epsilon="0.5", request="monday")
    assert again.to_bytes() == first.to_bytes()
    with pytest.raises(RequestConflict, match="different request"):
        publish(unit=hg.User("who", 3), epsilon="0.5", request="monday")


def test_an_account_of_one_bound_pays_for_others() -> None:
    """Accounts were kept for each number of rows at first."""
    book = hg.Ledger.open()
    book.open_account("ages", 3, unit="user:who:2", neighbours="add-remove")
    for rows in (2, 5):
        publish(unit=hg.User("who", rows))
    odd = TABLE.rename(columns={"who": "who:2"})
    for other in ({}, {"unit": hg.User("age", 2)}, {"source": odd, "unit": hg.User("who:2", 2)}):
        with pytest.raises(AccountMismatch, match="'user:who:2'"):
            publish(**other)
    assert spent() == {"ages": 2}
    book.verify()


def test_large_epsilons_need_a_word() -> None:
    with pytest.raises(EpsilonError, match="epsilon 11 is above 10, where privacy means little"):
        publish(epsilon=11)
    assert spent() == {}
    assert publish(epsilon=11, allow_large=True).epsilon == 11
    with pytest.raises(EpsilonError, match="above 10"):
        hg.publish(hg.Counts([1]), epsilon="10.01")


BAD: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"account": None}, BadInput, "account is missing. Every table needs one,"),
    ({"account": ""}, BadInput, "Invalid account name ''"),
    ({"account": "a/b"}, BadInput, "Invalid account name 'a/b'"),
    ({"domain": None}, DomainError, "The domain is missing"),
    ({"domain": {}}, DomainError, "A domain needs at least one axis,"),
    ({"domain": {"age": None}}, DomainError, "is not an axis"),
    ({"domain": {"size": hg.Integer(0, 1)}}, SourceError, "no column 'size'. It has 'age', 'who'"),
    (
        {"domain": {"age": hg.Date("2024-01-01", "2024-01-02")}},
        SourceError,
        "Column 'age' has type",
    ),
    ({"unit": hg.User("nobody", 1)}, SourceError, "no column 'nobody'"),
    ({"unit": "people"}, BadInput, "Unknown unit='people'"),
    ({"neighbours": "all"}, BadInput, "Unknown neighbours='all'"),
    ({"mechanism": "magic"}, UnknownMechanism, "Unknown mechanism 'magic'. Mechanisms: auto, "),
    ({"mechanism": 7}, BadInput, "A mechanism must be a name or an instance. Found 7"),
    ({"workload": "all"}, BadInput, "Unknown workload='all'"),
    ({"noise": "white"}, BadInput, "Unknown noise='white'"),
    ({"request": "\n"}, BadInput, "A request ID must have 1 to 200 printable characters"),
    ({"source": 7}, SourceError, "Unsupported table of type builtins.int"),
    ({"source": "nowhere.parquet"}, SourceError, "nowhere.parquet does not exist"),
    ({"epsilon": 0}, EpsilonError, "epsilon must be a positive number .* Found 0"),
    ({"epsilon": -1}, EpsilonError, "epsilon must be a positive number .* Found -1"),
    ({"epsilon": float("nan")}, EpsilonError, "epsilon must be a positive number"),
    ({"epsilon": float("inf")}, EpsilonError, "epsilon must be a positive number"),
    ({"epsilon": "one"}, EpsilonError, "such as 1, 0.1 or 1/3. Found 'one'"),
    ({"epsilon": "1/0"}, EpsilonError, "Found '1/0'"),
    ({"epsilon": "1e999999999"}, EpsilonError, "Found '1e999999999'"),
    ({"epsilon": None}, EpsilonError, "epsilon must be a positive number"),
    ({"epsilon": True}, EpsilonError, "epsilon must be a positive number"),
]


@pytest.mark.parametrize(("wrong", "kind", "message"), BAD, ids=[str(bad[0]) for bad in BAD])
def test_bad_input_costs_nothing(wrong: dict[str, Any], kind: type, message: str) -> None:
    with pytest.raises(kind, match=message) as caught:
        publish(**wrong)
    assert isinstance(caught.value, hg.HushgramError)
    assert str(caught.value).count("\n") == 0
    assert spent() == {}


def test_too_many_cells_are_refused_before_anything_is_read() -> None:
    many = hg.Regular(10**6, 0, 1)
    with pytest.raises(DomainError, match="1,000,000,000,000 parts are too many"):
        publish("nowhere.parquet", {"x": many, "y": many})
    square = {"x": hg.Interval(0, 1), "y": hg.Interval(0, 1)}
    with pytest.raises(DomainError, match="parts are too many"):
        publish("nowhere.parquet", square, mechanism="identity")


def test_a_broken_ledger_spends_and_looks_at_nothing(
    ledger_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger_file.write_text("not a ledger" * 1000)
    monkeypatch.setattr(Identity, "estimate", lambda *_: pytest.fail("looked"))
    with pytest.raises(LedgerError, match="is not an intact ledger file"):
        publish()


def test_a_mechanism_may_be_given_as_it_is() -> None:
    assert publish(mechanism=Identity()).mechanism == "identity"


@pytest.mark.parametrize("name", hg.MECHANISMS)
def test_a_file_without_a_row_group_publishes_like_one_with_a_row(
    name: str, tmp_path: Path
) -> None:
    """An error on one of these neighbours only would tell that the table is empty."""
    plane, line = hg.Domain(x=(0, 1), y=(0, 1)), hg.Domain(x=hg.Regular(10, 0, 1))
    domain = plane if accepts(hg.MECHANISMS[name](), plane) else line
    schema = pa.schema([("x", pa.float64()), ("y", pa.float64())])
    empty, one = tmp_path / "empty.parquet", tmp_path / "one.parquet"
    with pq.ParquetWriter(empty, schema):
        pass
    assert pq.read_metadata(empty).num_row_groups == 0
    pq.write_table(pa.table({"x": [0.5], "y": [0.5]}), one)
    for file in (empty, one):
        release = hg.publish(
            file, domain, epsilon=1, mechanism=name, account="a", ledger=hg.Ledger.in_memory()
        )
        assert np.isfinite(release.estimate.values).all()
