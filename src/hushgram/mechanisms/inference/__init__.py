"""Inference: kernels that turn noisy numbers into better ones.

Pure functions, which keep nothing. A few of them also score or sort exact numbers for the vault's
operations, which hand them over; ``docs/assurance/reviewer.md`` lists those files.
"""
