"""What all rows together know, gathered before the story is told: plans, protocols, topics, who is whose member."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from groupsim.events.types import Plan
from groupsim.incidents.facts.builder import number, parts, words
from groupsim.incidents.facts.clocks import TimedRow, is_broker
from groupsim.incidents.logs.rows import Row

_NEAR_MS = 60_000
_ENTERS = frozenset(["member_id_created", "pending_member_joins", "broker_consumer_joins"])
_IS_IN = frozenset(["member_failed", "member_left", "rebalance_start", "static_member_replaced"])


class LeaderPlan(NamedTuple):
    """What a leader computed: who gets what in one generation."""

    at: int
    file: str
    client: str | None
    plan: Plan


class _Named(NamedTuple):
    """A member that a broker's row names (`enters`, `is in`), or the row that completes a generation, or ends all."""

    where: int
    what: str
    member: str


class Index:
    """Look-ups over the whole reading. Generations can start over, so what is looked up is the nearest in time."""

    def __init__(self, placed: Sequence[TimedRow]) -> None:
        self.broker_groups: set[str] = set()
        self.client_groups: set[str] = set()
        self.topics: dict[str, dict[str, int]] = defaultdict(dict)
        self.session_timeouts: dict[str, int] = {}
        self.consumer_groups: set[str] = set()
        self.grown: set[str] = set()
        self.quickest: dict[str, int] = {}
        self._plans: dict[tuple[str, int], list[LeaderPlan]] = defaultdict(list)
        self._protocols: dict[tuple[str, int], str] = {}
        self._joins: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._instances: dict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
        self._named: dict[str, list[_Named]] = defaultdict(list)
        for number_, at in enumerate(placed):
            self._take(number_, at)

    def _take(self, where: int, placed: TimedRow) -> None:
        row = placed.row
        group = row.group
        if group is None:
            return
        if is_broker(row):
            self.broker_groups.add(group)
            self._name(where, group, row)
        else:
            self.client_groups.add(group)
        for key in ("partitions", "assigned", "owned"):
            self._count(group, row.detail.get(key))
        timeout = int_in(row.detail.get("session_timeout_ms"))
        if timeout is not None:
            self.session_timeouts[group] = timeout
        generation = int_in(row.detail.get("generation"))
        match row.kind:
            case "leader_computed_assignment":
                self._plan(placed, group, generation)
            case "joined" if generation is not None:
                self._joined(placed, group, generation)
            case "client_subscribed":
                topics = row.detail.get("topics")
                for topic in topics if isinstance(topics, list) else ():
                    self.topics[group].setdefault(str(topic), 0)
            case "state_change" | "broker_consumer_joins" | "broker_epoch" | "broker_target":
                self.consumer_groups.add(group)
            case "rejoin_requested" if "metadata has changed" in str(row.detail.get("reason")):
                self.grown.add(group)

    def _name(self, where: int, group: str, row: Row) -> None:
        """Whom a broker's row names, and as what."""
        if row.kind in ("stabilized", "group_empty"):
            self._named[group].append(_Named(where, row.kind, ""))
        member = text_in(row.detail.get("old_member")) or row.member
        if member is None:
            return
        joins = row.kind == "rebalance_start" and "dding new member" in str(row.detail.get("reason"))
        if joins or row.kind in _ENTERS:
            self._named[group].append(_Named(where, "enters", member))
        elif row.kind in _IS_IN:
            self._named[group].append(_Named(where, "is in", member))

    def upcoming(self, group: str, where: int) -> tuple[list[str], set[str]]:
        """Of the rows from `where` on: who is or will be in the next generation, and who has a line for coming in.

        Brokers before 3.0 don't print who joins a running rebalance: such a member is known by its end alone.
        """
        certain: dict[str, None] = {}
        entering: set[str] = set()
        completed = 0
        rows = self._named.get(group, [])
        for row in islice(rows, bisect_left(rows, where, key=lambda named: named.where), None):
            completed += row.what == "stabilized"
            if completed == 2 or row.what == "group_empty":
                break
            if row.what == "enters":
                entering.add(row.member)
            elif row.what == "is in" and row.member not in entering:
                certain.setdefault(row.member)
        return list(certain), entering

    def _count(self, group: str, names: object) -> None:
        for topic, partition in partitions_in(names):
            self.topics[group][topic] = max(self.topics[group].get(topic, 0), partition + 1)

    def _plan(self, placed: TimedRow, group: str, generation: int | None) -> None:
        printed = placed.row.detail.get("assignment")
        if generation is None or not isinstance(printed, Mapping):
            return
        plan = {str(member): partitions_in(names) for member, names in sorted(printed.items())}
        for names in printed.values():
            self._count(group, names)
        self._plans[group, generation].append(LeaderPlan(placed.at, placed.row.file, placed.row.client, plan))

    def _joined(self, placed: TimedRow, group: str, generation: int) -> None:
        row = placed.row
        self._joins[group].append((placed.at, generation))
        protocol = text_in(row.detail.get("protocol"))
        if protocol is not None:
            self._protocols.setdefault((group, generation), protocol)
        instance = text_in(row.detail.get("instance"))
        if instance is not None and row.member is not None:
            self._instances[group, instance].append((placed.at, row.member))

    def plan(self, group: str, generation: int, at: int) -> LeaderPlan | None:
        """The leader's plan of a generation, if a log near in time holds it."""
        found = self._plans.get((group, generation), [])
        best = min(found, key=lambda p: abs(p.at - at), default=None)
        return best if best is not None and abs(best.at - at) <= _NEAR_MS else None

    def led(self, group: str, generation: int, at: int, file: str, client: str | None) -> bool | None:
        """Whether this client led the generation; None if no plan of it is known."""
        plan = self.plan(group, generation, at)
        return None if plan is None else (plan.file, plan.client) == (file, client)

    def protocol(self, group: str, generation: int) -> str | None:
        """The assignor that the members of a generation named when they joined."""
        return self._protocols.get((group, generation))

    def next_generation(self, group: str, at: int) -> int | None:
        """The generation that a client of the group joins next, from `at` on."""
        return next((generation for when, generation in self._joins.get(group, ()) if when >= at), None)

    def member_of(self, group: str, instance: str, at: int) -> str | None:
        """The member id under which a static member joined next, by its own log."""
        return next((m for when, m in self._instances.get((group, instance), ()) if when >= at - 1000), None)
