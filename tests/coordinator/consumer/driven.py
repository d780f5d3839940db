"""A consumer group driven by hand: one command after the other, without timers."""

from __future__ import annotations

from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.config import Configs
from groupsim.coordinator.consumer import ConsumerGroup
from groupsim.coordinator.consumer.commands import ConsumerHeartbeat, ConsumerHeartbeatAnswer
from groupsim.coordinator.context import Context
from groupsim.coordinator.machine import MACHINES, AnyGroup
from groupsim.coordinator.topics import Topic, Topics
from groupsim.events.types import Partitions, TopicPartition

TOPICS = Topics({"a": Topic("a", "a", 4), "b": Topic("b", "b", 3)}, 1)


def parts(**numbers: int | range) -> Partitions:
    """`parts(a=range(2))`: partitions 0 and 1 of a; a number alone is one partition."""
    return tuple(
        TopicPartition(topic, number)
        for topic, listed in sorted(numbers.items())
        for number in ((listed,) if isinstance(listed, int) else listed)
    )


class Driven:
    """The group after what it was sent so far; the broker version and other settings by Kafka's names."""

    def __init__(self, **settings: str) -> None:
        named = {name.replace("_", "."): value for name, value in settings.items()}
        self.state: AnyGroup = ClassicGroup(id="g", configs=Configs().with_settings(named))
        self.at_ms = 0

    @property
    def group(self) -> ConsumerGroup:
        """The consumer group."""
        assert isinstance(self.state, ConsumerGroup)
        return self.state

    def send(self, command: object) -> object:
        """Decide a command; the answer, None where there is none."""
        outcome = MACHINES[type(self.state)].decide(self.state, command)
        self.state = outcome.state
        return outcome.replies[0].answer if outcome.replies else None

    def beat(self, member: str, epoch: int, *, broker: Topics = TOPICS, **sent: object) -> ConsumerHeartbeatAnswer:
        """A heartbeat a second after the one before; a join (epoch 0) subscribes to `a` unless named otherwise."""
        self.at_ms += 1000
        joins = {"topics": ("a",), "owned": (), "rebalance_timeout_ms": 60_000} if epoch == 0 else {}
        context = Context(self.at_ms, broker)
        fields: dict[str, object] = {"request": 1, "member": member, "epoch": epoch, "context": context}
        command = ConsumerHeartbeat(**(fields | joins | sent))  # type: ignore[arg-type]
        answer = self.send(command)
        assert isinstance(answer, ConsumerHeartbeatAnswer)
        return answer
