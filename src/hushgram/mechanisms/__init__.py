"""Mechanisms: each reads like its paper's pseudocode, queries a vault and never sees a true number.

Every mechanism's class is a name of this module; `MECHANISMS` has them by their own names, with
those that other packages declare. A mechanism of your own derives from `Mechanism` and returns an
`Estimate`: see ``docs/guides/own-mechanism.md``.
"""

from hushgram.mechanisms.base import Mechanism as Mechanism
from hushgram.mechanisms.catalogue import *  # noqa: F403 one line each, there
from hushgram.mechanisms.estimate import Estimate as Estimate
from hushgram.mechanisms.registry import MECHANISMS as MECHANISMS
from hushgram.mechanisms.registry import as_mechanism as as_mechanism
