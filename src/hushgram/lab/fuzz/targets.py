"""All that is fuzzed."""

from __future__ import annotations

from hushgram.lab.fuzz.files import DomainJson, LedgerFile, PlanFile, ReleaseFile
from hushgram.lab.fuzz.forged import ForgedRelease
from hushgram.lab.fuzz.tables import Csv, Parquet
from hushgram.lab.fuzz.target import Target
from hushgram.lab.fuzz.words import Arguments

TARGETS: dict[str, Target] = {
    target.name: target
    for target in (
        Csv(), Parquet(), ReleaseFile(), ForgedRelease(), LedgerFile(), Arguments(), DomainJson(),
        PlanFile(),
    )
}  # fmt: skip
