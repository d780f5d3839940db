"""Ctrl-C and SIGTERM wait until the end of what must not be left half done, such as a transaction."""

from __future__ import annotations

import _thread
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

PATIENCE_S = 2.0
"""A block that takes longer, such as one that waits for a server, is interrupted all the same."""

_before: dict[int, Callable[[int, Any], Any]] = {}
"""The handlers in whose place `_note` is."""
_came: list[tuple[int, float]] = []
_depth = 0
_blocks = 0
"""How many outermost blocks there were."""


def _nothing() -> None:
    return


_wake: Callable[[], object] = _nothing
_broken: Callable[[], object] = _nothing


class uninterrupted:
    """`with uninterrupted():` a signal is handled after the block, by `let_through`, or when `PATIENCE_S` is over.

    Python raises KeyboardInterrupt between any two steps, also within a `with`. SQLAlchemy then leaves transactions
    open, for which the next one of the same process would wait; SimPy goes on with its other processes. `wake` is
    called when a signal comes, `broken` when the block is interrupted all the same. Blocks may be nested: the outermost
    counts. A class and no generator: `contextlib` can be interrupted between its own steps. Other threads than the main
    one never get signals.
    """

    def __init__(self, wake: Callable[[], object] = _nothing, broken: Callable[[], object] = _nothing) -> None:
        self._wake, self._broken = wake, broken

    def __enter__(self) -> None:
        global _depth
        if _in_main_thread():
            if not _depth:
                _hold(self._wake, self._broken)
            _depth += 1

    def __exit__(self, *_: object) -> None:
        global _depth
        if _in_main_thread():
            _depth -= 1
            if not _depth:
                _restore()
                _handle()


def let_through() -> None:
    """A point in an `uninterrupted` block, but not in a nested one, at which a signal that came is handled."""
    if _in_main_thread() and _depth == 1:
        _handle()


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _hold(wake: Callable[[], object], broken: Callable[[], object]) -> None:
    global _blocks, _wake, _broken
    _came.clear()
    _blocks, _wake, _broken = _blocks + 1, wake, broken
    installed = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    kept = {number: _before[number] if handler is _note else handler for number, handler in installed.items()}
    _before.clear()
    _before.update({number: handler for number, handler in kept.items() if callable(handler)})  # not if it is ignored
    try:
        for number in _before:
            signal.signal(number, _note)
    except BaseException:
        _restore()
        raise


def _restore() -> None:
    try:
        if signal.SIGTERM in _before:
            signal.signal(signal.SIGTERM, _before[signal.SIGTERM])
    finally:  # also if one comes now
        if signal.SIGINT in _before:
            signal.signal(signal.SIGINT, _before[signal.SIGINT])


def _note(number: int, frame: object) -> None:
    now = time.monotonic()
    if not _came:
        _came.append((number, now))
        _thread.start_new_thread(_send_again, (number, _blocks))  # `threading` takes locks, which may be taken
        _wake()
    elif now - _came[0][1] >= PATIENCE_S:
        _came.clear()
        try:
            _before[number](number, frame)
        except BaseException:
            _broken()
            raise


def _send_again(number: int, block: int) -> None:
    time.sleep(PATIENCE_S + 0.01)
    if _came and _blocks == block:
        signal.pthread_kill(threading.main_thread().ident or 0, number)


def _handle() -> None:
    came = _came[:1]
    _came.clear()
    for number, _ in came:
        _before[number](number, None)
