"""The log of one group, from the lines that were read: who spoke in which order, who came and went, what it did.

A log needs no times: then the order of the lines in their file is all there is. It needs no whole log, either: a
process may be known by one line, and a departure may have no join before it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import PurePath

from msgspec.structs import replace

from groupsim.diagnosis.codes import GroupType
from groupsim.diagnosis.finding import Bounds
from groupsim.diagnosis.from_facts import RunReading
from groupsim.diagnosis.incarnations import Incarnation, incarnations_of
from groupsim.diagnosis.moves import Departure, Join, Moves
from groupsim.diagnosis.rebalances import Rebalance, rebalances_of
from groupsim.diagnosis.said import Said
from groupsim.diagnosis.shared_ids import names_by_file, names_by_member
from groupsim.diagnosis.short_names import short_names, with_kind
from groupsim.diagnosis.versions import Versions
from groupsim.diagnosis.waits_in_run import Wait
from groupsim.incidents.account.accounts import NOT_NAMED, accounts_of
from groupsim.incidents.account.alike import one_of_each
from groupsim.incidents.account.group import Account
from groupsim.incidents.facts.clock_check import on_brokers_clock
from groupsim.incidents.facts.logs_in_one_file import taken_apart
from groupsim.incidents.logs.client_libraries import (
    CONNECT,
    LACKS,
    SCHEMA_REGISTRY,
    client_of,
    library_of,
    of_streams,
    reads_for_a_worker,
    worker_of,
)
from groupsim.incidents.logs.row_kinds import EVIDENCE, RowKind
from groupsim.incidents.logs.rows import Program, Reading, Row, is_broker
from groupsim.incidents.logs.times import instant

_CONSUMER_KINDS = frozenset(
    [
        RowKind.MEMBER_JOINED,
        RowKind.TARGET_ASSIGNMENT,
        RowKind.STATE_CHANGE,
        RowKind.CONSUMER_HEARTBEAT,
        RowKind.CLIENT_RECONCILING,
        RowKind.CONSUMER_HEARTBEAT_INTERVAL,
        RowKind.MEMBER_STATE,
    ]
)
_FORGOTTEN = frozenset(
    [RowKind.GROUP_DEAD, RowKind.GROUP_LOADED, RowKind.BROKER_LIFECYCLE, RowKind.COORDINATOR_LIFECYCLE]
)
"""A group of which only these are said had no member in these lines."""

_LIKE = {
    RowKind.SHARE_MEMBER_FAILED: RowKind.MEMBER_FAILED,
    RowKind.SHARE_MEMBER_JOINED: RowKind.MEMBER_JOINED,
    RowKind.SHARE_MEMBER_LEFT: RowKind.MEMBER_LEFT,
    RowKind.SHARE_MEMBER_REPLACED: RowKind.STATIC_MEMBER_REPLACED,
}
"""Who comes and goes is read alike in streams, share and consumer groups."""

NOBODY = "a member"
"""Who has no name, or one that was taken out (`***`)."""
_LETTER = re.compile(r"\w")


class GroupLog:
    """All lines about one group, and what follows from them."""

    def __init__(
        self,
        group: str | None,
        said: Sequence[Said],
        end: int | None = None,
        versions: Mapping[Program, frozenset[str]] | None = None,
        accounts: Callable[[], Mapping[str, Account]] = dict,
        ends: Mapping[str, int] | None = None,
        stopped_ms: Bounds | None = None,
        waits: Sequence[Wait] | None = None,
        waited_ms: int | None = None,
    ) -> None:
        self.group = group
        self.stopped_ms = stopped_ms
        """How long nobody could take records, where that is known: of a run."""
        self.waits, self.waited_ms = waits, waited_ms
        """Of a run: what partitions waited for that no line shows, by UTC instants; all they waited, partition-ms."""
        self.ends = ends or {}
        """The last instant of each file, on whatever line."""
        self._accounts = accounts
        self.versions = versions or {}
        """Those that its files print, by what they are versions of: brokers, Java clients, librdkafka."""
        self._details: dict[int, str] = {}
        if any(line.row.kind is RowKind.WORKER_ASSIGNED for line in said):
            said = [line for line in said if not reads_for_a_worker(line.client)]
        self.lines = said
        """All of them, in order."""
        self.troubles = [s for s in said if s.row.kind in EVIDENCE]
        """Errors, reasons and lost connections beside the history: they say why, not who came and went."""
        self.said = said = [s for s in said if s.row.kind not in EVIDENCE]
        self.broker = [s for s in said if s.client is None]
        self.clients: dict[str, list[Said]] = {}
        for line in said:
            if line.client is not None:
                self.clients.setdefault(line.client, []).append(line)
        self.end = max((s.at for s in said if s.at is not None), default=None) if end is None else end

    def of(self, *kinds: RowKind) -> list[Said]:
        """The lines of these kinds, in order."""
        found = [line for kind in dict.fromkeys(kinds) for line in self._by_kind.get(kind, ())]
        return found if len(kinds) == 1 else sorted(found, key=lambda s: s.nth)

    @cached_property
    def _by_kind(self) -> dict[RowKind, list[Said]]:
        found: dict[RowKind, list[Said]] = defaultdict(list)
        for line in self.lines:
            found[line.row.kind].append(line)
        return found

    def that_say(self, words: re.Pattern[str]) -> list[Said]:
        """The lines with a reason or an error that a pattern fits, in order; many lines have the same one."""
        found = [line for reason, lines in self._by_reason.items() if words.search(reason) for line in lines]
        return sorted(found, key=lambda s: s.nth)

    @cached_property
    def _by_reason(self) -> dict[str, list[Said]]:
        found: dict[str, list[Said]] = defaultdict(list)
        for line in self.lines:
            if line.reason:
                found[line.reason].append(line)
        return found

    def details(self, line: Said) -> str:
        """What one of its lines says, as `name=value`."""
        if line.nth not in self._details:
            self._details[line.nth] = " ".join(f"{name}={value}" for name, value in line.row.detail.items())
        return self._details[line.nth]

    @cached_property
    def account(self) -> Account | None:
        """What its lines prove of who ran and had what; None where no line is a client's."""
        return self._accounts().get(self.group or NOT_NAMED) if self.clients else None

    @cached_property
    def begin(self) -> int | None:
        """The first instant, UTC ms, of any line: one that only says why may stand before all that shows the group."""
        said = (s for s in self.lines if s.row.kind is not RowKind.ERROR_UNKNOWN)
        return min((s.at for s in said if s.at is not None), default=None)

    @cached_property
    def has_broker(self) -> bool:
        """Whether a coordinator's lines about members or rebalances are among them."""
        return bool(self.broker)

    @cached_property
    def type(self) -> GroupType:
        """What kind of group it is."""
        kinds = Counter(s.row.kind for s in self.said)
        names = [*self.clients, *(s.row.member or "" for s in self.said)]
        workers = {worker_of(s.row) for s in self.said}
        if CONNECT in workers:
            return GroupType.CONNECT
        if SCHEMA_REGISTRY in workers:
            return GroupType.SCHEMA_REGISTRY
        stream = any(s.row.detail.get("protocol") == "stream" for s in self.said)
        named = {str(s.row.detail.get("group_type")).lower() for s in self.broker}
        if any(map(of_streams, names)) or "streams" in named or stream or any(map(_is_of_a_thread, self.troubles)):
            return GroupType.STREAMS
        if "share" in named:
            return GroupType.SHARE
        if any(kinds[kind] for kind in _CONSUMER_KINDS):
            return GroupType.CONSUMER
        if any(kinds[kind] for kind in (RowKind.JOINED, RowKind.STABILIZED, RowKind.REBALANCE_START)):
            return GroupType.CLASSIC
        return GroupType.UNKNOWN

    @cached_property
    def of_streams_protocol(self) -> bool:
        """Whether it is a streams group (KIP-1071); Kafka Streams may be of the classic protocol, too."""
        return self.type is GroupType.STREAMS and bool(self.of(*_CONSUMER_KINDS))

    @cached_property
    def libraries(self) -> frozenset[Program]:
        """The client libraries of its members: what wrote the clients' lines, and those of default client ids."""
        wrote = {line.row.program for line in self.lines if line.client is not None}
        by_default = {library_of(client_of(line.row.member)) for line in self.broker}
        return frozenset(program for program in wrote | by_default if program is not None)

    @cached_property
    def alone(self) -> bool:
        """Whether each of its generations has one member: nothing that members do together concerns it."""
        sizes = [n for line in self.of(RowKind.STABILIZED) if isinstance(n := line.row.detail.get("members"), int)]
        return bool(sizes) and max(sizes) < 2

    def can(self, feature: str) -> bool:
        """Whether some library of its members may have a feature (see `client_libraries.LACKS`)."""
        if feature == "group.instance.id" and self.of(RowKind.WORKER_ASSIGNED):
            return False  # only consumers have one (Kafka: GroupRebalanceConfig)
        return not self.libraries or not self.libraries <= LACKS.get(feature, frozenset())

    @cached_property
    def names(self) -> dict[str, str]:
        """Client ids by member id, where client logs or the id itself show it; or names, where members share an id."""
        names = names_by_member(self.broker)
        for line in self.said:
            member = line.row.member
            if member is None:
                continue
            if line.client is not None:
                names[member] = line.client
            elif (client := client_of(member)) is not None:
                names.setdefault(member, client)
        return names

    @cached_property
    def _of_instance(self) -> dict[str, str]:
        """Client ids by instance id, where a client's own lines show both."""
        found: dict[str, str] = {}
        for line in self.said:
            if line.client is not None:
                for instance in (line.row.detail.get("instance"), client_of(line.row.member)):
                    if instance and instance != line.client:
                        found[str(instance)] = line.client
        return found

    def who(self, member: str | None, instance: object = None) -> str:
        """A member as people know it: its client id, or its instance id, else its member id."""
        name = self.names.get(member) if member is not None else None
        name = name or (str(instance) if instance else member or NOBODY)
        return self._of_instance.get(name, name) if _LETTER.search(name) else NOBODY

    @cached_property
    def _short(self) -> Mapping[str, str]:
        threads = (line.client for line in self.troubles if line.client and _is_of_a_thread(line))
        return short_names([*self.clients, *self.names.values(), *threads])

    def called(self, who: Iterable[str]) -> tuple[str, ...]:
        """Members as sentences name them: each once, without the UUIDs of their processes."""
        return tuple(dict.fromkeys(self._short.get(name) or with_kind(name) for name in who))

    @cached_property
    def mentions(self) -> dict[str, tuple[int, int]]:
        """By member id: the first and the last line in which a broker names it."""
        found: dict[str, tuple[int, int]] = {}
        for line in self.broker:
            for member in (line.row.member, line.row.detail.get("leader")):
                if isinstance(member, str):
                    found[member] = (found.get(member, (line.nth, 0))[0], line.nth)
        return found

    @cached_property
    def incarnations(self) -> dict[str, list[Incarnation]]:
        """The processes of each client that has a log."""
        return {client: list(incarnations_of(client, said)) for client, said in self.clients.items()}

    @cached_property
    def moves(self) -> tuple[list[Departure], list[Join]]:
        """Who went and who came, in order."""
        return Moves(self.said, self.incarnations, self.who).found()

    @property
    def departures(self) -> list[Departure]:
        """Who went."""
        return self.moves[0]

    @cached_property
    def _removals(self) -> list[tuple[int, Departure]]:
        found = [(d.removed.nth, d) for d in self.departures if d.by_broker]
        return sorted(found, key=lambda removal: removal[0])

    def removed(self, after: int, until: int) -> list[Departure]:
        """Those that a broker removed behind one line and up to another, by their numbers."""
        begin, end = (bisect_right(self._removals, nth, key=lambda removal: removal[0]) for nth in (after, until))
        return [departure for _, departure in self._removals[begin:end]]

    @property
    def joins(self) -> list[Join]:
        """Who came."""
        return self.moves[1]

    @cached_property
    def rebalances(self) -> list[Rebalance]:
        """The rebalances of a classic group, as its broker prints them."""
        return list(rebalances_of(self.broker))

    @cached_property
    def _returns(self) -> dict[int, Join]:
        """By the number of a departure's first line: the join that ends it. Each join ends one."""
        found: dict[int, Join] = {}
        open_: dict[str, list[Departure]] = defaultdict(list)
        waiting = sorted(self.departures, key=lambda d: d.said[-1].nth)
        for join in self.joins:
            nth = join.said.nth
            while waiting and waiting[0].first.nth < nth + join.static:
                departure = waiting.pop(0)
                open_[departure.who].append(departure)
            if open_[join.who]:
                found[open_[join.who].pop(0).first.nth] = join
        return found

    def came_back(self, departure: Departure) -> Join | None:
        """The next join of the same client after it went."""
        return self._returns.get(departure.first.nth)


