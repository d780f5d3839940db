"""One call of the program, and what is wrong with it whatever was asked: a traceback, a hang, an odd status."""

from __future__ import annotations

import contextlib
import io
import os
import re
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from typing import Any, NamedTuple

from groupsim.cli.main import status

USUAL_S = 20.0
"""CPU time: no attempt is so large that it may take longer. The machine may be busy with other work."""
WAITING = 30
"""So many times as long it may take by the clock."""
_STATUSES = (0, 1, 2)
_ACTS_ON_A_TERMINAL = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters, and those that turn or break a line."""


class Finding(Exception):
    """What an attempt found, in a sentence."""


class Called(NamedTuple):
    """What one call printed and how it ended."""

    status: int
    out: str
    err: str


_AGAIN_S = 1.0
"""An alarm rings again and again: where Python can't raise, as while it forgets an object, one is lost."""


class _Late(BaseException):
    """Nothing but the alarm catches it."""


@contextlib.contextmanager
def within(seconds: float, what: str) -> Iterator[None]:
    """Raises Finding if the block computes longer."""
    over, rang = False, 0.0

    def ring(*_: Any) -> None:
        nonlocal rang
        now = time.monotonic()
        if not over and now - rang > _AGAIN_S / 2:  # a machine that paused has both alarms at once
            rang = now
            raise _Late

    def lost(what: Any) -> None:
        if what.exc_type is not _Late:
            unraisable(what)

    unraisable, sys.unraisablehook = sys.unraisablehook, lost
    before = [signal.signal(number, ring) for number in (signal.SIGPROF, signal.SIGALRM)]
    signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN_S)
    signal.setitimer(signal.ITIMER_REAL, WAITING * seconds, _AGAIN_S)
    try:
        try:
            yield
        finally:
            over = True
    except _Late:
        raise Finding(f"{what}: no answer within {seconds:.0f} s of CPU time") from None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in zip((signal.SIGPROF, signal.SIGALRM), before, strict=True):
            signal.signal(number, handler)
        sys.unraisablehook = unraisable


def call(*arguments: str, seconds: float = USUAL_S) -> Called:
    """Call the program in this process. Raises Finding for a traceback, a hang, an odd status, a silent refusal."""
    shown = ascii(" ".join(arguments))[:300]
    out, err = io.StringIO(), io.StringIO()
    os.environ.pop("GROUPSIM_STORE", None)
    try:
        with within(seconds, shown), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = status(list(arguments))
    except Finding:
        raise
    except BaseException as error:
        places = [
            f"{each.filename.rpartition('/')[2]}:{each.lineno}" for each in traceback.extract_tb(error.__traceback__)
        ]
        raise Finding(f"{shown}: {type(error).__name__}: {error} ({' '.join(places[-3:])})") from error
    called = Called(code, out.getvalue(), err.getvalue())
    if code not in _STATUSES:
        raise Finding(f"{shown}: status {code}")
    if (acting := _ACTS_ON_A_TERMINAL.search(called.out + called.err)) is not None:
        raise Finding(f"{shown}: prints {acting[0]!r}")
    if "groupsim: unexpected " in called.err or "Traceback" in called.err:
        raise Finding(f"{shown}: {called.err.strip().splitlines()[-1][:300]}")
    if code == 2 and not called.err.startswith("groupsim: ") and "groupsim: " not in called.err:
        raise Finding(f"{shown}: status 2 without a sentence: {called.err[:200]!r}")
    return called
