"""The records of a classic group, one by one, into its ledger.

A generation is written when its assignment is: the leader's SyncGroup. `currentStateTimestamp` says when its join phase
was complete (Kafka: ClassicGroup.transitionTo, GroupCoordinatorRecordHelpers.newGroupMetadataRecord).
"""

from __future__ import annotations

from groupsim.events.classic import RebalanceCause
from groupsim.events.types import MemberId, TopicPartition
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.offsets_topic import fields as f
from groupsim.incidents.offsets_topic.ledger import Ledger, MemberFields
from groupsim.incidents.offsets_topic.record import GroupRecord

_CONSUMER = "consumer"
_Plan = dict[MemberId, set[TopicPartition]]


class ClassicFold:
    """Folds `GroupMetadata` records."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._generation: int | None = None
        self._stored_ms = 0
        self._created = False
        self._begun = False

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
        elif converted:
            self._downgraded(record, number, members)
        elif number == self._generation:
            self._replaced(record, members)
        else:
            self._new(record, number, members, f.text(value.get("protocol")), f.text(value.get("leader")))
        if (kind := f.text(value.get("protocolType"))) is not None and kind != _CONSUMER:
            self._ledger.notes.setdefault(
                f"its members are of protocol type {kind}: what they were assigned is not partitions of topics"
            )
        self._generation, self._stored_ms = number, at_ms

    def deleted(self, record: GroupRecord) -> None:
        """The group is deleted."""
        for member in self._ledger.present():
            self._ledger.gone(member, record.at_ms, record.place)
        self._ledger.say(record.at_ms, record.place, RowKind.GROUP_DEAD)
        self._generation, self._created, self._begun = None, False, False

    def forget(self) -> int | None:
        """The group became a consumer group: its members stay. Returns the last generation, if there is one."""
        last, self._generation, self._begun = self._generation, None, False
        return last

    def _empty(self, record: GroupRecord, number: int) -> None:
        ledger = self._ledger
        if not number and not ledger.present():
            if not self._created:
                ledger.say(record.at_ms, record.place, RowKind.GROUP_CREATED)
                self._created = True
            return
        ledger.lacks("generations", (self._generation or 0) + 1, number - 1)
        for member in ledger.present():
            ledger.gone(member, record.at_ms, record.place)
        self._begun = False
        ledger.say(record.at_ms, record.place, RowKind.GROUP_EMPTY, generation=number)

    def _replaced(self, record: GroupRecord, members: dict[MemberId, f.Fields]) -> None:
        """The same generation again: a static member came back under a new id."""
        ledger, at_ms = self._ledger, record.at_ms
        self._exchange(members, at_ms, record.place)
        for member, each in members.items():
            self._appear(record, member, each)
            ledger.hold(member, at_ms, f.assigned(each) or set(), self._generation or 0, record.place, waited=True)

    def _exchange(self, members: dict[MemberId, f.Fields], at_ms: int, place: str, *, by: str | None = None) -> None:
        """Who is not among the members is gone, or has come back as another one of its instance id."""
        ledger = self._ledger
        for old in [member for member in ledger.present() if member not in members]:
            instance = ledger.memberships[old].instance
            new = next((m for m, fields in members.items() if fields.get("groupInstanceId") == instance), None)
            ledger.gone(old, at_ms, place, said=new is None or instance is None, by=by)
            if new is not None and instance is not None:
                ledger.say(at_ms, place, RowKind.STATIC_MEMBER_REPLACED, new, old_member=old, instance=instance)

    def _downgraded(self, record: GroupRecord, number: int, members: dict[MemberId, f.Fields]) -> None:
        """A consumer group goes on as a classic one: its generation is the epoch, with what each was to have.

        If nobody new came with it, it rebalances at once (Kafka: GroupMetadataManager.convertToClassicGroup).
        """
        ledger, at_ms, place = self._ledger, record.at_ms, record.place
        joins = any(member not in ledger.present() for member in members)
        for member in ledger.present():
            if member in members:
                ledger.pause(member, ledger.held(member), at_ms, at_ms, exact=False)
        self._exchange(members, at_ms, place)
        plan = _plan(members)
        about = {"held": _printed(plan), **_timeouts(members)}
        ledger.say(at_ms, place, RowKind.GROUP_CONVERTED, None, to="classic", generation=number, **about)
        if not joins:
            cause, reason = RebalanceCause.DOWNGRADED, "Downgrade group from consumer to classic"
            about |= {"cause": cause, "reason": reason, "converted": True}
            ledger.say(at_ms, place, RowKind.REBALANCE_START, None, old_generation=number, **about)
        self._begun = not joins
        self._give(record, number, members, plan)

    def _new(
        self,
        record: GroupRecord,
        number: int,
        members: dict[MemberId, f.Fields],
        protocol: str | None,
        leader: MemberId | None,
    ) -> None:
        ledger, place, stored = self._ledger, record.place, record.at_ms
        joined = self._join_completed(record)
        if self._generation is not None and number > self._generation + 1:
            for member in ledger.present():
                ledger.pause(member, ledger.held(member), self._stored_ms, stored, exact=True)
        ledger.lacks("generations", (self._generation or 0) + 1, number - 1)
        before = ledger.present()
        gone = [member for member in before if member not in members]
        new = [member for member in members if member not in before]
        self._exchange(members, joined, place, by="generation")
        if not (self._begun and self._generation == number - 1):
            self._started(joined, place, number, new, gone)
        self._begun = False
        for member in before:
            if member in members:
                self._rejoined(member, f.claimed(members[member]), joined, number, place)
        ledger.say(joined, place, RowKind.STABILIZED, generation=number, members=len(members))
        plan = _plan(members)
        about = {"protocol": protocol, "assignment": _printed(plan), **_timeouts(members)}
        ledger.say(stored, place, RowKind.STORED_ASSIGNMENT, None, generation=number, **about)
        ledger.say(stored, place, RowKind.ASSIGNMENT_RECEIVED, generation=number, leader=leader)
        self._give(record, number, members, plan)

    def _give(self, record: GroupRecord, number: int, members: dict[MemberId, f.Fields], plan: _Plan) -> None:
        """Each member holds what it was assigned, and what nobody was until it knows."""
        ledger, stored = self._ledger, record.at_ms
        owners = {partition: member for member, partitions in plan.items() for partition in partitions}
        for member, each in members.items():
            self._appear(record, member, each)
            kept = {p for p in ledger.held(member) if p not in plan[member] and p not in owners}
            ledger.pause(member, ledger.held(member), stored, stored, exact=True)
            ledger.served_to(member, kept, stored)  # it gives these up once it knows, and joins again
            ledger.hold(member, stored, plan[member] | kept, number, record.place, waited=True)

    def _started(self, joined: int, place: str, number: int, new: list[MemberId], gone: list[MemberId]) -> None:
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
            RowKind.REBALANCE_START,
            by,
            old_generation=number - 1,
            cause=cause,
            reason="; ".join(what) or "the topic does not say why",
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
        ledger.hold(member, joined, held & claims, number, place, waited=True)

    def _join_completed(self, record: GroupRecord) -> int:
        """When the join phase of the record's generation was complete; the record's time where that is not known."""
        at = f.number((record.value or {}).get("currentStateTimestamp"))
        if at is None or not self._stored_ms <= at <= record.at_ms:
            return record.at_ms
        return at

    def _appear(self, record: GroupRecord, member: MemberId, each: f.Fields) -> None:
        client, host, instance = (f.text(each.get(key)) for key in ("clientId", "clientHost", "groupInstanceId"))
        fields = MemberFields(client, host, instance, tuple(sorted(f.topics(each))))
        self._ledger.appear(record.at_ms, record.place, member, fields)


def _plan(members: dict[MemberId, f.Fields]) -> _Plan:
    return {member: f.assigned(each) or set() for member, each in members.items()}


def _timeouts(members: dict[MemberId, f.Fields]) -> dict[str, object]:
    """What the members said of their timeouts: the longest session, and those of each."""
    sessions = [ms for fields in members.values() if (ms := f.number(fields.get("sessionTimeout"))) is not None]
    reported = {member: timeouts for member, fields in members.items() if (timeouts := f.timeouts(fields))}
    return {"session_timeout_ms": max(sessions, default=None), "timeouts": reported}


def _printed(plan: _Plan) -> dict[str, list[str]]:
    return {member: [str(partition) for partition in sorted(plan[member])] for member in sorted(plan)}
