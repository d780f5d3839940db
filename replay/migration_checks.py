"""What a change of protocol asks for: settings, assignors, expressions, racks, listeners (KIP-848)."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from groupsim.assignors import JAVA_CLASSES
from groupsim.replay.choice import Choice
from groupsim.replay.migration import ROLLING, STOP_ALL, client_after, static, user_data
from groupsim.replay.protocols import SERVER_ASSIGNORS, STRATEGY, broker_bounds, group_settings
from groupsim.replay.reconstruct.client_library import offered_assignors
from groupsim.replay.reconstruct.incident import Incident
from groupsim.simulation.clients.config import CLASSIC, CONSUMER, JAVA, LIBRDKAFKA, REFUSED, ConsumerConfig
from groupsim.simulation.clients.traits import CONSUMER_TRAITS
from groupsim.wording.lists import listed

Config = Mapping[str, int | str | bool]
_SLOW_POLL_MS = 1_000
_EAGER = ("range", "roundrobin", "sticky")
_DEFAULTS: dict[str, tuple[str, ...]] = {
    JAVA: ConsumerConfig().partition_assignment_strategy,
    LIBRDKAFKA: ("range", "roundrobin"),
}
"""What members offer whose settings name no assignor, by library."""
_OTHER_CLIENT = "confluent-kafka for Python, for example, which is librdkafka"
_OTHER_PROTOCOLS = {"stream": "Kafka Streams", "sessioned": "Kafka Connect", "compatible": "Kafka Connect"}


def impossible(incident: Incident, to: str, form: str = ROLLING) -> str | None:
    """Why the group can't be changed in this form, with what can be done instead; None if it can."""
    if to == CLASSIC:
        return None
    if (other := other_protocol(incident)) is not None:
        return f"it is a group of {other}, which has protocols of its own"
    if form == STOP_ALL:
        return None
    if incident.client not in CONSUMER_TRAITS:
        return (
            f"its members use {incident.client}, which does not speak the consumer protocol; they have to use another"
            f" client ({_OTHER_CLIENT}), and no recording shows both in one group: stop all members together"
        )
    if user_data(incident):
        return (
            "librdkafka's cooperative-sticky puts user data into assignments, and a coordinator converts no group"
            " with it: the first upgraded member ends with GROUP_ID_NOT_FOUND; nor can it be rolled to range, because"
            " librdkafka takes no list of cooperative and eager assignors: stop all members together"
        )
    return None


def other_protocol(incident: Incident) -> str | None:
    """What the group is of, if not of consumers: it can't be changed at all."""
    found = (what for name, what in _OTHER_PROTOCOLS.items() if any(g.protocol == name for g in incident.generations))
    return next(found, None)


def checks(incident: Incident, choice: Choice, configs: Sequence[Config] = ()) -> list[str]:
    """What has to change or to be known, one sentence each. `configs`: the settings that members printed."""
    if choice.protocol != CONSUMER:
        return list(_to_classic(incident, choice))
    client = client_after(incident, CONSUMER)
    code = []
    if client != incident.client:
        code.append(
            f"client: {incident.client} does not speak the consumer protocol: the members' code has to use another one"
            f" ({_OTHER_CLIENT}); the rest of this list is for {client}"
        )
    if user_data(incident) and static(incident, choice):
        code.append(
            "static members: they stay in the group when they close; keep all of them stopped until their session has"
            " passed, or the first that comes back ends with GROUP_ID_NOT_FOUND"
        )
    return [*code, *_to_consumer(replace(incident, client=client), choice, configs)]


def _to_consumer(incident: Incident, choice: Choice, configs: Sequence[Config]) -> Iterator[str]:
    refused = ", ".join(REFUSED[CONSUMER])
    yield f"settings: remove {refused} from the members; a consumer that has one of them does not start"
    group = group_settings(incident, choice)
    names = ",".join(f"{name}={value}" for name, value in group.items())
    yield (
        "settings: to keep the recorded times: kafka-configs.sh --bootstrap-server HOST:PORT --alter --entity-type"
        f" groups --entity-name {shlex.quote(incident.group)} --add-config {names}"
    )
    bounds = [
        f"{n}={v}" for n, v in sorted(broker_bounds(group, choice.settings).items()) if ".min." in n or ".max." in n
    ]
    if bounds:
        yield f"settings: the broker refuses these times by default; it needs {', '.join(bounds)}"
    custom = [name for name in _offered(incident) if name not in (*_EAGER, "cooperative-sticky")]
    if custom:
        yield f"assignors: {listed(custom)} runs in clients alone; the broker has {listed(SERVER_ASSIGNORS)}"
    elif "range" in _offered(incident):
        yield "assignors: the broker's range is not sticky; uniform does not keep partitions of equal number together"
    yield from _racks(configs)
    yield from _expressions(incident)
    yield from _listeners(incident)
    yield from _programs(incident)
    if any(member.instance for member in incident.members):
        yield (
            "static members: one that is killed and comes back within its session is refused, and fails for good"
            " (UNRELEASED_INSTANCE_ID); start it again after the session, or with another instance id"
        )


