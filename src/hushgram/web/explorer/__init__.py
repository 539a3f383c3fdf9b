"""The Explorer: a release as one page of HTML that answers questions without a network.

The page holds the parts of the release and what their errors follow from, and its scripts do the
arithmetic of `hushgram.answers` again: the same numbers, and the same intervals.

::

    release ─▶ contents ─▶ packing ─▶ page ◀─ bundle ◀─ scripts/*.js
               what is     arrays as  HTML    modules as
               needed      text               one script
"""

from hushgram.web.explorer.page import ExplorerPage, GivenAreas, explore

__all__ = ["ExplorerPage", "GivenAreas", "explore"]
