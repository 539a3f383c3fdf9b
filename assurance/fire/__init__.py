"""Attacks on the ledger: killed, crowded, edited, out of disk. NONPRIVATE.

Everything happens to ledgers of its own, in folders that are removed afterwards, or in a database
that is given for it. Nothing in the product knows of it: steps are found by Python's own hook for
profilers, and processes are killed by the system.
"""

from assurance.fire.campaign import FireRow, Scale, fire
from assurance.fire.page import markdown as page_of

__all__ = ["FireRow", "Scale", "fire", "page_of"]
