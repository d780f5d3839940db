"""Named timers on the simulated clock.

A heartbeat re-arms its timer thousands of times for each time it fires, so arming only moves a deadline; an event that
fires too early looks again. At most one SimPy event is outstanding for a timer that only moves forward.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import simpy


@dataclass(slots=True)
class _Timer:
    deadline: int
    command: object
    wakes_at: int


class Timers:
    """Timers by (owner, key); `fire(owner, command)` is called when one is due."""

    def __init__(self, env: simpy.Environment, fire: Callable[[str, object], None]) -> None:
        self._env = env
        self._fire = fire
        self._timers: dict[tuple[str, str], _Timer] = {}

    def arm(self, owner: str, key: str, after_ms: int, command: object, *, keeps: bool = False) -> None:
        """Fire in `after_ms`; a timer of the same name is replaced, or kept if `keeps`."""
        deadline = int(self._env.now) + after_ms
        timer = self._timers.get((owner, key))
        if timer is not None and keeps:
            return
        if timer is not None and timer.wakes_at <= deadline:
            timer.deadline, timer.command = deadline, command
            return
        timer = _Timer(deadline, command, deadline)
        self._timers[owner, key] = timer
        self._wake((owner, key), timer, after_ms)

    def disarm(self, owner: str, key: str) -> None:
        """Drop the timer, if there is one."""
        self._timers.pop((owner, key), None)

    def drop_unless(self, owner: str, keeps: Callable[[object], bool]) -> None:
        """Drop those timers of an owner whose command is not to be kept."""
        for name in [name for name, timer in self._timers.items() if name[0] == owner and not keeps(timer.command)]:
            del self._timers[name]

    def _wake(self, name: tuple[str, str], timer: _Timer, after_ms: int) -> None:
        def look(_: simpy.Event) -> None:
            if self._timers.get(name) is not timer:
                return  # disarmed or replaced meanwhile
            if timer.deadline > self._env.now:
                timer.wakes_at = timer.deadline
                self._wake(name, timer, timer.deadline - int(self._env.now))
                return
            del self._timers[name]
            self._fire(name[0], timer.command)

        timeout = self._env.timeout(after_ms)
        timeout.callbacks.append(look)
