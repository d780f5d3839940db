"""Escapes, character classes and repetition counts of topic expressions (RE2/J 1.8: Parser, the methods named below).

Sets are bits, as in `classes`; `fold` asks for both cases. What is refused raises InvalidSyntax.
"""

from __future__ import annotations

from groupsim.coordinator.expressions import classes
from groupsim.coordinator.expressions.text import INVALID_ESCAPE, InvalidSyntax, Text

INVALID_RANGE = "invalid character class range"
INVALID_COUNT = "invalid repeat count"
MISSING_BRACKET = "missing closing ]"
TRAILING_BACKSLASH = "trailing backslash at end of expression"

CONTROL = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
OCTAL = "01234567"
HEXADECIMAL = "0123456789abcdefABCDEF"
LARGEST_CODE = 0x10FFFF
MOST_REPEATS = 1000
LONGEST_NUMBER = 8


def escaped(text: Text) -> int:
    """The code of the character that an escape stands for; the cursor is at the backslash (parseEscape)."""
    text.take()
    if not text.more():
        raise InvalidSyntax(TRAILING_BACKSLASH)
    character = text.take()
    if character in OCTAL and (character == "0" or (text.more() and text.peek() in OCTAL)):
        digits = character
        while len(digits) < 3 and text.more() and text.peek() in OCTAL:
            digits += text.take()
        return int(digits, 8)
    if character == "x":
        return _hexadecimal(text)
    if character in CONTROL:
        return CONTROL[character]
    if character.isascii() and character.isalnum():
        raise InvalidSyntax(INVALID_ESCAPE)
    return ord(character)


def _hexadecimal(text: Text) -> int:
    digits: str | None = text.take()
    if digits == "{":
        digits = text.until("}")
    else:
        digits = (digits or "") + text.take()
        if len(digits) != 2:
            raise InvalidSyntax(INVALID_ESCAPE)
    if not digits or any(digit not in HEXADECIMAL for digit in digits):
        raise InvalidSyntax(INVALID_ESCAPE)
    significant = digits.lstrip("0") or "0"
    if len(significant) > 6 or int(significant, 16) > LARGEST_CODE:
        raise InvalidSyntax(INVALID_ESCAPE)
    return int(significant, 16)


def named_class(text: Text, fold: bool) -> int | None:
    """The set of `\\pN`, `\\p{Greek}`, `\\d` or their complements, if one comes next.

    RE2/J: parseUnicodeClass, parsePerlClassEscape.
    """
    kind = text.whole[text.at + 1 : text.at + 2] if text.peek() == "\\" else ""
    if kind in ("p", "P"):
        text.at += 2
        return _unicode_class(text, kind == "P", fold)
    if kind and kind.lower() in classes.PERL:
        text.at += 2
        found = classes.PERL[kind.lower()]
        return found if kind.islower() else classes.ALL & ~found
    return None


def _unicode_class(text: Text, others: bool, fold: bool) -> int:
    name: str | None = text.take()
    if name == "{":
        name = text.until("}")
    if not name:
        raise InvalidSyntax(INVALID_RANGE)
    if name.startswith("^"):
        others, name = not others, name[1:]
    if name not in classes.UNICODE:
        raise InvalidSyntax(INVALID_RANGE)
    found = classes.UNICODE[name]
    if fold:
        found = classes.FOLDED_UNICODE.get(name, found)
    return classes.ALL & ~found if others else found


def bracketed(text: Text, fold: bool) -> int:
    """The set of a class in brackets; the cursor is behind the opening one (parseClass)."""
    others = text.skip("^")
    found = 0
    first = True
    while first or text.peek() != "]":
        first = False
        part = _posix_class(text, fold)
        if part is None:
            part = named_class(text, fold)
        if part is None:
            part = _range(text, fold)
        found |= part
    text.take()
    return classes.ALL & ~found if others else found


def _posix_class(text: Text, fold: bool) -> int | None:
    """The set of `[:alpha:]` or `[:^alpha:]`, if one comes next (parseNamedClass)."""
    before = text.at
    if not text.skip("[:"):
        return None
    name = text.until(":]")
    if name is None:
        text.at = before
        return None
    others = name.startswith("^")
    found = classes.POSIX.get(name[others:])
    if found is None:
        raise InvalidSyntax(INVALID_RANGE)
    if fold:
        found = classes.both_cases(found)
    return classes.ALL & ~found if others else found


def _range(text: Text, fold: bool) -> int:
    low = high = _class_character(text)
    if text.whole.startswith("-", text.at) and not text.whole.startswith("-]", text.at):
        text.take()
        high = _class_character(text)
        if high < low:
            raise InvalidSyntax(INVALID_RANGE)
    return classes.folded(low, high) if fold else classes.span(low, high)


def _class_character(text: Text) -> int:
    if not text.more():
        raise InvalidSyntax(MISSING_BRACKET)
    return escaped(text) if text.peek() == "\\" else ord(text.take())


def times(text: Text) -> tuple[int, int | None] | None:
    """Least and most of `{2}`, `{2,}` or `{2,5}`, if that comes next, else None (parseRepeat)."""
    before = text.at
    text.take()
    least = most = _number(text)
    endless = text.skip(",}")
    if not endless and text.skip(","):
        most = _number(text)
    if least is None or most is None or not (endless or text.skip("}")):
        text.at = before
        return None
    if max(least, most) > MOST_REPEATS or least > most:
        raise InvalidSyntax(INVALID_COUNT)
    return least, None if endless else most


def _number(text: Text) -> int | None:
    """A number without leading zeros; one of many digits is too large, whatever it is."""
    start = text.at
    while text.peek() and text.peek() in "0123456789":
        text.take()
    digits = text.whole[start : text.at]
    if not digits or (len(digits) > 1 and digits[0] == "0"):
        return None
    return int(digits[: LONGEST_NUMBER + 1])
