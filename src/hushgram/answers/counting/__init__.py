"""Counts of ranges with their intervals, and quantiles."""
