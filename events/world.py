"""What happens outside the groups: topics, what the operator does, what the scenario asserts. One stream, `world`."""

from __future__ import annotations

from groupsim.events.base import Event


class TopicCreated(Event, frozen=True, kw_only=True):
    """A topic exists. `rate` is records per second and partition."""

    topic: str
    partitions: int
    rate: float = 0.0


class PartitionsAdded(Event, frozen=True, kw_only=True):
    """A topic has grown to `partitions` partitions."""

    topic: str
    partitions: int


class GroupDeclared(Event, frozen=True, kw_only=True):
    """A group is meant to serve these topics from now on: unavailable time counts from here.

    protocol: `classic` or `consumer`.
    """

    group: str
    protocol: str
    topics: tuple[str, ...]


class ActionTaken(Event, frozen=True, kw_only=True):
    """The operator did something, or a fault was injected: `start`, `stop`, `kill`, `freeze`, `thaw`, …

    `target` is a process, a group, or what Kubernetes runs it with: a workload, a pod, a node.
    """

    action: str
    target: str


class CheckMade(Event, frozen=True, kw_only=True):
    """The scenario asserted something."""

    claim: str
    ok: bool


class RunEnded(Event, frozen=True, kw_only=True):
    """The last fact of a run: how it ended (`finished`, `failed`, `interrupted`)."""

    status: str
