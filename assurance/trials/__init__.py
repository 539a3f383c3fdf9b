"""Checks of the trusted code: functions that raise AssertionError with a figure. NONPRIVATE.

In addition to the contract of mechanisms (`hushgram.lab.checks`): exact distances of operations,
the distribution and freshness of noise, the bounds on people's rows, the ledger, and statistics.
"""
