"""The report of a release for people: one self-contained HTML page.

``page``      the whole page
``reading``   the main findings, in plain sentences
``numbers``   tables of counts with margins
``slices``    the release in a few slices with round bounds, for both
``privacy``   what the release means for one person, in plain language
``accuracy``  typical margins of answers
``asking``    how to query it, with its own names and values
``credits``   publisher, source and licence
``facts``     technical details, collapsed
``html``      tags, with everything escaped
"""

from hushgram.show.report.page import report

__all__ = ["report"]
