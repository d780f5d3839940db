"""A recorded run as a re-enactment needs it: the configuration, the members, what was done to them, and when.

Recorded actions must be possible: only a running member is closed, no topic shrinks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from groupsim.conformance.timelines.recorded_form import Libraries, libraries, process_of
from groupsim.conformance.timelines.recorded_times import FIRST_JOIN, first_arrivals, steps
from groupsim.coordinator.broker_versions import BrokerVersion
from groupsim.coordinator.config import BROKER_VERSION
from groupsim.events.errors import GroupsimError
from groupsim.events.types import MemberId, ProcessId
from groupsim.simulation.clients.config import CLASSIC, CONSUMER, REFUSED
from groupsim.simulation.host_speed import Profile, again_and_first

CONSUMER_SETTINGS = (
    "session.timeout.ms",
    "heartbeat.interval.ms",
    "max.poll.interval.ms",
    "auto.offset.reset",
    "metadata.max.age.ms",
    "auto.commit.interval.ms",
)
"""The settings that a recording's `config` may have for all members, besides `enable.auto.commit`."""
OF_THE_GROUP = ("session.timeout.ms", "heartbeat.interval.ms")
INITIAL_DELAY = "group.initial.rebalance.delay.ms"
APPEND_LINGER = "group.coordinator.append.linger.ms"
ASSIGNMENT = "consumer.assignment.interval.ms"
MOST_PER_S = 1_000
"""A partition with more records a second is not taken: a re-enactment writes each of them down."""
ON_BROKER = ("broker_stop", "broker_stopped", "broker_start", "broker_listening")
ADD_PARTITIONS = "add_partitions"
CREATE_TOPIC = "create_topic"


class MemberAction(StrEnum):
    """What can be done to a member's process; `stop` and `cont` are the signals SIGSTOP and SIGCONT."""

    START = "start"
    CLOSE = "close"
    KILL = "kill"
    STOP = "stop"
    CONT = "cont"
    SLOW_BATCH = "slow_batch"
    SUBSCRIBE = "subscribe"


ON_MEMBERS = tuple(action.value for action in MemberAction)


class BadRecording(GroupsimError):
    """A recording that cannot be re-enacted."""


@dataclass(frozen=True, slots=True)
class Action:
    """What was done at `at_ms`. `what`: the action's other fields in the file."""

    kind: str
    member: str | None
    at_ms: int
    what: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Program:
    """One member's program: static id, sleep in callbacks (ms), sleep per non-empty poll (ms), topics."""

    instance: str | None
    callback_ms: int
    process_ms: int
    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """The parts of a recorded run that a re-enactment needs. Times in ms since its start.

    `protocol` is that of members whose start action names none; `group_config` is set for the group alone.
    `pattern`: what all members subscribe to instead of topics by name. `records_per_s`: of one producer to one
    partition. `done_ms`: by `(action's kind, process)` when the program did it: its first JoinGroup reached the
    coordinator, or it called close(), where the file has that. `first_arrivals`: by topic, when its first record came
    (`recorded_times`), where that can be known. `slowness`: of its host, by its steps (again, the
    first time); None where the file has none. `ids`: the member ids of each process in the order in which it had them,
    where the file shows that. `release`: of Kafka, of its broker and its Java clients; empty if it is not known.
    `hosts`: measured ones to play it on, instead of its own, each from a time on (ms), the first from 0.
    """

    id: str
    libraries: Libraries
    protocol: str
    group_config: dict[str, int]
    remote_assignor: str | None
    assignors: tuple[str, ...]
    broker: dict[str, int | float | str | bool]
    consumer: dict[str, int | float | str | bool]
    auto_commit: bool
    records_per_s: float
    topics: dict[str, int]
    members: tuple[str, ...]
    programs: dict[str, Program]
    actions: tuple[Action, ...]
    pattern: str | None
    end_ms: int
    window_from_ms: int
    done_ms: dict[tuple[str, str], int]
    first_arrivals: dict[str, float]
    slowness: tuple[float, float] | None
    ids: dict[ProcessId, tuple[MemberId, ...]]
    release: str
    hosts: tuple[tuple[int, Profile], ...] = ()

    @property
    def library(self) -> str:
        """The library of all processes that are not named one by one."""
        return self.libraries.usual


def parse(record: dict[str, Any]) -> Recording:
    """A `recording.json` as a Recording. Raises BadRecording for what is missing, wrong or not simulated yet."""
    name = str(record.get("id", "without id"))
    try:
        config = record["config"]
        return _parse(name, record, config)
    except KeyError as error:
        raise BadRecording(f"recording {name}: {error} is missing") from None
    except (TypeError, ValueError, AttributeError, OverflowError) as error:  # 1e999 is infinite
        raise BadRecording(f"recording {name}: {error}") from None


