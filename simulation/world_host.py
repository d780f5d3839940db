"""The host of a world's programs: how long their own steps take. A quiet one, until a scenario sets its speed."""

from __future__ import annotations

from collections.abc import Callable

from groupsim.events.types import ProcessId
from groupsim.simulation.clients.config import JAVA
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.heartbeat_timers import HeartbeatTimers
from groupsim.simulation.host_speed import DEFAULT, latencies_of, profile_of
from groupsim.simulation.latencies import LOG_CREATION_MS, Drawn, Latencies
from groupsim.simulation.message_delays import Delays
from groupsim.simulation.network import Network
from groupsim.simulation.rng import Rng


class Host:
    """Puts measured latencies on the messages, heartbeats and starts of a world's programs."""

    def __init__(self, rng: Rng, network: Network, timers: HeartbeatTimers, broker: str) -> None:
        self._rng = rng
        self._network = network
        self._timers = timers
        self._broker = broker
        self.speed: str | float = DEFAULT
        self._is_set = False
        self._latencies: dict[str, Latencies] | None = None
        self._libraries: dict[ProcessId, str] = {}

    def set(self, speed: str | float, now: Callable[[], int]) -> float:
        """From now on; what making a partition's log takes then (ms). Raises BadScenario, also for a second speed."""
        if self._is_set:
            raise BadScenario("the host has its speed already")
        self._is_set = True
        return self.be(speed, now)

    def be(self, speed: str | float, now: Callable[[], int]) -> float:
        """The same, until it is set. Raises BadScenario."""
        profile, self.speed = profile_of(speed), speed
        self._latencies = None if profile is None else latencies_of(profile)
        if profile is None:
            self._network.delay(None)
            self._timers.late, self._timers.nap_late, self._timers.late_in_all = None, None, None
            return 0.0
        delays = Delays(self._of, self._draw, self._broker, now)
        self._network.delay(delays.wait_ms)
        self._timers.late, self._timers.nap_late = delays.heartbeat_late_ms, delays.nap_late_ms
        self._timers.late_in_all = delays.late_in_all_ms
        return LOG_CREATION_MS

    @property
    def drifts(self) -> bool:
        """Whether heartbeats move apart."""
        return self._latencies is not None

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
