"""Which client library a simulated member has: the script says it, else the run, else Java; and what it cannot have."""

from __future__ import annotations

import pytest

from groupsim.assignors import ASSIGNORS
from groupsim.coordinator.config import BadSetting
from groupsim.scenarios.catalogue import find
from groupsim.scenarios.dsl import World
from groupsim.simulation.clients.config import AIOKAFKA, CLIENTS, JAVA, KAFKA_PYTHON, KAFKAJS, LIBRDKAFKA, SARAMA
from groupsim.simulation.clients.process import Script
from groupsim.simulation.clients.traits import TRAITS, not_of
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.run import Scenario, run
from groupsim.storage.memory import MemoryStore

HAS: dict[str, set[str]] = {
    JAVA: {"range", "roundrobin", "sticky", "cooperative-sticky"},
    LIBRDKAFKA: {"range", "roundrobin", "cooperative-sticky"},
    KAFKA_PYTHON: {"range", "roundrobin", "sticky", "cooperative-sticky"},
    KAFKAJS: {"RoundRobinAssigner"},
    SARAMA: {"range", "roundrobin", "sticky"},
    AIOKAFKA: {"range", "roundrobin", "sticky"},
}
SHIPPED = {name for names in HAS.values() for name in names}


def libraries(settings: dict[str, str], named: str | None = None, assignor: str | None = None) -> list[str]:
    """The libraries of two members, the second of which has the library `named`."""
    seen: list[str] = []

    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=4)
        group = world.group("billing", assignor=assignor)
        members = [*group.join(1, topics=[orders]), *group.join(1, topics=[orders], client=named)]
        seen.extend(member.settings.library for member in members)
        yield world.sleep(10)

    run(Scenario(name="s", story=story, seed=1, lasts_ms=100), MemoryStore(), settings=settings)
    return seen


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("assignor", sorted(SHIPPED))
def test_a_member_has_its_library_s_assignors_and_no_others(client: str, assignor: str) -> None:
    if assignor in HAS[client]:
        assert libraries({}, client, None if client == KAFKAJS else assignor)[1] == client
        return
    with pytest.raises(BadScenario) as error:
        libraries({"client": client}, None, assignor)
    assert f"client '{client}' can't be simulated with assignor '{assignor}'; its assignors: " in str(error.value)
    assert str(error.value).endswith(", ".join(TRAITS[client].assignors))


def test_applications_bring_assignors_of_their_own_where_the_library_lets_them() -> None:
    own = {name for name, assignor in ASSIGNORS.items() if assignor.side == "client"} - SHIPPED
    assert {"optimal-sticky", "constrained-cooperative-sticky"} <= own
    assert not_of(JAVA, own) == not_of(KAFKA_PYTHON, own) == []
    assert set(not_of(LIBRDKAFKA, own)) == own
    assert not_of(KAFKAJS, own) == ["constrained-cooperative-sticky"], "its rebalances are eager"


def test_the_run_s_client_counts_where_the_script_names_none() -> None:
    assert libraries({}) == [JAVA, JAVA]
    assert libraries({"client": SARAMA}) == [SARAMA, SARAMA]
    assert libraries({"client": KAFKA_PYTHON}, JAVA) == [KAFKA_PYTHON, JAVA]


def test_a_scenario_s_own_parameter_client_is_its_own() -> None:
    seen = []

    def story(world: World, client: str) -> Script:
        seen.append(client)
        world.group("billing").join(1, topics=[world.topic("orders", partitions=4)])
        yield world.sleep(10)

    scenario = Scenario(name="s", story=story, seed=1, lasts_ms=100, params={"client": "ours"})
    run(scenario, MemoryStore(), settings={"client": "acme"})
    assert seen == ["acme"]


@pytest.mark.parametrize(
    ("scenario", "client", "why"),
    [
        ("rolling_restart", "rust", "client must be one of java, librdkafka, kafka-python, kafkajs, sarama, aiokafka"),
        ("rolling_restart", SARAMA, "client 'sarama' can't be simulated with assignor 'cooperative-sticky'"),
        ("consumer_rolling_restart", KAFKAJS, "client 'kafkajs' has no group.protocol=consumer; .*: java, librdkafka"),
        ("streams_rolling_restart", AIOKAFKA, "instances of Kafka Streams are Java programs: .* can't be 'aiokafka'"),
        ("connect_rolling_restart", SARAMA, "workers of Kafka Connect are Java programs: .* can't be 'sarama'"),
    ],
)
def test_a_client_that_members_of_a_scenario_cannot_be_is_refused_before_time_passes(
    scenario: str, client: str, why: str
) -> None:
    store = MemoryStore()
    with pytest.raises(BadScenario, match=why):
        run(find(scenario), store, settings={"client": client})
    assert store.runs() == []


def test_any_scenario_takes_a_client_and_a_mistyped_one_is_named() -> None:
    found = run(find("rolling_restart"), MemoryStore(), settings={"client": LIBRDKAFKA, "members": 3, "partitions": 6})
    assert found.failure is None
    with pytest.raises(BadSetting, match="unknown setting 'clent'; near names: client"):
        run(find("rolling_restart"), MemoryStore(), settings={"clent": SARAMA})


@pytest.mark.parametrize(
    ("config", "client", "why"),
    [
        ({}, SARAMA, "can't be simulated with assignor 'cooperative-sticky'"),
        ({"group.protocol": "consumer"}, KAFKA_PYTHON, "has no group.protocol=consumer"),
    ],
)
def test_a_deploy_that_changes_to_what_a_client_is_not_is_refused(
    config: dict[str, str], client: str, why: str
) -> None:
    def story(world: World) -> None:
        group = world.group("billing", assignor="cooperative-sticky")
        (member,) = group.join(1, topics=[world.topic("orders", partitions=4)])
        member.configure(config, client=client)

    with pytest.raises(BadScenario, match=why):
        run(Scenario(name="s", story=story, seed=1, lasts_ms=100), MemoryStore())