def _parse(name: str, record: dict[str, Any], config: dict[str, Any]) -> Recording:
    topics = {str(topic): _whole(count, f"partitions of {topic}") for topic, count in config["partitions"].items()}
    members = tuple(record["members"])
    per_member = config.get("per_member") or {}
    end_ms = _whole(record["run_end_ms"], "run_end_ms")
    rate = _rate(config.get("records_per_partition_per_s", 2))
    protocol = CONSUMER if (config.get("group.protocol") or record.get("protocol")) == CONSUMER else CLASSIC
    window = record.get("summary", {}).get("window_ms") or [0, end_ms]
    used = libraries(config, record["actions"])
    shown = list(steps(record, used))
    return Recording(
        id=name,
        libraries=used,
        protocol=protocol,
        group_config={key: int(value) for key, value in (config.get("group_config") or {}).items()},
        remote_assignor=config.get("group.remote.assignor"),
        assignors=_assignors(record, config) if protocol == CLASSIC else (),
        broker=_broker(config) | (_consumer_broker(record, config) if protocol == CONSUMER else {}),
        consumer={key: config[key] for key in CONSUMER_SETTINGS if key in config and key not in REFUSED[protocol]},
        auto_commit=bool(config.get("enable.auto.commit", True)),
        records_per_s=rate,
        topics=topics,
        members=members,
        programs={m: _program(per_member.get(m, {}), topics) for m in members},
        actions=tuple(_action(given, members, topics) for given in record["actions"]),
        pattern=config.get("subscription_pattern"),
        end_ms=end_ms,
        window_from_ms=_whole(window[0], "window_ms"),
        done_ms=_done_ms(record),
        first_arrivals=first_arrivals(record, rate),
        ids=_ids(record),
        release=_release(record),
        slowness=again_and_first(shown) if shown else None,
    )


def _done_ms(record: dict[str, Any]) -> dict[tuple[str, str], int]:
    done: dict[tuple[str, str], int] = {}
    rows = [("start", row) for row in record.get("broker", ()) if row["kind"] in FIRST_JOIN]
    rows += [("close", event) for event in record.get("events", ()) if event["kind"] == "closing"]
    for kind, row in rows:
        if row.get("member") is not None:
            done.setdefault((kind, process_of(row)), row["t_ms"])
    return done


def _ids(record: dict[str, Any]) -> dict[ProcessId, tuple[MemberId, ...]]:
    by_process: dict[ProcessId, dict[MemberId, None]] = {}
    for row in record.get("broker", ()):
        if row["kind"] in FIRST_JOIN and row.get("member") is not None and isinstance(row.get("member_id"), str):
            by_process.setdefault(process_of(row), {})[row["member_id"]] = None
    return {process: tuple(ids) for process, ids in by_process.items()}


