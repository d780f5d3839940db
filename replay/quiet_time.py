"""Quiet time: the hours of an incident in which nothing happens are left out of its simulation.

Members send heartbeats then, and nothing changes. So a replay goes on until all that an action can cause is over, and
continues shortly before the next one; its facts have the times of the whole incident.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

import msgspec

from groupsim.events.base import Recorded
from groupsim.replay.aftermath import tail_ms
from groupsim.replay.choice import Choice
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, MAX_POLL

_KEPT_MS = 1_200_000
"""An action has effects for less than this, besides timeouts: members look for new partitions every 5 minutes."""


class QuietTime:
    """Times of the whole incident as times of the simulation, and back; both in ms from the simulation's begin."""

    def __init__(self, cuts: Sequence[tuple[int, int]] = ()) -> None:
        """`cuts`: from when (in time of the whole incident) how many ms are left out, ascending."""
        self._cuts = cuts
        self._from = [at for at, _ in cuts]
        self._before = [0]
        for _, ms in cuts:
            self._before.append(self._before[-1] + ms)
        self._simulated = [at - before for at, before in zip(self._from, self._before, strict=False)]

    def simulated_ms(self, whole_ms: int) -> int:
        """When something happens in the simulation; what would be left out happens where it is left out."""
        number = bisect_right(self._from, whole_ms)
        if number and whole_ms < self._from[number - 1] + self._cuts[number - 1][1]:
            return self._simulated[number - 1]
        return whole_ms - self._before[number]

    def whole_ms(self, simulated_ms: int) -> int:
        """When something happens in the whole incident."""
        return simulated_ms + self.left_out_ms(simulated_ms)

    def left_out_ms(self, simulated_ms: int) -> int:
        """How much is left out before an instant of the simulation."""
        return self._before[bisect_right(self._simulated, simulated_ms)]

    def whole(self, facts: Iterable[Recorded]) -> list[Recorded]:
        """Facts of the simulation, with the times of the whole incident."""
        if not self._cuts:
            return list(facts)
        return [msgspec.structs.replace(fact, at_ms=self.whole_ms(fact.at_ms)) for fact in facts]


def quiet_time(spans: Iterable[tuple[int, int]], ends_ms: int, kept_ms: int, step_ms: int) -> QuietTime:
    """What can be left out between some `spans` in which something happens, and until the end.

    `kept_ms`: so long after a span something may still follow from it. Only whole steps are left out, so that what is
    done every `step_ms` keeps its phase.
    """
    cuts, until = [], 0
    for begin, end in [*sorted(spans), (ends_ms, ends_ms)]:
        left_out = (begin - until - kept_ms) // step_ms * step_ms
        if left_out > kept_ms:
            cuts.append((until + kept_ms, left_out))
        until = max(until, end)
    return QuietTime(cuts)


def kept_ms(incident: Incident, choice: Choice) -> int:
    """How long after an action everything goes on as before, at the latest."""
    polls = [incident.settings[MAX_POLL], *incident.open_settings.get(MAX_POLL, ()), _chosen(choice, MAX_POLL, 0)]
    return _KEPT_MS + 2 * max(polls) + tail_ms(incident, [choice])


def step_ms(incident: Incident, choice: Choice) -> int:
    """The heartbeat interval of a replay."""
    return max(1, _chosen(choice, HEARTBEAT, incident.settings[HEARTBEAT]))


def _chosen(choice: Choice, name: str, otherwise: int) -> int:
    text = str(choice.settings.get(name, ""))
    return int(text) if text.isdigit() else otherwise