def _is_of_a_thread(line: Said) -> bool:
    """Whether a thread of Kafka Streams says it, or it is of one."""
    return "thread" in line.row.detail


def group_logs(reading: Reading) -> list[GroupLog]:
    """One log a group, the one with the most lines first; lines that name no group are of the only one there is."""
    reading = on_brokers_clock(taken_apart(reading))
    rows = _in_order(reading)
    versions = Versions(row for row, _ in rows)
    placed = _with_groups((row, at) for row, at in rows if row.kind is not RowKind.VERSION)
    by_group: dict[str | None, list[Said]] = defaultdict(list)
    for nth, (row, at, group) in enumerate(placed):
        like = _LIKE.get(row.kind)
        row = row if like is None else replace(row, kind=like)
        reason = str(row.detail.get("reason") or row.detail.get("error") or "")
        by_group[group].append(Said(nth, at, row, _speaker(row), reason))
    ends = {file: instant(at) for file, at in reading.ends.items() if at is not None}
    run = reading if isinstance(reading, RunReading) else RunReading()
    accounts = cache(lambda: {account.group: account for account in accounts_of(one_of_each(reading).reading)})
    found = []
    for group, said in by_group.items():
        files = {line.row.file for line in said}
        own_ends = {file: end for file, end in ends.items() if file in files}  # another log may be of another day
        found.append(
            GroupLog(
                group,
                _named(group, said),
                max(own_ends.values(), default=run.end_ms),
                versions.of(files),
                accounts,
                own_ends,
                run.in_run.stopped_ms.get(group or ""),
                run.waits(group),
                run.in_run.partition_ms.get(group or ""),
            )
        )
    found = [log for log in found if log.troubles or any(s.row.kind not in _FORGOTTEN for s in log.said)] or found
    return sorted(found, key=lambda log: (log.group is None, -len(log.said)))


