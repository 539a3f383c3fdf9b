"""The exceptions that Hushgram raises. All are available as ``hg.BudgetExceeded`` and so on.

::

    HushgramError
    ├── BadInput                 the input is not valid; nothing was spent
    │   ├── DomainError          an axis, its bounds, its bins, the number of cells
    │   ├── SourceError          the table, its columns, their types
    │   ├── QuestionError        a range or an axis that the release does not have
    │   │   └── NotAnswerable    a valid question that this release cannot answer
    │   ├── UnknownMechanism     there is no mechanism with this name
    │   ├── PluginError          a mechanism of another package cannot be loaded
    │   ├── OutputError          the output exists or cannot be written
    │   ├── NoSuchFile           a file does not exist
    │   └── ReleaseCorrupted     a file is not a release, or was changed
    ├── BudgetError              the privacy budget does not allow it
    │   ├── EpsilonError         epsilon is not a positive number, or is very large
    │   ├── BudgetExceeded       the request exceeds the remaining budget
    │   └── AccountMismatch      the account has another unit or other neighbours
    ├── LedgerError              the ledger cannot be used
    │   ├── UnknownAccount       the ledger has no account with this name
    │   ├── RequestConflict      the request ID was used for something else, or did not finish
    │   └── LedgerCorrupted      the hash chain is broken
    ├── NothingFound             nothing stands out from the noise; the budget was spent
    ├── EngineFailed             the engine failed while counting; the charge stays spent
    ├── TableChanged             a file changed while it was counted; the charge stays spent
    ├── MachineNotReady          this machine cannot count or write; nothing was spent
    └── MissingExtra             an optional dependency is not installed

There are also two warnings. `UntestedEngine`: Ibis supports the engine, but Hushgram is not tested
on it. `Unaccounted`: counts were published without an account, so the budget is not recorded.
Each message says what is wrong, what was found and what to do; the values are attributes. The
command line prints the message and exits with code 2.
"""

from __future__ import annotations

from fractions import Fraction


class HushgramError(Exception):
    """Base class of all errors that Hushgram raises."""


class BadInput(HushgramError, ValueError):
    """The input is not valid. Nothing was read or spent."""


class DomainError(BadInput):
    """An axis or a domain is not valid."""


class SourceError(BadInput):
    """The table cannot be opened, or does not have the declared columns."""


class QuestionError(BadInput):
    """The question does not fit the release."""


class NotAnswerable(QuestionError):
    """This release cannot answer the question, although it is valid."""


class UnknownMechanism(BadInput):
    """There is no mechanism with this name."""

    def __init__(self, name: str, known: tuple[str, ...], hint: str = "") -> None:
        self.name = name
        self.known = known
        super().__init__(f"Unknown mechanism {name!r}.{hint} Mechanisms: {', '.join(known)}.")


class PluginError(BadInput):
    """A mechanism from another package cannot be loaded."""

    def __init__(self, name: str, package: str, reason: str) -> None:
        self.name = name
        self.package = package
        super().__init__(f"Cannot load mechanism {name!r} of {package}: {reason}.")


class OutputError(BadInput):
    """The output already exists or cannot be written."""


class NoSuchFile(BadInput, FileNotFoundError):
    """The file does not exist."""


class ReleaseCorrupted(BadInput):
    """The file is not a release, or its contents do not match its checksum."""


class BudgetError(HushgramError, ValueError):
    """The privacy budget does not allow it."""


class EpsilonError(BudgetError):
    """Epsilon is not a positive number, or is too large to protect anybody."""


class BudgetExceeded(BudgetError):
    """The request exceeds the remaining budget."""

    def __init__(
        self, requested: Fraction, remaining: Fraction, reason: str, hint: str = ""
    ) -> None:
        self.requested = requested
        self.remaining = remaining
        self.reason = reason
        super().__init__(f"{reason} {hint}" if hint else reason)


class AccountMismatch(BudgetError):
    """The account protects a different privacy unit, or uses another definition of neighbours."""


class LedgerError(HushgramError):
    """The ledger cannot be used."""


class UnknownAccount(LedgerError):
    """The ledger has no account with this name."""


class RequestConflict(LedgerError):
    """The request ID was used for something else, or belongs to a publish that did not finish."""


class LedgerCorrupted(LedgerError):
    """The hash chain of the ledger is broken."""


class NothingFound(HushgramError):
    """Nothing stands out from the noise. The budget was spent nevertheless."""


class EngineFailed(HushgramError):
    """The engine failed while counting. The charge stays spent.

    The engine's own message is not shown, because it may quote values of the table.
    """


class TableChanged(HushgramError):
    """A file of the table changed after it was opened. The charge stays spent."""


class MachineNotReady(HushgramError):
    """A trial run without rows failed, for example because a package or disk space is missing.

    Nothing was spent.
    """


class Unaccounted(UserWarning):
    """Counts were published without an account, so their budget is not recorded."""


class UntestedEngine(UserWarning):
    """Hushgram is not tested with the engine of this table."""


class MissingExtra(HushgramError, ImportError):
    """An optional dependency is not installed. The message says how to install it."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        self.package = package
        self.extra = extra
        super().__init__(
            f"{purpose} needs {package}, which is not installed. Install it with: pip install "
            f'"{package}". It is part of the extra "{extra}".'
        )
