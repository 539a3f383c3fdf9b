"""The tables and figures of five papers, recomputed and compared with the originals. NONPRIVATE.

A paper is a module that ends with a `Paper`: a list of steps, each of which makes a `PaperFinding`
with claims, numbers and pictures from a number of runs. Papers are imported on demand.

``p000_…`` to ``p004_…``  the papers, in several files each
``findings``              the content of a page
``judged``                comparisons of means over runs, which may be within noise
``grids``                 experiments that are grids of the evaluation
``data``                  public tables, and stand-ins for them
``adult``, ``points``, ``line``, ``classifiers``, ``posterior``
                          data and steps that papers and benchmarks share
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
    """Return the paper with this number.

    >>> paper("003").title
    'clusters of similar counts (AHP)'
    """
    if number not in MODULES:
        raise BadInput(f"Unknown paper {number!r}. Papers: {', '.join(MODULES)}.")
    found: Paper = import_module(f"reproduction.{MODULES[number]}").PAPER
    return found
