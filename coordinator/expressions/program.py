"""Programs that match a whole name: instructions, how parts are put together, and running them in linear time.

An instruction is (kind, argument, argument). Jumps are relative, so that a part can be repeated by copying it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum

from groupsim.coordinator.expressions.classes import WORD
from groupsim.events.errors import GroupsimError

LARGEST = 10_000
"""Instructions of a program; RE2/J knows no bound, but nested repetitions would take all memory."""
MOST_REMEMBERED = 10_000
"""Steps that a matcher remembers before it forgets them all."""


class TooLarge(GroupsimError):
    """A valid expression whose repetitions make it larger than is matched here; the answer of the broker is unknown."""

    def __init__(self) -> None:
        super().__init__(f"an expression of more than {LARGEST:,} steps is not matched by the simulator")


class Kind(IntEnum):
    """What an instruction does: consume one character, go two ways, jump, or look at the place between characters."""

    CHARACTER = 0
    SPLIT = 1
    JUMP = 2
    BEGIN = 3
    END = 4
    BOUNDARY = 5
    NO_BOUNDARY = 6


Part = list[tuple[Kind, int, int]]
"""Instructions in order; running past the last one goes on with whatever follows."""


def concatenated(parts: Iterable[Part]) -> Part:
    """One part after the other. Raises TooLarge."""
    result: Part = []
    for part in parts:
        result += part
        if len(result) > LARGEST:
            raise TooLarge
    return result


def either(parts: Sequence[Part]) -> Part:
    """Any one of the parts. Raises TooLarge."""
    result: Part = []
    for i, part in enumerate(parts):
        after = sum(map(len, parts[i + 1 :])) + 2 * (len(parts) - i - 2) + 1
        if i + 1 < len(parts):
            result += [(Kind.SPLIT, 1, len(part) + 2), *part, (Kind.JUMP, after, 0)]
        else:
            result += part
        if len(result) > LARGEST:
            raise TooLarge
    return result


def repeated(part: Part, least: int, most: int | None) -> Part:
    """The part from `least` to `most` times, None: without end. Raises TooLarge."""
    size = len(part)
    if size * max(least, most or 0, 1) > LARGEST:
        raise TooLarge
    if most is None:
        if least == 0:
            return concatenated([[(Kind.SPLIT, 1, size + 2)], part, [(Kind.JUMP, -size - 1, 0)]])
        return concatenated([part * least, [(Kind.SPLIT, -size, 1)]])
    result = part * least
    optional = most - least
    for i in range(optional):
        result.append((Kind.SPLIT, 1, (optional - i) * (size + 1)))
        result += part
    if len(result) > LARGEST:
        raise TooLarge
    return result


class Matcher:
    """Runs a program on names, all ways at once (Thompson); steps once taken are remembered."""

    def __init__(self, program: Part) -> None:
        self._program = program
        self._steps: dict[tuple[frozenset[int], bool, str, str], frozenset[int]] = {}

    def matches(self, name: str) -> bool:
        """Whether the whole name (ASCII) matches; time is linear in its length."""
        places = frozenset([0])
        before = ""
        for character in name:
            key = (places, before == "", "w" if _is_word(before) else "", character)
            if (after := self._steps.get(key)) is None:
                if len(self._steps) >= MOST_REMEMBERED:
                    self._steps.clear()
                bit = 1 << ord(character)
                reached = self._reached(places, before, character)
                program = self._program
                after = self._steps[key] = frozenset(
                    at + 1 for at in reached if at < len(program) and program[at][1] & bit
                )
            places, before = after, character
            if not places:
                return False
        return len(self._program) in self._reached(places, before, "")

    def _reached(self, places: frozenset[int], before: str, after: str) -> list[int]:
        """Character instructions, and perhaps the end, that are reached without consuming anything."""
        program, end = self._program, len(self._program)
        boundary = _is_word(before) != _is_word(after)
        holds = {
            Kind.BEGIN: before == "",
            Kind.END: after == "",
            Kind.BOUNDARY: boundary,
            Kind.NO_BOUNDARY: not boundary,
        }
        seen, waiting, result = set(places), list(places), []
        while waiting:
            at = waiting.pop()
            if at == end or program[at][0] is Kind.CHARACTER:
                result.append(at)
                continue
            kind, first, second = program[at]
            if kind is Kind.SPLIT:
                following = [at + first, at + second]
            elif kind is Kind.JUMP:
                following = [at + first]
            else:
                following = [at + 1] if holds[kind] else []
            for place in following:
                if place not in seen:
                    seen.add(place)
                    waiting.append(place)
        return result


def _is_word(character: str) -> bool:
    return character != "" and bool(WORD >> ord(character) & 1)
