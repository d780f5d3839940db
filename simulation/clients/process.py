"""One operating-system process: its threads run, freeze together, and die together."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import suppress
from typing import Any

import simpy

Script = Generator[simpy.Event, Any, None]


class Died(Exception):
    """Raised inside a thread whose process is gone; never leaves `Process.thread`."""


class Waiter:
    """Where one thread waits: until somebody notifies it, or until a time. A notice given early is not lost."""

    def __init__(self, env: simpy.Environment) -> None:
        self._env = env
        self._event: simpy.Event | None = None
        self._alarm: simpy.Event | None = None
        self._until_ms: int | None = None
        self._noticed = False

    def wait(self, until_ms: int | None) -> simpy.Event:
        """The event to yield; None waits for a notice alone."""
        event = self._env.event()
        if self._noticed or (until_ms is not None and until_ms <= self._env.now):
            self._noticed = False
            return event.succeed()
        self._event, self._until_ms = event, until_ms
        if until_ms is not None:
            self._alarm = self._env.timeout(until_ms - int(self._env.now))
            self._alarm.callbacks.append(self._ring)
        return event

    def notify(self) -> None:
        """Wake the thread, or let its next wait return at once."""
        if self._event is None:
            self._noticed = True
        else:
            self._wake(self._event)

    def hasten(self, until_ms: int) -> None:
        """Wake the thread if it would wait for longer than until then."""
        if self._event is not None and (self._until_ms is None or self._until_ms > until_ms):
            self._wake(self._event)

    def _ring(self, alarm: simpy.Event) -> None:
        if alarm is self._alarm and self._event is not None:  # else it was notified before
            self._wake(self._event)

    def _wake(self, event: simpy.Event) -> None:
        self._event = self._alarm = None
        event.succeed()


class Signal:
    """Where any number of threads wait for the next notice; one that was given before is over."""

    def __init__(self, env: simpy.Environment) -> None:
        self._env = env
        self._waiting: list[simpy.Event] = []

    def wait(self, until_ms: int | None = None) -> simpy.Event:
        """The event to yield; it fires at `until_ms` if there is no notice before."""
        event = self._env.event()
        self._waiting.append(event)
        if until_ms is not None:
            alarm = self._env.timeout(max(0, until_ms - int(self._env.now)))
            alarm.callbacks.append(lambda _: self._ring(event))
        return event

    def notify(self) -> None:
        """Wake all who wait, in the order in which they came."""
        waiting, self._waiting = self._waiting, []
        for event in waiting:
            event.succeed()

    def _ring(self, event: simpy.Event) -> None:
        if event in self._waiting:
            self._waiting.remove(event)
            event.succeed()


class Process:
    """Runs threads. While frozen no thread goes on; clocks do, so a sleep may end late."""

    def __init__(self, env: simpy.Environment, process_id: str) -> None:
        self._env = env
        self.id = process_id
        self.alive = True
        self.frozen = False
        self._thawed: simpy.Event | None = None

    @property
    def now(self) -> int:
        """Milliseconds since the run's start."""
        return int(self._env.now)

    def thread(self, script: Script) -> simpy.Process:
        """Run a script as a thread of this process."""

        def guarded() -> Script:
            with suppress(Died):
                yield from script

        return self._env.process(guarded())

    def sleep(self, ms: int) -> Script:
        """Let time pass in a thread."""
        yield self._env.timeout(ms)
        if self.frozen or not self.alive:
            yield from self.gate()

    def wait(self, event: simpy.Event) -> Generator[simpy.Event, Any, Any]:
        """Wait in a thread; the event's value."""
        value = yield event
        if self.frozen or not self.alive:
            yield from self.gate()
        return value

    def gate(self) -> Script:
        """Wait while frozen. Raises Died in a process that is gone."""
        while self.frozen and self.alive:
            assert self._thawed is not None
            yield self._thawed
        if not self.alive:
            raise Died

    def freeze(self) -> None:
        """Stop all threads (SIGSTOP)."""
        self.frozen = True
        self._thawed = self._env.event()

    def thaw(self, before: Callable[[], None]) -> None:
        """Let the threads go on (SIGCONT), after `before`: what the operating system buffered comes first."""
        self.frozen = False
        before()
        assert self._thawed is not None
        self._thawed.succeed()

    def die(self) -> None:
        """End all threads (SIGKILL)."""
        self.alive = False
