"""Rebalances of a group of which only its clients' logs are at hand."""

from __future__ import annotations

from dataclasses import dataclass, field

from groupsim.analysis.timelines.rebalance import Phase, PhaseName, Rebalance
from groupsim.events import client as p


@dataclass(slots=True)
class ClientReports:
    """Generations as clients report them: from the first JoinGroup to the last answer to SyncGroup."""

    group: str
    asked_ms: int | None = None
    found: dict[int, Rebalance] = field(default_factory=dict)

    def apply(self, event: p.ClientEvent, at_ms: int) -> None:
        """Fold one fact of a client."""
        match event:
            case p.JoinSent():
                self.asked_ms = at_ms if self.asked_ms is None else self.asked_ms
            case p.JoinOk():
                self._generation(event.generation, at_ms)
            case p.SyncOk():
                self._generation(event.generation, at_ms).phases[-1].to_ms = at_ms
                self.asked_ms = None

    def _generation(self, number: int, at_ms: int) -> Rebalance:
        if number not in self.found:
            first_ms = at_ms if self.asked_ms is None else self.asked_ms
            self.found[number] = Rebalance(self.group, "unknown", [Phase(PhaseName.JOINING, first_ms)], number)
        return self.found[number]
