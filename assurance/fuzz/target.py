"""Fuzzing targets: an input, the commands that use it, and what must hold afterwards."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, ClassVar

Step = list[str] | Callable[[], object]
"""The arguments of a command, or a call of the library."""


@dataclass(frozen=True)
class Input:
    """An input, and the way in which the program uses it."""

    data: bytes
    way: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.data).hexdigest()[:10]


@dataclass
class StepResult:
    """The visible results of one step."""

    code: int = 0
    out: str = ""
    err: str = ""
    error: str = ""
    """The name of Hushgram's own error."""
    place: str = ""
    """Where it was raised."""
    fault: str = ""
    """An exception that reached the user, and where it came from."""
    charges: int = 0
    """The number of new charges in the ledger."""
    kept: int = 0
    """The number of new answers, releases or others, in the ledger."""
    peak: int = 0
    """Additional memory in megabytes."""
    left: list[Path] = field(default_factory=list)
    """The files that exist afterwards."""


class Target(ABC):
    """A kind of input."""

    name: ClassVar[str]
    ending: ClassVar[str]
    ways: Mapping[str, Sequence[str]]
    """The ways to use an input, by name."""
    slow: ClassVar[Sequence[str]] = ()
    """Ways that are tried rarely."""

    @abstractmethod
    def seeds(self) -> list[bytes]:
        """Return valid inputs to start with."""

    @abstractmethod
    def mutated(self, data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
        """Return a changed copy, possibly with pieces of the others."""

    @abstractmethod
    def steps(self, given: Input, folder: Path) -> list[Step]:
        """Put the input into a folder, and return the steps to run."""

    def parts(self, data: bytes) -> Sequence[Any]:
        """Return the parts that can be removed to make an input smaller."""
        return data

    def join(self, parts: Sequence[Any]) -> bytes:
        return bytes(parts)

    def wrong(self, given: Input, seen: StepResult) -> str:
        """Return what is wrong for this kind of input, in addition to the general checks; "" if
        nothing."""
        return ""


class Listed(Target):
    """A target whose input is a JSON list."""

    ending = ".json"

    def parts(self, data: bytes) -> Sequence[Any]:
        found: list[Any] = json.loads(data)
        return found

    def join(self, parts: Sequence[Any]) -> bytes:
        return json.dumps(parts).encode()
