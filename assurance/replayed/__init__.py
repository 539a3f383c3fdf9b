"""Replay end to end, from a file to a release. NONPRIVATE.

A command of the program publishes a file and is recorded: every question to the vault and its
noisy answer. The same command publishes a neighbouring file, with the recorded answers. Whatever an
outsider can see must be the same to the byte: releases, printed lines, exit code, warnings, log
lines, the ledger. What the vault saw may differ, by no more than the noise was calibrated for.
"""

from assurance.replayed.campaign import ReplayCount, counts_in, replay_pairs
from assurance.replayed.page import markdown as page_of

__all__ = ["ReplayCount", "counts_in", "page_of", "replay_pairs"]
