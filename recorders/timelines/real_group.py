"""One group of real consumers: their processes, started and led through a scenario."""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from groupsim.conformance.timelines.recording import ADD_PARTITIONS
from recorders.broker.kafka import HOST, Kafka
from recorders.timelines import programs, scenarios
from recorders.timelines.real_clients import Process, java_member, rdkafka_member
from recorders.timelines.scenarios import JAVA, RDKAFKA, Action, TimelineScenario

SIGNALS = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP, "cont": signal.SIGCONT}
STAGGER_S = 0.6
"""Groups side by side begin so far apart: their faults do not fall on one instant."""
AFTERWARDS_S = 0.5
"""Until the broker's last lines are on disk."""
COMMANDS = {JAVA: java_member, RDKAFKA: rdkafka_member, **programs.COMMANDS}


class Plan(Protocol):
    """A group to be recorded. `group`: its name. `command`: of one member's program."""

    @property
    def group(self) -> str: ...

    @property
    def actions(self) -> Sequence[Action]: ...

    @property
    def end_ms(self) -> int: ...

    def command(self, label: str, bootstrap: str) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One group of one library with one assignor, to be recorded."""

    scenario: TimelineScenario
    library: str
    assignor: str
    repetition: int

    @property
    def id(self) -> str:
        """As the other recordings are named."""
        prefix = "" if self.library == JAVA else f"{self.library}-"
        return f"{self.scenario.name}__{prefix}{self.assignor}__d1__r{self.repetition}"

    @property
    def group(self) -> str:
        """Named as the recording."""
        return self.id

    @property
    def actions(self) -> Sequence[Action]:
        """Of the scenario."""
        return self.scenario.actions

    @property
    def end_ms(self) -> int:
        """Of the scenario."""
        return self.scenario.end_ms

    def command(self, label: str, bootstrap: str) -> list[str]:
        """Of one member."""
        return COMMANDS[self.library](self.settings(label, bootstrap))

    def settings(self, label: str, bootstrap: str) -> dict[str, str]:
        """Of one member."""
        given = {
            "bootstrap.servers": bootstrap,
            "group.id": self.id,
            "client.id": label,
            "topics": scenarios.TOPIC,
            "partition.assignment.strategy": self.assignor,
            **{key: str(value).lower() for key, value in self.consumer.items()},
        }
        return given | ({"group.instance.id": f"i{label[1:]}"} if self.scenario.static else {})

    @property
    def consumer(self) -> dict[str, Any]:
        """The settings that all members have in common."""
        return {
            "session.timeout.ms": scenarios.SESSION_MS,
            "heartbeat.interval.ms": scenarios.HEARTBEAT_MS,
            "max.poll.interval.ms": scenarios.MAX_POLL_MS,
            "auto.offset.reset": "latest",
            "enable.auto.commit": not self.scenario.commits,
        }


class RealGroup:
    """The processes of one run: ready first, then led through the scenario. `began_ms` since the epoch.

    `logs`: a folder for what processes write to their standard error, a file `<label>.<incarnation>.log` each.
    """

    def __init__(self, run: Plan, kafka: Kafka, logs: Path | None = None) -> None:
        self.run = run
        self.actions: list[dict[str, Any]] = []
        self.began_ms = 0
        self._kafka = kafka
        self._incarnations: dict[str, int] = {}
        starts = Counter(member for _, action, member, _ in run.actions if action == "start")
        self.processes = {
            (label, n): Process(run.command(label, f"{HOST}:{kafka.port}"), logs and logs / log_name(label, n))
            for label, times in sorted(starts.items())
            for n in range(times)
        }

    def wait_until_ready(self) -> None:
        """Wait until all processes are ready to begin."""
        for process in self.processes.values():
            process.wait_for(lambda e: e["kind"] == "ready")

    def play(self) -> None:
        """All actions at their times, until the end."""
        self.began_ms = round(time.time() * 1000)
        for at_ms, action, label, more in self.run.actions:
            self._sleep_until(at_ms)
            if action == ADD_PARTITIONS:
                self._grow(more)
            else:
                self._do(action, label, more)
        self._sleep_until(self.run.end_ms)

    def _sleep_until(self, at_ms: int) -> None:
        time.sleep(max(0.0, (self.began_ms + at_ms) / 1000 - time.time()))

    def _now_ms(self) -> int:
        return max(0, round(time.time() * 1000) - self.began_ms)

    def _grow(self, more: dict[str, Any]) -> None:
        at_ms = self._now_ms()
        self._kafka.add_partitions(more["topic"], more["partitions"])
        done_ms = self._now_ms()
        self.actions.append({"member": None, "action": ADD_PARTITIONS, "t_ms": at_ms, "t_done_ms": done_ms, **more})

    def _do(self, action: str, label: str, more: dict[str, Any]) -> None:
        if action == "start":
            self._incarnations[label] = self._incarnations.get(label, -1) + 1
        incarnation = self._incarnations[label]
        self.actions.append(
            {"member": label, "action": action, "incarnation": incarnation, "t_ms": self._now_ms(), **more}
        )
        process = self.processes[label, incarnation]
        if action in SIGNALS:
            process.signal(SIGNALS[action])
        else:
            process.send(" ".join([action, *map(_argument, more.values())]))

    def close(self) -> None:
        """End the processes that still run."""
        for process in self.processes.values():
            process.end()


def play_side_by_side(groups: Sequence[RealGroup]) -> None:
    """All groups, whose processes are ready, at once, until the broker's last lines are on disk."""
    with ThreadPoolExecutor(len(groups)) as threads:
        playing = []
        for group in groups:
            playing.append(threads.submit(group.play))
            time.sleep(STAGGER_S)
        for future in playing:
            future.result()
    time.sleep(AFTERWARDS_S)


def log_name(label: str, incarnation: int) -> str:
    """The name of a process's log."""
    return f"{label}.{incarnation}.log"


def _argument(value: Any) -> str:
    return ",".join(value) if isinstance(value, list) else str(value)
