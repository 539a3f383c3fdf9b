"""Bundled public tables to try things on."""

from __future__ import annotations

from pathlib import Path


def places() -> Path:
    """69,472 populated places: ``lon``, ``lat``, ``country``, ``population`` (GeoNames, CC BY 4.0).

    >>> places().suffix
    '.parquet'
    """
    return Path(__file__).parent / "data" / "places.parquet"
