"""Named alarms on the virtual clock.

A heartbeat re-arms its alarm thousands of times for each time it rings, so arming only moves a deadline; whoever wakes
too early looks again. One SimPy event at most is outstanding for an alarm that only ever moves forward.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import simpy


@dataclass(slots=True)
class _Alarm:
    deadline: int
    command: object
    wakes_at: int


class Timers:
    """Alarms by (owner, key); `ring(owner, command)` is called when one is due."""

    def __init__(self, env: simpy.Environment, ring: Callable[[str, object], None]) -> None:
        self._env = env
        self._ring = ring
        self._alarms: dict[tuple[str, str], _Alarm] = {}

    def arm(self, owner: str, key: str, after_ms: int, command: object) -> None:
        """Ring in `after_ms`; an alarm of the same name is replaced."""
        deadline = int(self._env.now) + after_ms
        alarm = self._alarms.get((owner, key))
        if alarm is not None and alarm.wakes_at <= deadline:
            alarm.deadline, alarm.command = deadline, command
            return
        alarm = _Alarm(deadline, command, deadline)
        self._alarms[owner, key] = alarm
        self._wake((owner, key), alarm, after_ms)

    def disarm(self, owner: str, key: str) -> None:
        """Forget the alarm, if there is one."""
        self._alarms.pop((owner, key), None)

    def forget(self, owner: str) -> None:
        """Forget all alarms of an owner."""
        for name in [name for name in self._alarms if name[0] == owner]:
            del self._alarms[name]

    def _wake(self, name: tuple[str, str], alarm: _Alarm, after_ms: int) -> None:
        def look(_: simpy.Event) -> None:
            if self._alarms.get(name) is not alarm:
                return  # disarmed or replaced meanwhile
            if alarm.deadline > self._env.now:
                alarm.wakes_at = alarm.deadline
                self._wake(name, alarm, alarm.deadline - int(self._env.now))
                return
            del self._alarms[name]
            self._ring(name[0], alarm.command)

        timeout = self._env.timeout(after_ms)
        timeout.callbacks.append(look)
