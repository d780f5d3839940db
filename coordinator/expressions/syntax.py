"""The syntax of topic expressions: RE2/J's parser, which refuses the same at the same places (RE2/J 1.8: Parser).

From below: a text with a cursor; escapes, character classes and repetition counts; groups and alternatives. Sets of
characters are bits, as in `classes`; `fold` asks for both cases. Open groups are kept in a list of our own, so that
deep nesting needs no deep calls. Lazy repetitions match the same whole names as greedy ones, groups capture nothing
here, and names have no line feeds: of the flags only `i` matters.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from groupsim.coordinator.expressions import classes
from groupsim.coordinator.expressions.program import Kind, Part, concatenated, either, repeated

INVALID_ESCAPE = "invalid escape sequence"
INVALID_RANGE = "invalid character class range"
INVALID_COUNT = "invalid repeat count"
MISSING_BRACKET = "missing closing ]"
TRAILING_BACKSLASH = "trailing backslash at end of expression"
MISSING_ARGUMENT = "missing argument to repetition operator"
NESTED_REPETITION = "invalid nested repetition operator"
MISSING_PARENTHESIS = "missing closing )"
INVALID_NAME = "invalid named capture"
DUPLICATE_NAME = "duplicate capture group name"
INVALID_FLAGS = "invalid or unsupported Perl syntax"
NOTHING_OPEN = "regexp/syntax: internal error"
"""RE2/J says so of a closing parenthesis that nothing opened."""

CONTROL = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
OCTAL = "01234567"
HEXADECIMAL = "0123456789abcdefABCDEF"
LARGEST_CODE = 0x10FFFF
MOST_REPEATS = 1000
LONGEST_NUMBER = 8
REPETITIONS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
PLACES = {"A": Kind.BEGIN, "z": Kind.END, "b": Kind.BOUNDARY, "B": Kind.NO_BOUNDARY}
"""What follows a backslash and consumes nothing."""


class InvalidSyntax(ValueError):
    """The expression is refused; `str()` is RE2/J's description."""


class Text:
    """An expression with a cursor `at`."""

    __slots__ = ("at", "whole")

    def __init__(self, whole: str) -> None:
        self.whole = whole
        self.at = 0

    def more(self) -> bool:
        """Whether anything is left."""
        return self.at < len(self.whole)

    def peek(self) -> str:
        """The next character, "" at the end."""
        return self.whole[self.at : self.at + 1]

    def take(self) -> str:
        """The next character, which is then behind the cursor; "" at the end."""
        character = self.peek()
        self.at += len(character)
        return character

    def skip(self, wanted: str) -> bool:
        """Step over `wanted` if it comes next."""
        comes_next = self.whole.startswith(wanted, self.at)
        if comes_next:
            self.at += len(wanted)
        return comes_next

    def until(self, end: str) -> str | None:
        """What comes before the next `end`, and step over both; None, and no step, where there is none."""
        place = self.whole.find(end, self.at)
        if place < 0:
            return None
        before = self.whole[self.at : place]
        self.at = place + len(end)
        return before


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
        characters = classes.PERL[kind.lower()]
        return characters if kind.islower() else classes.ALL & ~characters
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
    characters = classes.UNICODE[name]
    if fold:
        characters = classes.FOLDED_UNICODE.get(name, characters)
    return classes.ALL & ~characters if others else characters


def bracketed(text: Text, fold: bool) -> int:
    """The set of a class in brackets; the cursor is behind the opening one (parseClass)."""
    others = text.skip("^")
    characters = 0
    first = True
    while first or text.peek() != "]":
        first = False
        part = _posix_class(text, fold)
        if part is None:
            part = named_class(text, fold)
        if part is None:
            part = _range(text, fold)
        characters |= part
    text.take()
    return classes.ALL & ~characters if others else characters


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
    characters = classes.POSIX.get(name[others:])
    if characters is None:
        raise InvalidSyntax(INVALID_RANGE)
    if fold:
        characters = classes.both_cases(characters)
    return classes.ALL & ~characters if others else characters


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


@dataclass(slots=True)
class _Group:
    """An open group: whether both cases matched before it, finished alternatives, parts of the one being read."""

    fold: bool
    alternatives: list[Part] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)

    def next_alternative(self) -> None:
        self.alternatives.append(concatenated(self.parts))
        self.parts = []

    def closed(self) -> Part:
        self.next_alternative()
        return either(self.alternatives)


