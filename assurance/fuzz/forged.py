"""Run every kind of query on forged releases."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from assurance.fuzz import published
from assurance.fuzz.asking import DRAWN, QUESTIONS, ask_all
from assurance.fuzz.files import FILE
from assurance.fuzz.forging import CANNOT, forged_release
from assurance.fuzz.target import Input, Step, Target

ASKED = {"asked": tuple(QUESTIONS), "drawn": tuple(DRAWN)}


class ForgedRelease(Target):
    """A release that was changed and sealed again. It must be refused, or answer."""

    name, ending = "forged", ".hush.parquet"
    ways = ASKED
    slow = ("drawn",)

    def seeds(self) -> list[bytes]:
        return list(published.releases())

    def mutated(self, data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
        """Forge a valid release, usually: a forged one may not be readable any more."""
        sound = self.seeds()
        lenders = [*others, *sound]
        for _ in range(10):
            with suppress(*CANNOT):
                base = data if chance.random() < 0.3 else chance.choice(sound)
                return forged_release(base, lenders, chance)
        return data

    def steps(self, given: Input, folder: Path) -> list[Step]:
        file, questions = folder / FILE, QUESTIONS if given.way == "asked" else DRAWN
        file.write_bytes(given.data)
        return [lambda: ask_all(file, questions)]

    def parts(self, data: bytes) -> Sequence[Any]:
        """Return the whole file: a truncated file is a different fault."""
        return [data]

    def join(self, parts: Sequence[Any]) -> bytes:
        return b"".join(parts)
