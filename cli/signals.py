"""Ctrl-C and SIGTERM end the program in one sentence, with the status that shells report for them."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

S = TypeVar("S")

AT_ONCE_S = 1.0
"""A second signal that comes sooner means the same: a terminal and `make` may both send one."""
_AGAIN_S = 0.01

_set_handler = signal.signal
_received: list[tuple[int, float]] = []


@contextmanager
def listening() -> Iterator[None]:
    """In the block the first signal raises KeyboardInterrupt; a later one ends the program at once."""
    _received.clear()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    _unraisable.before, sys.unraisablehook = sys.unraisablehook, _unraisable
    try:
        signal.signal(signal.SIGTERM, _interrupt)
        if before[signal.SIGINT] != signal.SIG_IGN:  # a shell ignores it for what runs in the background
            signal.signal(signal.SIGINT, _interrupt)
        with warnings.catch_warnings():
            yield
    finally:
        sys.unraisablehook = _unraisable.before
        if _received and "logging" in sys.modules:
            sys.modules["logging"].disable(0)
        for number, handler in before.items():
            signal.signal(number, handler)


def ended_by(number: int, _: object) -> None:
    """End at once, with one sentence and the status that shells report for this signal."""
    with suppress(OSError):
        os.write(2, b"groupsim: interrupted\n")
    os._exit(128 + number)


def leave_to_the_system() -> None:
    """All is said and done: one that comes while Python clears up ends it without a word."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def was_signalled() -> bool:
    """Whether one has come: a library may turn the KeyboardInterrupt that it raises into an error of its own."""
    return bool(_received)


def signalled_status() -> int:
    """The exit status of a program that was interrupted, as shells report it."""
    return 128 + (_received[0][0] if _received else signal.SIGINT)


def quietly(start: Callable[[], S]) -> S:
    """Start a Spark session that leaves Ctrl-C to us, and says nothing of it.

    PySpark's handler would ask the JVM to cancel its jobs, in the middle of another question; py4j logs what an
    interrupt does to it, with a traceback, also by the root logger.
    """
    import logging  # the entry point loads this module first

    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    logging.getLogger().addFilter(lambda record: not was_signalled() and "KeyboardInterrupt" not in record.getMessage())
    usual = signal.signal
    try:
        signal.signal = _leave_ctrl_c  # type: ignore[assignment]  # PySpark has no setting for it
        return start()
    finally:
        signal.signal = usual


def _leave_ctrl_c(number: int, handler: Any) -> Any:
    """`signal.signal`, but that what handles Ctrl-C goes on to do so."""
    return signal.getsignal(number) if number == signal.SIGINT else _set_handler(number, handler)


def _interrupt(number: int, _: object) -> None:
    now = time.monotonic()
    if not _received:
        _received.append((number, now))
        _silence()
        raise KeyboardInterrupt
    if now - _received[0][1] > AT_ONCE_S:
        ended_by(number, None)


def _silence() -> None:
    """SQLAlchemy warns of a transaction that it does not find any more, and logs a traceback of what it can't close."""
    warnings.simplefilter("ignore")
    if hasattr(sys.modules.get("logging"), "disable"):  # not while it is loaded
        sys.modules["logging"].disable()


class _Unraisable:
    """Where Python can't raise, such as while it forgets an object, it prints a traceback and goes on."""

    before: Any = None

    def __call__(self, what: Any) -> None:
        if _received and what.exc_type is KeyboardInterrupt:
            _thread.start_new_thread(_send_again, (_received.pop()[0],))
        else:
            self.before(what)


_unraisable = _Unraisable()


def _send_again(number: int) -> None:
    time.sleep(_AGAIN_S)
    os.kill(os.getpid(), number)
