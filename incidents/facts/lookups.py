"""Index: look-ups over all rows, made before any fact is written: assignments, protocols, topics, member ids."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple, TypedDict

from groupsim.events.connect import PROTOCOL_TYPE, delay_text
from groupsim.events.types import Plan
from groupsim.incidents.facts.causes import rebalance_cause
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.group_kinds import GroupKinds
from groupsim.incidents.facts.typed_fields import int_in, partitions_in, text_in
from groupsim.incidents.facts.worker_units import Round, rounds_of
from groupsim.incidents.logs.client_libraries import CONNECT, worker_of
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program, Row, is_broker
from groupsim.incidents.tolerances import NEVER_MS, ONE_INSTANT_MS, ONE_STEP_MS, REACTS_MS

ANSWERS = frozenset([RowKind.STABILIZED, RowKind.ASSIGNMENT_RECEIVED])
"""Kinds of a broker's rows about what members waited for: their sessions begin anew."""
JOINS = frozenset([RowKind.MEMBER_ID_CREATED, RowKind.PENDING_MEMBER_JOINS, RowKind.MEMBER_JOINED])
"""Kinds of a broker's rows about a member that joins; not of a static one that is replaced."""
_IS_IN = frozenset(
    [
        RowKind.MEMBER_FAILED,
        RowKind.MEMBER_GONE,
        RowKind.MEMBER_LEFT,
        RowKind.REBALANCE_START,
        RowKind.STATIC_MEMBER_REPLACED,
    ]
)


class OfWorkers(TypedDict, total=False):
    """Fields of an AssignmentStored."""

    protocol_type: str
    user_data: dict[str, str]


class LeaderPlan(NamedTuple):
    """The assignment of one generation, as its leader computed it."""

    at: int
    file: str
    client: str | None
    plan: Plan


class _Change(NamedTuple):
    """A broker's row about a group: a member `joins` or `is in`, or a row of kind `stabilized` or `group_empty`."""

    position: int
    what: str
    member: str


