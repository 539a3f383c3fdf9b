"""Bundled public tables for experiments, and coastlines and borders for maps."""

from __future__ import annotations

from pathlib import Path


def places() -> Path:
    """69,472 populated places: ``lon``, ``lat``, ``country``, ``population`` (GeoNames, CC BY 4.0).

    >>> places().suffix
    '.parquet'
    """
    return Path(__file__).with_name("places.parquet")


def outlines() -> Path:
    """Coastlines and country borders at three scales (Natural Earth, public domain)."""
    return Path(__file__).with_name("outlines.npz")
