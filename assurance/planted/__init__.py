"""Bugs that are planted on purpose, and the hunt for them. NONPRIVATE.

``./hush assurance planted`` puts one bug after another into the real code and runs the product's
own checks: each bug must be caught by one of them. Only the lab and the tests import this.
"""

from assurance.planted.bug import Bug
from assurance.planted.hunt import BUGS, Catch, alarms, hunted, named

__all__ = ["BUGS", "Bug", "Catch", "alarms", "hunted", "named"]
