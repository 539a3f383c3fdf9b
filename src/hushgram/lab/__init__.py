"""The lab: evaluation, audits and replays. NONPRIVATE: it sees true numbers, on purpose."""
