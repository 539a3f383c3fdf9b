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
    from hushgram.answers.learning.blocking import match_blocks
    from hushgram.answers.learning.classify import HistogramClassifier
    from hushgram.answers.learning.distances import distance
    from hushgram.answers.learning.weighted import weighted_rows
    from hushgram.declare.axis import Category, Date, Integer, Interval, Regular, Variable
    from hushgram.declare.condition import Where
    from hushgram.declare.domain import Domain
    from hushgram.declare.text_format import Text
    from hushgram.declare.unit import User
    from hushgram.errors import (
        BudgetExceeded,
        HushgramError,
        MachineNotReady,
        NotAnswerable,
        NothingFound,
        Unaccounted,
    )
    from hushgram.mechanisms import MECHANISMS, Mechanism
    from hushgram.mechanisms.estimate import Answer, Answers, Estimate
    from hushgram.release import Release, load
    from hushgram.spending.bounds import find_bounds
    from hushgram.spending.dry_run import DryRun
    from hushgram.spending.max_rows import find_max_rows
    from hushgram.spending.median import smooth_median
    from hushgram.spending.plan import Plan, Planned
    from hushgram.spending.publish import publish
    from hushgram.spending.publish_plan import publish_plan
    from hushgram.trusted.engine.sources.counted import Counts
    from hushgram.trusted.ledger import Ledger

_ROOMS = {
    "publish": "spending.publish",
    "publish_plan": "spending.publish_plan",
    "DryRun": "spending.dry_run",
    "Plan": "spending.plan",
    "Planned": "spending.plan",
    "smooth_median": "spending.median",
    "find_bounds": "spending.bounds",
    "find_max_rows": "spending.max_rows",
    "load": "release",
    "Release": "release",
    "Domain": "declare.domain",
    "Interval": "declare.axis",
    "Regular": "declare.axis",
    "Variable": "declare.axis",
    "Integer": "declare.axis",
    "Category": "declare.axis",
    "Date": "declare.axis",
    "Counts": "trusted.engine.sources.counted",
    "Where": "declare.condition",
    "Text": "declare.text_format",
    "User": "declare.unit",
    "Ledger": "trusted.ledger",
    "MECHANISMS": "mechanisms",
    "Mechanism": "mechanisms",
    "Estimate": "mechanisms.estimate",
    "Answer": "mechanisms.estimate",
    "Answers": "mechanisms.estimate",
    "HistogramClassifier": "answers.learning.classify",
    "weighted_rows": "answers.learning.weighted",
    "match_blocks": "answers.learning.blocking",
    "distance": "answers.learning.distances",
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
