"""Everything Hushgram raises on purpose. Each is a name of `hushgram` too: ``hg.BudgetExceeded``.

::

    HushgramError
    ├── BadInput                 what was asked for is not possible; nothing was spent
    │   ├── DomainError          an axis, its bounds, its bins, the number of cells
    │   ├── SourceError          the table, its columns, their types
    │   ├── QuestionError        a range or an axis that the release does not know
    │   │   └── NotAnswerable    a good question that this release cannot answer, and why
    │   ├── UnknownMechanism     no such name in the registry
    │   ├── PluginError          another package's mechanism that cannot be loaded
    │   ├── OutputError          the output exists or cannot be written
    │   ├── NoSuchFile           a file that does not exist
    │   └── ReleaseCorrupted     a file that is not (or no longer) a release
    ├── BudgetError              the privacy budget does not allow it
    │   ├── EpsilonError         an epsilon that is not a positive number, or is very large
    │   ├── BudgetExceeded       more is asked for than remains
    │   └── AccountMismatch      an account of another unit or other neighbours
    ├── LedgerError              the ledger cannot be used
    │   ├── UnknownAccount
    │   ├── RequestConflict      a request id that stands for something else, or was forfeited
    │   └── LedgerCorrupted      the hash chain is broken
    ├── NothingFound             the noise hides what was looked for; it is paid for all the same
    ├── EngineFailed             the engine stopped while counting; what was charged stays charged
    ├── TableChanged             a file was changed while it was counted; likewise
    ├── MachineNotReady          this machine cannot count or write; nothing was spent
    └── MissingExtra             an optional dependency is not installed

Two warnings stand beside them. `UntestedEngine`: Ibis knows the engine, Hushgram's tests do not.
`Unaccounted`: counts were published without an account, so nobody remembers what was spent.
Each message says what was found, what is allowed, and what to do next; the values are attributes.
The command line prints the message and exits with code 2.
"""

from __future__ import annotations

from fractions import Fraction


class HushgramError(Exception):
    """Any error that Hushgram raises on purpose."""


class BadInput(HushgramError, ValueError):
    """What was asked for is not possible; nothing was read or spent."""


class DomainError(BadInput):
    """An axis or a domain that cannot be built."""


class SourceError(BadInput):
    """A table that cannot be opened, or lacks what the domain names."""


class QuestionError(BadInput):
    """A question that does not fit the release."""


class NotAnswerable(QuestionError):
    """A question that this release cannot answer; another one might."""


class UnknownMechanism(BadInput):
    """No mechanism of that name."""

    def __init__(self, name: str, known: tuple[str, ...], hint: str = "") -> None:
        self.name = name
        self.known = known
        super().__init__(f"Unknown mechanism {name!r}.{hint} Known: {', '.join(known)}.")


class PluginError(BadInput):
    """A mechanism of another package cannot be loaded."""

    def __init__(self, name: str, package: str, reason: str) -> None:
        self.name = name
        self.package = package
        super().__init__(f"Cannot load mechanism {name!r} of {package}: {reason}.")


class OutputError(BadInput):
    """The output cannot be written where it was wanted."""


class NoSuchFile(BadInput, FileNotFoundError):
    """There is no file of that name."""


class ReleaseCorrupted(BadInput):
    """The file is not a release, or its contents do not match its seal."""


class BudgetError(HushgramError, ValueError):
    """The privacy budget does not allow it."""


class EpsilonError(BudgetError):
    """An epsilon that is not a positive number, or is too large to protect anybody."""


class BudgetExceeded(BudgetError):
    """More is asked for than remains."""

    def __init__(
        self, requested: Fraction, remaining: Fraction, reason: str, hint: str = ""
    ) -> None:
        self.requested = requested
        self.remaining = remaining
        self.reason = reason
        super().__init__(f"{reason} {hint}" if hint else reason)


class AccountMismatch(BudgetError):
    """The account protects another unit, or another notion of neighbours."""


class LedgerError(HushgramError):
    """The ledger cannot be used."""


class UnknownAccount(LedgerError):
    """The ledger has no such account."""


class RequestConflict(LedgerError):
    """The request id was used for something else, or belongs to a publish that never finished."""


class LedgerCorrupted(LedgerError):
    """The ledger's hash chain does not hold."""


class NothingFound(HushgramError):
    """What was looked for does not rise above the noise; looking was paid for."""


class EngineFailed(HushgramError):
    """The engine stopped while counting.

    Its own words may quote values of the table, so they are not repeated.
    """


class TableChanged(HushgramError):
    """A file of the table was changed after it was opened, so its rows cannot be counted once."""


class MachineNotReady(HushgramError):
    """A trial run without rows failed, for want of a package, a folder or space.

    Nothing was spent.
    """


class Unaccounted(UserWarning):
    """Counts were published without an account: their budget is not remembered."""


class UntestedEngine(UserWarning):
    """The table lives in an engine that the tests have never seen."""


class MissingExtra(HushgramError, ImportError):
    """An optional dependency is needed. The message names it as the package index does."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        self.package = package
        self.extra = extra
        super().__init__(
            f"{purpose} needs {package}, which is not installed. Install it with: pip install "
            f'"{package}". It is part of the extra "{extra}".'
        )