def parse(expression: str) -> Part:
    """The program of an expression. Raises InvalidSyntax with RE2/J's description, TooLarge."""
    return _Parser(expression).parse()


class _Parser:
    """Reads an expression from left to right (Parser.parseInternal)."""

    def __init__(self, expression: str) -> None:
        self.text = Text(expression)
        self.fold = False
        self.groups = [_Group(self.fold)]
        self.names: set[str] = set()

    def parse(self) -> Part:
        repeats = False
        while self.text.more():
            brace = self.text.peek() == "{"
            repetition = self._repetition()
            if repetition is None:
                self._read_one()
            else:
                self._repeat(repetition, twice=repeats)
            # RE2/J takes a brace that is no repetition for one here: a{? is refused
            repeats = brace or repetition is not None
        program = self.groups[-1].closed()
        if len(self.groups) > 1:
            raise InvalidSyntax(MISSING_PARENTHESIS)
        return program

    def _repetition(self) -> tuple[int, int | None] | None:
        """Least and most of a repetition, if one comes next."""
        character = self.text.peek()
        if character in REPETITIONS:
            self.text.take()
            return REPETITIONS[character]
        return times(self.text) if character == "{" else None

    def _repeat(self, repetition: tuple[int, int | None], *, twice: bool) -> None:
        self.text.skip("?")
        if twice:
            raise InvalidSyntax(NESTED_REPETITION)
        parts = self.groups[-1].parts
        if not parts:
            raise InvalidSyntax(MISSING_ARGUMENT)
        parts[-1] = repeated(parts[-1], *repetition)

    def _read_one(self) -> None:
        """Anything but a repetition."""
        text = self.text
        if text.skip("(?"):
            self._named_group_or_flags()
            return
        character = text.peek()
        if character == "\\":
            self._backslash()
            return
        text.take()
        if character == "(":
            self.groups.append(_Group(self.fold))
        elif character == "|":
            self.groups[-1].next_alternative()
        elif character == ")":
            self._close()
        elif character == "[":
            self._set(bracketed(text, self.fold))
        elif character == ".":
            self._set(classes.ALL)
        elif character in "^$":
            self._place(Kind.BEGIN if character == "^" else Kind.END)
        else:
            self._literal(ord(character))

    def _backslash(self) -> None:
        text = self.text
        kind = text.whole[text.at + 1 : text.at + 2]
        if kind in PLACES:
            text.at += 2
            self._place(PLACES[kind])
        elif kind == "C":
            raise InvalidSyntax(INVALID_ESCAPE)
        elif kind == "Q":
            text.at += 2
            quoted = text.until("\\E")
            if quoted is None:
                quoted = text.whole[text.at :]
                text.at = len(text.whole)
            for character in quoted:
                self._literal(ord(character))
        elif (characters := named_class(text, self.fold)) is not None:
            self._set(characters)
        else:
            self._literal(escaped(text))

    def _literal(self, code: int) -> None:
        self._set(classes.folded(code, code) if self.fold else classes.span(code, code))

    def _set(self, characters: int) -> None:
        self.groups[-1].parts.append([(Kind.CHARACTER, characters, 0)])

    def _place(self, kind: Kind) -> None:
        self.groups[-1].parts.append([(kind, 0, 0)])

    def _close(self) -> None:
        part = self.groups[-1].closed()
        if len(self.groups) == 1:
            raise InvalidSyntax(NOTHING_OPEN)
        self.fold = self.groups.pop().fold
        self.groups[-1].parts.append(part)

    def _named_group_or_flags(self) -> None:
        """`(?P<name>`, `(?<name>`, `(?i)` or `(?i:`; the cursor is behind the question mark (parsePerlFlags)."""
        text = self.text
        if text.skip("P<") or text.skip("<"):
            name = text.until(">")
            if not name or not all(c == "_" or (c.isascii() and c.isalnum()) for c in name):
                raise InvalidSyntax(INVALID_NAME)
            if name in self.names:
                raise InvalidSyntax(DUPLICATE_NAME)
            self.names.add(name)
            self.groups.append(_Group(self.fold))
            return
        fold, on, seen = self.fold, True, False
        while (character := text.take()) and character in "imsU-:)":
            if character in ":)":
                if not on and not seen:
                    break
                if character == ":":
                    self.groups.append(_Group(self.fold))
                self.fold = fold
                return
            if character == "-":
                if not on:
                    break
                on, seen = False, False
                continue
            seen = True
            if character == "i":
                fold = on
        raise InvalidSyntax(INVALID_FLAGS)
