"""The step that all counting operations share: independent noise on every integer."""

from __future__ import annotations

from fractions import Fraction

from hushgram.partition import Ints
from hushgram.trusted.noise import Noise


def perturbed(exact: Ints, scale: Fraction, noise: Noise) -> Ints:
    """Noise on every entry, zeros included. A scale of zero means that the vector is public."""
    if scale == 0:
        return exact
    return noise.add_discrete_laplace(exact, scale)
