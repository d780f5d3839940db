"""What holds of every share group, whatever its members, administrators and brokers do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import simpy
from hypothesis import example, given, settings
from hypothesis import strategies as st

from groupsim.coordinator.commands import Commit, DeleteGroup, Load, TopicDeleted, Unload
from groupsim.coordinator.config import Configs
from groupsim.coordinator.context import Context
from groupsim.coordinator.machine import AnyGroup, absent, evolve
from groupsim.coordinator.outcome import Reply
from groupsim.coordinator.share.commands import AlterShareOffsets, DeleteShareOffsets, ShareHeartbeat
from groupsim.coordinator.share.evolve import ShareDecision
from groupsim.coordinator.share.heartbeat import changes_nothing, heartbeat, step_by_step
from groupsim.coordinator.share.state import ShareGroup
from groupsim.coordinator.topics import Topic, Topics
from groupsim.events.base import Event, Recorded, group_stream
from groupsim.events.group import CoordinatorLoaded
from groupsim.invariants import Watch, all_invariants
from groupsim.simulation.group_host import GroupHost
from tests.thinned import examples

AS_MEMBER = ("join", "beat", "other", "leave", "stale")
ACTIONS = (*AS_MEMBER, "wait", "sleep", "grow", "anew", "alter", "forget", "restart", "delete")
STEPS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from(ACTIONS)), min_size=1, max_size=40)
NAMES = (("a",), ("a", "b"), ("b",), ("b", "nowhere"))
SESSION_MS, INITIALIZED_MS = 45_000, 200


class Group:
    """A share group on a real host, with a clock, four members, topics, and every fact that was recorded."""

    def __init__(self, **named: str) -> None:
        self.env = simpy.Environment()
        self.topics = Topics().with_topic(Topic("a", "a", 3)).with_topic(Topic("b", "b", 2))
        configs = Configs().with_settings({name.replace("_", "."): value for name, value in named.items()})
        self.initial = absent("g", configs)
        self.log: list[Event] = []
        self.watch = Watch(all_invariants())
        self.answers: list[Any] = []
        self.made = 2
        self.epochs = [0] * 4
        self.host = GroupHost(
            self.env,
            record=self._record,
            answer=lambda group, reply, wrote: self._answered(reply),
            initial=lambda group: self.initial,
            context=lambda group: Context(int(self.env.now), self.topics),
        )

    @property
    def state(self) -> AnyGroup:
        return self.host.group("g")

    def _record(self, group: str, events: Sequence[Event]) -> None:
        for event in events:
            self.log.append(event)
            self.watch.observe(Recorded("r", len(self.log), int(self.env.now), group_stream("g"), len(self.log), event))

    def _answered(self, reply: Reply) -> None:
        self.answers.append(reply.answer)

    def beat(self, slot: int, epoch: int, topics: tuple[str, ...] | None = None) -> None:
        command = ShareHeartbeat(request=0, member=f"m{slot}", epoch=epoch, client_id=f"m{slot}", topics=topics)
        now = command.at(Context(int(self.env.now), self.topics))
        if isinstance(self.state, ShareGroup) and changes_nothing(self.state, now):
            assert heartbeat(ShareDecision(self.state), now) == step_by_step(ShareDecision(self.state), now)
        self.host.handle("g", command)
        self.epochs[slot] = max(self.answers[-1].epoch, 0)

    def do(self, slot: int, action: str) -> None:
        self.env.run(until=self.env.now + 50)
        if action in ("join", "beat", "stale") and not self.epochs[slot]:
            self.beat(slot, 0, NAMES[slot])
        elif action in ("join", "other"):
            self.beat(slot, self.epochs[slot], NAMES[(slot + len(self.log)) % 4])
        elif action in ("beat", "stale"):
            self.beat(slot, self.epochs[slot] - 2 * (action == "stale"))
        elif action == "leave":
            self.beat(slot, -1)
        elif action in ("wait", "sleep"):
            self.env.run(until=self.env.now + (SESSION_MS + 1 if action == "sleep" else INITIALIZED_MS))
        elif action == "grow":
            grown = self.topics.by_name["a"]
            self.topics = self.topics.with_topic(replace(grown, partitions=grown.partitions + 1))
        elif action == "anew":
            self.topics = self.topics.without("b")
            self.host.handle("g", TopicDeleted(topic="b"))
            self.topics = self.topics.with_topic(Topic(f"b#{self.made}", "b", 2))
            self.made += 1
        elif action == "alter":
            self.host.handle("g", AlterShareOffsets(request=0, offsets=(("a", 0, 7), ("a", 99, 7), ("nowhere", 0, 7))))
        elif action == "forget":
            self.host.handle("g", DeleteShareOffsets(request=0, topics=("a", "nowhere")))
        elif action == "restart":
            self.host.handle("g", Unload())
            self.host.handle("g", Load())
        else:
            self.host.handle("g", Commit(request=0, offsets=(("a", 0, 1),), member=f"m{slot}", generation=1))
            self.host.handle("g", DeleteGroup(request=0))

    def check(self) -> None:
        assert not any(self.watch.violations.values()), self.watch.violations
        assert reduce(evolve, self.log, self.initial) == self.state
        durable = [event for event in self.log if event.durable]
        loaded = CoordinatorLoaded()
        assert reduce(evolve, [*durable, loaded], self.initial) == evolve(self.state, loaded)

    def heal(self) -> None:
        """Everybody speaks up until nothing changes any more; what the share coordinator lost is asked for again."""
        for _ in range(6):
            for slot in range(4):
                self.beat(slot, self.epochs[slot], None if self.epochs[slot] else NAMES[slot])
                if self.answers[-1].epoch == 0:
                    self.beat(slot, 0, NAMES[slot])
            self.env.run(until=self.env.now + 20_000)


@settings(max_examples=examples(40, 400), deadline=None)
@given(STEPS)
def test_facts_lead_to_the_state_records_are_enough_and_no_invariant_is_broken(steps: list[tuple[int, str]]) -> None:
    group = Group(group_share_assignment_interval_ms="0")
    for slot, action in steps:
        group.do(slot, action)
        group.check()


LEFT_BEHIND = [(2, "join"), (0, "wait"), (1, "other"), (0, "join"), (0, "join"), (0, "restart")]
"""The broker restarts while it initializes a topic that nobody is subscribed to any more: nobody asks for it again."""


@settings(max_examples=examples(25, 300), deadline=None)
@given(STEPS)
@example(LEFT_BEHIND)
def test_a_group_in_peace_gives_every_partition_of_its_topics_away(steps: list[tuple[int, str]]) -> None:
    """With the default interval between two targets: nobody waits for ever."""
    group = Group()
    for slot, action in steps:
        group.do(slot, action)
    group.heal()
    group.check()
    assert isinstance(group.state, ShareGroup)
    members = group.state.members.values()
    assert len(members) == 4
    named = {name for member in members for name in member.topics}
    wanted = {(topic.id, n) for topic in group.topics.named(named) for n in range(topic.partitions)}
    assert {tuple(p) for member in members for p in member.assigned} == wanted
    assert {member.epoch for member in members} == {group.state.epoch} == {group.state.target_epoch}
    subscribed = {topic.id for topic in group.topics.named(named)}
    assert not subscribed & group.state.initializing.keys()
