"""Sets of characters as bits: bit k is ASCII character k. Topic names have no others.

Sources: RE2/J 1.8, CharGroup, UnicodeTables, CharClass.appendFoldedRange.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

SIZE = 128
ALL = (1 << SIZE) - 1
LONG_S, KELVIN = 0x17F, 0x212A
"""The only characters beyond ASCII that are lower or upper case of ASCII letters (of s and k)."""


def bits(codes: Iterable[int]) -> int:
    """The set of these characters; others than ASCII are left out."""
    result = 0
    for code in codes:
        if code < SIZE:
            result |= 1 << code
    return result


def span(low: int, high: int) -> int:
    """The set of the characters from `low` to `high`."""
    return bits(range(low, min(high, SIZE - 1) + 1))


def letters(text: str) -> int:
    """The set of the characters of a text."""
    return bits(map(ord, text))


def both_cases(characters: int) -> int:
    """The set with each letter in both cases."""
    return characters | (characters & UPPER) << 32 | (characters & LOWER) >> 32


def folded(low: int, high: int) -> int:
    """The characters from `low` to `high` in both cases."""
    extra = letters("s" if low <= LONG_S <= high else "") | letters("k" if low <= KELVIN <= high else "")
    return both_cases(span(low, high) | extra)


DIGIT, UPPER, LOWER = span(0x30, 0x39), span(0x41, 0x5A), span(0x61, 0x7A)
ALPHA = UPPER | LOWER
WORD = DIGIT | ALPHA | letters("_")
PUNCTUATION = span(0x21, 0x2F) | span(0x3A, 0x40) | span(0x5B, 0x60) | span(0x7B, 0x7E)

PERL = {"d": DIGIT, "s": letters("\t\n\f\r "), "w": WORD}
"""What follows a backslash; in upper case it stands for all other characters."""

POSIX = {
    "alnum": DIGIT | ALPHA,
    "alpha": ALPHA,
    "ascii": ALL,
    "blank": letters("\t "),
    "cntrl": span(0, 0x1F) | span(0x7F, 0x7F),
    "digit": DIGIT,
    "graph": span(0x21, 0x7E),
    "lower": LOWER,
    "print": span(0x20, 0x7E),
    "punct": PUNCTUATION,
    "space": span(0x9, 0xD) | letters(" "),
    "upper": UPPER,
    "word": WORD,
    "xdigit": DIGIT | letters("abcdefABCDEF"),
}
"""Between `[:` and `:]`."""

_CATEGORIES = "Lu Ll Lt Lm Lo Mn Me Mc Nd Nl No Zs Zl Zp Cc Cf Co Cs Pd Ps Pe Pc Po Sm Sc Sk So Pi Pf P S C Z L M N"
_OTHER_SCRIPTS = (
    "Inherited Bamum Arabic Lisu Armenian Bengali Old_South_Arabian Bopomofo Cherokee Coptic Cyrillic Deseret "
    "Devanagari Ethiopic Georgian Gothic Greek Gujarati Gurmukhi Han Hangul Hebrew Hiragana Kannada Katakana Khmer Lao "
    "Malayalam Mongolian Myanmar Ogham Old_Italic Oriya Runic Sinhala Syriac Tamil Telugu Thaana Thai Tibetan "
    "Canadian_Aboriginal Yi Tagalog Hanunoo Buhid Tagbanwa Braille Cypriot Limbu Linear_B Osmanya Shavian Tai_Le "
    "Ugaritic Buginese Glagolitic Kharoshthi Syloti_Nagri New_Tai_Lue Tifinagh Old_Persian Balinese Batak Brahmi Cham "
    "Egyptian_Hieroglyphs Javanese Kayah_Li Lepcha Mandaic Nko Old_Turkic Phags_Pa Phoenician Vai Cuneiform Unknown "
    "Carian Tai_Tham Lycian Lydian Ol_Chiki Rejang Saurashtra Sundanese Meetei_Mayek Imperial_Aramaic Avestan Kaithi "
    "Inscriptional_Pahlavi Inscriptional_Parthian Samaritan Tai_Viet"
)
"""Scripts that RE2/J knows and that have no ASCII characters."""

UNICODE: dict[str, int] = {
    name: bits(code for code in range(SIZE) if unicodedata.category(chr(code)).startswith(name))
    for name in _CATEGORIES.split()
}
"""What `\\p` names: categories and scripts, and Any."""
UNICODE |= dict.fromkeys(_OTHER_SCRIPTS.split(), 0)
UNICODE |= {"Latin": ALPHA, "Common": ALL & ~ALPHA, "Any": ALL}

FOLDED_UNICODE = {"Lu": ALPHA, "Ll": LOWER | letters("KS")}
"""Where a class with both cases is more than the class itself; RE2/J's table for Ll lacks the other capitals."""
