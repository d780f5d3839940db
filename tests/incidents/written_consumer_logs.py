"""The logs that Kafka 4's broker and Java consumers would have written of a run of a consumer group (KIP-848)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from groupsim.events import client as p
from groupsim.events import consumer as k
from groupsim.events.base import Event, Recorded, group_of, group_stream
from groupsim.events.client import MemberPhase
from groupsim.events.types import Partitions
from tests.incidents.written_logs import config_block, save, stamped

_COORDINATOR = "[GroupCoordinator id=1 topic=__consumer_offsets partition=7]"
_MANAGER = "(org.apache.kafka.coordinator.group.GroupMetadataManager)"
_INTERNALS = "org.apache.kafka.clients.consumer.internals"
_MEMBERSHIP, _LISTENER = f"({_INTERNALS}.ConsumerMembershipManager)", f"({_INTERNALS}.ConsumerRebalanceListenerInvoker)"
_HEARTBEATS = f"({_INTERNALS}.ConsumerHeartbeatRequestManager)"
_PREPARE = "PREPARE_LEAVING"


def write_consumer_logs(
    facts: Iterable[Recorded], group: str, folder: Path, heartbeat_ms: int, printed: Mapping[str, int] = {}
) -> list[Path]:
    """One log of the broker and one of each process, as files in `folder`.

    `heartbeat_ms`: what the coordinator gives its members. `printed`: settings that every consumer prints when it
    starts (`ConsumerConfig values:`); it prints none if empty.
    """
    lines: dict[str, list[str]] = defaultdict(list)
    broker, clients = _Broker(group), dict[str, _Client]()
    for fact in facts:
        if fact.stream == group_stream(group):
            lines["broker"] += [stamped(fact.at_ms, said) for said in broker.said(fact.event)]
        elif isinstance(fact.event, p.ProcessStarted) and group_of(fact.stream) == group:
            client = clients[fact.event.process] = _Client.of(fact.event, group, heartbeat_ms)
            lines[fact.event.process] += [stamped(fact.at_ms, said) for said in client.started(fact.event, printed)]
        elif isinstance(fact.event, p.ClientEvent) and group_of(fact.stream) == group:
            said = clients[fact.event.process].said(fact.event)
            lines[fact.event.process] += [stamped(fact.at_ms, each) for each in said]
    return save(lines, folder)


class _Broker:
    """The sentences of a coordinator (Kafka 4.4: GroupMetadataManager)."""

    def __init__(self, group: str) -> None:
        self._context = f"{_COORDINATOR} [GroupId {group}]"
        self._instances: dict[str, str | None] = {}
        self._topics: dict[str, tuple[str, ...]] = {}
        self._epochs: dict[str, int] = {}
        self._timeouts: dict[str, int] = {}

    def said(self, event: Event) -> list[str]:
        return [f"{self._context} {said} {_MANAGER}" for said in self._sentences(event)]

    def _sentences(self, event: Event) -> list[str]:
        match event:
            case k.ConsumerMemberUpdated(member=member, instance_id=instance):
                self._timeouts[member] = event.rebalance_timeout_ms
                before, self._topics[member] = self._topics.get(member), event.topics
                if before is not None:
                    listed = ", ".join(event.topics)
                    updated = f"Member {member} updated its subscribed topics to: [{listed}]."
                    return [updated] if before != event.topics else []
                self._instances[member] = instance
                joins = "joins the consumer group using the consumer protocol."
                if instance is not None:
                    return [f"Static member {member} with instance id {instance} {joins}"]
                return [f"Member {member} {joins}"]
            case k.StaticMemberReplaced(instance_id=instance, old=old, member=member):
                self._instances[member], self._topics[member] = instance, self._topics[old]
                return [
                    f"Static member with instance id {instance} re-joins the consumer group using the consumer"
                    f" protocol. Created a new member {member} to replace the existing member {old}."
                ]
            case k.StaticMemberAway(member=member):
                instance = self._instances[member]
                return [f"Static member {member} with instance id {instance} temporarily left the consumer group."]
            case k.GroupEpochBumped():
                return [f"Bumped group epoch to {event.epoch} with metadata hash {event.metadata_hash}."]
            case k.TargetComputed(epoch=epoch, assignor=assignor):
                return [f"Computed a new target assignment for epoch {epoch} with '{assignor}' assignor in 1ms."]
            case k.MemberReconciled(member=member, epoch=epoch):
                self._epochs[member] = epoch
                return []
            case k.ConsumerMemberRemoved(member=member, cause=cause):
                return [self._removed(member, cause)]
            case _:
                return []

    def _removed(self, member: str, cause: str) -> str:
        instance = self._instances.pop(member)
        del self._topics[member]
        fenced = f"Member {member} fenced from the group because"
        if cause == k.LossCause.SESSION_EXPIRED:
            return f"{fenced} the member session expired."
        if cause == k.LossCause.REBALANCE_TIMEOUT:
            within = f"within {self._timeouts[member]}ms"
            return f"{fenced} it failed to transition from epoch {self._epochs[member]} {within}."
        assert cause == k.LossCause.LEFT, cause
        if instance is not None:
            return f"Static member {member} with instance id {instance} left the consumer group."
        return f"Member {member} left the consumer group."


@dataclass(slots=True)
class _Client:
    """The sentences of one Java consumer (Kafka 4.4: AsyncKafkaConsumer, ConsumerMembershipManager).

    `local`: its count of targets; `reconciling`: that it has said which target it follows now.
    """

    context: str
    heartbeat_ms: int
    phase: str = MemberPhase.UNSUBSCRIBED
    member: str = ""
    epoch: int = 0
    local: int = 0
    target: Partitions = ()
    view: Partitions = ()
    reconciling: bool = False
    waiting: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, event: p.ProcessStarted, group: str, heartbeat_ms: int) -> _Client:
        named = f"clientId={event.client_id}, groupId={group}"
        own = f"instanceId={event.instance_id}, {named}" if event.instance_id else named
        return cls(f"[Consumer {own}]", heartbeat_ms)

    def started(self, event: p.ProcessStarted, printed: Mapping[str, int]) -> list[str]:
        return [
            *config_block({"client.id": event.client_id, **printed} if printed else {}),
            f"{self.context} Subscribed to topic(s): {', '.join(event.topics)} ({_INTERNALS}.AsyncKafkaConsumer)",
        ]

    def said(self, event: p.ClientEvent) -> list[str]:
        """The lines about one fact, without time."""
        return [f"{self.context} {said}" for said in self._sentences(event)]

    def _sentences(self, event: p.ClientEvent) -> list[str]:
        match event:
            case p.CoordinatorFound():
                where = "nodeId=1, host='127.0.0.1', port=9092, errorCode=0, errorMessage=''"
                return [f"Discovered group coordinator Coordinator(key='g', {where}) ({_INTERNALS}.CoordinatorRequest)"]
            case p.JoinSent(member=member):  # the process draws its id before it says that it joins
                self.member = member
                said, self.waiting = [each.replace("MEMBER", member) for each in self.waiting], []
                return said
            case p.EpochReceived(epoch=epoch):
                first, self.epoch = self.epoch <= 0 and self.local == 0, epoch
                given = f"received heartbeat interval {self.heartbeat_ms}ms from the group coordinator"
                return [f"Member {self.member} {given} {_HEARTBEATS}"] if first else []
            case p.TargetReceived(partitions=partitions):
                self.target, self.reconciling = partitions, False
                return []
            case p.RevocationPending():
                return self._reconciles()
            case p.ViewChanged(partitions=partitions):
                said = self._reconciles() if {*partitions} - {*self.view} else []
                self.view = partitions
                return said
            case p.CallbackStart():
                return self._called(event)
            case p.StateChanged(state=state):
                return self._becomes(state)
            case _:
                return self._of_end(event)

    def _reconciles(self) -> list[str]:
        """Kafka: AbstractMembershipManager.maybeReconcile."""
        if self.reconciling:
            return []
        self.reconciling = True
        added, revoked = ({*self.target} - {*self.view}), ({*self.view} - {*self.target})
        shown = {
            "Member:": self.member,
            "Assigned partitions:": _listed(self.target),
            "Current owned partitions:": _listed(self.view),
            "Added partitions (assigned - owned):": _listed(tuple(added)),
            "Revoked partitions (owned - assigned):": _listed(tuple(revoked)),
        }
        block = "".join(f"\n\t{name:<43}{value}" for name, value in shown.items())
        said = f"Reconciling assignment with local epoch {self.local}{block}\n {_MEMBERSHIP}"
        self.local += 1
        return [said]

    def _called(self, event: p.CallbackStart) -> list[str]:
        listed = _listed(event.partitions)
        if event.kind == "assigned":
            return [*self._reconciles(), f"Adding newly assigned partitions: {listed} {_LISTENER}"]
        if event.kind == "lost":
            return [f"Lost previously assigned partitions {listed} {_LISTENER}"]
        own = [f"Revoking previously assigned partitions {listed} {_MEMBERSHIP}"]
        leaving = self.phase == _PREPARE
        return [*([] if leaving else own), f"Revoke previously assigned partitions {listed} {_LISTENER}"]

    def _becomes(self, state: str) -> list[str]:
        """Kafka: MemberState; what the simulation counts as LEAVING is PREPARE_LEAVING till the last heartbeat."""
        said = list[str]()
        if state == MemberPhase.ACKNOWLEDGING and not self.reconciling:
            said += self._reconciles()
        if state == MemberPhase.JOINING:
            self.epoch = 0
            self.view = () if self.phase in (MemberPhase.FENCED, MemberPhase.STALE) else self.view
        if state == MemberPhase.STALE and self.phase != MemberPhase.LEAVING:
            said += [*self._leaves(), *self._turns(MemberPhase.LEAVING)]
        elif state == MemberPhase.LEAVING:
            return self._turns(_PREPARE)
        said += self._turns(state)
        if state == MemberPhase.JOINING and not self.member:
            self.waiting += said
            return []
        return said

    def _leaves(self) -> list[str]:
        said = [] if self.phase == _PREPARE else self._turns(_PREPARE)
        self.epoch = -1
        return said

    def _turns(self, state: str) -> list[str]:
        before, self.phase = self.phase, state
        named = f"Member {self.member or 'MEMBER'} with epoch {self.epoch}"
        return [f"{named} transitioned from {before} to {state}. {_MEMBERSHIP}"]

    def _of_end(self, event: p.ClientEvent) -> list[str]:
        match event:
            case p.PollExpired():
                return [
                    "Consumer poll timeout has expired. This means the time between subsequent calls to poll() was"
                    f" longer than the configured max.poll.interval.ms, which typically implies {_HEARTBEATS}"
                ]
            case p.LeaveSent() if self.phase == _PREPARE:
                return [*self._leaves(), *self._turns(MemberPhase.LEAVING)]
            case p.RequestFailed(api="ConsumerGroupHeartbeat", error="UNKNOWN_MEMBER_ID"):
                why = f"because member {self.member} is unknown."
                return [f"ConsumerGroupHeartbeatRequest failed {why} {_HEARTBEATS}"]
            case p.Closed():
                done = f"Completed leaving the group ({_INTERNALS}.AsyncKafkaConsumer)"
                return [*self._turns(MemberPhase.UNSUBSCRIBED), done]
            case _:
                return []


def _listed(partitions: Partitions) -> str:
    return "[" + ", ".join(str(each) for each in sorted(partitions)) + "]"
