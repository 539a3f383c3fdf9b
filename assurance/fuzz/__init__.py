"""Fuzzing: run the program on mutated files and arguments. NONPRIVATE.

Every trial runs a command as a user would, in a separate process that may hang, crash or run out of
memory without harm. Inputs that reach something new are kept and mutated further.
"""

from assurance.fuzz.campaign import FuzzRow, fuzz
from assurance.fuzz.page import markdown as page_of
from assurance.fuzz.targets import TARGETS

__all__ = ["TARGETS", "FuzzRow", "fuzz", "page_of"]
