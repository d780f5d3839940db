"""The harness of a re-enactment: does to simulated members what was done to the real ones, at the same times."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Generator
from typing import Any

import simpy

from groupsim.conformance.timelines.observer import RunObserver
from groupsim.conformance.timelines.recording import ADD_PARTITIONS, CREATE_TOPIC, Action, Recording, split, topics_of
from groupsim.simulation.clients.config import CLASSIC, Application
from groupsim.simulation.group import GroupHandle
from groupsim.simulation.host_speed import latencies_of, on_host
from groupsim.simulation.latencies import LATENCIES, LOG_CREATION_MS, Drawn, Latencies
from groupsim.simulation.member import MemberHandle
from groupsim.simulation.world import World

BATCH_MS = 1
"""The processing time of an application that commits after each batch: it has to take records to commit them."""
STRAY_PRODUCERS = (0.77, 0.95)
"""Producers of earlier runs continued: 77 % of the recordings have one per topic, 18 % two, 5 % three (by offsets)."""
ALONE = 0.93
"""The first member of a run starts faster than those that start beside others by this factor (118 runs)."""
SENT_LATE_MS = 4
"""By how much a producer's thread wakes too late to send (1,800 sendings to six members with four partitions each)."""
SENT_APART = 0.02
"""How often a partition's record comes 1 ms after that of the partition before, in the producer's next request: these
members got 6 % of the sendings in two polls."""
LOADING_MS = 200
"""From a broker that listens to its groups being loaded (178 ms and similar in the S13 recordings)."""
METADATA_AGE = "metadata.max.age.ms"
STRATEGY = "partition.assignment.strategy"


