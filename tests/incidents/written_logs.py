"""The logs that Kafka's broker and Java consumers would have written of a simulated run, in their own wordings."""

from __future__ import annotations

import gzip
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from pathlib import Path

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.base import Event, Recorded, group_of, group_stream
from groupsim.events.types import MemberId, Partitions
from groupsim.incidents.logs.times import iso

Plan = Mapping[MemberId, Partitions]

BEGINS_MS = 1_709_287_200_000
"""UTC, at the run's time 0."""
_COORDINATOR = "[GroupCoordinator id=1 topic=__consumer_offsets partition=7]"
_MANAGER = "(org.apache.kafka.coordinator.group.GroupMetadataManager)"
_CONSUMER = "(org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)"
_SHIFTED = re.compile(r"^(\[)([\d-]+ [\d:]+,\d{3})")
_SHIFTED_MS = re.compile(r"^(%\d\|)(\d+)\.(\d{3})")
_CHANGED = "cached metadata has changed"
_PART = re.compile(r"^(\[[\d -]+ [\d:]+),(\d{3})", re.MULTILINE)
_LEAVING = "consumer pro-actively leaving the group"


def write_logs(
    facts: Iterable[Recorded],
    group: str,
    folder: Path,
    printed: Mapping[str, int] = {},
    metadata_ms: int = 300_000,
    *,
    leaders: bool = False,
) -> list[Path]:
    """One log of the broker and one of each process, as files in `folder`.

    `printed`: settings that every consumer prints when it starts (`ConsumerConfig values:`); it prints none if empty.
    `metadata_ms`: their metadata.max.age.ms, by which they count the updates of their metadata. `leaders`: they print
    what they assign.
    """
    facts = list(facts)
    plans = {f.event.generation: f.event.assignment for f in facts if isinstance(f.event, c.AssignmentStored)}
    lines: dict[str, list[str]] = defaultdict(list)
    broker, clients = _Broker(group), _Clients(group, printed, metadata_ms, plans if leaders else {})
    for fact in facts:
        if fact.stream == group_stream(group):
            lines["broker"] += [
                stamped(fact.at_ms, f"{_COORDINATOR} {said} {_MANAGER}") for said in broker.said(fact.event)
            ]
        elif isinstance(fact.event, p.ClientEvent) and group_of(fact.stream) == group:
            lines[fact.event.process] += [stamped(fact.at_ms, said) for said in clients.said(fact.event, fact.at_ms)]
    return save(lines, folder)


def save(lines: Mapping[str, list[str]], folder: Path) -> list[Path]:
    """A file of each name."""
    paths = []
    for name, written in sorted(lines.items()):
        paths.append(folder / f"{name}.log")
        paths[-1].write_text("".join(line + "\n" for line in written), encoding="utf-8")
    return paths


def config_block(settings: Mapping[str, object]) -> list[str]:
    """What a consumer prints of its settings when it starts; nothing of none."""
    shown = "".join(f"\n\t{name} = {value}" for name, value in sorted(settings.items()))
    return [f"ConsumerConfig values: {shown}\n"] if shown else []


def stamped(at_ms: int, said: str) -> str:
    """A line of a time of the run."""
    at = iso(BEGINS_MS + at_ms).replace("T", " ").replace(".", ",").rstrip("Z")
    return f"[{at}] INFO {said}"


def coarsened(log: Path, digits: int = 0, zeros: int = 0) -> None:
    """Write the log again, with so many digits of the parts of seconds in its times, and zeros for others."""

    def part(found: re.Match[str]) -> str:
        kept = found[2][:digits] + "0" * zeros
        return f"{found[1]},{kept}" if kept else found[1]

    log.write_text(_PART.sub(part, log.read_text("utf-8")), encoding="utf-8")


