"""A release for human readers: one page of HTML that needs nothing else.

``page``      the whole of it
``reading``   what can be read from it, in plain sentences
``numbers``   tables of counts with margins
``slices``    the release in few slices with round bounds, for both
``privacy``   what that means for one person, in plain words
``accuracy``  how far off answers are
``asking``    how to ask it, in its own names and values
``credits``   who published it, from which data, on which terms
``facts``     technical details, folded away
``html``      tags, with everything escaped
"""

from hushgram.show.report.page import report

__all__ = ["report"]
