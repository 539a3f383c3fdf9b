"""Bugs that are planted on purpose, and the checks that catch them. NONPRIVATE.

``./hush assurance planted`` puts one bug after another into the real code and runs the product's
own checks: each bug must be caught by one of them. Only assurance and the tests import this.
"""

from assurance.planted.bug import Bug
from assurance.planted.hunt import BUGS, Catch, alarms, bugs_by_name, hunt_bug

__all__ = ["BUGS", "Bug", "Catch", "alarms", "hunt_bug", "bugs_by_name"]
