"""An axis of listed values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hushgram.axis.base import Axis, Floats, Found
from hushgram.errors import DomainError, QuestionError


@dataclass(frozen=True)
class Category(Axis):
    """Texts, whole numbers or truth values from a public list.

    >>> sex = Category(["F", "M"], outside="other")
    >>> sex.index("M"), sex.index("?"), sex.size
    (1, 2, 3)
    """

    kind = "category"
    ordered = False
    values: tuple[str | int | bool, ...]

    def __post_init__(self) -> None:
        self._check_policy()
        if self.outside == "clamp":
            raise DomainError('categories have no order to clamp to. Use outside="other".')
        if isinstance(self.values, str):
            raise DomainError(f'categories are a list, such as ["F", "M"], not {self.values!r}.')
        values = tuple(self.values)
        object.__setattr__(self, "values", values)
        self._check_bins(self.bins)
        kinds = {type(value) for value in values}
        if len(kinds) > 1 or not kinds <= {str, int, bool}:
            raise DomainError("categories are all texts, all whole numbers or all truth values.")
        if len(self._places) < len(values):
            twice = next(v for i, v in enumerate(values) if v in values[:i])
            raise DomainError(f"the category {twice!r} is listed twice.")

    @property
    def bins(self) -> int:
        return len(self.values)

    @cached_property
    def _places(self) -> dict[str | int | bool, int]:
        return {value: place for place, value in enumerate(self.values)}

    def _find(self, value: Any) -> Found:
        try:
            if type(value) is not type(self.values[0]):
                return "nowhere"
            return self._places.get(value, "nowhere")
        except TypeError:
            return "nowhere"

    def positions(self, values: Any) -> Floats:
        raise QuestionError("categories have no order: ask for one value or a list, not a range.")

    def edge(self, index: int) -> str | int | bool:
        return self.values[index]

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "values": list(self.values), **self._policy_json()}
