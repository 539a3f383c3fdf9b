"""Scores of true counts, for operations that choose by the exponential mechanism."""
