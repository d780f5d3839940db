"""Members of a consumer group that do at any moment what a client may do, and what happens to clients and brokers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import reduce

from hypothesis import strategies as st

from groupsim.coordinator.commands import Commit, CommitAnswer
from groupsim.coordinator.consumer import survives
from groupsim.coordinator.consumer.commands import ConsumerHeartbeatAnswer
from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.coordinator.context import Context
from groupsim.coordinator.machine import MACHINES, AnyGroup, evolve
from groupsim.coordinator.modern.commands import RebalanceTimedOut, SessionExpired
from groupsim.coordinator.modern.state import Phase
from groupsim.coordinator.outcome import Error
from groupsim.events.base import Event
from groupsim.events.consumer import ConsumerGroupCreated
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded
from groupsim.events.types import MemberId, TopicPartition
from tests.coordinator.consumer.driven import TOPICS, Driven

SUBSCRIPTIONS = (("a",), ("a", "b"), ("b",), ())


@dataclass
class Client:
    """A client: `uses` are the partitions it works on, `given` what the coordinator gave it last.

    After a heartbeat that was `unanswered` it says everything again, as Kafka's consumer does.
    """

    id: MemberId
    instance_id: str | None = None
    topics: tuple[str, ...] = ("a",)
    epoch: int = 0
    joined: bool = False
    unanswered: bool = False
    uses: set[TopicPartition] = field(default_factory=set)
    given: set[TopicPartition] = field(default_factory=set)


class Crowd(Driven):
    """Two dynamic and two static clients; every durable fact is kept."""

    def __init__(self, **settings: str) -> None:
        super().__init__(**({"group_consumer_assignment_interval_ms": "0"} | settings))
        self.topics = TOPICS
        self.initial = self.state
        self.log: list[Event] = []
        self.clients = [Client("m0"), Client("m1"), Client("m2", "i2"), Client("m3", "i3")]

    def send(self, command: object) -> object:
        outcome = MACHINES[type(self.state)].decide(self.state, command)
        self.log.extend(outcome.events)
        self.state = outcome.state
        return outcome.replies[0].answer if outcome.replies else None

    @property
    def members(self) -> dict[MemberId, Member]:
        """The coordinator's book; empty before the first member."""
        return dict(self.state.members) if isinstance(self.state, ConsumerGroup) else {}

    def do(self, slot: int, action: str) -> None:
        """One action of one client, as far as it can be done now."""
        client = self.clients[slot]
        if action == "join" or not client.joined:
            self.join(client)
        else:
            ACTIONS[action](self, client)

    def join(self, client: Client) -> None:
        """The client begins anew, with nothing."""
        client.epoch, client.uses, client.given = 0, set(), set()
        self._take(client, self._beat(client, 0, topics=client.topics, owned=(), rebalance_timeout_ms=60_000))

    def heartbeat(self, client: Client) -> None:
        """With what it uses."""
        self._take(client, self._beat(client, client.epoch, owned=tuple(sorted(client.uses))))

    def silent(self, client: Client) -> None:
        """A heartbeat that says nothing but that the member is there."""
        self._take(client, self._beat(client, client.epoch))

    def adopt(self, client: Client) -> None:
        """It gives up what it no longer has, and works on what it was given."""
        client.uses = set(client.given)
        self.heartbeat(client)

    def lost(self, client: Client) -> None:
        """The answer does not arrive."""
        self._beat(client, client.epoch, owned=tuple(sorted(client.uses)))
        client.unanswered = True

    def subscribe(self, client: Client) -> None:
        """The next one of a few subscriptions; it stops working on other topics."""
        client.topics = SUBSCRIPTIONS[(SUBSCRIPTIONS.index(client.topics) + 1) % len(SUBSCRIPTIONS)]
        client.uses = {p for p in client.uses if p.topic in client.topics}
        self._take(client, self._beat(client, client.epoch, topics=client.topics, owned=tuple(sorted(client.uses))))

    def vote(self, client: Client) -> None:
        """For range."""
        self._take(client, self._beat(client, client.epoch, assignor="range"))

    def leave(self, client: Client) -> None:
        """For good; a static member for a while."""
        client.uses, client.joined = set(), False
        self._beat(client, -1 if client.instance_id is None else -2)

    def expire(self, client: Client) -> None:
        """Its session ends; it does not know."""
        self.send(SessionExpired(member=client.id, context=self.now()))

    def time_out(self, client: Client) -> None:
        """Its rebalance timeout ends."""
        if client.id in self.members:
            epoch = self.members[client.id].epoch
            self.send(RebalanceTimedOut(member=client.id, epoch=epoch, context=self.now()))

    def grow(self, client: Client) -> None:
        """Topic b gets a partition more."""
        b = self.topics.by_name["b"]
        self.topics = self.topics.with_topic(replace(b, partitions=b.partitions + 1))

    def heal(self, rounds: int = 12) -> None:
        """Everybody is there, and behaves; who is not let in waits until the session of its former self ends."""
        for _ in range(rounds):
            for client in self.clients:
                if client.joined:
                    self.adopt(client)
                else:
                    self.join(client)
                if not client.joined:
                    self.expire(client)
            if all(client.joined and client.uses == client.given for client in self.clients) and self._settled():
                return

    def _settled(self) -> bool:
        return self.state.phase is Phase.STABLE

    def commits(self, member: MemberId, epoch: int, partition: TopicPartition) -> bool:
        """Whether a commit is accepted; nothing changes."""
        offsets = ((partition.topic, partition.partition, 5),)
        command = Commit(request=1, offsets=offsets, member=member, generation=epoch, context=self.now())
        answer = MACHINES[type(self.state)].decide(self.state, command).replies[0].answer
        assert isinstance(answer, CommitAnswer)
        return answer.error is Error.NONE

    def restarted(self) -> tuple[AnyGroup, AnyGroup]:
        """The group by its records alone, and the group that a coordinator goes on with; both just loaded."""
        created = ConsumerGroupCreated(replaces_classic=False)
        durable = [created, *(event for event in self.log if survives(event))]
        moves = [CoordinatorUnloaded(), CoordinatorLoaded()]
        return reduce(evolve, [*durable, *moves], self.initial), reduce(evolve, moves, self.state)

    def now(self) -> Context:
        self.at_ms += 1000
        return Context(self.at_ms, self.topics)

    def _beat(self, client: Client, epoch: int, **sent: object) -> ConsumerHeartbeatAnswer:
        if client.unanswered and epoch > 0:
            uses = tuple(sorted(client.uses))
            sent = {"topics": client.topics, "rebalance_timeout_ms": 60_000, "owned": uses} | sent
        return self.beat(client.id, epoch, broker=self.topics, instance_id=client.instance_id, **sent)

    def _take(self, client: Client, answer: ConsumerHeartbeatAnswer) -> None:
        client.joined, client.unanswered = answer.error is Error.NONE, False
        if not client.joined:
            client.uses = set()
            return
        client.epoch = answer.epoch
        if answer.assignment is not None:
            client.given = set(answer.assignment)


ACTIONS: dict[str, Callable[[Crowd, Client], None]] = {
    "heartbeat": Crowd.heartbeat,
    "silent": Crowd.silent,
    "adopt": Crowd.adopt,
    "lost": Crowd.lost,
    "subscribe": Crowd.subscribe,
    "vote": Crowd.vote,
    "leave": Crowd.leave,
    "expire": Crowd.expire,
    "time_out": Crowd.time_out,
    "grow": Crowd.grow,
}
STEPS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["join", *ACTIONS])), min_size=4, max_size=25)
"""(which client, what it does)."""
