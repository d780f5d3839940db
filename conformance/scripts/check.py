"""Scripts of any group protocol, played and compared with their recordings: shares, and the first difference."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from groupsim.conformance.scripts.configs import CLASSIC, brokers_of
from groupsim.conformance.scripts.groups.compare import COMPARED, differences, misplaced_records
from groupsim.conformance.scripts.play import play
from groupsim.conformance.scripts.script import Script

EARLIEST_MS, LATEST_MS = -90, 150
"""How far a recorded time may differ from the simulated one: the noise of the recordings."""


def difference(recorded: Script, played: Script) -> str | None:
    """None if every step has the recorded answer at the recorded place; else what differs first."""
    for was, now in zip(recorded["steps"], played["steps"], strict=True):
        where = f"step {was['i']} ({was['as'] or 'describe'} {was['op']} at {was['at']} ms)"
        if was["response"] != now["response"]:
            return f"{where}: recorded {was['response']}, simulated {now['response']}"
        if was["response"] is None:
            continue
        if was["after"] != now["after"]:
            return f"{where}: recorded after step {was['after']}, simulated after step {now['after']}"
        if recorded["steps"][was["after"]]["op"] == "failover":
            continue  # how long a coordinator takes to move depends on the machine
        if not EARLIEST_MS <= was["t"] - now["t"] <= LATEST_MS:
            return f"{where}: recorded at {was['t']} ms, simulated at {now['t']} ms"
    return None


@dataclass(slots=True)
class Shares:
    """How many scripts were equal. Of scripts that tell what is seen also `steps`, and those that differ by what.

    `misplaced`: steps whose records stand with the step before or after in the recording; they count as equal.
    """

    equal: int = 0
    different: int = 0
    steps: int = 0
    misplaced: int = 0
    differing: Counter[str] = field(default_factory=Counter)
    first: str | None = None

    def add(self, script: Script) -> None:
        """Play one more script and compare it. Raises BadScript, KeyError for a key that is missing."""
        opaque = brokers_of(script) is CLASSIC
        differs = difference(script, play(script)) if opaque else self._groups(script)
        self.equal += differs is None
        self.different += differs is not None
        if differs is not None and self.first is None:
            self.first = f"{script.get('name')}: {differs}"

    def _groups(self, script: Script) -> str | None:
        played = play(script)
        differs = list(differences(script, played))
        self.misplaced += len(misplaced_records(script, played))
        self.steps += len(script["steps"])
        self.differing.update(difference.what for difference in differs)
        return str(differs[0]) if differs else None

    def of_steps(self) -> str | None:
        """In which share of steps each thing is equal; None where no script says what is seen."""
        if not self.steps:
            return None
        shares = (f"{what} {1 - self.differing[what] / self.steps:.2%}" for what in COMPARED)
        shifted = f"; records one step early or late: {self.misplaced}" if self.misplaced else ""
        return f"equal steps of {self.steps:,}: {', '.join(shares)}{shifted}"
