"""What a cause finds in a group's log: the sentence, its evidence, what it cost, and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from groupsim.diagnosis.codes import Certainty, Code, GroupType, Nature


class Place(NamedTuple):
    """A line of a log: the file as it was given, and the line from 1."""

    file: str
    line: int


class Evidence(NamedTuple):
    """Lines that show something: the first and the last UTC instant, None without times; a few of their places, the
    clearest first. `each`: from when to when each lasted, of two or three events with times.
    """

    first_ms: int | None = None
    last_ms: int | None = None
    places: tuple[Place, ...] = ()
    each: tuple[tuple[int, int], ...] = ()


NO_EVIDENCE = Evidence()


class Remedy(NamedTuple):
    """Something to change. `settings`: Kafka's names of what is changed; `brief`: the same in a few words, for an
    answer's first sentence; `trial`: settings with which it can be simulated; `effect`: what that changes; `verdict`:
    whether it helps (-1), changes little (0) or costs more (1), None if that was not simulated; `cost_ms`: what the
    simulated group costs without and with it, partition-ms, where that decided the verdict; `needs`: what not every
    client library has (`client_libraries.LACKS`).
    """

    what: str
    settings: tuple[str, ...] = ()
    brief: str = ""
    trial: tuple[tuple[str, str], ...] = ()
    effect: str | None = None
    needs: str = ""
    verdict: int | None = None
    cost_ms: tuple[int, int] | None = None


def alternatives(remedies: Iterable[Remedy]) -> tuple[Remedy, ...]:
    """Remedies in their order: the first as it is, each other one behind an `or` (or its own `and`)."""
    worded: list[Remedy] = []
    for remedy in remedies:
        bare = remedy.what.removeprefix("or ")
        bare = bare if worded else bare.removeprefix("and ")
        worded.append(remedy._replace(what=f"or {bare}" if worded and not bare.startswith("and ") else bare))
    return tuple(worded)


Bounds = tuple[int | None, int | None]
"""At least, at most, in ms; None where open."""


class Outage(NamedTuple):
    """How long one partition or more was unavailable: between what it lies; and about how long, where that can be said
    beside the bounds. `partition_ms`: the time of all partitions together, where it is known.
    """

    ms: Bounds
    about_ms: int | None = None
    partition_ms: int | None = None

    @property
    def near_ms(self) -> int | None:
        """About how long, where it is not known exactly."""
        return None if self.ms[0] == self.ms[1] else self.about_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What it cost, in ms: nobody in the group could read; one member had no partitions."""

    group_stopped_ms: Bounds | None = None
    member_without_partitions_ms: Bounds | None = None
    processed_again: bool = False
    no_progress: bool = False
    """Whether it reads the same records each time, because none of them is committed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One cause in one group.

    `what`: a sentence without its full stop. `members`: as people know them (client ids, instance ids).
    `evidence`: the lines that show it.
    `known`: the id of a known defect that may be behind it; `known_fits`: a version that the log prints has it.
    `leads_to`: codes that follow from this one here, because of that defect.
    `here`: what its code stands for in this log, where that is less than its name says (one member, not many).
    `still`: what is wrong to the end of the log, as an answer's first sentence goes on.
    `last_resort`: said only where nothing else that its log shows explains what went wrong.
    `harm_ms`: how much it may have cost, to put findings in order. `after`: the code that it follows from.
    """

    code: Code
    certainty: Certainty
    what: str
    members: tuple[str, ...] = ()
    times: int = 1
    evidence: Evidence = NO_EVIDENCE
    cost: Cost = Cost()
    do: tuple[Remedy, ...] = ()
    confirm: str | None = None
    after: Code | None = None
    nature: Nature | None = None
    known: str | None = None
    leads_to: tuple[Code, ...] = ()
    known_fits: bool = False
    here: str = ""
    still: str = ""
    last_resort: bool = False
    harm_ms: int = 0


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is said of one group. `rebalances`: seen, and at least. Instants in UTC ms, None without times."""

    group: str | None
    type: GroupType
    first_ms: int | None
    last_ms: int | None
    rebalances: tuple[int, int]
    stopped_ms: Bounds | None
    findings: tuple[Finding, ...]
    not_shown: tuple[str, ...]
    notes: tuple[str, ...] = ()
    """What its lines say beside any cause (`diagnosis.notes`)."""
    at_end: str | None = None
    """How the group is when its lines end (`diagnosis.at_the_end`)."""
    outage: Outage | None = None
    """How long one partition or more was unavailable, from when the group first worked (`diagnosis.outages`)."""
    comparable: bool = False
    """Whether a what-if of the group could be compared with what its logs show."""

    @property
    def lasted_ms(self) -> int:
        """From the group's first line to its last; 0 without times."""
        return 0 if self.first_ms is None or self.last_ms is None else self.last_ms - self.first_ms