def _rate(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST_PER_S:
        raise ValueError(f"records_per_partition_per_s must be a number from 0 to {MOST_PER_S:,}, not {value!r}")
    return float(value)


def _broker(config: dict[str, Any]) -> dict[str, int | float | str | bool]:
    """The broker's settings; recordings use session timeouts its default bounds would refuse."""
    session = config.get("session.timeout.ms", 45_000)
    least = config.get("group.min.session.timeout.ms", min(6_000, session))
    linger = {APPEND_LINGER: config[APPEND_LINGER]} if APPEND_LINGER in config else {}
    lowered = {f"group.consumer.min.{what}": 1 for what in ("session.timeout.ms", "heartbeat.interval.ms")}
    interval = {f"group.{ASSIGNMENT}": config[ASSIGNMENT]} if ASSIGNMENT in config else {}
    return {
        INITIAL_DELAY: config.get(INITIAL_DELAY, 3_000),
        "group.min.session.timeout.ms": least,
        **linger,
        **(lowered | interval if "group_config" in config else {}),
    }


def _consumer_broker(record: dict[str, Any], config: dict[str, Any]) -> dict[str, int | float | str | bool]:
    """Of a broker of a consumer group: its release, and timers that were set for all groups."""
    release = _release(record)
    known = {BROKER_VERSION: release} if release in tuple(BrokerVersion) else {}
    if "group_config" in config:
        return dict(known)
    timers = {f"group.consumer.{name}": config[name] for name in OF_THE_GROUP if name in config}
    return {**known, **timers, **{f"group.consumer.min.{name}": 1 for name in OF_THE_GROUP}}


def _release(record: dict[str, Any]) -> str:
    """Of the broker and its own clients: `4.0`."""
    return ".".join(str(record.get("kafka_version", "")).split(".")[:2])


def _assignors(record: dict[str, Any], config: dict[str, Any]) -> tuple[str, ...]:
    """The strategy of members whose start action names none; where every one names its own, that of the first."""
    named = [a["options"]["assignor"] for a in record["actions"] if "assignor" in (a.get("options") or {})]
    if named:
        return split(named[0])
    given = config.get("partition.assignment.strategy") or record.get("assignor")
    if given is None:
        given = record["id"].split("__")[1]
    first = str(given).removeprefix("librdkafka-").removeprefix("kafkapython-").partition("-to-")[0]
    return split(first)


def split(names: str) -> tuple[str, ...]:
    """A comma-separated list of names, in order."""
    return tuple(part.strip() for part in names.split(",") if part.strip())


def _program(given: dict[str, Any], topics: dict[str, int]) -> Program:
    named = given.get("topics")
    return Program(
        instance=given.get("instance"),
        callback_ms=int(given.get("cb", 0)),
        process_ms=int(given.get("proc", 0)),
        topics=tuple(sorted(topics)) if named is None else topics_of(named, topics),
    )


def topics_of(given: Any, known: dict[str, int]) -> tuple[str, ...]:
    """Topics as a list or as one comma-separated string, sorted. Raises ValueError for an unknown one."""
    names = split(given) if isinstance(given, str) else tuple(given)
    for name in names:
        if name not in known:
            raise ValueError(f"unknown topic {name!r}; config.partitions names {', '.join(sorted(known))}")
    return tuple(sorted(names))


def _action(given: dict[str, Any], members: tuple[str, ...], topics: dict[str, int]) -> Action:
    kind, member, at_ms = given["action"], given.get("member"), _whole(given["t_ms"], "t_ms of an action")
    if kind in ON_MEMBERS and member not in members:
        raise ValueError(f"action {kind!r} at {at_ms} ms: {member!r} is none of the members {', '.join(members)}")
    if kind not in (*ON_MEMBERS, *ON_BROKER, ADD_PARTITIONS, CREATE_TOPIC):
        raise ValueError(f"action {kind!r} at {at_ms} ms is unknown")
    if kind == ADD_PARTITIONS and given["topic"] not in topics:
        raise ValueError(f"action {kind!r} at {at_ms} ms: unknown topic {given['topic']!r}")
    if kind == CREATE_TOPIC and _whole(given["partitions"], f"partitions of {given['topic']}") < 1:
        raise ValueError(f"action {kind!r} at {at_ms} ms: {given['topic']} needs a partition")
    if kind == "kill":
        _whole(given["incarnation"], f"incarnation of the kill at {at_ms} ms")
    if kind == "slow_batch":
        _whole(given["ms"], f"ms of the slow_batch at {at_ms} ms")
    if kind == "subscribe":
        topics_of(given["topics"], topics)
    return Action(kind, member, at_ms, given)


def _whole(value: Any, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{what} must be a whole number, not {value!r}")
    return value


class ProcessState(StrEnum):
    """The state of a member's process."""

    RUNNING = "running"
    FROZEN = "stopped"
    ENDED = "ended"


RUNNING, FROZEN, ENDED = ProcessState
NEEDS: dict[str, tuple[tuple[ProcessState | None, ...], str]] = {
    MemberAction.START: ((None, ENDED), "runs already"),
    MemberAction.CLOSE: ((RUNNING, FROZEN), "does not run"),
    MemberAction.KILL: ((RUNNING, FROZEN, ENDED), "was never started"),  # it may still be closing
    MemberAction.STOP: ((RUNNING,), "does not run"),
    MemberAction.CONT: ((FROZEN,), "is not stopped"),
    MemberAction.SLOW_BATCH: ((RUNNING, FROZEN), "does not run"),
    MemberAction.SUBSCRIBE: ((RUNNING, FROZEN), "does not run"),
}
"""By action: the states that a process may be in, and what is wrong in any other state."""
AFTER: dict[str, ProcessState] = {
    MemberAction.START: RUNNING,
    MemberAction.CLOSE: ENDED,
    MemberAction.KILL: ENDED,
    MemberAction.STOP: FROZEN,
    MemberAction.CONT: RUNNING,
}


class Contradiction(GroupsimError):
    """Actions that contradict each other."""


def check_actions(recorded: Recording) -> None:
    """Raises Contradiction, naming the action and its time."""
    ordered = sorted(recorded.actions, key=lambda a: a.at_ms)
    for action in ordered:
        if action.at_ms > recorded.end_ms:
            raise Contradiction(
                f"action {action.kind!r} at {action.at_ms} ms comes after the run's end ({recorded.end_ms} ms)"
            )
    _check_members(a for a in ordered if a.kind in ON_MEMBERS)
    for action in ordered:
        if action.kind == CREATE_TOPIC and action.what["topic"] in recorded.topics:
            raise Contradiction(f"action {action.kind!r} at {action.at_ms} ms: {action.what['topic']} exists already")
    _check_topics((a for a in ordered if a.kind == ADD_PARTITIONS), recorded.topics)


def _check_members(actions: Iterable[Action]) -> None:
    states: dict[str, ProcessState] = {}
    for action in actions:
        member = action.member or ""
        allowed, wrong = NEEDS[action.kind]
        if states.get(member) not in allowed:
            raise Contradiction(f"action {action.kind!r} at {action.at_ms} ms: {member} {wrong}")
        states[member] = AFTER.get(action.kind, states.get(member, ENDED))


def _check_topics(actions: Iterable[Action], counts: Mapping[str, int]) -> None:
    known = dict(counts)
    for action in actions:
        topic, partitions = action.what["topic"], action.what.get("partitions")
        if not isinstance(partitions, int) or partitions <= known[topic]:
            raise Contradiction(
                f"action {action.kind!r} at {action.at_ms} ms: {topic} has {known[topic]} partitions and "
                f"can only grow, not to {partitions!r}"
            )
        known[topic] = partitions