def shifted(log: Path, to: Path, seconds: float, after: float = 0, before: float = 1) -> Path:
    """A copy of a log (packed or not) whose clock is so far ahead, of Java's format or librdkafka's.

    Only in the lines from the share `after` up to the share `before` (0-1).
    """

    def later(found: re.Match[str]) -> str:
        at = datetime.strptime(found[2], "%Y-%m-%d %H:%M:%S,%f") + timedelta(seconds=seconds)
        return f"{found[1]}{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03d}"

    def later_ms(found: re.Match[str]) -> str:
        ms = int(found[2]) * 1000 + int(found[3]) + round(1000 * seconds)
        return f"{found[1]}{ms // 1000}.{ms % 1000:03d}"

    lines = (gzip.decompress(log.read_bytes()) if log.suffix == ".gz" else log.read_bytes()).decode().splitlines(True)
    chosen = range(round(after * len(lines)), round(before * len(lines)))
    for number in chosen if seconds else ():
        lines[number] = _SHIFTED_MS.sub(later_ms, _SHIFTED.sub(later, lines[number]))
    to.write_text("".join(lines), encoding="utf-8")
    return to


class _Broker:
    """The sentences of a coordinator (Kafka 4: GroupMetadataManager)."""

    def __init__(self, group: str) -> None:
        self._group = group
        self._state = "Empty"

    def said(self, event: Event) -> list[str]:
        """The lines about one fact, without time and class."""
        group, state = self._group, self._state
        joins = f"joins group {group} in {state} state."
        match event:
            case c.MemberIdIssued(member=member):
                return [
                    f"Dynamic member with unknown member id {joins} Created a new member"
                    f" id {member} and requesting the member to rejoin with this id."
                ]
            case c.MemberAdded(member=member, instance_id=None):
                return [f"Pending dynamic member with id {member} {joins} Adding to the group now."]
            case c.MemberAdded(member=member, instance_id=instance):
                return [
                    f"Static member with groupInstanceId={instance} and unknown member id {joins}"
                    f" Created a new member id {member} for this member and added to the group."
                ]
            case c.MemberReplaced(old=old, instance_id=instance):
                return [
                    f"Static member with groupInstanceId={instance} and unknown member id {joins}"
                    f" Replacing previously mapped member {old} with this groupInstanceId."
                ]
            case c.MemberRemoved(member=member, cause="session-expired"):
                return [f"Member {member} in group {group} has failed, removing it from the group."]
            case c.MemberRemoved(member=member, cause="left", reason=reason):
                return [
                    f"[Group {group}] Member {member} has left group through explicit `LeaveGroup` request;"
                    f" client reason: {reason or 'not provided'}"
                ]
            case _:
                return self._of_rebalance(event)

    def _of_rebalance(self, event: Event) -> list[str]:
        group = self._group
        match event:
            case c.RebalanceStarted(generation=generation, reason=reason):
                self._state = "PreparingRebalance"
                return [
                    f"Preparing to rebalance group {group} in state PreparingRebalance with old generation {generation}"
                    f" (reason: {reason})."
                ]
            case c.JoinPhaseCompleted(generation=generation, size=size):
                self._state = "CompletingRebalance"
                return [f"Stabilized group {group} generation {generation} with {size} members."]
            case c.AssignmentStored(generation=generation, leader=leader, assignment=assignment):
                self._state = "Stable"
                return [
                    f"Assignment received from leader {leader} for group {group} for generation {generation}. The group"
                    f" has {len(assignment or ())} members, 0 of which are static."
                ]
            case _:
                return []


