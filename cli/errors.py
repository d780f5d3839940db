"""What a command line can get wrong."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable
from typing import TypeVar

from groupsim.events.errors import GroupSimError

S = TypeVar("S")


class BadRequest(GroupSimError):
    """An argument that can't be; one sentence, exit status 2."""


class Interrupted(GroupSimError):
    """What Ctrl-C or SIGTERM ended, and what is left of it; one sentence, exit status 130 or 143, as shells say."""


_received: list[int] = []


def forget_signals() -> None:
    """A new call begins; a test makes several in one process."""
    _received.clear()


def note_signal(number: int) -> None:
    """A signal has come that ends the program."""
    _received.append(number)


def was_signalled() -> bool:
    """Whether one has come: a library may turn the KeyboardInterrupt that it raises into an error of its own."""
    return bool(_received)


def quietly(start: Callable[[], S]) -> S:
    """Start a Spark session that leaves Ctrl-C to us, and says nothing of it.

    PySpark's handler would ask the JVM to cancel its jobs, in the middle of another question; py4j logs what an
    interrupt does to it, with a traceback, also by the root logger.
    """
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    logging.getLogger().addFilter(lambda record: not was_signalled() and "KeyboardInterrupt" not in record.getMessage())
    before = signal.getsignal(signal.SIGINT)
    try:
        return start()
    finally:
        signal.signal(signal.SIGINT, before)
