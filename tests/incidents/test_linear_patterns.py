"""No wording and no layout takes more than linear time: lines that repeat a piece of each pattern, 16 KB and 64 KB."""

from __future__ import annotations

import importlib
import pkgutil
import re
import time
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from groupsim.incidents import exports, logs
from groupsim.incidents.exports.line_prefixes import HEADS, head_of, split
from groupsim.incidents.exports.moments import moment
from groupsim.incidents.exports.plain_log import own_ms
from groupsim.incidents.logs import producers
from groupsim.incidents.logs.formats import Record, parse, starts_record
from groupsim.incidents.logs.multiline import TRACE
from groupsim.incidents.logs.patterns import Wording
from groupsim.incidents.logs.producers import java_context_sentences
from groupsim.incidents.logs.structured import read_csv, read_pairs

parser: Any = importlib.import_module("re._parser")
CLASSES = {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "w"}


def example(parsed: Any) -> str:
    """A short text made of the pieces of a parsed pattern."""
    out = ""
    for operation, argument in parsed:
        name = str(operation)
        if name == "LITERAL":
            out += chr(argument)
        elif name in ("ANY", "NOT_LITERAL"):
            out += "x"
        elif name == "IN":
            out += _member(argument)
        elif name in ("MAX_REPEAT", "MIN_REPEAT"):
            out += example(argument[2]) * max(argument[0], 1)
        elif name == "SUBPATTERN":
            out += example(argument[-1])
        elif name == "BRANCH":
            out += example(argument[1][0])
    return out


def _member(argument: Any) -> str:
    kind, value = argument[0]
    if str(kind) == "NEGATE":
        return "x"
    if str(kind) == "LITERAL":
        return chr(value)
    return chr(value[0]) if str(kind) == "RANGE" else CLASSES.get(str(value), "x")


def modules(*packages: ModuleType) -> Iterator[ModuleType]:
    for package in packages:
        for found in pkgutil.iter_modules(package.__path__):
            if not found.ispkg:
                yield importlib.import_module(f"{package.__name__}.{found.name}")


def wordings() -> dict[str, Wording]:
    """Every wording of every producer, by where it is defined."""
    found: dict[str, Wording] = {}

    def collect(name: str, value: Any) -> None:
        if isinstance(value, Wording):
            found.setdefault(f"{value.fixed}|{value.pattern.pattern}", value)
        elif isinstance(value, tuple):
            for each in value:
                collect(name, each)

    for module in modules(producers):
        for name, value in vars(module).items():
            collect(name, value)
    return found


def patterns() -> set[str]:
    """Every pattern of the readers of logs and exports, in modules or in their tables."""
    found: set[str] = set()

    def collect(value: Any) -> None:
        if isinstance(value, re.Pattern):
            found.add(value.pattern if isinstance(value.pattern, str) else value.pattern.decode("latin-1"))
        elif isinstance(value, tuple) and not isinstance(value, Wording):
            for each in value:
                collect(each)

    for module in modules(producers, logs, exports):
        for value in vars(module).values():
            collect(value)
    return found


def hostile(pattern: str, fixed: str = "") -> Iterator[Callable[[int], str]]:
    """Lines of any length that repeat a piece of the pattern's example and fit it nearly."""
    text = example(parser.parse(pattern))
    if not text:
        return
    for cut in sorted({max(1, len(text) // 2), max(1, len(text) - 1)}):
        for head, piece in (("", text[:cut]), (text[:cut], text[:cut]), (text[:cut], text[cut : cut + 6] or "x")):
            yield lambda size, head=head, piece=piece: (  # type: ignore[misc]
                (fixed if fixed in text else f"{fixed} ") + head + piece * (size // len(piece)) + '"\x01'
            )


def seconds(look: Callable[[str], object], line: str, times: int = 1) -> float:
    took = []
    for _ in range(times):
        began = time.process_time()
        look(line)
        took.append(time.process_time() - began)
    return min(took)


def grows_too_fast(
    look: Callable[[str], object], lines: Iterator[Callable[[int], str]], size: int = 16_000
) -> str | None:
    """The start of a line of which four times the length takes more than about four times as long; None if none does.

    Of the lines made of one pattern the three slowest are grown, from `size` characters on: at the first,
    small size the slowest of all may only be the one that another process interrupted.
    """
    tried = [(seconds(look, line(1_000), 2), number, line) for number, line in enumerate(lines)]
    for _, _, line in sorted(tried)[-3:]:
        small, large = line(size), line(4 * size)
        if seconds(look, large) < 0.04:
            continue
        if seconds(look, large, 2) > 8 * seconds(look, small, 2) + 0.03:
            return small[:200]
    return None


def test_every_wording_is_linear() -> None:
    """Those that see only a part of a line, of one size whatever the line's, can't be anything else."""
    every = [each for each in wordings().values() if each.window is None or each.window > 4_096]
    assert len(every) > 150
    slow = []
    for each in every:
        lines = hostile(each.pattern.pattern, each.fixed)
        slow.append(grows_too_fast(lambda text, each=each: each.read(Record(1, text)), lines))  # type: ignore[misc]
    assert list(filter(None, slow)) == []


def look_at_layout(text: str) -> None:
    """What is done to a line before its words are read."""
    parse(1, text)
    starts_record(text)
    own_ms(text, None)
    moment(text, None)
    TRACE.match(text)
    read_pairs(f"msg=x {text}")
    read_csv(text)
    head_of([text])
    for head in HEADS:
        list(split(head, [(1, text)]))


def test_every_layout_is_linear() -> None:
    every = patterns()
    assert len(every) > 100
    slow = [line for each in sorted(every) if (line := grows_too_fast(look_at_layout, hostile(each)))]
    assert slow == []


def test_a_quadratic_pattern_is_found() -> None:
    pattern = re.compile(r"Adding .* for group")
    assert grows_too_fast(pattern.search, hostile(pattern.pattern), 8_000) is not None


def test_lists_that_do_not_end_are_linear() -> None:
    """What is looked for in a part of a line, too: `python -m tests.adversary` tries every pattern alone."""
    pattern = java_context_sentences._LISTED
    assert grows_too_fast(pattern.findall, hostile(pattern.pattern), 32_000) is None


def test_pairs_without_spaces_between_them_are_linear() -> None:
    small, large = (seconds(read_pairs, "msg= " + "a=" * size + '"', 3) for size in (8_000, 32_000))
    assert large < 8 * small + 0.03
