"""Exact integer noise on the operating system's randomness.

Integers in, integers out: there is no floating-point number between random bits and a draw, nothing
is buffered between calls (so a forked child never repeats its parent), and nothing takes a seed.
Proofs: ``docs/proofs/noise.md``.
"""

from hushgram.trusted.noise.cauchy import discrete_cauchy
from hushgram.trusted.noise.choice import exponential
from hushgram.trusted.noise.laplace import (
    add_discrete_laplace,
    discrete_laplace,
    discrete_laplace_wide,
    variance,
)
from hushgram.trusted.noise.nested import add_nested_laplace
from hushgram.trusted.noise.source import Native, Noise, OpenDP, source

__all__ = [
    "add_discrete_laplace",
    "add_nested_laplace",
    "discrete_cauchy",
    "discrete_laplace",
    "discrete_laplace_wide",
    "exponential",
    "variance",
    "Noise",
    "Native",
    "OpenDP",
    "source",
]
