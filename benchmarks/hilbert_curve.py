"""Hilbert's curve, next to numpy-hilbert-curve: ``pip install numpy-hilbert-curve``.

    python benchmarks/hilbert_curve.py

A million random cells to their places on the curve and back, in 2 to 6 dimensions. Both packages
use Skilling's transform, so their places must be the same; that is checked. Goal: at least twenty
times as fast.
"""

from __future__ import annotations

import hilbert
import numpy as np
from report import cpu, save

from hushgram.geometry.hilbert import cells, places

POINTS = 1_000_000
BITS = {2: 16, 3: 16, 4: 15, 5: 12, 6: 10}


def main() -> None:
    rows = []
    for axes, bits in BITS.items():
        points = np.random.default_rng(axes).integers(0, 1 << bits, (POINTS, axes))
        order = places(points, bits)
        assert np.array_equal(cells(order, axes, bits), points)
        assert np.array_equal(hilbert.encode(points, axes, bits).astype(np.int64), order)
        ours = cpu(lambda p=points, b=bits: places(p, b))
        theirs = cpu(lambda p=points, a=axes, b=bits: hilbert.encode(p, a, b), repeat=1)
        back = cpu(lambda o=order, a=axes, b=bits: cells(o, a, b))
        their_back = cpu(lambda o=order, a=axes, b=bits: hilbert.decode(o, a, b), repeat=1)
        rows.append(
            {
                "axes": axes,
                "bits": bits,
                "places, cpu s": ours,
                "numpy-hilbert-curve": theirs,
                "times as fast": theirs / ours,
                "back, cpu s": back,
                "numpy-hilbert-curve back": their_back,
                "times as fast back": their_back / back,
            }
        )
    save("hilbert", rows)


if __name__ == "__main__":
    main()
