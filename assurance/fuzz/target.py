"""What is fuzzed: an input, the command that gets it, and what must hold afterwards."""

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
"""Words of a command, or a call of the library."""


@dataclass(frozen=True)
class Input:
    """One input and the way in which the program gets it."""

    data: bytes
    way: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.data).hexdigest()[:10]


@dataclass
class StepResult:
    """What a user saw of one step."""

    code: int = 0
    out: str = ""
    err: str = ""
    error: str = ""
    """The name of the product's own error."""
    place: str = ""
    """Where it was raised."""
    fault: str = ""
    """An exception that reached the user, and where it came from."""
    charges: int = 0
    """Charges that the ledger has now and had not before."""
    kept: int = 0
    """Answers, releases or others, that it has now and had not before."""
    peak: int = 0
    """Megabytes of memory beyond what there was before."""
    left: list[Path] = field(default_factory=list)
    """Files that are there afterwards."""


class Target(ABC):
    """A kind of input."""

    name: ClassVar[str]
    ending: ClassVar[str]
    ways: Mapping[str, Sequence[str]]
    """What is done with an input, by name."""
    slow: ClassVar[Sequence[str]] = ()
    """Ways that are tried seldom."""

    @abstractmethod
    def seeds(self) -> list[bytes]:
        """Sound inputs to begin with."""

    @abstractmethod
    def spoilt(self, data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
        """A changed copy; the others may lend pieces."""

    @abstractmethod
    def steps(self, given: Input, folder: Path) -> list[Step]:
        """Put the input into a folder, and say what to do with it."""

    def parts(self, data: bytes) -> Sequence[Any]:
        """The pieces that can be left out to make an input smaller."""
        return data

    def join(self, parts: Sequence[Any]) -> bytes:
        return bytes(parts)

    def wrong(self, given: Input, seen: StepResult) -> str:
        """What is wrong for this kind of input, next to what is wrong for all; "" if nothing."""
        return ""


class Listed(Target):
    """An input that is a list in JSON."""

    ending = ".json"

    def parts(self, data: bytes) -> Sequence[Any]:
        found: list[Any] = json.loads(data)
        return found

    def join(self, parts: Sequence[Any]) -> bytes:
        return json.dumps(parts).encode()
