"""Campaigns against Hushgram: planted bugs, fire, fuzzing, replay, full audits. NONPRIVATE."""
