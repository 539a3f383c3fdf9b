"""What every mechanism is."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

from hushgram.domain import Domain
from hushgram.errors import BadInput, DomainError
from hushgram.estimate import Estimate
from hushgram.queries import Vault


@dataclasses.dataclass(frozen=True, kw_only=True)
class Mechanism(ABC):
    """A frozen recipe: it asks a vault, spends exactly its budget, and infers an estimate."""

    name: ClassVar[str]
    proof: ClassVar[str]
    """The page in ``docs/proofs`` that shows it private."""
    intervals: ClassVar[str] = "approximate"
    """``"exact"`` if error bars hold the noise of whole parts as often as they say, for any
    table: values are linear in noise that had no say in the parts."""
    because: ClassVar[str] = "It does not say how its noise and its parts hang together."
    """Why they are, in one sentence."""

    @abstractmethod
    def check(self, domain: Domain) -> None:
        """Refuse a domain that it cannot publish, before anything is charged or read."""

    @abstractmethod
    def estimate(self, vault: Vault) -> Estimate: ...

    def settle(self, vault: Vault) -> Settled:
        """What is run on a vault: itself, unless it is one that chooses among others."""
        return Settled(self)

    def parameters(self) -> dict[str, Any]:
        """The parameters as JSON."""
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return {k: str(v) if isinstance(v, Fraction) else v for k, v in values.items()}

    def approximation(self) -> str:
        """Why its intervals are approximate; empty if they are exact."""
        return "" if self.intervals == "exact" else self.because

    def summary(self) -> str:
        """The first line of its docstring."""
        return (type(self).__doc__ or "").strip().partition("\n")[0]


class Settled(NamedTuple):
    """A mechanism that is to be run, and why it was chosen: a sentence or two, empty if whoever
    publishes named it."""

    mechanism: Mechanism
    why: str = ""


def positive_share(value: Any, name: str) -> Fraction:
    """A parameter that is a share of the budget, strictly between 0 and 1, exactly."""
    try:
        share = Fraction(str(value))
    except ValueError:
        raise BadInput(f"{name} is a number between 0 and 1, not {value!r}.") from None
    if not 0 < share < 1:
        raise BadInput(f"{name} lies strictly between 0 and 1, not at {value}.")
    return share


def one_ordered_axis(name: str, domain: Domain) -> None:
    """Refuse a domain in which cells have no neighbours on a line."""
    if len(domain) != 1 or not domain.axes[0].ordered:
        raise DomainError(
            f"{name} works along one axis with an order, and the domain has {len(domain)} axes. "
            "Publish one axis, or choose another mechanism, for example ahp or hb."
        )
