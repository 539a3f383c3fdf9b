"""Campaigns against Hushgram: planted bugs, crashes, fuzzing, replay, full audits. NONPRIVATE."""
