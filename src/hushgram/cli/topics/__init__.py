"""The texts that ``hushgram help TOPIC`` prints, one file per topic."""

from __future__ import annotations

from importlib.resources import files

ABOUT = {
    "axes": "how to declare the columns to publish",
    "tables": "files and databases you can publish from",
    "budget": "accounts, caps and what publishing costs",
    "privacy": "what epsilon means, and who is protected",
    "releases": "what you can ask of a release file",
    "environment": "environment variables and exit codes",
}


def read_topic(name: str) -> str:
    """Read the text of a topic."""
    return (files(__name__) / f"{name}.txt").read_text("utf-8")
