"""An account: how much may be spent on a data set, and how much was spent.

The rules of the ledger are here, as pure functions from one frozen state to the next. A store only
has to store the states, and an audit replays the same functions.
"""

from __future__ import annotations

import shlex
import unicodedata
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

from hushgram.base.exact import format_number, parse_number
from hushgram.base.text import did_you_mean
from hushgram.declare.epsilon import LARGE, budget_exceeded
from hushgram.declare.unit import present_key
from hushgram.errors import AccountMismatch, BadInput, BudgetError, EpsilonError, UnknownAccount
from hushgram.trusted.ledger.lookalikes import lookalike, mixed_word, unusual, visible

NEIGHBOURS = ("add-remove", "replace-one")

_NAME_LENGTH = 100
_UNIT_LENGTH = 1000
_DENOMINATOR_BITS = 10_000


@dataclass(frozen=True)
class Account:
    """A name, a cap, who is protected (unit, neighbours), and how much was spent."""

    name: str
    cap: Fraction
    unit: str
    neighbours: str
    spent: Fraction = Fraction(0)

    @property
    def remaining(self) -> Fraction:
        return self.cap - self.spent

    def with_charge(self, epsilon: Fraction) -> Account:
        """Return the account after a charge, or raise if the charge is not allowed."""
        spent = self.spent + epsilon
        if spent > self.cap:
            flag = " --allow-large" if spent > LARGE else ""
            raise budget_exceeded(
                epsilon,
                self.remaining,
                f"account {self.name!r}",
                "Existing releases can still be queried at no cost. A higher cap weakens "
                "the promise to everybody in the table. To raise it anyway: "
                f"{set_cap_command(self.name, spent)}{flag}",
            )
        if spent.denominator.bit_length() > _DENOMINATOR_BITS:
            # Sums of many unrelated fractions grow without end, and must stay storable.
            raise EpsilonError(
                f"Adding epsilon {format_number(epsilon)} makes the total of account "
                f"{self.name!r} a fraction with thousands of digits. Use a short decimal "
                "such as 0.33 instead."
            )
        return replace(self, spent=spent)

    def with_cap(self, cap: Fraction) -> Account:
        """Return the account with another cap, which must not be below what was spent."""
        if cap < self.spent:
            raise BudgetError(
                f"The cap of account {self.name!r} cannot be {format_number(cap)}, because "
                f"{format_number(self.spent)} is already spent. Choose a cap of at least "
                f"{format_cap(self.spent)}."
            )
        return replace(self, cap=cap)

    def require(self, unit: str, neighbours: str) -> None:
        """Raise if a charge protects a different unit or different neighbours. Epsilons add up only
        if they protect the same thing. The unit of a person is the same for every ``max_rows``."""
        if (present_key(unit), neighbours) != (present_key(self.unit), self.neighbours):
            raise AccountMismatch(
                f"Account {self.name!r} protects unit {self.unit!r} with neighbours "
                f"{self.neighbours!r}. Found unit {unit!r} with neighbours {neighbours!r}. "
                f"Use those of the account{unit_options(self.unit)}. A second account for "
                "the same people would be a second budget, and they would lose the sum of "
                "both."
            )


def set_cap_command(name: str, cap: Fraction) -> str:
    """Return the command that gives an account this cap, or slightly more."""
    return f"hushgram ledger set-cap {shlex.quote(name)} {format_cap(cap)}"


def format_cap(cap: Fraction) -> str:
    """Return a cap as users can type it. A cap with very many digits is rounded up.

    >>> format_cap(Fraction(1, 3)), format_cap(Fraction(1, 3**1000) + 1)
    ('1/3', '1.000001')
    """
    if parse_number(cap) is None:
        cap = Fraction(ceil(cap * 10**6), 10**6)
    return format_number(cap)


def unit_options(unit: str) -> str:
    """Return the command-line options for a unit.

    >>> unit_options("user:person_id"), unit_options("rows")
    (', with --unit person_id --max-rows N', '')
    """
    column = present_key(unit).removeprefix("user:")
    return f", with --unit {shlex.quote(column)} --max-rows N" if column != unit else ""


def check_name(name: str) -> str:
    """Return the name as people see it: composed, so that two spellings of "é" are equal, and
    without invisible characters."""
    if isinstance(name, str):
        plain = visible(name)
        fits = 1 <= len(plain) <= _NAME_LENGTH and all(map(_is_allowed, plain))
        if fits and (plain[0].isalnum() or plain[0] == "_") and plain[-1] != " ":
            return plain
    raise BadInput(
        f"Invalid account name {_shorten(name)}. A name has 1 to {_NAME_LENGTH} letters, "
        "digits, spaces, '.', '_' or '-', starts with a letter, a digit or '_', and does "
        "not end with a space. Choose one such as 'checkins 2024'."
    )


def check_promise(unit: str, neighbours: str) -> tuple[str, str]:
    """Return the unit and the neighbours, or raise if they are invalid."""
    if not isinstance(unit, str) or not 1 <= len(unit) <= _UNIT_LENGTH or not _is_storable(unit):
        raise BadInput(
            f"A privacy unit must be text such as 'rows' or 'user:user_id'. Found {_shorten(unit)}."
        )
    if neighbours not in NEIGHBOURS:
        raise BadInput(
            f"neighbours must be {' or '.join(map(repr, NEIGHBOURS))}. Found "
            f"{_shorten(neighbours)}."
        )
    return unit, neighbours


def unknown_account_error(name: str, known: list[str]) -> UnknownAccount:
    """Return an error that suggests similar names."""
    listed = ", ".join(map(repr, known[:10])) + (", …" if len(known) > 10 else "")
    return UnknownAccount(
        f"The ledger has no account {name!r}.{did_you_mean(name, known)} Accounts: "
        f"{listed or 'none yet'}. The first publish that names an account opens it."
    )


def ambiguous_name_error(name: str, known: list[str]) -> BadInput:
    """Return an error for a name that several accounts match, which were opened before spellings
    were compared."""
    listed = ", ".join(map(repr, known))
    return BadInput(
        f"Account {name!r} could be any of {listed}. Write one of these exactly as shown."
    )


def refuse_lookalike(name: str, known: list[str]) -> None:
    """Refuse a new account whose name looks like another one."""
    other = lookalike(name, known)
    if other is not None:
        letters = unusual(name) or unusual(other)
        raise BadInput(
            f"The new account {name!r} would look like the existing account "
            f"{other!r}{f' ({letters})' if letters else ''}. To use that one, write "
            f"{other!r}. For a new account, choose a clearly different name."
        )
    word = mixed_word(name)
    if word is not None:
        raise BadInput(
            f"The new account {name!r} mixes two scripts in the word {word!r}, with "
            f"letters that look like Latin ones ({unusual(word)}). Write the word in one "
            "script."
        )


def _is_storable(text: str) -> bool:
    """Return whether every database can store the text: it has no NUL and no unpaired surrogate."""
    return not any(character == "\0" or "\ud800" <= character <= "\udfff" for character in text)


def _is_allowed(character: str) -> bool:
    # Combining marks spell letters in many scripts.
    mark = unicodedata.category(character).startswith("M")
    return character.isalnum() or mark or character in " ._-"


def _shorten(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
