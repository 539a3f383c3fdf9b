"""Replay end to end, from a file to a release. NONPRIVATE.

A command of the program publishes a file, and every query to the vault is recorded with its noisy
answer. The same command publishes a neighbouring file with the recorded answers. Everything that an
outsider can see must be identical to the byte: releases, printed lines, exit code, warnings, log
lines, the ledger. The exact vectors in the vault may differ, but by no more than the noise is
calibrated to.
"""

from assurance.replayed.campaign import ReplayCount, counts_in, replay_pairs
from assurance.replayed.page import markdown as page_of

__all__ = ["ReplayCount", "counts_in", "page_of", "replay_pairs"]
