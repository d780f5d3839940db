"""ConnectHandle: how a scenario controls a cluster of Kafka Connect: its workers are members, and it has connectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import simpy

from groupsim.events.connect import CONNECTOR
from groupsim.simulation import checks
from groupsim.simulation.clients.connect.cluster import ConnectCluster
from groupsim.simulation.clients.process import Script
from groupsim.simulation.consumer_context import ConsumerContext
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.group import GroupHandle

MOST_TASKS = 100_000
READ_MS = 20
"""Until every worker has read what is new in the config topic."""


class ConnectHandle(GroupHandle):
    """The group of a cluster's workers; `join("w1", "w2")` starts them."""

    def __init__(
        self,
        context: ConsumerContext,
        name: str,
        settings: Mapping[str, object],
        cluster: ConnectCluster,
        show: Callable[[str, int], None],
    ) -> None:
        """`show`: makes the partitions that stand for a connector or its tasks."""
        super().__init__(context, name, settings, connect=cluster)
        self._cluster = cluster
        self._show = show
        self._random = context.rng.stream(f"connectors/{name}").random

    def has(self, connector: str, tasks: int) -> None:
        """A connector that is in the config topic before any worker starts. Raises BadScenario for one that is none."""
        self._check(connector, tasks)
        self._configure(connector, tasks)

    def add_connector(self, connector: str, tasks: int) -> simpy.Event:
        """Create a connector: a rebalance for itself, and one for its tasks. Fires when these are in the config topic.

        Kafka: DistributedHerder.ConfigUpdateListener, which lets every worker rejoin at once.
        """
        self._check(connector, tasks)

        def script() -> Script:
            self._configure(connector, 0)
            yield from self._inform()
            yield self._context.env.timeout(self._cluster.times.configure.draw(self._random))
            self._configure(connector, tasks)
            yield from self._inform()

        return self._context.env.process(script())

    def _check(self, connector: str, tasks: int) -> None:
        what = f"cluster {self.name!r}"
        checks.name(connector, f"{what}: the name of a connector")
        checks.whole(tasks, f"{what}: the number of tasks of {connector!r}", most=MOST_TASKS)
        if connector in self._cluster.connectors:
            raise BadScenario(f"{what}: connector {connector!r} exists already")

    def _configure(self, connector: str, tasks: int) -> None:
        self._show(CONNECTOR + connector, 1)
        if tasks:
            self._show(connector, tasks)
        self._cluster.connectors[connector] = tasks
        self._declare(tuple(self._cluster.topics))

    def _inform(self) -> Script:
        yield self._context.env.timeout(READ_MS)
        for member in self.members:
            if member.running and not member.closing:
                member.client.configured()
