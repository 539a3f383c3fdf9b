"""Trials of the product's rooms: functions that raise AssertionError with a figure. NONPRIVATE.

In addition to the contract of mechanisms (`hushgram.lab.checks`): exact distances of operations,
the law and the freshness of noise, the bound on people's rows, the books, and statistics.
"""
