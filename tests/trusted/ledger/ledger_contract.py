"""What every ledger must do. A new kind of ledger inherits this class and gives a fixture."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from fractions import Fraction

import pytest

from hushgram.declare.unit import Rows, User
from hushgram.errors import (
    AccountMismatch,
    BadInput,
    BudgetError,
    BudgetExceeded,
    EpsilonError,
    LedgerCorrupted,
    RequestConflict,
    UnknownAccount,
)
from hushgram.trusted.ledger import Account, Finished, Ledger, Receipt, Ticket
from hushgram.trusted.ledger.opening import Opening, openings

ROWS = {"unit": "rows", "neighbours": "add-remove"}


def pay(
    ledger: Ledger, account: str = "checkins", epsilon: object = 1, **options: object
) -> Ticket:
    """Begin, expecting a ticket."""
    ticket = ledger.begin(account, epsilon, **{**ROWS, **options})  # type: ignore[arg-type]
    assert isinstance(ticket, Ticket)
    return ticket


class LedgerContract:
    """Needs a fixture `make`, which makes fresh ledgers that share nothing."""

    durable: bool

    @pytest.fixture
    def make(self) -> Callable[[], Ledger]:
        raise NotImplementedError

    @pytest.fixture
    def ledger(self, make: Callable[[], Ledger]) -> Ledger:
        return make()

    # Accounts

    def test_says_whether_it_is_durable(self, ledger: Ledger) -> None:
        assert ledger.durable is self.durable
        assert ledger.location

    def test_a_fresh_ledger_is_empty_and_sound(self, ledger: Ledger) -> None:
        assert ledger.accounts() == []
        assert ledger.entries() == []
        assert ledger.verify() == 0

    def test_an_opened_account_is_found_again(self, ledger: Ledger) -> None:
        opened = ledger.open_account("b", "0.5", unit="user:id:3", neighbours="replace-one")
        assert opened == Account("b", Fraction(1, 2), "user:id:3", "replace-one", Fraction(0))
        assert ledger.account("b") == opened
        other = ledger.open_account("a", 2, **ROWS)
        assert ledger.accounts() == [other, opened]

    def test_an_account_protects_rows_or_the_people_of_a_unit(self, ledger: Ledger) -> None:
        assert ledger.open_account("a", 1).unit == "rows"
        assert ledger.open_account("b", 1, unit=Rows()).unit == "rows"
        people = ledger.open_account("c", 1, unit=User("id", 5), neighbours="replace-one")
        assert (people.unit, people.neighbours) == (User("id", 9).key, "replace-one")

    def test_an_account_is_opened_once(self, ledger: Ledger) -> None:
        ledger.open_account("a", 1, **ROWS)
        with pytest.raises(BadInput, match="already exists, with cap 1"):
            ledger.open_account("a", 5, **ROWS)
        assert ledger.account("a").cap == 1

    def test_unknown_accounts(self, ledger: Ledger) -> None:
        pay(ledger, "known")
        for ask in (ledger.account, ledger.entries, lambda name: ledger.set_cap(name, 1)):
            with pytest.raises(UnknownAccount, match=r"no account 'other'.*'known'"):
                ask("other")

    @pytest.mark.parametrize(
        "name", ["checkins", "a b.c_d-e", "Zürich", "हिन्दी", "東京 2024", "x" * 100, "_1"]
    )
    def test_names_that_people_use(self, ledger: Ledger, name: str) -> None:
        assert pay(ledger, name).account == name
        assert ledger.account(name).spent == 1

    @pytest.mark.parametrize(
        "name",
        [
            "",
            "x" * 101,
            "a/b",
            "a\\b",
            "a\nb",
            "a\0b",
            " a",
            "a ",
            "-a",
            "..",
            "a:b",
            "a'b",
            "\ud800",
        ],
    )
    def test_names_that_are_refused(self, ledger: Ledger, name: str) -> None:
        with pytest.raises(BadInput, match="Invalid account name"):
            pay(ledger, name)
        assert ledger.entries() == []

    def test_two_spellings_of_a_letter_share_a_budget(self, ledger: Ledger) -> None:
        pay(ledger, "caf\u00e9")
        with pytest.raises(BudgetExceeded):
            pay(ledger, "cafe\u0301")

    @pytest.mark.parametrize(
        "spelling",
        ["CHECKINS A", "checkins  a", "Ｃheckins a", "check\u034fins a", "checkins a\ufe0f",
         "check\u00adins a", "\u202echeckins a"],
    )  # fmt: skip
    def test_spellings_of_a_name_are_one_account(self, ledger: Ledger, spelling: str) -> None:
        ask: dict[str, object] = {"request_id": "r1", "request": {"bins": 3}}
        first = pay(ledger, "Checkins a", "0.4", **ask)
        ledger.commit(first, b"release")
        second = pay(ledger, spelling, "0.4")
        assert (second.account, second.opening) == ("Checkins a", None)
        assert ledger.account(spelling) == ledger.account("Checkins a")
        assert ledger.account(spelling).spent == Fraction(4, 5)
        assert ledger.set_cap(spelling, 2).name == "Checkins a"
        assert len(ledger.entries(spelling)) == 5
        with pytest.raises(BadInput, match="Account 'Checkins a' already exists"):
            ledger.open_account(spelling, 1)
        again = ledger.begin(spelling, "0.4", **ROWS, **ask)  # type: ignore[arg-type]
        assert isinstance(again, Finished)
        assert again.account == "Checkins a"

    @pytest.mark.parametrize(
        ("name", "letters"),
        [
            ("\u0441heckins 10", "CYRILLIC SMALL LETTER ES"),
            ("check\u0131ns 10", "LATIN SMALL LETTER DOTLESS I"),
            ("checkins l0", ""),
            ("checkins 1O", ""),
            ("ᴄʜᴇᴄᴋɪɴꜱ 10", "LATIN LETTER SMALL CAPITAL C"),
        ],
    )
    def test_no_account_is_opened_that_looks_like_another(
        self, ledger: Ledger, name: str, letters: str
    ) -> None:
        pay(ledger, "checkins 10")
        before = ledger.entries()
        for ask in (lambda: pay(ledger, name), lambda: ledger.open_account(name, 1)):
            with pytest.raises(
                BadInput, match="look like the existing account 'checkins 10'"
            ) as caught:
                ask()
            assert letters in str(caught.value)
        assert ledger.entries() == before

    def test_no_word_is_written_in_two_scripts(self, ledger: Ledger) -> None:
        for name in ("st\u043eps", "bus \u0410B", "x \u03b1b"):
            with pytest.raises(BadInput, match=r"mixes two scripts.*Write the word in one"):
                pay(ledger, name)
        for name in ("Москва stops", "東京Tower", "5 μm", "αβγ", "метро"):
            pay(ledger, name)

    # Charges

    def test_the_first_charge_opens_with_a_cap_of_one_or_its_epsilon(self, ledger: Ledger) -> None:
        ticket = pay(ledger, epsilon="0.7")
        assert ticket.epsilon == ticket.receipt.epsilon == Fraction(7, 10)
        assert ledger.account("checkins") == Account(
            "checkins", Fraction(1), "rows", "add-remove", Fraction(7, 10)
        )
        pay(ledger, "other", "1.5")
        assert ledger.account("other").cap == Fraction(3, 2)

    def test_the_first_cap_is_the_steward_s_decision(self, ledger: Ledger) -> None:
        pay(ledger, epsilon="0.5", cap=3)
        assert ledger.account("checkins").cap == 3
        pay(ledger, epsilon="0.5", cap="3.0")
        pay(ledger, epsilon="0.5")
        before = ledger.entries()
        with pytest.raises(BudgetError, match=r"already exists with cap 3, .* set-cap checkins 4"):
            pay(ledger, epsilon="0.5", cap=4)
        with pytest.raises(BudgetExceeded, match=r"new account 'b' .*larger cap \(--cap\)"):
            pay(ledger, "b", 1, cap="0.5")
        with pytest.raises(EpsilonError, match="the cap 11 is above 10"):
            pay(ledger, "b", 1, cap=11)
        with pytest.raises(EpsilonError, match="The cap must be a positive number"):
            pay(ledger, "b", 1, cap=0)
        assert ledger.entries() == before
        pay(ledger, "b", 1, cap=11, allow_large=True)
        assert ledger.account("b").cap == 11

    def test_a_finished_request_is_answered_whatever_the_cap(self, ledger: Ledger) -> None:
        ledger.commit(pay(ledger, request_id="r1", cap=2), b"release")
        ledger.set_cap("checkins", 5)
        again = ledger.begin("checkins", 1, **ROWS, request_id="r1", cap=2)
        assert isinstance(again, Finished)

    def test_a_ticket_says_that_its_charge_opened_the_account(self, ledger: Ledger) -> None:
        ledger.open_account("b", 2)
        with openings() as heard:
            first, second = pay(ledger, "a", "0.1"), pay(ledger, "a", "0.1")
            pay(ledger, "b")
            with pytest.raises(BudgetExceeded):
                pay(ledger, "c", 1, cap="0.5")
        assert (first.opening, second.opening) == (Opening("a", Fraction(1), ("b",)), None)
        assert heard == [first.opening]
        pay(ledger, "d")
        assert heard == [first.opening]
        ledger.commit(first, b"release")

    def test_a_charge_is_spent_before_it_is_committed(self, ledger: Ledger) -> None:
        pay(ledger)
        assert ledger.account("checkins").spent == 1

    def test_the_second_is_refused_until_the_cap_is_raised(self, ledger: Ledger) -> None:
        pay(ledger, "my data")
        with pytest.raises(BudgetExceeded) as caught:
            pay(ledger, "my data", "1/2")
        assert (caught.value.requested, caught.value.remaining) == (Fraction(1, 2), 0)
        assert "To raise it anyway: hushgram ledger set-cap 'my data' 1.5" in str(caught.value)
        ledger.set_cap("my data", "1.5")
        pay(ledger, "my data", "1/2")
        assert ledger.account("my data").remaining == 0

    def test_the_suggested_cap_suffices_exactly(self, ledger: Ledger) -> None:
        pay(ledger, epsilon="1.00000000000000000001")
        with pytest.raises(BudgetExceeded) as caught:
            pay(ledger, epsilon="1/3")
        ledger.set_cap("checkins", str(caught.value).split()[-1])
        pay(ledger, epsilon="1/3")
        assert ledger.account("checkins").remaining == 0

    def test_tenths_add_up(self, ledger: Ledger) -> None:
        ledger.open_account("a", "0.3", **ROWS)
        for _ in range(3):
            pay(ledger, "a", 0.1)
        assert ledger.account("a").spent == Fraction(3, 10)
        with pytest.raises(BudgetExceeded):
            pay(ledger, "a", "1e-30")

    @pytest.mark.parametrize(
        "epsilon",
        [0, -1, "0", "-1/2", "x", "", "1/0", None, True, float("nan"), float("inf"), 1e-300,
         "1e999999999", 10**200, pytest.param(10**5000, id="huge"), [1], 1j],
    )  # fmt: skip
    def test_epsilons_that_are_none(self, ledger: Ledger, epsilon: object) -> None:
        with pytest.raises(EpsilonError, match="epsilon must be a positive number"):
            pay(ledger, epsilon=epsilon)
        assert ledger.entries() == []

    def test_a_refused_charge_leaves_no_trace(self, ledger: Ledger) -> None:
        pay(ledger)
        before = ledger.entries()
        for options in ({"epsilon": 5}, {"unit": "user:id:2"}, {"epsilon": -1}, {"account": "/"}):
            with pytest.raises((BudgetError, BadInput)):
                pay(ledger, **options)
        assert ledger.entries() == before

    def test_large_epsilons_must_be_wanted(self, ledger: Ledger) -> None:
        pay(ledger, "just right", 10)
        with pytest.raises(EpsilonError, match=r"epsilon 10.5 is above 10.*allow_large"):
            pay(ledger, "large", 10.5)
        with pytest.raises(EpsilonError, match="the cap 11 is above 10"):
            ledger.open_account("large", 11, **ROWS)
        with pytest.raises(EpsilonError, match="the cap 11 is above 10"):
            ledger.set_cap("just right", 11)
        assert [account.name for account in ledger.accounts()] == ["just right"]
        assert pay(ledger, "large", 11, allow_large=True).epsilon == 11
        ledger.set_cap("large", 30, allow_large=True)
        pay(ledger, "large", 12)  # the cap was wanted explicitly, which is enough

    def test_an_account_is_bound_to_its_promise(self, ledger: Ledger) -> None:
        ledger.open_account("a", 5, unit="user:id:10", neighbours="add-remove")
        for unit, neighbours in (("rows", "add-remove"), ("user:id:10", "replace-one")):
            with pytest.raises(AccountMismatch) as caught:
                pay(ledger, "a", unit=unit, neighbours=neighbours)
            for said in (repr("user:id:10"), repr(unit), repr(neighbours), "a second budget"):
                assert said in str(caught.value)
        assert ledger.account("a").spent == 0

    @pytest.mark.parametrize(
        "options",
        [
            {"unit": ""},
            {"unit": 3},
            {"unit": "user:a\0b"},
            {"unit": "user:\ud800"},
            {"neighbours": "both"},
            {"neighbours": None},
        ],
    )
    def test_promises_that_are_none(self, ledger: Ledger, options: dict[str, object]) -> None:
        with pytest.raises(BadInput, match="must be"):
            pay(ledger, **options)

    # Caps

    def test_the_cap_is_never_below_what_is_spent(self, ledger: Ledger) -> None:
        ledger.open_account("a", 5, **ROWS)
        pay(ledger, "a", 2)
        with pytest.raises(BudgetError, match=r"2 is already spent\. Choose a cap of at least 2"):
            ledger.set_cap("a", "1.9")
        assert ledger.set_cap("a", 2) == ledger.account("a")
        assert ledger.account("a").remaining == 0
        with pytest.raises(EpsilonError, match="The cap must be a positive number"):
            ledger.set_cap("a", 0)

    # Requests

    def test_a_committed_request_is_answered_again_for_nothing(self, ledger: Ledger) -> None:
        ask = {"request_id": "r1", "request": {"bins": [1, 2], "alpha": Fraction(1, 2)}}
        ticket = pay(ledger, **ask)
        ledger.commit(ticket, b"release")
        before = ledger.entries()
        again = ledger.begin("checkins", "1.0", **ROWS, **ask)  # type: ignore[arg-type]
        assert again == Finished("r1", "checkins", Fraction(1), ticket.receipt, b"release")
        assert ledger.entries() == before

    def test_a_pending_request_is_forfeited(self, ledger: Ledger) -> None:
        pay(ledger, request_id="r1")
        ledger.set_cap("checkins", 5)
        with pytest.raises(
            RequestConflict, match=r"did not finish.*epsilon 1 stays spent.*again with a new ID"
        ):
            pay(ledger, request_id="r1")
        assert ledger.account("checkins").spent == 1
        pay(ledger, request_id="r2")
        assert ledger.account("checkins").spent == 2

    def test_a_forfeited_request_may_still_finish_where_it_runs(self, ledger: Ledger) -> None:
        ticket = pay(ledger, request_id="r1")
        with pytest.raises(RequestConflict):
            pay(ledger, request_id="r1")
        ledger.commit(ticket, b"late")
        again = ledger.begin("checkins", 1, **ROWS, request_id="r1")
        assert isinstance(again, Finished)
        assert again.release == b"late"

    @pytest.mark.parametrize(
        "changed",
        [{"epsilon": 2}, {"account": "b"}, {"unit": "user:id:1"}, {"request": {"bins": 5}}],
    )
    def test_an_id_stands_for_one_request(self, ledger: Ledger, changed: dict[str, object]) -> None:
        first = {"request_id": "r1", "request": {"bins": 4}}
        ledger.commit(pay(ledger, **first), b"release")
        with pytest.raises(RequestConflict, match="different request"):
            pay(ledger, **{**first, **changed})

    def test_without_an_id_every_request_is_new(self, ledger: Ledger) -> None:
        ledger.open_account("a", 5, **ROWS)
        tickets = [pay(ledger, "a") for _ in range(3)]
        assert len({ticket.request_id for ticket in tickets}) == 3
        assert ledger.account("a").spent == 3

    @pytest.mark.parametrize("request_id", ["Zürich 東京 😀", 'it\'s "so" \\u0041 {}', "100% ?"])
    def test_ids_that_people_use(self, ledger: Ledger, request_id: str) -> None:
        ledger.commit(pay(ledger, request_id=request_id), b"release")
        again = ledger.begin("checkins", 1, **ROWS, request_id=request_id)
        assert isinstance(again, Finished)
        assert again.request_id == request_id

    @pytest.mark.parametrize("request_id", ["", "a\nb", "x" * 201, 7])
    def test_ids_that_are_refused(self, ledger: Ledger, request_id: object) -> None:
        with pytest.raises(BadInput, match="A request ID must have"):
            pay(ledger, request_id=request_id)

    @pytest.mark.parametrize("value", [float("nan"), {1, 2}, b"x", object()])
    def test_requests_that_are_no_json(self, ledger: Ledger, value: object) -> None:
        with pytest.raises(BadInput, match="Cannot write the request as JSON"):
            pay(ledger, request={"value": value})
        assert ledger.entries() == []

    def test_the_request_itself_is_not_kept(self, ledger: Ledger) -> None:
        pay(ledger, request={"source": "/home/me/private.csv"})
        assert "private" not in repr(ledger.entries())

    # Commits

    def test_committing_the_same_bytes_again_does_nothing(self, ledger: Ledger) -> None:
        ticket = pay(ledger)
        ledger.commit(ticket, b"release")
        before = ledger.entries()
        ledger.commit(ticket, b"release")
        assert ledger.entries() == before

    def test_a_charge_pays_for_one_release(self, ledger: Ledger) -> None:
        ticket = pay(ledger, request_id="r1")
        ledger.commit(ticket, b"release")
        with pytest.raises(RequestConflict, match="already has a different release"):
            ledger.commit(ticket, b"another")
        again = ledger.begin("checkins", 1, **ROWS, request_id="r1")
        assert isinstance(again, Finished)
        assert again.release == b"release"

    def test_foreign_and_forged_tickets(self, ledger: Ledger, make: Callable[[], Ledger]) -> None:
        mine = pay(ledger)
        forged = dataclasses.replace(mine, account="b")
        unpaid = dataclasses.replace(mine.receipt, epsilon=Fraction(1, 9))
        for ticket in (pay(make()), forged, dataclasses.replace(mine, receipt=unpaid)):
            with pytest.raises(RequestConflict, match="has no charge"):
                ledger.commit(ticket, b"release")
        assert ledger.verify() == 2

    # Receipts and verification

    def test_receipts_are_known_to_their_ledger_only(
        self, ledger: Ledger, make: Callable[[], Ledger]
    ) -> None:
        receipt = pay(ledger).receipt
        other = make()
        pay(other)
        assert ledger.find(Receipt.from_json(receipt.to_json()))
        assert not other.find(receipt)
        assert not ledger.find(dataclasses.replace(receipt, epsilon=Fraction(1, 2)))
        assert not ledger.find(dataclasses.replace(receipt, seal="0" * 64))

    def test_a_receipt_betrays_neither_order_nor_number(
        self, ledger: Ledger, make: Callable[[], Ledger]
    ) -> None:
        first, second = pay(ledger).receipt, pay(make()).receipt
        assert first.to_json().keys() == {"id", "epsilon", "seal"}
        assert first.id != second.id
        assert first.seal != second.seal
        assert first.seal not in repr(ledger.entries())

    def test_a_used_ledger_verifies(self, ledger: Ledger) -> None:
        receipts = []
        for name in ("a", "b"):
            ledger.open_account(name, 2, **ROWS)
            for _ in range(3):
                ticket = pay(ledger, name, "0.5")
                ledger.commit(ticket, name.encode())
                receipts.append(ticket.receipt)
            ledger.set_cap(name, 3)
            receipts.append(pay(ledger, name).receipt)
        assert ledger.verify(receipts) == len(ledger.entries()) == 18

    def test_a_receipt_that_the_ledger_does_not_know(
        self, ledger: Ledger, make: Callable[[], Ledger]
    ) -> None:
        lost = pay(make()).receipt
        pay(ledger)
        with pytest.raises(
            LedgerCorrupted, match=f"does not contain receipt {lost.id}.*older copy"
        ):
            ledger.verify([lost])

    def test_entries_tell_the_story(self, ledger: Ledger) -> None:
        ledger.commit(pay(ledger, "a"), b"release")
        pay(ledger, "b")
        ledger.set_cap("a", 2)
        assert [(entry.account, entry.kind) for entry in ledger.entries()] == [
            ("a", "open"), ("a", "charge"), ("a", "commit"),
            ("b", "open"), ("b", "charge"), ("a", "cap"),
        ]  # fmt: skip
        assert [entry.seq for entry in ledger.entries("a")] == [1, 2, 3, 6]

    def test_sums_may_not_grow_without_end(self, ledger: Ledger) -> None:
        ledger.open_account("a", 10, **ROWS)

        def many() -> None:
            for power in range(1, 200):
                pay(ledger, "a", Fraction(1, 10**99 + power))

        with pytest.raises(EpsilonError, match="Use a short decimal"):
            many()
        assert ledger.verify() > 2
        pay(ledger, "a", "0.5")
