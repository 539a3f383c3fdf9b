"""The kind of queries that a release is optimised for."""

from __future__ import annotations

from typing import Literal

Workload = Literal["ranges", "cells"]
"""``"ranges"``: counts of ranges and boxes of any size. ``"cells"``: counts of single cells."""
