"""An expression and the place up to which it has been read; what is wrong with it."""

from __future__ import annotations

INVALID_ESCAPE = "invalid escape sequence"


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
        found = self.peek()
        self.at += len(found)
        return found

    def skip(self, wanted: str) -> bool:
        """Step over `wanted` if it comes next."""
        found = self.whole.startswith(wanted, self.at)
        if found:
            self.at += len(wanted)
        return found

    def until(self, end: str) -> str | None:
        """What comes before the next `end`, and step over both; None, and no step, where there is none."""
        found = self.whole.find(end, self.at)
        if found < 0:
            return None
        result = self.whole[self.at : found]
        self.at = found + len(end)
        return result
