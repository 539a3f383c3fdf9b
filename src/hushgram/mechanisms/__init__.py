"""Mechanisms: each reads like its paper's pseudocode, asks a vault and never sees a true number."""

from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.registry import MECHANISMS, as_mechanism

__all__ = ["MECHANISMS", "Mechanism", "as_mechanism"]
