"""All fuzzing targets."""

from __future__ import annotations

from assurance.fuzz.files import DomainJson, LedgerFile, PlanFile, ReleaseFile
from assurance.fuzz.forged import ForgedRelease
from assurance.fuzz.tables import Csv, Parquet
from assurance.fuzz.target import Target
from assurance.fuzz.words import Arguments

TARGETS: dict[str, Target] = {
    target.name: target
    for target in (
        Csv(), Parquet(), ReleaseFile(), ForgedRelease(), LedgerFile(), Arguments(), DomainJson(),
        PlanFile(),
    )
}  # fmt: skip
