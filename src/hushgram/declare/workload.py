"""What will be asked most of a release."""

from __future__ import annotations

from typing import Literal

Workload = Literal["ranges", "cells"]
"""Counts of ranges and boxes of any size, or of each cell by itself."""