class Index(GroupKinds):
    """Look-ups by group. Generation numbers can start over, so a look-up gives what is nearest in time."""

    def __init__(self, rows: Sequence[TimedRow]) -> None:
        super().__init__(timed.row for timed in rows)
        self.topics: dict[str, dict[str, int]] = defaultdict(dict)
        self._timeouts: dict[tuple[str, str], Mapping[str, object]] = {}
        self.workers: dict[str, str] = {}
        """Groups that share no partitions, and of what they are."""
        self.shortest_callback_ms: dict[str, int] = {}
        self._plans: dict[str, dict[int, list[LeaderPlan]]] = defaultdict(lambda: defaultdict(list))
        self._protocols: dict[tuple[str, int], str] = {}
        self._answers: dict[str, list[int]] = defaultdict(list)
        self._joins: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._joiners: dict[tuple[str, int], list[tuple[int, str, str | None]]] = defaultdict(list)
        self._instances: dict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
        self._arrivals: dict[tuple[str, str], list[tuple[int, str | None]]] = defaultdict(list)
        self._changes: dict[str, list[_Change]] = defaultdict(list)
        self._old_generations: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._rounds: dict[str, dict[int, list[Round]]] = defaultdict(lambda: defaultdict(list))
        for position, timed in enumerate(rows):
            self._add(position, timed)
        for each in rounds_of(rows, {group for group, kind in self.workers.items() if kind == CONNECT}):
            self._add_round(each)

    def _add(self, position: int, timed: TimedRow) -> None:
        row = timed.row
        group = row.group
        if group is None:
            return
        if group not in self.workers and (workers := worker_of(row)) is not None:
            self.workers[group] = workers
        if is_broker(row):
            self._add_change(position, timed.at, group, row)
            if row.kind in ANSWERS:
                self._answers[group].append(timed.at)
        for key in ("partitions", "assigned", "owned"):
            if (names := row.detail.get(key)) is not None:
                self._count(group, names)
        held = row.detail.get("held")
        for owned in held.values() if isinstance(held, Mapping) else ():
            self._count(group, owned)
        reported = row.detail.get("timeouts")
        for member, timeouts in reported.items() if isinstance(reported, Mapping) else ():
            self._timeouts.setdefault((group, str(member)), timeouts)
        generation = int_in(row.detail.get("generation"))
        match row.kind:
            case RowKind.LEADER_COMPUTED_ASSIGNMENT | RowKind.STORED_ASSIGNMENT:
                self._plan(timed, group, generation)
            case RowKind.JOINED if generation is not None:
                self._joined(timed, group, generation)
            case RowKind.CLIENT_SUBSCRIBED:
                topics = row.detail.get("topics")
                for topic in topics if isinstance(topics, list) else ():
                    self.topics[group].setdefault(str(topic), 0)
            case RowKind.TARGET_ASSIGNMENT if row.program is Program.OFFSETS_TOPIC:
                targets = row.detail.get("targets")
                for target in targets.values() if isinstance(targets, dict) else ():
                    self._count(group, target)
            case RowKind.MEMBER_FAILED if row.member is not None and "rebalance_timeout_ms" in row.detail:
                self._timeouts.setdefault((group, row.member), row.detail)

    def _add_change(self, position: int, at: int, group: str, row: Row) -> None:
        if row.kind in (RowKind.STABILIZED, RowKind.GROUP_EMPTY):
            self._changes[group].append(_Change(position, row.kind, ""))
        if row.kind == RowKind.REBALANCE_START:
            self._old_generations[group].append((position, int_in(row.detail.get("old_generation")) or 0))
        old, instance = text_in(row.detail.get("old_member")), text_in(row.detail.get("instance"))
        if instance is not None and (row.kind == RowKind.STATIC_MEMBER_REPLACED or row.kind in JOINS):
            self._arrivals[group, instance].append((at, old))
        member = old or row.member
        if member is None:
            return
        is_new = (
            row.kind == RowKind.REBALANCE_START and rebalance_cause(str(row.detail.get("reason"))) == "member-joined"
        )
        if is_new or row.kind in JOINS:
            self._changes[group].append(_Change(position, "joins", member))
        elif row.kind in _IS_IN:
            self._changes[group].append(_Change(position, "is in", member))

    def upcoming(self, group: str, position: int) -> tuple[list[str], set[str]]:
        """Of the rows from `position` on: who is or will be in the next generation, and who has a line for joining it.

        Brokers before 3.0 don't print who joins a running rebalance: such a member is known by its removal alone.
        """
        certain: dict[str, None] = {}
        joining: set[str] = set()
        completed = 0
        rows = self._changes.get(group, [])
        for row in islice(rows, bisect_left(rows, position, key=lambda change: change.position), None):
            completed += row.what == RowKind.STABILIZED
            if completed == 2 or row.what == RowKind.GROUP_EMPTY:
                break
            if row.what == "joins":
                joining.add(row.member)
            elif row.what == "is in" and row.member not in joining:
                certain.setdefault(row.member)
        return list(certain), joining

    def generation_from(self, group: str, position: int) -> int:
        """The number of the last generation when the first rebalance from `position` on began; 0: none is known."""
        starts = self._old_generations.get(group, [])
        place = bisect_left(starts, (position, 0))
        return starts[place][1] if place < len(starts) else 0

    def _count(self, group: str, names: object) -> None:
        for topic, partition in partitions_in(names):
            self.topics[group][topic] = max(self.topics[group].get(topic, 0), partition + 1)

    def _plan(self, timed: TimedRow, group: str, generation: int | None) -> None:
        printed = timed.row.detail.get("assignment")
        if generation is None or not isinstance(printed, Mapping):
            return
        plan = {str(member): partitions_in(names) for member, names in sorted(printed.items())}
        for names in printed.values():
            self._count(group, names)
        protocol = text_in(timed.row.detail.get("protocol"))
        if protocol is not None and timed.row.program is Program.OFFSETS_TOPIC:
            self._protocols.setdefault((group, generation), protocol)
        self._plans[group][generation].append(LeaderPlan(timed.at, timed.row.file, timed.row.client, plan))

    def _add_round(self, this: Round) -> None:
        """A generation of Connect's workers: its assignment is known if each of them says what it was given."""
        self._rounds[this.group][this.generation].append(this)
        if this.whole:
            leader, _ = this.given.get(this.leader or "") or next(iter(this.given.values()))
            plan = {member: units for member, (_, units) in sorted(this.given.items())}
            self._plans[this.group][this.generation].append(LeaderPlan(this.at, leader.file, leader.client, plan))

    def of_workers(self, group: str, generation: int, at: int) -> OfWorkers:
        """What a stored assignment of Connect's workers has beside who runs what."""
        if self.workers.get(group) != CONNECT:
            return {}
        this = self.round_of(group, generation, at)
        delayed = (
            {} if this is None or not this.delay_ms else dict.fromkeys(sorted(this.given), delay_text(this.delay_ms))
        )
        return {"protocol_type": PROTOCOL_TYPE, "user_data": delayed}

    def round_of(self, group: str, generation: int, at: int) -> Round | None:
        """What Connect's workers say of a generation near this time."""
        near = (each for each in self._rounds.get(group, {}).get(generation, ()) if abs(each.at - at) <= ONE_STEP_MS)
        return min(near, key=lambda each: abs(each.at - at), default=None)

    def _joined(self, timed: TimedRow, group: str, generation: int) -> None:
        row = timed.row
        self._joins[group].append((timed.at, generation))
        instance = text_in(row.detail.get("instance"))
        if row.member is not None:
            self._joiners[group, generation].append((timed.at, row.member, instance))
        protocol = text_in(row.detail.get("protocol"))
        if protocol is not None:
            self._protocols.setdefault((group, generation), protocol)
        if instance is not None and row.member is not None:
            self._instances[group, instance].append((timed.at, row.member))

    def timeouts(self, group: str, member: str) -> tuple[int | None, int | None]:
        """Session and rebalance timeout of a member in ms: by `__consumer_offsets`, or by the broker that fenced it."""
        found = self._timeouts.get((group, member), {})
        return int_in(found.get("session_timeout_ms")), int_in(found.get("rebalance_timeout_ms"))

    def named_topics(self) -> set[str]:
        """The topics of which a row names a partition, of any group."""
        return set[str]().union(*self.topics.values())

    def note_callback(self, group: str, duration_ms: int | None) -> None:
        """Take in how long a callback of the group took at most, for `shortest_callback_ms`."""
        if duration_ms is not None:
            self.shortest_callback_ms[group] = min(self.shortest_callback_ms.get(group, duration_ms), duration_ms)

    def plan(self, group: str, generation: int, at: int) -> LeaderPlan | None:
        """The leader's assignment of a generation, if a log has it near this time."""
        found = self._plans.get(group, {}).get(generation, [])
        best = min(found, key=lambda p: abs(p.at - at), default=None)
        return best if best is not None and abs(best.at - at) <= ONE_STEP_MS else None

    def plans(self, group: str) -> list[tuple[int, LeaderPlan]]:
        """Each generation of a group whose leader's assignment a log has, with it, by time."""
        plans_by_time = [(number, plan) for number, plans in self._plans.get(group, {}).items() for plan in plans]
        return sorted(plans_by_time, key=lambda numbered: numbered[1].at)

    def led(self, group: str, generation: int, at: int, file: str, client: str | None) -> bool | None:
        """Whether this client led the generation; None if its assignment is unknown."""
        plan = self.plan(group, generation, at)
        return None if plan is None else (plan.file, plan.client) == (file, client)

    def joiners(self, group: str, generation: int, at: int) -> tuple[str, ...]:
        """The members of a generation whose logs say that they joined it near this time, sorted.

        A static member that came back within the generation has another id from then on: the one nearest to `at`.
        """
        joined = sorted(self._joiners[group, generation], key=lambda each: -abs(each[0] - at))
        near = {instance or member: member for when, member, instance in joined if abs(when - at) <= ONE_STEP_MS}
        return tuple(sorted(near.values()))

    def began_sessions(self, group: str, at: int) -> bool:
        """Whether the coordinator answered what members waited for at this time: their sessions began anew then.

        Kafka: ClassicGroup.rescheduleClassicGroupMemberHeartbeat. So did those of members that were gone already.
        """
        times = self._answers.get(group, [])
        return bisect_left(times, at - ONE_INSTANT_MS) < bisect_right(times, at + ONE_INSTANT_MS)

    def first_join(self, group: str, generation: int, at: int) -> int | None:
        """When the first member whose log is given had joined a generation near this time."""
        joined = (when for when, _, _ in self._joiners.get((group, generation), ()) if abs(when - at) <= ONE_STEP_MS)
        return min(joined, default=None)

    def protocol(self, group: str, generation: int) -> str | None:
        """The assignor that the members of a generation named when they joined."""
        return self._protocols.get((group, generation))

    def next_generation(self, group: str, at: int) -> int | None:
        """The generation that a client of the group joins next, from `at` on."""
        return next((generation for when, generation in self._joins.get(group, ()) if when >= at), None)

    def member_of(self, group: str, instance: str, old: str, at: int) -> str | None:
        """The id of a static member that replaced `old` at this time: by what ends it, else by its own log.

        Brokers print the id that is replaced, not the new one. That is the one that is replaced next.
        """
        following = next((each for each in self._arrivals.get((group, instance), ()) if each[0] > at), None)
        if following is not None and following[1] is not None:
            return following[1]
        until = NEVER_MS if following is None else following[0]
        joins = self._instances.get((group, instance), ())
        return next((member for when, member in joins if at - REACTS_MS <= when < until and member != old), None)
