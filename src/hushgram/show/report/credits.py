"""Publisher, source, licence and contact, as far as the publisher gave them."""

from __future__ import annotations

from hushgram.declare.about import About
from hushgram.show.report.html import Html, link, tag

HEADS = {
    "publisher": "Publisher",
    "source": "Source",
    "licence": "Licence",
    "contact": "Contact",
    "date": "Date",
}

UNSTATED = (
    "The publisher gave no source, licence or contact. To store them in the release, use "
    "hushgram publish --publisher … --source … --licence … --contact … --date …. hushgram "
    "report takes the same options."
)


def byline(about: About) -> Html:
    """Publisher and date, for the top of the page; nothing if neither is known."""
    line = " · ".join(text for text in (about.publisher, about.date) if text)
    return tag("p", line, class_="byline") if line else Html("")


def credits_section(about: About) -> Html:
    if not about:
        return tag("p", UNSTATED, class_="note")
    known = [(HEADS[name], about.texts[name]) for name in HEADS if name in about.texts]
    return tag(
        "dl",
        *(child for head, text in known for child in (tag("dt", head), tag("dd", link(text)))),
    )