class _Clients:
    """The sentences of Java consumers (Kafka 4: ConsumerCoordinator, AbstractCoordinator)."""

    def __init__(
        self, group: str, printed: Mapping[str, int], metadata_ms: int, plans: Mapping[int, Plan | None]
    ) -> None:
        self._group = group
        self._plans = plans
        self._protocol: dict[str, str | None] = {}
        self._metadata_ms = metadata_ms
        self._started_ms: dict[str, int] = {}
        self._joined_ms: dict[str, int] = {}
        self._printed = printed
        self._context: dict[str, str] = {}
        self._asked: dict[str, str] = {}

    def said(self, event: p.ClientEvent, at_ms: int) -> list[str]:
        """The lines about one fact, without time."""
        if isinstance(event, p.ProcessStarted):
            self._started_ms[event.process] = at_ms
            return self._started(event)
        if isinstance(event, p.JoinOk):
            self._joined_ms[event.process] = at_ms
        if isinstance(event, p.RejoinRequested) and event.reason == _CHANGED:
            named = f"Request joining group due to: {self._changed(event.process, at_ms)}"
            return [f"{self._context[event.process]} {named} {_CONSUMER}"]
        return [f"{self._context[event.process]} {said} {_CONSUMER}" for said in self._of_member(event)]

    def _started(self, event: p.ProcessStarted) -> list[str]:
        named = f"clientId={event.client_id}, groupId={self._group}"
        own = f"instanceId={event.instance_id}, {named}" if event.instance_id else named
        context = self._context[event.process] = f"[Consumer {own}]"
        block = {"client.id": event.client_id, "group.id": self._group, **self._printed} if self._printed else {}
        return [
            *config_block(block),
            f"{context} Subscribed to topic(s): {', '.join(event.topics)}"
            " (org.apache.kafka.clients.consumer.internals.ClassicKafkaConsumer)",
        ]

    def _changed(self, process: str, at_ms: int) -> str:
        """Kafka: ConsumerCoordinator.rejoinNeededOrPending; the numbers count updates of the metadata."""
        ages = [(at - self._started_ms[process]) / self._metadata_ms for at in (self._joined_ms[process], at_ms)]
        before, now = 2 + int(ages[0]), 2 + max(1, round(ages[1]))
        return f"{_CHANGED} from (version{before}: {{}}) at the beginning of the rebalance to (version{now}: {{}})"

    def _of_member(self, event: p.ClientEvent) -> list[str]:
        match event:
            case p.CoordinatorFound():
                return ["Discovered group coordinator 127.0.0.1:9092 (id: 2147483646 rack: null)"]
            case p.JoinSent(process=process, member=member):
                asked, self._asked[process] = self._asked.get(process), member
                given = [f"Request joining group due to: need to re-join with the given member-id: {member}"]
                return [*(given if member and asked == "" else []), "(Re-)joining group"]
            case p.JoinOk(generation=generation, member=member, protocol=protocol):
                self._asked.pop(event.process, None)
                self._protocol[event.process] = protocol
                return [f"Successfully joined group with generation {_generation(generation, member, protocol)}"]
            case p.AssignorRan(generation=generation):
                plan = self._plans.get(generation)
                parts = ", ".join(f"{m}=Assignment(partitions=[{_names(part)}])" for m, part in (plan or {}).items())
                return [f"Finished assignment for group at generation {generation}: {{{parts}}}"] if plan else []
            case p.SyncOk(process=process, generation=generation, member=member):
                said = _generation(generation, member, self._protocol.get(process, "range"))
                return [f"Successfully synced group in generation {said}"]
            case p.RejoinRequested(reason=reason):
                return [f"Request joining group due to: {reason}"]
            case p.CallbackStart(kind="assigned", partitions=partitions):
                return [f"Adding newly assigned partitions: {_names(partitions)}"]
            case p.CallbackStart(kind="revoked", partitions=partitions):
                return [f"Revoke previously assigned partitions {_names(partitions)}"]
            case p.CallbackStart(kind="lost", partitions=partitions):
                return [f"Lost previously assigned partitions {_names(partitions)}"]
            case p.LeaveSent(member=member, reason=reason):
                coordinator = "127.0.0.1:9092 (id: 2147483646 rack: null)"
                return [f"Member {member} sending LeaveGroup request to coordinator {coordinator} due to {reason}"]
            case p.Closed():
                return [
                    f"Resetting generation and member id due to: {_LEAVING}",
                    f"Request joining group due to: {_LEAVING}",
                ]
            case _:
                return []


def _generation(number: int, member: str, protocol: str | None) -> str:
    return f"Generation{{generationId={number}, memberId='{member}', protocol='{protocol}'}}"


def _names(partitions: Partitions) -> str:
    return ", ".join(f"{topic}-{number}" for topic, number in partitions)
