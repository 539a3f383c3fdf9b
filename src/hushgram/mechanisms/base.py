"""The base class of all mechanisms."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from hushgram.declare.domain import Domain
from hushgram.errors import DomainError
from hushgram.geometry.partition import Raster
from hushgram.mechanisms.estimate import Estimate
from hushgram.queries import Vault


@dataclasses.dataclass(frozen=True, kw_only=True)
class Mechanism(ABC):
    """A frozen recipe: it queries a vault, spends exactly its budget, and infers an estimate."""

    name: ClassVar[str]
    proof: ClassVar[str]
    """The page in ``docs/proofs`` with its privacy proof."""

    if TYPE_CHECKING:  # subclasses have parameters: MECHANISMS["hierarchical"](branching=16)

        def __init__(self, **parameters: Any) -> None: ...

    @abstractmethod
    def check(self, domain: Domain) -> None:
        """Raise for a domain that it cannot publish, before anything is charged or read."""

    @abstractmethod
    def estimate(self, vault: Vault) -> Estimate: ...

    def settle(self, vault: Vault) -> Settled:
        """The mechanism to run on a vault: itself, unless it chooses among others."""
        return Settled(self)

    def candidates(self, domain: Domain) -> tuple[Mechanism, ...]:
        """The mechanisms that it may choose for a domain, whatever the table contains."""
        return (self,)

    def raster_of(self, domain: Domain) -> Raster | None:
        """The raster from which its boxes are cut, if it counts rows first and then boxes: knowing
        it, a table has to read its rows only once."""
        return None

    def parameters(self) -> dict[str, Any]:
        """The parameters as JSON."""
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return {k: str(v) if isinstance(v, Fraction) else v for k, v in values.items()}

    @classmethod
    def summary(cls) -> str:
        """A short description for publishers: the first paragraph of the docstring."""
        return cls.paragraphs()[0]

    @classmethod
    def use_for(cls) -> str:
        """When to use it: the paragraph of the docstring that starts with "Use it for"."""
        return next((one for one in cls.paragraphs() if one.startswith("Use it for ")), "")

    @classmethod
    def paragraphs(cls) -> list[str]:
        """The paragraphs of the docstring, each on one line and without markup."""
        text = (cls.__doc__ or "").replace("`", "")
        return [" ".join(one.split()) for one in text.split("\n\n")]


class Settled(NamedTuple):
    """A mechanism to run, and the reason for choosing it in a sentence or two, empty if the
    publisher named it."""

    mechanism: Mechanism
    why: str = ""


def check_one_ordered_axis(name: str, domain: Domain) -> None:
    """Raise unless the domain is a single ordered axis."""
    if len(domain) != 1:
        found, advice = f"the domain has {len(domain)} axes", "Publish one axis, or choose"
    elif not domain.axes[0].ordered:
        found, advice = f"{domain.names[0]!r} has no order", "Choose"
    else:
        return
    raise DomainError(
        f"{name} needs a single axis with an order, but {found}. {advice} another "
        "mechanism, for example ahp or hb."
    )
