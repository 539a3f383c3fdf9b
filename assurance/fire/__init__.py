"""Stress tests of the ledger: kills, crowds, edits, full disks. NONPRIVATE.

The tests use their own ledgers, in folders that are removed afterwards, or in a database that is
given for them. The product has no hooks for them: steps are found with Python's profiling hook, and
processes are killed by the system.
"""

from assurance.fire.campaign import FireRow, Scale, fire
from assurance.fire.page import markdown as page_of

__all__ = ["FireRow", "Scale", "fire", "page_of"]
