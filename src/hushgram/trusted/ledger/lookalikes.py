"""Names that look alike to people.

Two spellings are *the same name* if they differ only in case, in width, or in invisible characters:
`identity` is Unicode's NFKC_Casefold. Two names are *look-alikes* if they differ but look the same,
such as a Latin and a Cyrillic "о": `skeleton` maps both to the same text, as proposed in Unicode
report 39, with our own table of common letters. It only knows single letters: it cannot detect that
"rn" looks like "m".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_INVISIBLE = (
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5),
    (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
"""Unicode's default-ignorable code points: joiners, variation selectors, fillers, directions."""

_UNSEEN = re.compile("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in _INVISIBLE) + "]")

_DRAWN_LIKE = {
    "a": "ɑ α а А Ꭺ ꓮ ᗅ ⲁ",
    "b": "β Β в В ь Ь ƅ Ᏼ Ꮟ ꓐ ᗷ ⲃ",
    "c": "с С ϲ Ϲ Ꮯ ꓚ ᑕ ⲥ",
    "d": "ԁ Ԁ Ꭰ Ꮷ ꓓ ᗪ",
    "e": "ε Ε е Е Ꭼ ꓰ ⲉ",
    "f": "ϝ Ϝ ꓝ ᖴ",
    "g": "ɡ ց Ꮐ Ᏻ ꓖ ԍ Ԍ",
    "h": "Η н Н һ Һ հ Ꮋ Ꮒ ꓧ ᕼ ⲏ",
    "i": "ı ɩ ι і Ꭵ ⲓ",
    "j": "ȷ ϳ Ϳ ј Ј յ Ꭻ ꓙ ᒍ",
    "k": "κ Κ к К Ꮶ ꓗ ⲕ",
    "l": "I 1 ǀ Ι І Ӏ ӏ ꓡ Ꮮ ᒪ ꓲ լ Լ ו ן ا ١ ۱",
    "m": "Μ м М Ꮇ ꓟ ⲙ",
    "n": "η Ν п ո ռ ղ ꓠ ⲛ",
    "o": "0 ο Ο σ о О օ Օ ꓳ ⲟ ס ه ٥ ० ০ ੦ ૦ ௦ ౦ ೦ ൦ ๐ ໐ ၀ ០",
    "p": "ρ Ρ р Р Ꮲ ꓑ ᑭ ⲣ",
    "q": "ԛ Ԛ գ զ",
    "r": "г Ꭱ Ꮢ ꓣ",
    "s": "ѕ Ѕ Տ Ꮥ Ꮪ ꓢ",
    "t": "τ Τ т Т Ꭲ ꓔ ⲧ",
    "u": "υ и ս Ս ꓴ ᑌ",
    "v": "ν ѵ Ѵ ʋ Ꮩ ꓦ ᐯ",
    "w": "ω ԝ Ԝ ա ɯ Ꮃ Ꮤ ꓪ",
    "x": "χ Χ х Х ꓫ ᕽ ⲭ",
    "y": "γ Υ у У ү Ү Ꮍ Ꭹ ꓬ ⲩ",
    "z": "ζ Ζ Ꮓ ꓜ ⲍ",
    "2": "ƨ Ƨ",
    "3": "з З ʒ Ʒ ȝ Ȝ ვ",
    "4": "ч Ч Ꮞ",
    "6": "б Ꮾ",
    "8": "ȣ Ȣ",
    "二": "ニ", "八": "ハ", "力": "カ", "卜": "ト", "口": "ロ", "夕": "タ", "工": "エ", "へ": "ヘ",
}  # fmt: skip
_PROTOTYPES = {
    letter: drawn for drawn, letters in _DRAWN_LIKE.items() for letter in letters.split()
}
_SMALL_CAPITAL = re.compile("LATIN LETTER SMALL CAPITAL ([A-Z])")


def visible(name: str) -> str:
    """Return the name without invisible characters, in Unicode's composed form.

    >>> visible("sto\\u200dps")
    'stops'
    """
    return unicodedata.normalize("NFC", _UNSEEN.sub("", name))


def identity(name: str) -> str:
    """Return a text that is the same for all spellings of a name.

    >>> identity("Ｓtops\\ufe0f") == identity("STOPS") == identity("stops")
    True
    """
    before, text = "", name
    while before != text:
        before, text = text, unicodedata.normalize("NFKC", visible(text).casefold())
    return " ".join(text.split())


def skeleton(name: str) -> str:
    """Return a text that is the same for all look-alikes of a name.

    >>> skeleton("ѕtорѕ"), skeleton("st0ps"), skeleton("mall") == skeleton("maIl")
    ('stops', 'stops', True)
    """
    plain = unicodedata.normalize("NFKC", visible(name))
    drawn = "".join(map(_prototype, unicodedata.normalize("NFD", plain)))
    return " ".join(re.sub("(?<=[ij])\u0307", "", drawn).split())  # a second dot


def mixed_word(name: str) -> str | None:
    """Return a word that mixes two scripts, one of them with letters that look Latin; None if there
    is none.

    >>> mixed_word("bus st\\u043eps"), mixed_word("Москва stops"), mixed_word("東京Tower 5 μm")
    ('stоps', None, None)
    """
    for word in re.split("[ ._-]", unicodedata.normalize("NFKC", visible(name))):
        letters = "".join(one for one in word if unicodedata.category(one).startswith("L"))
        if _odd(letters) and len(set(map(_script, letters))) > 1:
            return word
    return None


def lookalike(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that looks like this one; None if there is none."""
    drawn = skeleton(name)
    return next((other for other in known if skeleton(other) == drawn), None)


def unusual(name: str) -> str:
    """Return the Unicode names of the letters in a name that look like others."""
    odd = list(dict.fromkeys(_odd(name)))[:3]
    return ", ".join(unicodedata.name(one, "an unnamed letter") for one in odd)


def _prototype(letter: str) -> str:
    """Return the letter that a letter looks like. If the table lacks it, its other case decides."""
    other = None if letter.isascii() else _drawn_like(letter.swapcase())
    return _drawn_like(letter) or other or letter.casefold()


def _drawn_like(letter: str) -> str | None:
    small = _SMALL_CAPITAL.fullmatch(unicodedata.name(letter, "") if len(letter) == 1 else "")
    return small[1].lower() if small else _PROTOTYPES.get(letter)


def _odd(letters: str) -> list[str]:
    """Return the non-ASCII letters that look like ASCII ones."""
    return [one for one in letters if not one.isascii() and (_drawn_like(one) or one).isascii()]


def _script(letter: str) -> str:
    """Return the script of a letter, from its Unicode name: LATIN, CYRILLIC, …"""
    return unicodedata.name(letter, "").partition(" ")[0]
