"""The fields of a form, which are texts whatever they stand for: the library reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hushgram.base.text import shorten
from hushgram.declare.grammar import NUMBER, WHOLE_NUMBER
from hushgram.errors import BadInput

Form = Mapping[str, Any]
"""What a page sends: fields by name."""


def text_of(form: Form, name: str) -> str:
    return exact_text(form, name).strip()


def exact_text(form: Form, name: str) -> str:
    """The name of a column, which may begin or end with a space."""
    value = form.get(name, "")
    if not isinstance(value, str):
        raise BadInput(f"{name} must be text. Found {type(value).__name__}.")
    return value


def maybe_text(form: Form, name: str) -> str | None:
    """None for an empty field."""
    return text_of(form, name) or None


def text_list(form: Form, name: str) -> list[str]:
    values = form.get(name, [])
    if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
        raise BadInput(f"{name} must be a list of strings.")
    return values


def form_list(form: Form, name: str) -> list[Form]:
    values = form.get(name, [])
    if not isinstance(values, list) or not all(isinstance(one, dict) for one in values):
        raise BadInput(f"{name} must be a list of forms.")
    return values


def form_in(form: Form, name: str) -> Form:
    value = form.get(name, {})
    if not isinstance(value, dict):
        raise BadInput(f"{name} must be a form.")
    return value


def whole_number(form: Form, name: str, title: str, example: str) -> int:
    """A whole number, with or without separators of thousands."""
    text = text_of(form, name)
    if not text:
        raise BadInput(f"{title} is missing. It is a whole number, such as {example}.")
    digits = text.replace(",", "").replace("_", "").replace(" ", "")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 18:
        raise BadInput(f"{title} must be a whole number, such as {example}. Found {text[:60]!r}.")
    return int(digits)


REAL = "a number", re.compile(NUMBER)
WHOLE = "a whole number", WHOLE_NUMBER
NumberKind = tuple[str, re.Pattern[str]]


def check_number(title: str, text: str, kind: NumberKind = REAL) -> None:
    """Whether a text is a number: anything else could mean something on the command line."""
    called, number = kind
    if number.fullmatch(text):
        return
    point = text.replace("\N{MINUS SIGN}", "-").replace(",", ".")
    hint = f" Did you mean {point}?" if number.fullmatch(point) else ""
    raise BadInput(f"{title} must be {called}. Found {shorten(text, 60)!r}.{hint}")


def is_set(form: Form, name: str) -> bool:
    return form.get(name) is True
