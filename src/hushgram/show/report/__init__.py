"""A release told to people: one page of HTML that needs nothing else.

``page``      the whole of it
``facts``     what was published
``privacy``   what that means for one person, in plain words
``accuracy``  how far off answers are
``asking``    how to ask it, in its own names and values
``html``      tags, with everything escaped
"""

from hushgram.show.report.page import report

__all__ = ["report"]