def _in_order(reading: Reading) -> list[tuple[Row, int | None]]:
    """All rows: by their times where there are any, else in the order of their files; a row without a time stays
    behind the one before it."""
    files = {name: number for number, name in enumerate(reading.files)}
    rows = sorted(
        [*reading.rows, *reading.context, *reading.evidence],
        key=lambda row: (files.get(row.file, len(files)), row.order if row.order is not None else row.line),
    )
    placed: list[tuple[int, int, Row, int | None]] = []
    last: dict[str, int] = {}
    for number, row in enumerate(each for found in rows for each in _as_heard(found)):
        at = instant(row.at) if row.at is not None else None
        if at is not None:
            last[row.file] = max(at, last.get(row.file, at)) if at > last.get(row.file, at) - 60_000 else at
        placed.append((last.get(row.file, 0), number, row, at))
    several = len({row.file for row in rows}) > 1 and all(row.file in last for row in rows)
    if several:
        placed.sort(key=lambda entry: entry[:2])
    return [(row, at) for _, _, row, at in placed]


def _as_heard(row: Row) -> tuple[Row, ...]:
    """KafkaJS's line that it rejoins also says that the group is rebalancing."""
    if row.kind is RowKind.JOINING and "rebalancing" in str(row.detail.get("reason", "")):
        return replace(row, kind=RowKind.HEARTBEAT_SAYS_REBALANCING), row
    return (row,)


