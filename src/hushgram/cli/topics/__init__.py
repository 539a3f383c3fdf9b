"""What ``hushgram help TOPIC`` prints: one text per topic, beside this file."""

from __future__ import annotations

from importlib.resources import files

ABOUT = {
    "axes": "how to declare the columns to publish",
    "tables": "files and databases that can be published",
    "budget": "accounts, caps and what a publish costs",
    "privacy": "what epsilon means, and who is protected",
    "releases": "what a release file answers, and how",
    "environment": "environment variables and exit codes",
}


def read_topic(name: str) -> str:
    """The text of a topic."""
    return (files(__name__) / f"{name}.txt").read_text("utf-8")
