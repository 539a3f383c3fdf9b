"""Hushgram publishes accurate histograms and maps of private data.

>>> import hushgram as hg
>>> release = hg.publish(hg.Counts([[10, 200], [30, 4]]), epsilon=1)
>>> answer = release.count(x0=(0, 2), x1=1)     # about 204, with an error bar

The imports below are the catalogue of public names. Type checkers and editors read them as they
stand; at run time a name is imported when it is first used, so that ``import hushgram`` is cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hushgram.answers.answer import Answer as Answer
    from hushgram.answers.answer import Answers as Answers
    from hushgram.answers.learning.blocking import match_blocks as match_blocks
    from hushgram.answers.learning.classify import HistogramClassifier as HistogramClassifier
    from hushgram.answers.learning.distances import distance as distance
    from hushgram.answers.learning.weighted import weighted_rows as weighted_rows
    from hushgram.declare.about import About as About
    from hushgram.declare.axis import Areas as Areas
    from hushgram.declare.axis import Category as Category
    from hushgram.declare.axis import Date as Date
    from hushgram.declare.axis import Integer as Integer
    from hushgram.declare.axis import Interval as Interval
    from hushgram.declare.axis import Regular as Regular
    from hushgram.declare.axis import Variable as Variable
    from hushgram.declare.condition import Where as Where
    from hushgram.declare.domain import Domain as Domain
    from hushgram.declare.measure import Count as Count
    from hushgram.declare.measure import Mean as Mean
    from hushgram.declare.measure import Sum as Sum
    from hushgram.declare.measure import Weighted as Weighted
    from hushgram.declare.read import read as read
    from hushgram.declare.text_format import Text as Text
    from hushgram.declare.unit import User as User
    from hushgram.errors import AccountMismatch as AccountMismatch
    from hushgram.errors import BadInput as BadInput
    from hushgram.errors import BudgetError as BudgetError
    from hushgram.errors import BudgetExceeded as BudgetExceeded
    from hushgram.errors import DomainError as DomainError
    from hushgram.errors import EngineFailed as EngineFailed
    from hushgram.errors import EpsilonError as EpsilonError
    from hushgram.errors import HushgramError as HushgramError
    from hushgram.errors import LedgerCorrupted as LedgerCorrupted
    from hushgram.errors import LedgerError as LedgerError
    from hushgram.errors import MachineNotReady as MachineNotReady
    from hushgram.errors import MissingExtra as MissingExtra
    from hushgram.errors import NoSuchFile as NoSuchFile
    from hushgram.errors import NotAnswerable as NotAnswerable
    from hushgram.errors import NothingFound as NothingFound
    from hushgram.errors import OutputError as OutputError
    from hushgram.errors import PluginError as PluginError
    from hushgram.errors import QuestionError as QuestionError
    from hushgram.errors import ReleaseCorrupted as ReleaseCorrupted
    from hushgram.errors import RequestConflict as RequestConflict
    from hushgram.errors import SourceError as SourceError
    from hushgram.errors import TableChanged as TableChanged
    from hushgram.errors import Unaccounted as Unaccounted
    from hushgram.errors import UnknownAccount as UnknownAccount
    from hushgram.errors import UnknownMechanism as UnknownMechanism
    from hushgram.errors import UntestedEngine as UntestedEngine
    from hushgram.expect.least import LeastEpsilon as LeastEpsilon
    from hushgram.expect.least import least_epsilon as least_epsilon
    from hushgram.expect.suggestion import Suggestion as Suggestion
    from hushgram.expect.suggestion import suggest as suggest
    from hushgram.mechanisms import MECHANISMS as MECHANISMS
    from hushgram.mechanisms import Mechanism as Mechanism
    from hushgram.mechanisms.estimate import Estimate as Estimate
    from hushgram.release import Release as Release
    from hushgram.release import load as load
    from hushgram.release.comparison import Comparison as Comparison
    from hushgram.spending.bounds import find_bounds as find_bounds
    from hushgram.spending.columns import columns as columns
    from hushgram.spending.direct import ask as ask
    from hushgram.spending.direct_answer import DirectAnswer as DirectAnswer
    from hushgram.spending.dry_run import DryRun as DryRun
    from hushgram.spending.max_rows import find_max_rows as find_max_rows
    from hushgram.spending.median import smooth_median as smooth_median
    from hushgram.spending.plan import Plan as Plan
    from hushgram.spending.plan import Planned as Planned
    from hushgram.spending.publish import publish as publish
    from hushgram.spending.publish_plan import publish_plan as publish_plan
    from hushgram.trusted.engine.sources.counted import Counts as Counts
    from hushgram.trusted.ledger import Ledger as Ledger
else:
    from hushgram.base.lazy_names import lazy_names

    __getattr__, __dir__, __all__ = lazy_names(__name__)

__version__ = "0.2.0"