def _with_groups(rows: Iterable[tuple[Row, int | None]]) -> list[tuple[Row, int | None, str | None]]:
    """The rows with their groups: a row that names none is of its client's group, else of its file's only one."""
    rows = list(rows)
    of_client: dict[tuple[str, str | None], set[str]] = defaultdict(set)
    of_file: dict[str, set[str]] = defaultdict(set)
    for row, _ in rows:
        if row.group is not None:
            of_client[row.file, row.client].add(row.group)
            of_file[row.file].add(row.group)
    every = {group for groups in of_file.values() for group in groups}
    found: list[tuple[Row, int | None, str | None]] = []
    for row, at in rows:
        group = row.group
        if group is None:
            for groups in (
                of_client.get((row.file, row.client), set()) if row.client else set(),
                of_file[row.file],
                every,
            ):
                if len(groups) == 1:
                    (group,) = groups
                    break
        if group is None and every and is_broker(row):
            found += [(row, at, each) for each in sorted(every)]
        else:
            found.append((row, at, group))
    return found


def _speaker(row: Row) -> str | None:
    """Which client says it; None for a broker."""
    if is_broker(row) or row.kind in (RowKind.BROKER_LIFECYCLE, RowKind.COORDINATOR_LIFECYCLE):
        return None
    if row.client is not None and _LETTER.search(row.client):
        return row.client
    if row.program is Program.BROKER:
        return None
    return client_of(row.member) or ""


def _named(group: str | None, said: Sequence[Said]) -> list[Said]:
    """The lines with a name for who says nothing of itself: the only client of its file, else what `_nameless` gives;
    and with one for each of several members whose client id is the same.
    """
    clients: dict[str, Counter[str]] = defaultdict(Counter)
    for line in said:
        if line.client:
            clients[line.row.file][line.client] += 1
    own = names_by_file(said)
    alone = len({line.row.file for line in said if line.client == ""}) == 1 and not clients
    named = []
    for line in said:
        if (name := own.get((line.row.file, line.client or ""))) is not None:
            line = line._replace(client=name)
        if line.client == "":
            only = clients[line.row.file]
            name = next(iter(only)) if len(only) == 1 else _nameless(group, line.row.file, alone=alone)
            line = line._replace(client=name)
        named.append(line)
    return named


def _nameless(group: str | None, file: str, *, alone: bool) -> str:
    """What a client is called whose lines give it no name: by its group, or by its file where several are so."""
    if not alone:
        return f"the client in {PurePath(file).name}"
    return f"the consumer of {group}" if group and _LETTER.search(group) else "the consumer"
