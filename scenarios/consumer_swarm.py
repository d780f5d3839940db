"""The same faults as in `swarm` for members of the consumer protocol, beside classic members or alone."""

from __future__ import annotations

from random import Random

from groupsim.scenarios.dsl import GroupHandle, World, minutes, scenario, seconds
from groupsim.scenarios.swarm import (
    FAULTS_UNTIL_MS,
    LONGEST_MS,
    QUIET_MS,
    STABLE_WITHIN_MS,
    Swarm,
    draw_application,
    draw_fault,
    draw_timeouts,
)
from groupsim.simulation.clients.config import CONSUMER, REFUSED
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=FAULTS_UNTIL_MS + LONGEST_MS + STABLE_WITHIN_MS + QUIET_MS + minutes(0.25))
def consumer_swarm(world: World, faults: int = 10, classic_share: float = 0.0) -> Script:
    """Members of the consumer protocol, drawn like their timeouts and up to ten faults, become stable in the end.

    `classic_share` of the members, drawn one by one, speak the classic protocol in the same group.

    Source: KIP-848.
    """
    swarm = ConsumerSwarm(world, world.rng.stream("swarm"), classic_share)
    for fault in [draw_fault(swarm.chance) for _ in range(swarm.chance.randint(min(2, faults), faults))]:
        world.env.process(swarm.inject(fault))
    yield world.sleep(FAULTS_UNTIL_MS + LONGEST_MS + seconds(1))

    for member in swarm.group.members:
        if not member.running:
            yield member.start()
    yield swarm.group.stable(members=len(swarm.group.members), within=STABLE_WITHIN_MS)
    yield world.sleep(QUIET_MS)


class ConsumerSwarm(Swarm):
    """One consumer group with drawn settings. No member is static: one that was killed is refused when it is back."""

    def __init__(self, world: World, chance: Random, classic_share: float) -> None:
        self.world, self.chance = world, chance
        self.classic_share = classic_share
        self.timeouts = draw_timeouts(chance)
        world.configure_broker(
            {
                "group.initial.rebalance.delay.ms": 0,
                "group.consumer.min.session.timeout.ms": 1_000,
                "group.consumer.session.timeout.ms": self.timeouts["session.timeout.ms"],
                "group.consumer.min.heartbeat.interval.ms": 100,
                "group.consumer.heartbeat.interval.ms": self.timeouts["heartbeat.interval.ms"],
                "group.consumer.assignment.interval.ms": chance.choice((0, 1_000)),
                "broker.version": chance.choice(("4.0", "4.4")),
            }
        )
        world.network.latency_ms = (1, chance.choice((1, 5, 200)))
        self.some_list_one = self.stream_join = False
        names = ("orders", "clicks")[: chance.choice((1, 1, 2))]
        self.topics = [world.topic(name, partitions=chance.randint(1, 9)) for name in names]
        config = {name: value for name, value in self.timeouts.items() if name not in REFUSED[CONSUMER]}
        self.group: GroupHandle = world.group(
            "billing", protocol=CONSUMER, assignor=chance.choice(("uniform", "range")), config=config
        )
        self.down_until = -1
        for _ in range(chance.randint(1, 5)):
            self._join()

    def _join(self) -> None:
        """One more member, with drawn settings."""
        chance = self.chance
        classic = chance.random() < self.classic_share
        known = {name: self.timeouts[name] for name in ("session.timeout.ms", "heartbeat.interval.ms")}
        protocol = {"group.protocol": "classic", **known}
        self.group.join(
            1,
            topics=self.topics,
            client="java" if classic else chance.choice(("java", "java", "librdkafka")),
            config=protocol if classic else {},
            application=draw_application(chance),
        )
