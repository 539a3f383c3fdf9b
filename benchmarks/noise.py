"""Exact noise next to OpenDP's vector call and unsafe numpy: a million draws of each scale.

    python benchmarks/noise.py

Goal: at least 50 times OpenDP.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from report import cpu, save

from hushgram.trusted.noise import Native, OpenDP, discrete_laplace

DRAWS = 1_000_000
SCALES = (Fraction(1), Fraction(10), Fraction(1, 3), Fraction(100), Fraction(12345, 7))


def main() -> None:
    zeros = np.zeros(DRAWS, dtype=np.int64)
    native, opendp, rng = Native(), OpenDP(), np.random.default_rng()
    discrete_laplace(Fraction(1), 1 << 23)  # compile and load, once
    rows = []
    for scale in SCALES:
        ours = cpu(lambda s=scale: native.add_discrete_laplace(zeros, s), 5)
        theirs = cpu(lambda s=scale: opendp.add_discrete_laplace(zeros, s), 1)
        unsafe = cpu(lambda s=scale: zeros + rng.laplace(0, float(s), DRAWS), 3)
        rows.append(
            {
                "scale": str(scale),
                "hushgram draws/s": round(DRAWS / ours),
                "opendp draws/s": round(DRAWS / theirs),
                "unsafe numpy draws/s": round(DRAWS / unsafe),
                "hushgram / opendp": theirs / ours,
            }
        )
    save("noise", rows)


if __name__ == "__main__":
    main()
