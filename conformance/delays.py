"""Latencies put on a simulated network: each message of a member waits as long as real ones were seen to take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from conformance.latencies import Drawn, Latencies
from coordinator.classic.commands import Sync
from simulation.network import PASS, Deliver, Message, Verdict
from simulation.requests import ToGroup
from simulation.rng import Rng


def delays(latencies: Latencies, rng: Rng, broker: str) -> Callable[[Message], Verdict]:
    """A rule for `Network.add_rule`. Every process draws from its own streams of chance."""
    led: set[str] = set()
    drifted: Counter[str] = Counter()

    def drawn(distribution: Drawn, process: str, what: str) -> float:
        return distribution.draw(rng.stream(f"reenact/{process}/{what}"))

    def asked(message: Message) -> float:
        process = message.source
        if message.api == "JoinGroup":
            drifted[process] = 0
        elif message.api == "Heartbeat":
            # Each interval is a little too long; the alarm of the simulated client is not, so the lag adds up here.
            drifted[process] += round(10 * drawn(latencies.drift, process, "drift"))
            return drifted[process] / 10
        elif message.api == "SyncGroup" and isinstance(message.body, ToGroup):
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
                return drawn(latencies.synced, process, "synced") + drawn(latencies.told, process, "told")
            case "OffsetCommit":
                return drawn(latencies.committed, process, "committed")
        return 0

    def rule(message: Message) -> Verdict:
        wait = round(asked(message) if message.target == broker else answered(message))
        return Deliver(wait) if wait else PASS

    return rule
