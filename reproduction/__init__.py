"""The tables and figures of five papers, recomputed and compared with the originals. NONPRIVATE.

A paper is a module that ends in a `Paper`: steps, each of which makes a `Finding` of claims,
numbers and pictures from a number of runs. Papers are read when they are asked for.

``p000_…`` to ``p004_…``  the papers, a file for what belongs together
``findings``              what a page says
``judged``                means over runs next to their noise, and orders that it leaves open
``grids``                 experiments that are grids of the evaluation
``data``                  public tables, and their stand-ins
``adult``, ``points``, ``line``, ``classifiers``, ``posterior``
                          data and steps that papers share with benchmarks and with each other
``drawing``, ``page``     pictures, pages
"""

from __future__ import annotations

from importlib import import_module

from hushgram.errors import BadInput
from reproduction.findings import Paper

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
    found: Paper = import_module(f"reproduction.{MODULES[number]}").PAPER
    return found
