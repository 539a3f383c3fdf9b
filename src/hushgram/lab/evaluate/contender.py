"""A mechanism as it is written on the command line: ``hb``, or ``dpcube:estimator=uniform``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from hushgram.domain import Domain
from hushgram.errors import BadInput, UnknownMechanism
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.registry import MECHANISMS


@dataclass(frozen=True)
class Contender:
    """A label for tables, and what it stands for on a domain.

    >>> Contender.of("dpcube:estimator=uniform").given
    {'estimator': 'uniform'}
    """

    label: str
    name: str
    given: Mapping[str, Any] = field(default_factory=dict)
    instance: Mechanism | None = None

    @classmethod
    def of(cls, written: str | Mechanism) -> Contender:
        """A name, a name with parameters, or a mechanism."""
        if isinstance(written, Mechanism):
            return cls(label_of(written), written.name, instance=written)
        name, _, rest = written.partition(":")
        if name not in MECHANISMS:
            raise UnknownMechanism(name, tuple(MECHANISMS))
        found = cls(
            written, name, dict(pair(one, written) for one in filter(None, rest.split(",")))
        )
        if found.given:
            found.check_parameters()
        return found

    def on(self, domain: Domain) -> Mechanism:
        """The mechanism for a domain, which it may refuse."""
        found = self.instance or MECHANISMS[self.name](**self.given)
        found.check(domain)
        return found

    def check_parameters(self) -> None:
        known = [one.name for one in fields(MECHANISMS[self.name])]
        for name in self.given:
            if name not in known:
                raise BadInput(
                    f"{self.name} has no parameter {name!r}. "
                    f"Known: {', '.join(known) or 'none at all'}."
                )
        try:
            MECHANISMS[self.name](**self.given)
        except TypeError as error:
            raise BadInput(f"{self.label} cannot be: {error}.") from None


def pair(text: str, whole: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise BadInput(f"{whole} is no mechanism: parameters are written name:key=value,key=value.")
    try:
        return name.strip(), json.loads(value)
    except ValueError:
        return name.strip(), value.strip()


def label_of(mechanism: Mechanism) -> str:
    """Its name, and the parameters that are not the default."""
    usual = type(mechanism)().parameters()
    given = {k: v for k, v in mechanism.parameters().items() if usual[k] != v}
    return mechanism.name + (":" + ",".join(f"{k}={v}" for k, v in given.items()) if given else "")
