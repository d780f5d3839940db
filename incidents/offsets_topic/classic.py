"""The records of a classic group, one by one, into its ledger.

A generation is written when its assignment is: the leader's SyncGroup. `currentStateTimestamp` says when its join phase
was complete (Kafka: ClassicGroup.transitionTo, GroupCoordinatorRecordHelpers.newGroupMetadataRecord).
"""

from __future__ import annotations

from groupsim.events.classic import RebalanceCause
from groupsim.events.types import MemberId, TopicPartition
from groupsim.incidents.offsets_topic import fields as f
from groupsim.incidents.offsets_topic.ledger import Ledger, MemberFields
from groupsim.incidents.offsets_topic.record import GroupRecord

_CONSUMER = "consumer"


class ClassicFold:
    """Folds `GroupMetadata` records."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._generation: int | None = None
        self._stored_ms = 0
        self._created = False

    def created(self) -> None:
        """The group exists, by the records of another protocol."""
        self._created = True

    def generation(self, record: GroupRecord, *, converted: bool = False) -> None:
        """Take a record with a value. `converted`: the group was a consumer group until this record."""
        value = record.value or {}
        at_ms, number = record.at_ms, f.number(value.get("generation")) or 0
        members = {str(each.get("memberId")): each for each in f.structs(value.get("members"))}
        if not members:
            self._empty(record, number)
        elif number == self._generation and not converted:
            self._replaced(record, members)
        else:
            self._new(record, number, members, f.text(value.get("protocol")), f.text(value.get("leader")), converted)
        if (kind := f.text(value.get("protocolType"))) is not None and kind != _CONSUMER:
            self._ledger.notes.setdefault(
                f"its members are of protocol type {kind}: what they were assigned is not partitions of topics"
            )
        self._generation, self._stored_ms = number, at_ms

    def deleted(self, record: GroupRecord) -> None:
        """The group is deleted."""
        for member in self._ledger.present():
            self._ledger.gone(member, record.at_ms, record.place)
        self._ledger.say(record.at_ms, record.place, "group_dead")
        self._generation, self._created = None, False

    def forget(self) -> None:
        """The group became a consumer group: its members stay."""
        self._generation = None

    def _empty(self, record: GroupRecord, number: int) -> None:
        ledger = self._ledger
        if not number and not ledger.present():
            if not self._created:
                ledger.say(record.at_ms, record.place, "group_created")
                self._created = True
            return
        ledger.lacks("generations", (self._generation or 0) + 1, number - 1)
        for member in ledger.present():
            ledger.gone(member, record.at_ms, record.place)
        ledger.say(record.at_ms, record.place, "group_empty", generation=number)

    def _replaced(self, record: GroupRecord, members: dict[MemberId, f.Fields]) -> None:
        """The same generation again: a static member came back under a new id."""
        ledger, at_ms = self._ledger, record.at_ms
        for old in [each for each in ledger.present() if each not in members]:
            instance = ledger.memberships[old].instance
            new = next((m for m, each in members.items() if each.get("groupInstanceId") == instance), None)
            ledger.gone(old, at_ms, record.place, said=new is None or instance is None)
            if new is not None and instance is not None:
                ledger.say(at_ms, record.place, "static_member_replaced", new, old_member=old, instance=instance)
        for member, each in members.items():
            self._appear(record, member, each)
            ledger.hold(member, at_ms, f.assigned(each) or set(), self._generation or 0, record.place)

    def _new(
        self,
        record: GroupRecord,
        number: int,
        members: dict[MemberId, f.Fields],
        protocol: str | None,
        leader: MemberId | None,
        converted: bool,
    ) -> None:
        ledger, place, stored = self._ledger, record.place, record.at_ms
        joined = self._join_completed(record, converted)
        if self._generation is not None and number > self._generation + 1:
            for member in ledger.present():
                ledger.pause(member, ledger.held(member), self._stored_ms, stored, exact=True)
        if not converted:
            ledger.lacks("generations", (self._generation or 0) + 1, number - 1)
        before = ledger.present()
        gone = [member for member in before if member not in members]
        new = [member for member in members if member not in before]
        for member in gone:
            ledger.gone(member, joined, place, by=None if converted else "generation")
        self._started(joined, place, number, new, gone, converted=converted)
        for member in before:
            if member in members:
                self._rejoined(member, None if converted else f.claimed(members[member]), joined, number, place)
        ledger.say(joined, place, "stabilized", generation=number, members=len(members), converted=converted or None)
        plan = {member: f.assigned(each) or set() for member, each in members.items()}
        sessions = [ms for each in members.values() if (ms := f.number(each.get("sessionTimeout"))) is not None]
        ledger.say(
            stored,
            place,
            "stored_assignment",
            generation=number,
            protocol=protocol,
            assignment=_printed(plan),
            session_timeout_ms=max(sessions, default=None),
            timeouts={member: found for member, each in members.items() if (found := f.timeouts(each))},
            converted=converted or None,
        )
        ledger.say(stored, place, "assignment_received", generation=number, leader=leader)
        owners = {partition: member for member, partitions in plan.items() for partition in partitions}
        for member, each in members.items():
            self._appear(record, member, each)
            kept = {p for p in ledger.held(member) if p not in plan[member] and p not in owners}
            ledger.pause(member, ledger.held(member), stored, stored, exact=True)
            ledger.served_to(member, kept, stored)  # it gives these up once it knows, and joins again
            ledger.hold(member, stored, plan[member] | kept, number, place)

    def _started(
        self, joined: int, place: str, number: int, new: list[MemberId], gone: list[MemberId], *, converted: bool
    ) -> None:
        cause, by = RebalanceCause.UNKNOWN, None
        if new and not gone and (self._created or number == 1):
            cause, by = RebalanceCause.MEMBER_JOINED, new[0]
        elif gone and not new:
            cause, by = RebalanceCause.MEMBER_GONE, gone[0]
        what = [f"{', '.join(new)} joined"] if new else []
        what += [f"{', '.join(gone)} left or {'was' if len(gone) == 1 else 'were'} removed"] if gone else []
        self._ledger.say(
            joined,
            place,
            "rebalance_start",
            by,
            old_generation=number - 1,
            cause=cause,
            reason="; ".join(what) or "the topic does not say why",
            converted=converted or None,
        )
        self._created = True

    def _rejoined(
        self, member: MemberId, claims: set[TopicPartition] | None, joined: int, number: int, place: str
    ) -> None:
        """What it does not claim it had given up when the join phase was complete; what it claims it served."""
        ledger = self._ledger
        held = ledger.held(member)
        if claims is None:
            ledger.pause(member, held, joined, joined, exact=False)
            return
        ledger.hold(member, joined, held & claims, number, place)

    def _join_completed(self, record: GroupRecord, converted: bool) -> int:
        """When the join phase of the record's generation was complete; the record's time where that is not known."""
        at = f.number((record.value or {}).get("currentStateTimestamp"))
        if at is None or converted or not self._stored_ms <= at <= record.at_ms:
            return record.at_ms
        return at

    def _appear(self, record: GroupRecord, member: MemberId, each: f.Fields) -> None:
        client, host, instance = (f.text(each.get(key)) for key in ("clientId", "clientHost", "groupInstanceId"))
        fields = MemberFields(client, host, instance, tuple(sorted(f.topics(each))))
        self._ledger.appear(record.at_ms, record.place, member, fields)


def _printed(plan: dict[MemberId, set[TopicPartition]]) -> dict[str, list[str]]:
    return {member: [str(partition) for partition in sorted(plan[member])] for member in sorted(plan)}
