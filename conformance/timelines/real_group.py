"""One group of real consumers: their processes, started and led through a scenario."""

from __future__ import annotations

import signal
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

from groupsim.conformance.timelines import scenarios
from groupsim.conformance.timelines.real_clients import Process, java_member, rdkafka_member
from groupsim.conformance.timelines.scenarios import JAVA, RDKAFKA, TimelineScenario

SIGNALS = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP, "cont": signal.SIGCONT}
COMMANDS = {JAVA: java_member, RDKAFKA: rdkafka_member}


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
    """The processes of one run: ready first, then led through the scenario. `began_ms` since the epoch."""

    def __init__(self, run: PlannedRun, bootstrap: str) -> None:
        self.run = run
        self.actions: list[dict[str, Any]] = []
        self.began_ms = 0
        self._incarnations: dict[str, int] = {}
        starts = Counter(member for _, action, member, _ in run.scenario.actions if action == "start")
        command = COMMANDS[run.library]
        self.processes = {
            (label, n): Process(command(run.settings(label, bootstrap)))
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
        for at_ms, action, label, more in self.run.scenario.actions:
            self._sleep_until(at_ms)
            self._do(action, label, more)
        self._sleep_until(self.run.scenario.end_ms)

    def _sleep_until(self, at_ms: int) -> None:
        time.sleep(max(0.0, (self.began_ms + at_ms) / 1000 - time.time()))

    def _do(self, action: str, label: str, more: dict[str, Any]) -> None:
        if action == "start":
            self._incarnations[label] = self._incarnations.get(label, -1) + 1
        incarnation = self._incarnations[label]
        at_ms = max(0, round(time.time() * 1000) - self.began_ms)
        self.actions.append({"member": label, "action": action, "incarnation": incarnation, "t_ms": at_ms, **more})
        process = self.processes[label, incarnation]
        if action in SIGNALS:
            process.signal(SIGNALS[action])
        else:
            process.send(" ".join([action, *map(str, more.values())]))

    def close(self) -> None:
        """End the processes that still run."""
        for process in self.processes.values():
            process.end()
