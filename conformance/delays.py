"""Latencies put on a simulated network: each message of a member waits as long as real ones were seen to take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from conformance.latencies import EVENLY, Drawn, Latencies
from coordinator.classic.commands import HeartbeatAnswer, Sync
from coordinator.outcome import Error
from simulation.network import PASS, Deliver, Message, Verdict
from simulation.requests import ToGroup

REBALANCING = Error.REBALANCE_IN_PROGRESS


AT_ONCE_MS = 4


def delays(
    latencies: Latencies, draw: Callable[[Drawn, str], float], broker: str, now: Callable[[], int]
) -> Callable[[Message], Verdict]:
    """A rule for `Network.add_rule`. `draw` takes a distribution and whose it is: each process has its own chance."""
    synced_ms: dict[int, float] = {}
    led: set[str] = set()
    told: set[str] = set()
    fetched: set[str] = set()
    phases: dict[str, float] = {}
    beats: Counter[str] = Counter()
    drift = draw(latencies.drift, "drift")  # half of it is the machine's, which all members share
    drifts: dict[str, float] = {}

    def drawn(distribution: Drawn, process: str, what: str) -> float:
        return draw(distribution, f"{process}/{what}")

    def noticed(process: str) -> float:
        if process not in phases:
            phases[process] = drawn(EVENLY, process, "poll") * latencies.polls_every_ms
        return (phases[process] - now()) % latencies.polls_every_ms if latencies.polls_every_ms else 0

    def asked(message: Message) -> float:
        wait = waiting(message)
        if message.api == "SyncGroup":
            synced_ms[message.number] = now() + wait
        return wait

    def waiting(message: Message) -> float:
        process = message.source
        if message.api == "JoinGroup":
            beats[process] = 0
            return drawn(latencies.sent, process, "sent")
        if message.api == "LeaveGroup":
            return drawn(latencies.sent, process, "sent")
        if message.api == "Heartbeat":
            # Each interval is a little too long; the alarm of the simulated client is not, so the lag adds up here.
            beats[process] += 1
            own = drifts.setdefault(process, drawn(latencies.drift, process, "drift"))
            return (drift + own) / 2 * beats[process]
        if message.api == "SyncGroup" and isinstance(message.body, ToGroup):
            command = message.body.command
            if isinstance(command, Sync) and command.assignment:
                known = process in led
                led.add(process)
                return drawn(latencies.assignor if known else latencies.first_assignor, process, "assignor")
        return 0

    def answered(message: Message) -> float:
        process = message.target
        match message.api:
            case "JoinGroup":
                return drawn(latencies.joined, process, "joined")
            case "SyncGroup":
                if now() - synced_ms.pop(message.number, 0) <= AT_ONCE_MS:
                    return drawn(latencies.at_once, process, "at-once")
                known = process in told
                told.add(process)
                return drawn(latencies.told if known else latencies.first_told, process, "told")
            case "OffsetFetch":
                known = process in fetched
                fetched.add(process)
                return drawn(latencies.fetched if known else latencies.first_fetched, process, "fetched")
            case "OffsetCommit":
                return drawn(latencies.committed, process, "committed")
            case "Heartbeat" if isinstance(message.body, HeartbeatAnswer) and message.body.error is REBALANCING:
                return noticed(process)
        return 0

    def rule(message: Message) -> Verdict:
        wait = round(asked(message) if message.target == broker else answered(message))
        return Deliver(wait) if wait else PASS

    return rule