def _racks(configs: Sequence[Config]) -> Iterator[str]:
    racks = sorted({str(config["client.rack"]) for config in configs if config.get("client.rack")})
    if racks:
        yield f"racks: members are in {listed(racks)}; no assignor of the broker looks at racks, so fetches cross them"
    else:
        yield "racks: no assignor of the broker looks at racks: if members have a client.rack, fetches may cross racks"


def _expressions(incident: Incident) -> Iterator[str]:
    named = sorted({t for i in incident.incarnations for t in i.topics if t.startswith("^")})
    later = listed(sorted({growth.topic for growth in incident.growths if growth.created}))
    by_one = f"members subscribe by one: {later} came later" if later else "if members subscribe by one"
    which = listed(named) if named else by_one
    how = "the broker resolves it" if incident.client == LIBRDKAFKA else "SubscriptionPattern is resolved by the broker"
    yield (
        f"expressions ({which}): {how} with RE2/J: no look-around and no back-references, the whole name must match; a"
        " topic that comes later is found by a heartbeat up to 10 seconds later"
    )


def _listeners(incident: Incident) -> Iterator[str]:
    eager = any(name in _EAGER for name in _offered(incident)) and any(
        each.revokes_all or each.protocol == CLASSIC for each in incident.incarnations
    )
    if eager:
        yield (
            "listeners: assigned has the new partitions alone, not all, and is called for none, too; revoked has only"
            " those that go; code that takes either for the whole assignment must change"
        )
    yield "listeners: callbacks run when the wait inside poll() ends; a fenced member has its partitions lost"
    if incident.rejoins and incident.client == JAVA:
        yield "listeners: enforceRebalance() does nothing"


def _programs(incident: Incident) -> Iterator[str]:
    slow = [
        (member.program.gap_ms, member.name) for member in incident.members if member.program.gap_ms >= _SLOW_POLL_MS
    ]
    if slow:
        gap, name = max(slow)
        yield (
            f"slow pollers: {name} polls every {gap:,} ms or so, and each step of a reconciliation waits for a poll:"
            " commit, revoked, assigned; a member that is fenced meanwhile works on until its next poll"
        )


def _to_classic(incident: Incident, choice: Choice) -> Iterator[str]:
    yield f"settings: remove {', '.join(REFUSED[CLASSIC])} from the members; a consumer that has it does not start"
    yield f"settings: {', '.join(REFUSED[CONSUMER])} are each member's own again"
    defaults = ",".join(_DEFAULTS.get(incident.client, _DEFAULTS[JAVA]))
    if chosen := choice.settings.get(STRATEGY):
        classes = [JAVA_CLASSES[name] for name in str(chosen).split(",") if name in JAVA_CLASSES]
        java = f" (class names: {','.join(classes)})" if classes and incident.client == JAVA else ""
        yield f"settings: set {STRATEGY}={chosen} on each member{java}; without it they offer {defaults}"
    elif not _offered(incident):
        yield (
            f"settings: without {STRATEGY} the members offer {defaults}, and use {defaults.partition(',')[0]};"
            " --assignor NAME asks for another"
        )
    yield "the end: when the last member of the consumer protocol goes, all members rebalance together, once"
    if incident.client == JAVA:
        yield "expressions: SubscriptionPattern does not work with the classic protocol"


def _offered(incident: Incident) -> list[str]:
    offered = [
        name for incarnation in incident.incarnations for name in offered_assignors(incarnation, incident.generations)
    ]
    classic = any(incarnation.protocol == CLASSIC for incarnation in incident.incarnations)
    return sorted(set(offered)) if classic else []
