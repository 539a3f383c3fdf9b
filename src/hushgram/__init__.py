"""Hushgram publishes accurate histograms and maps of private data.

>>> import hushgram as hg
>>> release = hg.publish(hg.Counts([[10, 200], [30, 4]]), epsilon=1)
>>> answer = release.count(x0=(0, 2), x1=1)     # about 204, with an error bar

This module is a catalogue: every name lives in its own room and is loaded when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from hushgram.answers.blocking import match_blocks
    from hushgram.answers.classify import HistogramClassifier
    from hushgram.answers.distances import distance
    from hushgram.answers.weighted import weighted_rows
    from hushgram.axis import Category, Date, Integer, Interval, Regular, Variable
    from hushgram.bounds import find_bounds
    from hushgram.condition import Where
    from hushgram.domain import Domain
    from hushgram.dry_run import DryRun
    from hushgram.errors import (
        BudgetExceeded,
        HushgramError,
        MachineNotReady,
        NotAnswerable,
        NothingFound,
        Unaccounted,
    )
    from hushgram.estimate import Answer, Answers, Estimate
    from hushgram.max_rows import find_max_rows
    from hushgram.mechanisms import MECHANISMS, Mechanism
    from hushgram.medians import smooth_median
    from hushgram.plan import Plan, Planned
    from hushgram.plans import publish_plan
    from hushgram.publishing import publish
    from hushgram.release import Release, load
    from hushgram.text_format import Text
    from hushgram.trusted.engine.counted import Counts
    from hushgram.trusted.ledger import Ledger
    from hushgram.unit import User

_ROOMS = {
    "publish": "publishing",
    "publish_plan": "plans",
    "DryRun": "dry_run",
    "Plan": "plan",
    "Planned": "plan",
    "smooth_median": "medians",
    "find_bounds": "bounds",
    "find_max_rows": "max_rows",
    "load": "release",
    "Release": "release",
    "Domain": "domain",
    "Interval": "axis",
    "Regular": "axis",
    "Variable": "axis",
    "Integer": "axis",
    "Category": "axis",
    "Date": "axis",
    "Counts": "trusted.engine.counted",
    "Where": "condition",
    "Text": "text_format",
    "User": "unit",
    "Ledger": "trusted.ledger",
    "MECHANISMS": "mechanisms",
    "Mechanism": "mechanisms",
    "Estimate": "estimate",
    "Answer": "estimate",
    "Answers": "estimate",
    "HistogramClassifier": "answers.classify",
    "weighted_rows": "answers.weighted",
    "match_blocks": "answers.blocking",
    "distance": "answers.distances",
    "HushgramError": "errors",
    "BudgetExceeded": "errors",
    "NothingFound": "errors",
    "NotAnswerable": "errors",
    "MachineNotReady": "errors",
    "Unaccounted": "errors",
}

__all__ = [
    "publish", "publish_plan", "Plan", "Planned", "DryRun", "load", "Release", "smooth_median",
    "find_bounds", "find_max_rows",
    "Domain", "Interval", "Regular", "Variable", "Integer", "Category", "Date",
    "Counts", "Where", "Text", "User", "Ledger",
    "MECHANISMS", "Mechanism", "Estimate", "Answer", "Answers",
    "HistogramClassifier", "weighted_rows", "match_blocks", "distance",
    "HushgramError", "BudgetExceeded", "NothingFound", "NotAnswerable", "MachineNotReady",
    "Unaccounted", "__version__",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module 'hushgram' has no attribute {name!r}")
    value = getattr(import_module(f"hushgram.{_ROOMS[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
