"""The vault: charge, then count, then add noise. The only access to private numbers for
mechanisms."""

from hushgram.trusted.vault.sensitivity import Sensitivity
from hushgram.trusted.vault.vault import TableVault

__all__ = ["Sensitivity", "TableVault"]
