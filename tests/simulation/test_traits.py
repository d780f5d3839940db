"""How client libraries differ stands in one record each, and nowhere else."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from groupsim import simulation
from groupsim.assignors.spec import Member, Spec
from groupsim.events.client import ProcessStarted
from groupsim.events.network import MessageDelivered
from groupsim.scenarios.dsl import World
from groupsim.simulation.clients.classic import sarama_round_robin
from groupsim.simulation.clients.config import CLIENTS, KAFKAJS, SARAMA
from groupsim.simulation.clients.process import Script
from groupsim.simulation.clients.traits import TRAITS
from tests.simulation.finished_run import play


def test_every_library_has_traits_and_no_two_have_the_same() -> None:
    assert set(TRAITS) == set(CLIENTS)
    assert len({repr(traits) for traits in TRAITS.values()}) == len(CLIENTS)


def test_no_client_module_asks_which_library_it_is() -> None:
    named = re.compile(r"\b(?:client|library)\s*(==|!=|in)\s|\b(LIBRDKAFKA|KAFKA_PYTHON|KAFKAJS|SARAMA|AIOKAFKA)\b")
    folder = Path(simulation.__file__).parent / "clients"
    asking = [path.name for path in sorted(folder.rglob("*.py")) if named.search(path.read_text())]
    assert asking == ["config.py", "traits.py"]


def settings_of(client: str, settings: dict[str, int]) -> dict[str, object]:
    """A member's own settings in a group with these."""

    def story(world: World) -> Script:
        world.group("billing", config=settings).join("m1", topics=[world.topic("orders", 1)], client=client)
        yield world.sleep(10)

    return dict(play(story, 100).one(ProcessStarted)[1].config)


def test_a_library_s_own_defaults_count_where_the_group_sets_nothing_else() -> None:
    assert settings_of(KAFKAJS, {})["session.timeout.ms"] == 30_000
    assert settings_of(KAFKAJS, {})["partition.assignment.strategy"] == "RoundRobinAssigner"
    assert settings_of(KAFKAJS, {"session.timeout.ms": 7_000})["session.timeout.ms"] == 7_000


def test_sarama_s_round_robin_goes_by_name() -> None:
    """Recorded with Sarama 1.61.1 on Kafka 4.4: three members found a group together."""
    trio = tuple(Member(name, ("orders",)) for name in ("m1", "m2", "m3"))
    given = sarama_round_robin.assign(Spec(trio, {"orders": 12}))
    assert {m: sorted(p.partition for p in found) for m, found in given.items()} == {
        "m1": [0, 4, 7, 11],
        "m2": [1, 2, 5, 8],
        "m3": [3, 6, 9, 10],
    }


def test_sarama_s_round_robin_passes_over_members_that_do_not_want_a_topic() -> None:
    given = sarama_round_robin.assign(Spec((Member("m1", ("a",)), Member("m2", ("b",))), {"a": 2, "b": 1, "c": 1}))
    assert given == {"m1": [("a", 0), ("a", 1)], "m2": [("b", 0)]}


def quiet_heartbeats_ms(client: str) -> list[int]:
    """The times between heartbeats of a member whose topic gets no records."""

    def story(world: World) -> Script:
        world.host("ideal")
        group = world.group("billing", config={"session.timeout.ms": 10_000, "heartbeat.interval.ms": 1_000})
        group.join("m1", topics=[world.topic("orders", 1, rate=0)], client=client)
        yield world.sleep(40_000)

    sent = [at for at, e in play(story, 41_000).each(MessageDelivered, api="Heartbeat", response=False)]
    return sorted({later - earlier for earlier, later in pairwise(sent)})


def test_kafkajs_sends_heartbeats_in_a_quiet_topic_only_when_a_fetch_has_waited_in_vain() -> None:
    """runner.js: fetch. Its maxWaitTimeInMs is 5 s, whatever heartbeatInterval says."""
    assert quiet_heartbeats_ms(SARAMA) == [1_000]
    assert min(quiet_heartbeats_ms(KAFKAJS)) >= 4_000
