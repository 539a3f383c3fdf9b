"""The vault: charge, then count, then add noise. Mechanisms meet private numbers only here."""

from hushgram.trusted.vault.sensitivity import Sensitivity
from hushgram.trusted.vault.vault import TableVault

__all__ = ["Sensitivity", "TableVault"]
