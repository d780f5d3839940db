"""Ctrl-C at the n-th place of a block at which Python looks for signals: every call, return of C code, and loop."""

from __future__ import annotations

import dis
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import CodeType, FrameType
from typing import Any

_LOOKS = ("RESUME", "JUMP_BACKWARD")


class Places:
    """How many places there were, and whether the signal was sent."""

    def __init__(self, nth: int, number: int) -> None:
        self.nth, self.number, self.seen = nth, number, 0

    def __call__(self, frame: FrameType, event: str, _: Any) -> Places:
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode" and frame.f_lasti in _places(frame.f_code):
            self.seen += 1
            if self.seen == self.nth:
                sys.settrace(None)
                signal.raise_signal(self.number)
        return self


@contextmanager
def signal_at(nth: int, number: int = signal.SIGINT) -> Iterator[Places]:
    """Send the signal to this process at the `nth` place of the block; 0: count them only."""
    places = Places(nth, number)
    before = sys.gettrace()
    sys.settrace(places)
    try:
        yield places
    finally:
        sys.settrace(before)


@cache
def _places(code: CodeType) -> frozenset[int]:
    found, last = set(), ""
    for each in dis.get_instructions(code):
        if each.opname in _LOOKS or last.startswith("CALL"):
            found.add(each.offset)
        last = each.opname
    return frozenset(found)
