"""Which names are one name, and which only look so."""

from __future__ import annotations

import string
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushgram.trusted.ledger import lookalikes
from hushgram.trusted.ledger.lookalikes import (
    identity,
    lookalike,
    mixed_word,
    skeleton,
    unusual,
    visible,
)


@pytest.mark.parametrize(
    "code",
    [0xAD, 0x34F, 0x61C, 0x115F, 0x17B4, 0x180B, 0x200B, 0x200D, 0x202E, 0x2066, 0x3164, 0xFE00,
     0xFE0F, 0xFEFF, 0xFFA0, 0xE0041, 0xE0100],
)  # fmt: skip
def test_what_nobody_sees_is_no_part_of_a_name(code: int) -> None:
    assert visible(f"st{chr(code)}ops") == "stops"
    assert identity(f"st{chr(code)}ops") == "stops"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Straße", "STRASSE"), ("caf\u00e9", "CAFE\u0301"), ("ﬁeld", "field"), ("Ⅳ", "iv"),
        ("x²", "x2"), ("ſtops", "stops"), ("\u212a", "k"), ("a  b", "a b"), ("ＡＢ", "ab"),
        ("𝐬𝐭𝐨𝐩𝐬", "stops"),
    ],
)  # fmt: skip
def test_spellings_of_one_name(one: str, other: str) -> None:
    assert identity(one) == identity(other)
    assert skeleton(identity(one)) == skeleton(identity(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [("stops", "stop"), ("mail", "mall"), ("café", "cafe"), ("a b", "ab"), ("a-b", "a_b"),
     ("modem", "modern"), ("trips 2023", "trips 2024"), ("Москва", "Mockba 2")],
)  # fmt: skip
def test_names_that_differ(one: str, other: str) -> None:
    assert identity(one) != identity(other)
    assert lookalike(one, ["x", other]) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("stops", "ѕторѕ"), ("HOME", "НОМЕ"), ("coco", "сосо"), ("AXE", "ΑΧΕ"), ("Al", "A1"),
        ("Al", "AI"), ("no", "n0"), ("ok", "օκ"), ("istanbul", "i\u0307stanbul"), ("sea", "ѕеа"),
        ("TAXI", "ꓔꓮꓫꓲ"), ("CAD", "ᏟᎪᎠ"), ("co", "ⲥⲟ"), ("カ", "力"),
    ],
)  # fmt: skip
def test_names_that_look_alike(one: str, other: str) -> None:
    assert identity(one) != identity(other)
    assert lookalike(one, ["x", other]) == other
    assert lookalike(other, [one]) == one


def test_a_letter_is_drawn_like_one_other_at_most() -> None:
    listed = [letter for some in lookalikes._DRAWN_LIKE.values() for letter in some.split()]
    assert len(listed) == len(set(listed))
    assert all(len(letter) == 1 and letter.isalnum() for letter in listed)
    assert not set(listed) & set(string.ascii_letters) - {"I"}
    assert not set(listed) & set(string.digits) - {"0", "1"}


def test_the_letters_are_said_that_nobody_sees() -> None:
    assert unusual("st\u043eps \u0430\u0435\u0441") == (
        "CYRILLIC SMALL LETTER O, CYRILLIC SMALL LETTER A, CYRILLIC SMALL LETTER IE"
    )
    assert unusual("st0ps") == ""


@pytest.mark.parametrize("name", ["5 µm", "μm", "наш ЖД", "Ünal", "日本語ABC", "ñandú", "x1"])
def test_words_that_are_fine(name: str) -> None:
    assert mixed_word(name) is None


@given(st.text(max_size=20))
def test_any_text_has_one_identity(text: str) -> None:
    once = identity(text)
    assert identity(once) == once
    assert identity(unicodedata.normalize("NFD", text)) == once
    skeleton(text), mixed_word(text), unusual(text)
