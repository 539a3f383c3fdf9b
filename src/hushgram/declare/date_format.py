"""The format of dates in text columns: public, with numeric fields.

A format is converted once to a regular expression with one group per field, which every engine
matches in the same way. The groups are then combined into the ISO text that axes read. The engines'
own date parsers are not used: they accept different text, and some raise errors for the rest.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeVar

from hushgram.errors import BadInput

FIXED = {
    "Y": "[0-9]{4}", "y": "[0-9]{2}", "m": "[0-9]{2}", "d": "[0-9]{2}",
    "H": "[01][0-9]|2[0-3]", "M": "[0-5][0-9]", "S": "[0-5][0-9]", "f": "[0-9]{6}",
}  # fmt: skip
"""The pattern of a field directly next to another one, as in ``%Y%m%d``."""

FREE = {
    **FIXED, "m": "[0-9]{1,2}", "d": "[0-9]{1,2}",
    "H": "[01]?[0-9]|2[0-3]", "M": "[0-5]?[0-9]", "S": "[0-5]?[0-9]", "f": "[0-9]{1,6}",
}  # fmt: skip
"""The pattern of any other field: 1.2.2024 is the first of February, too."""

LAST_CENTURY = "^(69|[7-9][0-9])$"
"""Two-digit years from 1969 to 1999, as in POSIX and Python; the others are from 2000 to 2068."""

NEEDS = {"M": "H", "S": "M", "f": "S"}
REFUSED = set('^\\[]"')
"""Characters with a special meaning in brackets of a pattern, or in a query."""

EXAMPLE = 'for example "%d.%m.%Y" or "%m/%d/%Y %H:%M"'


class Addable(Protocol):
    def __add__(self, other: Any) -> Any: ...


Text = TypeVar("Text", bound=Addable)


@dataclass(frozen=True)
class DateFormat:
    """A format such as ``%d.%m.%Y %H:%M``, with the fields %Y (or %y), %m, %d, %H, %M, %S and %f.

    >>> german = DateFormat("%d.%m.%Y")
    >>> german.iso("31.12.2024"), german.iso("1.2.2024"), german.iso("2024-12-31")
    ('2024-12-31', '2024-02-01', None)
    """

    text: str

    def __post_init__(self) -> None:
        if not isinstance(self.text, str) or not self.text:
            raise BadInput(f"date_format must be text, {EXAMPLE}. Found {self.text!r}.")
        self._check_fields([letter for kind, letter in self._parts if kind == "field"])

    @cached_property
    def _parts(self) -> list[tuple[str, str]]:
        """The fields and the signs between them, in order."""
        found = []
        for escaped, plain in re.findall(r"%(.?)|([^%])", self.text, re.DOTALL):
            if plain or escaped == "%":
                found.append(("sign", self._checked_sign(plain or "%")))
            elif escaped in FIXED:
                found.append(("field", escaped))
            else:
                raise self._wrong(
                    f"%{escaped} is not supported. Supported are "
                    f"{', '.join(f'%{letter}' for letter in FIXED)}"
                )
        return found

    def _checked_sign(self, sign: str) -> str:
        if sign.isdecimal() or sign in REFUSED or not (sign.isprintable() or sign == "\t"):
            raise self._wrong(f"{sign!r} is not supported between fields")
        return sign

    def _check_fields(self, fields: list[str]) -> None:
        for letter in fields:
            if fields.count(letter) > 1:
                raise self._wrong(f"%{letter} occurs twice")
            if NEEDS.get(letter, letter) not in fields:
                raise self._wrong(f"%{letter} needs %{NEEDS[letter]}")
        if ("Y" in fields) == ("y" in fields) or not {"m", "d"} <= set(fields):
            raise self._wrong("it must contain %d, %m and either %Y or %y")

    def _wrong(self, reason: str) -> BadInput:
        return BadInput(f"Cannot use date_format {self.text!r}: {reason}. Use {EXAMPLE}.")

    @cached_property
    def pattern(self) -> str:
        """The regular expression of this format. No text matches it in two ways, so that all
        engines find the same groups, whether they prefer the longest or the first match."""
        found = ""
        kinds = ["sign", *(kind for kind, _ in self._parts), "sign"]
        for place, (kind, sign) in enumerate(self._parts):
            if kind == "sign":
                found += sign if sign.isalpha() else f"[{sign}]"
            else:
                next_to_field = "field" in (kinds[place], kinds[place + 2])
                found += f"({(FIXED if next_to_field else FREE)[sign]})"
        return f"^{found}$"

    @cached_property
    def groups(self) -> dict[str, int]:
        """The number of each field's group."""
        fields = [letter for kind, letter in self._parts if kind == "field"]
        return {letter: number for number, letter in enumerate(fields, start=1)}

    def compose(self, field: Callable[[str], Text], century: Callable[[Text], Text]) -> Text:
        """The ISO text of a date from its fields of two digits or more, as Python text or as an
        expression for an engine."""
        year = field("Y") if "Y" in self.groups else century(field("y")) + field("y")
        iso = year + "-" + field("m") + "-" + field("d")
        if "H" in self.groups:
            iso = iso + " " + field("H") + ":" + (field("M") if "M" in self.groups else "00")
        if "S" in self.groups:
            iso = iso + ":" + field("S")
        return iso + "." + field("f") if "f" in self.groups else iso  # type: ignore[no-any-return]

    def iso(self, text: str) -> str | None:
        """The ISO text of a date in this format; None for any other text."""
        found = re.fullmatch(self.pattern, text)
        if found is None:
            return None

        def field(letter: str) -> str:
            group: str = found[self.groups[letter]]
            return group if letter == "f" else group.rjust(2, "0")

        return self.compose(field, lambda year: "19" if re.match(LAST_CENTURY, year) else "20")

    def write(self, moment: dt.datetime) -> str | None:
        """A time in this format; None if it would not read back as the same time.

        >>> german = DateFormat("%d.%m.%Y")
        >>> german.write(dt.datetime(2024, 2, 1)), german.write(dt.datetime(2024, 2, 1, 12))
        ('01.02.2024', None)
        """
        fields = {
            "Y": f"{moment.year:04}", "y": f"{moment.year % 100:02}", "m": f"{moment.month:02}",
            "d": f"{moment.day:02}", "H": f"{moment.hour:02}", "M": f"{moment.minute:02}",
            "S": f"{moment.second:02}", "f": f"{moment.microsecond:06}",
        }  # fmt: skip
        text = "".join(fields[sign] if kind == "field" else sign for kind, sign in self._parts)
        read = self.iso(text)
        return text if read is not None and dt.datetime.fromisoformat(read) == moment else None
