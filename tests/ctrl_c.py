"""Ctrl-C where a shell has switched it off: what `nohup` or `&` start in the background ignores SIGINT."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def not_ignored() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt in the block, and reaches processes that are started in it.

    They inherit that a signal is ignored, but no handler. Nothing of Python runs in them before (`preexec_fn`): another
    thread of this one may hold a lock.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
