"""The host of a world's programs: how long their own steps take. Nothing, until a scenario sets its speed."""

from __future__ import annotations

from collections.abc import Callable

from groupsim.events.types import ProcessId
from groupsim.simulation import checks
from groupsim.simulation.clients.config import JAVA
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.heartbeat_timers import HeartbeatTimers
from groupsim.simulation.host_speed import HOSTS, on_host
from groupsim.simulation.latencies import LATENCIES, LOG_CREATION_MS, Drawn, Latencies
from groupsim.simulation.message_delays import Delays
from groupsim.simulation.network import Network
from groupsim.simulation.rng import Rng

SLOWEST = 1_000.0


def factor_of(speed: str | float) -> float:
    """A measured profile by name, or how many times slower than the first of them. Raises BadScenario."""
    if isinstance(speed, str):
        if speed not in HOSTS:
            raise BadScenario(f"the host must be one of {', '.join(HOSTS)}, or a number, not {speed!r}")
        return HOSTS[speed]
    factor = checks.number(speed, "the host's slowness", SLOWEST)
    if factor <= 0:
        raise BadScenario(f"the host's slowness must be more than 0, not {speed!r}")
    return factor


class Host:
    """Puts measured latencies on the messages, heartbeats and starts of a world's programs."""

    def __init__(self, rng: Rng, network: Network, timers: HeartbeatTimers, broker: str) -> None:
        self._rng = rng
        self._network = network
        self._timers = timers
        self._broker = broker
        self._latencies: dict[str, Latencies] | None = None
        self._libraries: dict[ProcessId, str] = {}

    def be(self, speed: str | float, now: Callable[[], int]) -> float:
        """From now on; what making a partition's log takes then (ms). Raises BadScenario, also for a second speed."""
        if self._latencies is not None:
            raise BadScenario("the host has its speed already")
        factor = factor_of(speed)
        self._latencies = {library: on_host(usual, factor) for library, usual in LATENCIES.items()}
        rule = Delays(self._of, self._draw, self._broker, now)
        self._network.add_rule(rule)
        self._timers.late = rule.heartbeat_late_ms
        return LOG_CREATION_MS

    def start_ms(self, process: ProcessId, library: str, native: bool) -> int:
        """How long a program takes from its start to its first request; `native`: by the consumer protocol."""
        self._libraries[process] = library
        if self._latencies is None:
            return 0
        seen = self._latencies[library]
        return round(self._draw(seen.consumer_start if native else seen.start, f"{process}/start"))

    def _of(self, process: ProcessId) -> Latencies:
        assert self._latencies is not None
        return self._latencies[self._libraries.get(process, JAVA)]

    def _draw(self, distribution: Drawn, what: str) -> float:
        return distribution.draw(self._rng.stream(f"host/{what}"))
