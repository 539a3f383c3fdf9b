"""Bugs that are planted on purpose, and the hunt for them. NONPRIVATE.

``hushgram lab planted`` puts one bug after another into the real code and runs the product's own
checks: each bug must be caught by one of them. Only the lab and the tests import this.
"""

from hushgram.lab.planted.bug import Bug
from hushgram.lab.planted.hunt import BUGS, Catch, alarms, hunted, named

__all__ = ["BUGS", "Bug", "Catch", "alarms", "hunted", "named"]
