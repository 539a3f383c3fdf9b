"""The release: the frozen result, and the only thing that leaves."""

from hushgram.release.parquet import load
from hushgram.release.release import Release

__all__ = ["Release", "load"]
