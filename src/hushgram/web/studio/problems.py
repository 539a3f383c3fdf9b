"""What is wrong with which field of a form, in the library's own messages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from hushgram.errors import (
    AccountMismatch,
    BudgetError,
    BudgetExceeded,
    DomainError,
    EpsilonError,
    HushgramError,
    LedgerError,
    SourceError,
    UnknownMechanism,
)

LONGEST = 2000
"""Characters of a message."""


@dataclass(frozen=True)
class Problem:
    """A message of the library, and the field that it belongs to."""

    field: str
    kind: str
    message: str

    @classmethod
    def of(cls, error: HushgramError, field: str = "") -> Problem:
        message = str(error)
        if len(message) > LONGEST:
            message = f"{message[: LONGEST // 2]}…{message[1 - LONGEST // 2 :]}"
        return cls(field or field_of(error), type(error).__name__, message)

    def to_json(self) -> dict[str, str]:
        return {"field": self.field, "kind": self.kind, "message": self.message}


class BadForm(Exception):
    """A form that cannot be used, and everything that is wrong with it."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        super().__init__("; ".join(one.message for one in problems))


class Checks:
    """Collects problems, so that a form shows all of them at once."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    @contextmanager
    def field(self, name: str) -> Iterator[None]:
        """What goes wrong here is reported next to this field."""
        try:
            yield
        except HushgramError as error:
            self.add(Problem.of(error, name))

    def add(self, problem: Problem) -> None:
        self.problems.append(problem)

    def finish(self) -> None:
        if self.problems:
            raise BadForm(self.problems)


FIELDS: tuple[tuple[type[HushgramError], str], ...] = (
    (BudgetExceeded, "epsilon"),
    (EpsilonError, "epsilon"),
    (AccountMismatch, "account"),
    (LedgerError, "account"),
    (SourceError, "source"),
    (DomainError, "axes"),
    (UnknownMechanism, "mechanism"),
    (BudgetError, "cap"),
)
"""Where a problem is shown that came up when the whole was tried."""


def field_of(error: HushgramError) -> str:
    return next((field for kind, field in FIELDS if isinstance(error, kind)), "")
