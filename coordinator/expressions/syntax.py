"""The syntax of topic expressions: RE2/J's parser, which refuses the same at the same places (RE2/J 1.8: Parser).

Open groups are kept in a list of our own, so that deep nesting needs no deep calls. Lazy repetitions match the same
whole names as greedy ones, groups capture nothing here, and names have no line feeds: of the flags only `i` matters.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from groupsim.coordinator.expressions import classes
from groupsim.coordinator.expressions.escapes import bracketed, escaped, named_class, times
from groupsim.coordinator.expressions.program import Kind, Part, concatenated, either, repeated
from groupsim.coordinator.expressions.text import INVALID_ESCAPE, InvalidSyntax, Text

MISSING_ARGUMENT = "missing argument to repetition operator"
NESTED_REPETITION = "invalid nested repetition operator"
MISSING_PARENTHESIS = "missing closing )"
INVALID_NAME = "invalid named capture"
DUPLICATE_NAME = "duplicate capture group name"
INVALID_FLAGS = "invalid or unsupported Perl syntax"
NOTHING_OPEN = "regexp/syntax: internal error"
"""RE2/J says so of a closing parenthesis that nothing opened."""

REPETITIONS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
PLACES = {"A": Kind.BEGIN, "z": Kind.END, "b": Kind.BOUNDARY, "B": Kind.NO_BOUNDARY}
"""What follows a backslash and consumes nothing."""


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
        elif (found := named_class(text, self.fold)) is not None:
            self._set(found)
        else:
            self._literal(escaped(text))

    def _literal(self, code: int) -> None:
        self._set(classes.folded(code, code) if self.fold else classes.span(code, code))

    def _set(self, found: int) -> None:
        self.groups[-1].parts.append([(Kind.CHARACTER, found, 0)])

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