class Harness:
    """One re-enactment's world, group and members."""

    def __init__(self, world: World, recorded: Recording, observed: RunObserver, recorded_times: bool = False) -> None:
        """`recorded_times`: programs start and close when the recorded ones did, as far as that was recorded, and
        records come when they came."""
        self._world = world
        self._done_ms = recorded.done_ms if recorded_times else {}
        self._first_arrivals = recorded.first_arrivals if recorded_times else {}
        self._recorded = recorded
        self._observed = observed
        self._latencies = LATENCIES
        self._hosts = [(since, latencies_of(host)) for since, host in recorded.hosts]
        self._slowness = self.draw(self.latencies("").slowness, "machine/slowness")
        self._again, _ = recorded.slowness or (1.0, 1.0)
        if recorded.hosts:
            self._slowness, self._again = 1.0, recorded.hosts[0][1].again
        elif recorded.slowness is not None:  # read from the record: nothing is left to chance
            self._latencies = {name: on_host(usual, *recorded.slowness) for name, usual in LATENCIES.items()}
            self._slowness = 1.0
        if recorded_times:
            world.member_ids.known = {process: iter(ids) for process, ids in recorded.ids.items()}
        self._members: dict[str, MemberHandle] = {}
        self._incarnations: dict[str, int] = {}
        self._starting: dict[str, simpy.Process] = {}
        world.configure_broker(recorded.broker)
        world.broker.log_creation_ms = LOG_CREATION_MS
        self._topics = {
            name: world.topic(name, count, times=self._arrivals(name, count)) for name, count in recorded.topics.items()
        }
        self._group: GroupHandle = world.group(
            "g",
            protocol=recorded.protocol,
            assignor=recorded.assignors or recorded.remote_assignor,
            config=self._settings(),
            group_config=recorded.group_config,
        )

    def latencies(self, process: str) -> Latencies:
        """Those of a process's library on this host."""
        now = [seen for since, seen in self._hosts if since <= self._world.now] or [self._latencies]
        return now[-1][self._recorded.libraries.of(process)]

    def run(self) -> Generator[simpy.Event, Any, None]:
        """Every action at its time."""
        for action in sorted(self._recorded.actions, key=lambda a: a.at_ms):
            if action.at_ms > self._world.now:
                yield self._world.sleep(action.at_ms - self._world.now)
            process = self._world.env.process(self._do(action))
            if action.kind == "start" and action.member is not None:
                self._starting[action.member] = process
        yield self._world.sleep(self._recorded.end_ms - self._world.now - 1)

    def _settings(self) -> dict[str, int | float | str | bool]:
        return {**self._recorded.consumer, "enable.auto.commit": self._recorded.auto_commit}

    def _arrivals(self, topic: str, first: int) -> dict[int, list[int]]:
        """Records come to all partitions at the recorded rate; a seed shifts them, where nothing shows when they came.

        Those of one instant come in one request or in a few: a fetch that waits finds only those of the first.
        """
        if not self._recorded.records_per_s:
            return {}
        step = 1000 / self._recorded.records_per_s
        chance = self._world.rng.stream(f"reenact/{self._recorded.id}/arrivals/{topic}")
        producers = 1 + bisect_right(STRAY_PRODUCERS, chance.random())
        shifts = [chance.random() * step for _ in range(producers)]
        if topic in self._first_arrivals:
            shifts = [self._first_arrivals[topic] % step]
        steps = range(int((self._recorded.end_ms + 1000) / step))
        times = sorted(round(shift + n * step) for n in steps for shift in shifts)
        grown = [a.what["partitions"] for a in self._recorded.actions if a.what.get("topic") == topic]
        count = max([first, *grown])
        found: dict[int, list[int]] = {p: [] for p in range(count)}
        for at in times:
            sent_ms = at + chance.random() * SENT_LATE_MS
            for p, arrivals in found.items():
                sent_ms += p > 0 and chance.random() < SENT_APART
                arrivals.append(round(sent_ms))
        return {p: sorted(arrivals) for p, arrivals in found.items()}

    def draw(self, distribution: Drawn, what: str) -> float:
        """A value from the stream of this name; each recording has streams of its own."""
        return distribution.draw(self._world.rng.stream(f"reenact/{self._recorded.id}/{what}"))

    def _rounded(self, distribution: Drawn, what: str) -> int:
        return round(self.draw(distribution, what))

    def _do(self, action: Action) -> Generator[simpy.Event, Any, None]:
        """One action. A program notices a command when its loop comes to it."""
        kind, label, what = action.kind, action.member or "", action.what
        if kind == "start":
            yield from self._start(label, what.get("options") or {})
        elif kind == "slow_batch":
            yield self._starting[label]
            self._command(kind, label, what)
        elif kind in ("close", "subscribe"):
            yield self._starting[label]
            process = f"{label}.{self._incarnations[label]}"
            drawn = self._world.now + self._rounded(self.latencies(process).command, f"{label}/command")
            yield self._until(self._done_ms.get((kind, process), drawn))
            self._command(kind, label, what)
        elif kind == "kill":
            yield self._starting[label]  # a process that dies before it has built its consumer reports nothing
            self._members[label].kill()
        elif kind == "stop":
            self._members[label].freeze()
        elif kind == "cont":
            self._members[label].thaw()
        elif kind == ADD_PARTITIONS:
            yield self._until(what.get("t_done_ms", 0))
            self._world.add_partitions(self._topics[what["topic"]], what["partitions"])
        elif kind == CREATE_TOPIC:
            yield self._until(what.get("t_done_ms", 0))
            name, count = what["topic"], what["partitions"]
            self._topics[name] = self._world.topic(name, count, times=self._arrivals(name, count))
        elif kind == "broker_stop":
            self._world.broker.crash(self._downtime_ms(action), round(LOADING_MS * self._again), alone=True)

    def _until(self, at_ms: int) -> simpy.Event:
        return self._world.sleep(max(0, at_ms - self._world.now))

    def _command(self, kind: str, label: str, what: dict[str, Any]) -> None:
        member = self._members[label]
        if kind == "close":
            member.close()
        elif kind == "slow_batch":
            member.slow_batch(what["ms"])
        else:
            names = topics_of(what["topics"], self._recorded.topics)
            process = f"{label}.{self._incarnations[label]}"
            self._observed.see(self._world.now, process, "subscription_changed", topics=f"[{', '.join(names)}]")
            member.subscribe(*(self._topics[name] for name in names))

    def _downtime_ms(self, stop: Action) -> int:
        back = [a.at_ms for a in self._recorded.actions if a.kind == "broker_listening" and a.at_ms >= stop.at_ms]
        return min(back, default=self._recorded.end_ms) - stop.at_ms

    def _start(self, label: str, options: dict[str, Any]) -> Generator[simpy.Event, Any, None]:
        incarnation = self._incarnations.get(label, -1) + 1
        self._incarnations[label] = incarnation
        self._observed.see(self._world.now, f"{label}.{incarnation}", "start")
        before = self._members.get(label)
        if before is not None and before.running:  # it is still closing
            yield before.gone
        slowness = self._slowness if self._members else self._slowness * ALONE
        process, native = f"{label}.{incarnation}", options.get("protocol", self._recorded.protocol) != CLASSIC
        seen = self.latencies(process)
        usual = seen.consumer_start if native else seen.start
        drawn = self._world.now + round(self.draw(usual, f"{label}/start") * slowness)
        yield self._until(self._done_ms.get(("start", process), drawn))
        chosen: dict[str, object] = {STRATEGY: split(options["assignor"])} if "assignor" in options else {}
        if "protocol" in options:
            remote = {} if options["protocol"] == CLASSIC else {"group.remote.assignor": options.get("remote", "")}
            chosen |= {"group.protocol": options["protocol"], **remote}
        if METADATA_AGE in self._recorded.consumer:
            late = self._rounded(seen.metadata, f"{label}/metadata")
            chosen[METADATA_AGE] = int(self._recorded.consumer[METADATA_AGE]) + late
        if label in self._members:
            self._members[label].configure(chosen, client=self._recorded.libraries.of(process))
            self._members[label].start()
            return
        program = self._recorded.programs[label]
        busy = max(program.process_ms, 0 if self._recorded.auto_commit else BATCH_MS)
        (self._members[label],) = self._group.join(
            label,
            topics=[] if self._recorded.pattern else [self._topics[name] for name in program.topics],
            pattern=self._recorded.pattern,
            instance_id=program.instance,
            client=self._recorded.libraries.of(process),
            release=self._recorded.release,
            config=chosen,
            application=Application(
                process_ms=busy,
                commit_sync=not self._recorded.auto_commit,
                callback_ms=dict.fromkeys(("assigned", "revoked", "lost"), program.callback_ms),
                empty_ms=0,  # the recorded program has nothing to do then
            ),
        )
