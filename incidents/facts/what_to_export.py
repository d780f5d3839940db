"""What to do after reading logs: what each log is, which times and groups it covers, and which logs are missing.

Why a total is unknown, and what to export to know it, each doubt says (`doubts`); `analysis.tables.why_unknown` puts
that together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from groupsim.incidents.logs.client_libraries import client_of, library_of, worker_of
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program, Row, is_broker
from groupsim.wording.lists import listed
from groupsim.wording.numbers import counted

_GROUPS_NAMED = 4
_NAMES_KEPT = 10_000
"""So many groups and members of a log are remembered: a log may name any number."""
_UUID_LENGTH = len("-00000000-0000-0000-0000-000000000000")
"""The id of a static member is its `group.instance.id` and this (Kafka: ClassicGroup.generateMemberId)."""
_PARTITIONS = ("partitions", "assigned", "added", "assignment", "stream_tasks", "tasks")
"""Details of rows that name assigned partitions, or tasks that read them."""
_STEPS = frozenset(
    [
        RowKind.COORDINATOR_FOUND,
        RowKind.REJOIN_REQUESTED,
        RowKind.JOINING,
        RowKind.JOINED,
        RowKind.SYNCED,
        RowKind.CGRP_STATE,
        RowKind.HEARTBEAT_SENT,
    ]
)
"""What clients print of a join: Java and Python at level INFO, librdkafka with debug=cgrp."""
_CLIENT_LOGGER = "org.apache.kafka.clients.consumer"
_LINES = {
    "java": f"the lines of {_CLIENT_LOGGER} at level INFO",
    "librdkafka": "what librdkafka logs with debug=cgrp",
    "kafka-python": "the lines of kafka.coordinator and kafka.consumer at level INFO",
    "aiokafka": "the lines of aiokafka.consumer at level INFO",
}
_LINES_OF_OTHERS = "all lines of the client library about its group"
"""The lines needed, by the name of the library that wrote a log."""
_BROKER_LOGGER = "kafka.coordinator.group"


@dataclass(slots=True)
class LogSummary:
    """What the rows of one log say about the log as a whole; `add` takes them one by one, in bounded memory.

    `first` and `last` are UTC instants (ISO 8601); `members` are those that a broker or that clients name.
    `shows_steps`: clients print how they join, as they do at the level that is asked for. `member_libraries`: what the
    member ids that brokers name tell of libraries. `workers`: groups that share no partitions, and of what they are.
    `replaced`: the former ids of static members that came back, by `group.instance.id`, if no line has the new id.
    """

    name: str
    topic_rows: int = 0
    broker_rows: int = 0
    client_rows: int = 0
    timeless: int = 0
    partitions_named: bool = False
    shows_steps: bool = False
    first: str | None = None
    last: str | None = None
    libraries: set[str] = field(default_factory=set)
    groups: Counter[str] = field(default_factory=Counter)
    members: set[str] = field(default_factory=set)
    member_libraries: set[str] = field(default_factory=set)
    workers: dict[str, str] = field(default_factory=dict)
    replaced: dict[str, set[str]] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        """Take one row into account."""
        if row.program is Program.OFFSETS_TOPIC:
            self.topic_rows += 1
        elif is_broker(row):
            self.broker_rows += 1
        else:
            self.client_rows += 1
            if row.program is not None:
                self.libraries.add(row.program.value)
            self.partitions_named = self.partitions_named or any(row.detail.get(name) for name in _PARTITIONS)
            self.shows_steps = self.shows_steps or row.kind in _STEPS
        if row.at is None:
            self.timeless += 1
        else:
            self.first = row.at if self.first is None else min(self.first, row.at)
            self.last = row.at if self.last is None else max(self.last, row.at)
        if row.group is not None and (row.group in self.groups or len(self.groups) < _NAMES_KEPT):
            self.groups[row.group] += 1
        if row.member is not None and row.kind != RowKind.MEMBER_ID_CREATED and len(self.members) < _NAMES_KEPT:
            self.members.add(row.member)
            if is_broker(row):
                self.member_libraries.add(library_of(client_of(row.member)) or "")
        if row.group is not None and len(self.workers) < _NAMES_KEPT and (workers := worker_of(row)) is not None:
            self.workers.setdefault(row.group, workers)
        if row.kind == RowKind.STATIC_MEMBER_REPLACED and row.member is None and len(self.replaced) < _NAMES_KEPT:
            self.replaced.setdefault(str(row.detail.get("instance")), set()).add(str(row.detail.get("old_member")))


def summarise(name: str, rows: Iterable[Row]) -> LogSummary:
    """The summary of one log."""
    found = LogSummary(name)
    for row in rows:
        found.add(row)
    return found


def advice(logs: Sequence[LogSummary]) -> list[str]:
    """What was read and what to do next, one sentence each; `logs` are those given, in any order."""
    brokers = [log for log in logs if log.broker_rows]
    clients = [log for log in logs if log.client_rows]
    if not brokers and not clients and not any(log.topic_rows for log in logs):
        return [
            "no line about a consumer group was recognised; the lines needed are those of the loggers"
            f" {_BROKER_LOGGER} (brokers) and {_CLIENT_LOGGER} (clients), see docs/how-to/export-logs.md"
        ]
    groups = sum((log.groups for log in logs), Counter[str]())
    return [
        *_contents(logs),
        *_times(logs),
        *_groups(groups),
        *missing(logs),
        _next(logs, groups),
    ]


def _next(logs: Sequence[LogSummary], groups: Counter[str]) -> str:
    if not any(log.first for log in logs):
        return "next: export the logs again, with times; if theirs lack only the day, --date YYYY-MM-DD gives it"
    one = "; --group NAME imports one group" if len(groups) > 1 else ""
    return f"next: `groupsim import` with the same logs and options{one}"


def _contents(logs: Sequence[LogSummary]) -> list[str]:
    """Which logs look like those of brokers, of clients, of both."""
    both = [log for log in logs if log.broker_rows and log.client_rows]
    brokers = [log for log in logs if log.broker_rows and not log.client_rows]
    clients = [log for log in logs if log.client_rows and not log.broker_rows]
    topic = [log for log in logs if log.topic_rows]
    libraries = sorted(set[str]().union(*(log.libraries for log in clients)))
    written_by = f" ({', '.join(libraries)})" if libraries else ""
    kinds = (
        ("logs of brokers", brokers),
        (f"logs of clients{written_by}", clients),
        ("logs of brokers and clients in one", both),
        ("records of __consumer_offsets", topic),
    )
    return [f"{kind}: {listed([log.name for log in found])}" for kind, found in kinds if found]


def _times(logs: Sequence[LogSummary]) -> list[str]:
    """The period that the logs cover, and how many rows have no time."""
    firsts = [log.first for log in logs if log.first is not None]
    lasts = [log.last for log in logs if log.last is not None]
    timeless = sum(log.timeless for log in logs)
    found = [f"times: {min(firsts)} to {max(lasts)}"] if firsts else []
    if timeless:
        found.append(f"{counted(timeless, 'row')} without a time; export the logs with the platform's time")
    return found


def _groups(groups: Counter[str]) -> list[str]:
    names = [f'"{name}" ({counted(count, "line")})' for name, count in groups.most_common()]
    more = "; --groups lists all" if len(names) > _GROUPS_NAMED else ""
    return [f"groups: {listed(names, _GROUPS_NAMED)}{more}"] if names else []


def missing(logs: Sequence[LogSummary]) -> list[str]:
    """Which logs or times are missing, and what is unknown without them; at least one log has a row about a group."""
    brokers = [log for log in logs if log.broker_rows]
    clients = [log for log in logs if log.client_rows]
    topic = any(log.topic_rows for log in logs)
    groups = {group for log in logs for group in log.groups}
    workers = {group: kind for log in logs for group, kind in log.workers.items()}
    if groups and groups <= workers.keys():
        return []  # what their members share is in no log of a consumer
    if topic and not clients:
        return [
            "no client logs: the topic shows no callbacks and no deaths, and only commits show that a member served: at"
            f" best it gives bounds of the total; export {_of_members(brokers)}"
        ]
    if not clients:
        return [
            "no client logs: a broker does not print partitions, so their owners, and the time before the sync phase,"
            f" are unknown; export {_of_members(brokers)}"
        ]
    found = []
    if not any(log.partitions_named for log in clients):
        found.append(f"no client line names assigned partitions, so their owners are unknown; export {_lines(clients)}")
    if topic:
        return found
    if not brokers:
        return [
            *found,
            "no broker log: rebalances are inferred from the clients; when a silent member was removed, and members"
            f" without a log, are unknown; export the lines of {_BROKER_LOGGER} of all brokers too",
        ]
    return [*found, *_apart(brokers, clients), *_unlogged(brokers, clients)]


def _lines(clients: Sequence[LogSummary]) -> str:
    """What to export of clients of which no line names a partition: what is not there yet, else more of the same."""
    if any(log.shows_steps for log in clients):
        return "more of the same logs: in these lines no member is given anything"
    return _wanted(set[str]().union(*(log.libraries for log in clients)))


def _of_members(brokers: Sequence[LogSummary]) -> str:
    """What to export of members that only a broker names."""
    libraries = set[str]().union(*(log.member_libraries for log in brokers))
    if not libraries or "" in libraries:
        return f"the lines of {_CLIENT_LOGGER} too (Java; of other libraries see docs/how-to/export-logs.md)"
    return f"the members' logs too: {_wanted(libraries)}"


def _wanted(libraries: AbstractSet[str]) -> str:
    return " and ".join(dict.fromkeys(_LINES.get(name, _LINES_OF_OTHERS) for name in sorted(libraries) or [""]))


def _apart(brokers: Sequence[LogSummary], clients: Sequence[LogSummary]) -> list[str]:
    """A sentence if the times of brokers and clients do not overlap."""
    spans = []
    for kind, logs in (("brokers", brokers), ("clients", clients)):
        firsts = [log.first for log in logs if log.first is not None]
        lasts = [log.last for log in logs if log.last is not None]
        if not firsts:
            return []
        spans.append((min(firsts), max(lasts), kind))
    (_, end, earlier), (start, _, later) = sorted(spans)
    if end >= start:
        return []
    return [
        f"the logs of {earlier} end at {end}, before those of {later} begin at {start}; export the same hours of both,"
        " unless only their time zones differ: an import corrects that where both log the same events"
    ]


def _unlogged(brokers: Sequence[LogSummary], clients: Sequence[LogSummary]) -> list[str]:
    """A sentence about members that a broker names and no client log."""
    known = set[str]().union(*(log.members for log in clients if not log.broker_rows))
    if not known:
        return []  # clients that do not print their member id, or that share a file with a broker
    missing = sorted(set[str]().union(*(log.members for log in brokers)) - known)
    sentences = []
    if missing:
        sentences.append(
            f"{counted(len(missing), 'member')} without a client log: {listed(missing)}; export the logs of"
            f" {'its process' if len(missing) == 1 else 'their processes'} too"
        )
    if back := _came_back(brokers, known):
        one = len(back) == 1
        lacks = "no log of its new process is" if one else "no logs of their new processes are"
        sentences.append(
            f"{counted(len(back), 'static member')} came back, and {lacks} given: {listed(back)};"
            f" export {'it' if one else 'them'} too"
        )
    return sentences


def _came_back(brokers: Sequence[LogSummary], known: AbstractSet[str]) -> list[str]:
    """The static members of which no client log has an id but those that were replaced."""
    replaced: dict[str, set[str]] = {}
    for log in brokers:
        for instance, old in log.replaced.items():
            replaced.setdefault(instance, set()).update(old)
    former = set[str]().union(*replaced.values())
    logged = {member[:-_UUID_LENGTH] for member in known - former}
    return sorted(replaced.keys() - logged)
