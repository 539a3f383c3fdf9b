"""Fuzzing: spoilt files and words, given to the program itself. NONPRIVATE.

Every trial runs a command as a user would, in a process of its own that may hang, crash or fill its
memory without harm. Inputs that show something new are kept and spoilt further.
"""

from assurance.fuzz.campaign import FuzzRow, fuzz
from assurance.fuzz.page import markdown as page_of
from assurance.fuzz.targets import TARGETS

__all__ = ["TARGETS", "FuzzRow", "fuzz", "page_of"]
