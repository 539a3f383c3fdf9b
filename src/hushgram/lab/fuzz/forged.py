"""Forged releases, asked every question that there is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from hushgram.lab.fuzz import published
from hushgram.lab.fuzz.asking import DRAWN, QUESTIONS, Asked
from hushgram.lab.fuzz.files import FILE
from hushgram.lab.fuzz.forging import CANNOT, forged_release
from hushgram.lab.fuzz.target import Input, Step, Target

ASKED = {"asked": tuple(QUESTIONS), "drawn": tuple(DRAWN)}


class ForgedRelease(Target):
    """A release whose pieces were changed, and sealed again: it is refused, or it answers."""

    name, ending = "forged", ".hush.parquet"
    ways = ASKED
    slow = ("drawn",)

    def seeds(self) -> list[bytes]:
        return list(published.releases())

    def spoilt(self, data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
        try:
            return forged_release(data, list(others), chance)
        except CANNOT:  # what was forged before cannot be taken apart any more
            return forged_release(chance.choice(self.seeds()), self.seeds(), chance)

    def steps(self, given: Input, folder: Path) -> list[Step]:
        (folder / FILE).write_bytes(given.data)
        return list(Asked(folder / FILE).steps(QUESTIONS if given.way == "asked" else DRAWN))

    def parts(self, data: bytes) -> Sequence[Any]:
        """Whole: less of a file is another kind of fault."""
        return [data]

    def joined(self, parts: Sequence[Any]) -> bytes:
        return b"".join(parts)
