"""What holds of every streams group, whatever its members, administrators and brokers do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from groupsim.coordinator.commands import Commit, DeleteGroup, Load, TopicDeleted, Unload
from groupsim.coordinator.context import Context
from groupsim.coordinator.modern.state import Phase
from groupsim.coordinator.streams.commands import InternalTopicsFailed, StreamsHeartbeat
from groupsim.coordinator.streams.heartbeat import changes_nothing, heartbeat, step_by_step
from groupsim.coordinator.streams.state import StreamsGroup
from groupsim.coordinator.topics import Topic, Topics
from groupsim.events.streams import InternalTopic, Subtopology, Topology
from tests.coordinator.share.test_properties import Group
from tests.thinned import examples

ACTIONS = (
    *("join", "beat", "beat", "give up", "leave", "away", "stale", "thief", "moves", "serves", "reports", "shutdown"),
    *("grow", "delete topic", "make topic", "make log", "commit", "wait", "sleep", "restart", "delete", "standbys"),
)
STEPS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from(ACTIONS)), min_size=1, max_size=40)
TOPOLOGY = Topology(
    0,
    (
        Subtopology(id="0", sources=("a",), changelogs=(InternalTopic("log"),)),
        Subtopology(id="1", sources=("b",)),
    ),
)
SESSION_MS = 45_000


class Application(Group):
    """A streams group on a real host: four members in three processes, the last two of which are static."""

    def __init__(self, **named: str) -> None:
        super().__init__(**named)
        self.topics = Topics().with_topic(Topic("a", "a", 3)).with_topic(Topic("b", "b", 2))
        self.topics = self.topics.with_topic(Topic("log", "log", 3))
        self.settings: dict[str, Any] = {}
        self.short = 0
        self.host._context = lambda group: Context(int(self.env.now), self.topics, self.settings)

    def member(self, slot: int) -> Any:
        return self.state.members.get(f"m{slot}")

    def send(self, slot: int, epoch: int, **fields: Any) -> Any:
        member, instance = f"m{slot}", f"i{slot}" if slot > 1 else None
        sent: dict[str, Any] = {"member": member, "client_id": member, "instance_id": instance, "endpoint_epoch": 0}
        if epoch == 0:
            tasks = dict.fromkeys(("active", "standby", "warmup"), ())
            sent |= {
                "topology": TOPOLOGY,
                "process": f"p{slot // 2}",
                "rebalance_timeout_ms": 60_000,
                "tags": (),
                **tasks,
            }
        command = StreamsHeartbeat(**{"request": 0, "epoch": epoch, **sent, **fields})
        now = command.at(Context(int(self.env.now), self.topics, self.settings))
        if isinstance(self.state, StreamsGroup) and changes_nothing(self.state, now):
            self.short += 1
            assert heartbeat(self.state, now) == step_by_step(self.state, now)
        self.host.handle("g", command)
        return self.answers[-1]

    def do(self, slot: int, action: str) -> None:
        self.env.run(until=self.env.now + 50)
        member = self.member(slot) if isinstance(self.state, StreamsGroup) else None
        epoch = max(member.epoch, 0) if member is not None else 0
        match action:
            case "beat" | "join" if member is None or action == "join":
                self.send(slot, 0)
            case "beat":
                self.send(slot, epoch)
            case "give up":
                tasks = member.tasks if member is not None else None
                owned = {"active": tasks.active, "standby": tasks.standby, "warmup": ()} if tasks and epoch else {}
                self.send(slot, epoch, **owned)
            case "leave" | "away":
                self.send(slot, -1 if action == "leave" else -2)
            case "stale":
                self.send(slot, epoch - 1, active=(), standby=(), warmup=())
            case "thief":
                self.send(slot, epoch * (slot % 2), member="x", instance_id=f"i{2 + slot % 2}")
            case "moves":
                self.send(slot, epoch, process=f"p{(slot + len(self.log)) % 3}")
            case "serves":
                self.send(slot, epoch, endpoint=(f"h{slot}", len(self.log) % 2))
            case "reports":
                self.send(slot, epoch, offsets=(("0", slot, len(self.log)),))
            case "shutdown":
                self.send(slot, epoch, shutdown=True)
            case _:
                self.administer(slot, action)

    def administer(self, slot: int, action: str) -> None:
        match action:
            case "grow" if "a" in self.topics.by_name:
                grown = self.topics.by_name["a"]
                self.topics = self.topics.with_topic(replace(grown, partitions=grown.partitions + 1))
            case "delete topic" if "b" in self.topics.by_name:
                self.topics = self.topics.without("b")
                self.host.handle("g", TopicDeleted(topic="b"))
            case "make topic" if "b" not in self.topics.by_name:
                self.topics = self.topics.with_topic(Topic(f"b#{len(self.log)}", "b", 1 + slot))
            case "make log" if "a" in self.topics.by_name:
                made = Topic(f"log#{len(self.log)}", "log", self.topics.by_name["a"].partitions)
                self.topics = self.topics.without("log").with_topic(made)
                if isinstance(self.state, StreamsGroup):
                    self.host.handle("g", InternalTopicsFailed(reasons=(("log", "no"),)))
            case "commit":
                self.host.handle("g", Commit(request=0, offsets=(("a", 0, 1),), member=f"m{slot}", generation=slot))
            case "wait" | "sleep":
                self.env.run(until=self.env.now + (SESSION_MS + 1 if action == "sleep" else 1_000))
            case "restart":
                self.host.handle("g", Unload())
                self.host.handle("g", Load())
            case "delete":
                self.host.handle("g", DeleteGroup(request=0))
            case "standbys":
                self.settings = {"streams.num.standby.replicas": slot % 3}

    def heal(self) -> None:
        """Topics are all there and everybody speaks up until nothing changes any more."""
        self.topics = self.topics.with_topic(Topic("b", "b", 2))
        self.administer(0, "make log")
        for _ in range(24):
            for slot in range(4):
                member = self.member(slot) if isinstance(self.state, StreamsGroup) else None
                if member is None or member.epoch <= 0:
                    self.send(slot, 0)
                else:
                    tasks = member.tasks
                    self.send(slot, member.epoch, active=tasks.active, standby=tasks.standby, warmup=())
            self.env.run(until=self.env.now + 4_000)


@settings(max_examples=examples(40, 1000), deadline=None)
@given(STEPS)
def test_facts_lead_to_the_state_records_are_enough_and_no_invariant_is_broken(steps: list[tuple[int, str]]) -> None:
    group = Application(group_streams_assignment_interval_ms="0", group_streams_initial_rebalance_delay_ms="0")
    for slot, action in steps:
        group.do(slot, action)
        group.check()


@settings(max_examples=examples(20, 400), deadline=None)
@given(STEPS)
def test_a_group_in_peace_runs_every_task_once_and_reaches_its_target(steps: list[tuple[int, str]]) -> None:
    """With the default delays: nobody waits for ever."""
    group = Application()
    for slot, action in steps:
        group.do(slot, action)
    group.heal()
    group.check()
    state = group.state
    assert isinstance(state, StreamsGroup)
    assert state.phase is Phase.STABLE
    running = sorted(task for member in state.members.values() for task in member.active)
    counts = {part.id: group.topics.by_name[part.sources[0]].partitions for part in TOPOLOGY.subtopologies}
    assert running == [(part, number) for part, count in sorted(counts.items()) for number in range(count)]
    assert all(member.tasks == state.targets[member.id] for member in state.members.values())


def test_a_heartbeat_that_changes_nothing_takes_the_short_way_and_is_answered_as_by_the_long_one() -> None:
    group = Application(group_streams_assignment_interval_ms="0", group_streams_initial_rebalance_delay_ms="0")
    group.heal()
    settled = group.short
    for slot in range(4):
        group.send(slot, group.member(slot).epoch)
    assert group.short == settled + 4
