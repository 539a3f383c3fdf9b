"""The axis for listed values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.declare.axis.base import Axis, Floats, Found, Outside
from hushgram.errors import DomainError, QuestionError


@dataclass(frozen=True, repr=False)
class Category(Axis):
    """Categories: text, whole numbers or booleans from a public list.

    Values are compared as text, so that ``1`` and ``"1"`` are the same in every kind of table.

    >>> sex = Category(["F", "M"], outside="other")
    >>> sex.index("M"), sex.index("?"), sex.size
    (1, 2, 3)
    """

    kind = "category"
    ordered = False
    values: tuple[str | int | bool, ...]

    if TYPE_CHECKING:  # accepts a list, too, and stores a tuple

        def __init__(
            self,
            values: list[str] | list[int] | list[bool] | tuple[str | int | bool, ...],
            *,
            outside: Outside = "drop",
        ) -> None: ...

    def __post_init__(self) -> None:
        self._check_policy()
        if self.outside == "clamp":
            raise DomainError(
                'Categories have no order, so outside="clamp" is not possible. Use outside="other".'
            )
        if not isinstance(self.values, list | tuple):  # a set's order changes from run to run
            raise DomainError(
                f'Categories must be a list such as ["F", "M"]. Found {self.values!r}.'
            )
        values = tuple(self.values)
        object.__setattr__(self, "values", values)
        self._check_bins(self.bins)
        kinds = {type(value) for value in values}
        if len(kinds) > 1 or not kinds <= {str, int, bool}:
            raise DomainError("Categories must all be strings, all whole numbers or all booleans.")
        if len(set(values)) < len(values):
            raise DomainError(
                f"The category {first_repeated(values)!r} is listed twice. Remove one."
            )
        if self.outside == "other" and "other" in values:
            raise DomainError('A category cannot be named "other" together with outside="other".')
        for value in values:
            if to_text(value) is None:
                raise DomainError("A category is not valid Unicode text.")

    def __eq__(self, other: object) -> bool:
        """Whether values and policy are equal. Unlike in Python, True and 1 are different."""
        if not isinstance(other, Category):
            return NotImplemented
        same_kind = type(self.values[0]) is type(other.values[0])
        return same_kind and (self.values, self.outside) == (other.values, other.outside)

    @property
    def bins(self) -> int:
        return len(self.values)

    @cached_property
    def spellings(self) -> dict[str, int]:
        """The spellings of each category, and its index."""
        if isinstance(self.values[0], bool):
            words = {True: ("true", "True", "TRUE"), False: ("false", "False", "FALSE")}
            return {w: place for place, v in enumerate(self.values) for w in words[bool(v)]}
        return {str(value): place for place, value in enumerate(self.values)}

    def _find(self, value: Any) -> Found:
        text = to_text(value)
        return "nowhere" if text is None else self.spellings.get(text, "nowhere")

    def positions(self, values: Any) -> Floats:
        raise QuestionError("Categories have no order. Ask for one value or a list, not a range.")

    def edge(self, index: int) -> str | int | bool:
        return self.values[index]

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "values": list(self.values), **self._policy_json()}


def to_text(value: Any) -> str | None:
    """Text, a whole number or a boolean as text; None for other values."""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if not isinstance(value, str | int | np.integer):
        return None
    try:
        text = str(value)
        text.encode()
    except ValueError:  # half a surrogate pair, or a number of thousands of digits
        return None
    return text


def first_repeated(values: tuple[Any, ...]) -> Any:
    seen: set[Any] = set()
    return next(v for v in values if v in seen or seen.add(v))  # type: ignore[func-returns-value]
