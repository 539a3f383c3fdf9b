"""The release: the frozen artefact that leaves, and the only thing that does."""

from hushgram.release.parquet import load
from hushgram.release.release import Release

__all__ = ["Release", "load"]
