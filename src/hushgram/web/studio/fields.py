"""The fields of a form, which are texts whatever they stand for: the library reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hushgram.errors import BadInput


def text_of(form: Mapping[str, Any], name: str) -> str:
    value = form.get(name, "")
    if not isinstance(value, str):
        raise BadInput(f"{name} must be a text, found {type(value).__name__}.")
    return value.strip()


def maybe_text(form: Mapping[str, Any], name: str) -> str | None:
    """None for an empty field."""
    return text_of(form, name) or None


def text_list(form: Mapping[str, Any], name: str) -> list[str]:
    values = form.get(name, [])
    if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
        raise BadInput(f"{name} must be a list of texts.")
    return values


def form_list(form: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    values = form.get(name, [])
    if not isinstance(values, list) or not all(isinstance(one, dict) for one in values):
        raise BadInput(f"{name} must be a list of forms.")
    return values


def form_in(form: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = form.get(name, {})
    if not isinstance(value, dict):
        raise BadInput(f"{name} must be a form.")
    return value


def whole_number(form: Mapping[str, Any], name: str, example: str) -> int:
    """A whole number, with or without separators of thousands."""
    text = text_of(form, name)
    digits = text.replace(",", "").replace("_", "").replace(" ", "")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 18:
        raise BadInput(f"{name} must be a whole number such as {example}. Found {text[:60]!r}.")
    return int(digits)


def is_set(form: Mapping[str, Any], name: str) -> bool:
    return form.get(name) is True
