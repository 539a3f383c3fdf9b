"""The tables and figures of five papers, made again and set beside what they print. NONPRIVATE.

A paper is a module that ends in a `Paper`: steps, each of which makes a `Finding` of claims,
numbers and pictures from a number of runs. ``page`` makes pages of them. Papers are read when they
are asked for.
"""

from __future__ import annotations

from importlib import import_module

from hushgram.errors import BadInput
from hushgram.lab.papers.findings import Paper

MODULES = {
    "000": "p000_sorted",
    "001": "p001_isotonic",
    "002": "p002_grids",
    "003": "p003_clusters",
    "004": "p004_cubes",
}


def paper(number: str) -> Paper:
    """The paper of that number.

    >>> paper("003").title
    'clusters of similar counts (AHP)'
    """
    if number not in MODULES:
        raise BadInput(f"no paper is called {number!r}. Known: {', '.join(MODULES)}.")
    found: Paper = import_module(f"hushgram.lab.papers.{MODULES[number]}").PAPER
    return found
