"""A mechanism as it is written on the command line: ``hb``, or ``dpcube:estimator=uniform``."""

from __future__ import annotations

from dataclasses import dataclass

from hushgram.declare.domain import Domain
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.registry import parse_mechanism


@dataclass(frozen=True)
class Contender:
    """A mechanism with a label for tables.

    >>> Contender.of("dpcube:estimator=uniform").mechanism.parameters()["estimator"]
    'uniform'
    """

    label: str
    mechanism: Mechanism

    @classmethod
    def of(cls, written: str | Mechanism) -> Contender:
        """Create from a name, a name with parameters, or a mechanism."""
        if isinstance(written, Mechanism):
            return cls(label_of(written), written)
        return cls(written, parse_mechanism(written))

    def on(self, domain: Domain) -> Mechanism:
        """Return the mechanism for a domain, which it may refuse."""
        self.mechanism.check(domain)
        return self.mechanism


def label_of(mechanism: Mechanism) -> str:
    """Return a mechanism's name with the parameters that are not the default."""
    usual = type(mechanism)().parameters()
    given = {k: v for k, v in mechanism.parameters().items() if usual[k] != v}
    return mechanism.name + (":" + ",".join(f"{k}={v}" for k, v in given.items()) if given else "")
