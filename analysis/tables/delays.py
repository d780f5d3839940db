"""How long records waited for a member that takes them: computed from availability, rates, and what a member can do.

Records come evenly. One that comes while nobody serves its partition waits until somebody does, and until those before
it are taken. A member takes at most its capacity, shared evenly by the partitions that have something waiting. Where
it is known how long a member works on a batch, records wait for its next poll, too; else what a poll or a fetch takes
in a group that works is left out.

A Java consumer sends the next fetch before `poll` gives a batch away, and the broker answers at once if there is a
record (fetch.min.bytes=1): what comes during a batch is fetched by the next poll, and given away by the one after that.
So a record waits for one to two batches (AbstractFetch, FetchCollector in Kafka 4.4). A member that loses a partition
does so in a poll, or instead of one: it has not given away what came during its last two batches, and drops it
(SubscriptionState, FetchBuffer.retainAll). Whoever has the partition next reads it.

A member of the cooperative protocol reads on while it is given more, so that its polls return at once, each with what
was fetched before. That knows where to start in one poll, validates the position in the next and sends the fetch at the
end of that after it, so the first records come with the third (ClassicKafkaConsumer.updateFetchPositions and poll). One
that gave everything up does all of that in one poll.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from math import inf
from typing import NamedTuple

from groupsim.analysis.availability.labels import Interval, Label, Where
from groupsim.analysis.availability.outages import Span, joined
from groupsim.events.types import TopicPartition

_NOTHING = 1e-6


class Piece(NamedTuple):
    """So many records, whose delays (ms) run evenly from one to the other."""

    records: float
    first_ms: float
    last_ms: float


class Delays(NamedTuple):
    """The delays of the records of one group in a period.

    `waiting`: records that nobody had taken at the end; their delay so far is among the pieces. `catch_up_ms`: the
    longest time from the end of an outage until nothing of the partition waited any more; None where it did not come
    so far.
    """

    pieces: Sequence[Piece]
    waiting: float
    catch_up_ms: float | None

    @property
    def records(self) -> float:
        """All of them."""
        return sum(piece.records for piece in self.pieces)

    @property
    def longest_ms(self) -> float:
        """The longest delay."""
        return max((max(piece.first_ms, piece.last_ms) for piece in self.pieces), default=0.0)

    def later_than(self, ms: float) -> float:
        """How many records waited longer."""
        return sum(piece.records * _share_above(piece, ms) for piece in self.pieces)

    def quantile(self, share: float) -> float:
        """The delay (ms) that this share of the records did not exceed; 0 if there are no records."""
        allowed, low, high = (1 - share) * self.records, 0.0, self.longest_ms
        if self.later_than(low) <= allowed:
            return low
        while high - low > _RESOLUTION_MS:
            middle = (low + high) / 2
            low, high = (middle, high) if self.later_than(middle) > allowed else (low, middle)
        return high


_RESOLUTION_MS = 0.1


def _share_above(piece: Piece, ms: float) -> float:
    low, high = sorted(piece[1:])
    if ms < low:
        return 1.0
    return 0.0 if ms >= high else (high - ms) / (high - low)


MAX_POLL_RECORDS = 500
"""Kafka's default of max.poll.records."""
EVERY_MEMBER = ""
"""The name under which a batch's duration is that of all members without one of their own."""


class Load(NamedTuple):
    """Records per second in each partition of a topic, and what one member takes per second; None: at once.

    `batches`: from one poll to the next (ms), by process or client id, or EVERY_MEMBER; not known of others.
    """

    rates: Mapping[str, float]
    capacity: float | None = None
    batches: Mapping[str, float] = {}

    def per_ms(self, member: str) -> float:
        """What this member takes per millisecond at most; a batch has up to MAX_POLL_RECORDS."""
        if self.capacity is not None:
            return self.capacity / 1_000
        batch_ms = self.batch_ms(member)
        return MAX_POLL_RECORDS / batch_ms if batch_ms else inf

    def batch_ms(self, member: str | None) -> float:
        """How long this member works on a batch; 0 where that is not known."""
        names = (member or "", client_of(member or ""), EVERY_MEMBER)
        return next((self.batches[name] for name in names if name in self.batches), 0.0)


def client_of(process: str) -> str:
    """The client id of a process: `m2` of `m2.0`."""
    client, dot, number = process.rpartition(".")
    return client if dot and number.isdecimal() else process


class Served(NamedTuple):
    """Who takes the records of a partition in a time (ms of the run); None: nobody."""

    partition: TopicPartition
    member: str | None
    from_ms: int
    to_ms: int


def served(
    intervals: Iterable[Interval],
    outages: Mapping[Where, Iterable[Span]] | None = None,
    late: Mapping[str, Sequence[Span]] = {},
) -> Iterator[Served]:
    """Who takes records, by the labels of intervals of one group; or in all the time outside given outages.

    A process whose work does not count takes records, too. Time of which logs say nothing counts as served. `late`: by
    process when it did not poll (`late_polls`).
    """
    for i in intervals:
        partition, member = TopicPartition(i.topic, i.partition), i.member or f"{i.topic}-{i.partition}"
        if outages is None and i.unavailable and i.label != Label.ZOMBIE_ONLY:
            yield Served(partition, None, i.from_ms, i.to_ms)
            continue
        at_ms = i.from_ms
        away = [] if outages is None else outages.get(i.where, ())
        for begin, end in joined([*away, *late.get(i.member or "", ())]):
            begin, end = max(begin, at_ms), min(end, i.to_ms)
            if begin < end:
                if at_ms < begin:
                    yield Served(partition, member, at_ms, begin)
                yield Served(partition, None, begin, end)
                at_ms = end
        if at_ms < i.to_ms:
            yield Served(partition, member, at_ms, i.to_ms)


def repeated(intervals: Iterable[Interval], load: Load) -> float:
    """How many records came while what was read had to be read again, or was read by two."""
    times = ((i.topic, i.duration_ms) for i in intervals if i.label in (Label.ZOMBIE_ONLY, Label.DOUBLE))
    return sum(load.rates.get(topic, 0.0) / 1_000 * ms for topic, ms in times)


_POLLS_TO_READ = 3
"""So many polls of a busy member from where it knows where to start until it has the first records."""


def _read_later(times: Iterable[Served], load: Load, keeping: AbstractSet[str]) -> Iterator[Served]:
    """The times, with those in which members in `keeping` have more partitions and do not read them yet."""
    server: dict[TopicPartition, str] = {}
    since: dict[str, dict[TopicPartition, int]] = defaultdict(dict)
    for each in sorted(times, key=lambda one: one.from_ms):
        partition, member, from_ms, to_ms = each
        before = server.get(partition)
        if member is None or member == before:
            yield each
            continue
        batch_ms = load.batch_ms(member) if member in keeping else 0.0
        reads = any(from_ms - had > batch_ms for had in since[member].values())
        begin = min(to_ms, round(from_ms + _POLLS_TO_READ * batch_ms)) if reads else from_ms
        if from_ms < begin:
            yield Served(partition, None, from_ms, begin)
        if begin < to_ms:
            yield Served(partition, member, begin, to_ms)
        if before is not None:
            since[before].pop(partition, None)
        server[partition], since[member][partition] = member, from_ms


def record_delays(times: Iterable[Served], load: Load, keeping: AbstractSet[str] = frozenset()) -> Delays:
    """The delays of the records that came in these times; those of a partition are in order and have no gap.

    `keeping`: processes of the cooperative protocol, which read on while they are given more.
    """
    changes: dict[int, list[tuple[TopicPartition, str | None]]] = defaultdict(list)
    ends: dict[TopicPartition, int] = {}
    model = _Model(load)
    for partition, member, from_ms, to_ms in _read_later(times, load, keeping):
        rate = load.rates.get(partition.topic, 0.0) / 1_000
        if rate:
            if partition not in ends:
                model.add(partition, rate, from_ms)
            changes[from_ms].append((partition, member))
            ends[partition] = to_ms
    for at_ms in sorted(changes):
        model.advance(at_ms)
        model.change(changes[at_ms], at_ms)
    model.advance(max(ends.values(), default=0))
    return model.delays(ends)


class _Queue:
    """One partition: what came, what was taken, and how fast it is being taken, per millisecond."""

    def __init__(self, rate: float, begin_ms: int) -> None:
        self.rate = rate
        self.begin_ms = begin_ms
        self.server: str | None = None
        self.taken_at: list[tuple[float, float, str | None]] = [(begin_ms, 0.0, None)]
        self.pace = 0.0
        self.back_ms: float | None = None
        self.catch_up_ms = 0.0

    def waiting(self, at_ms: float) -> float:
        """What has come and is not taken."""
        left = self.rate * (at_ms - self.begin_ms) - self.taken_at[-1][1]
        return left if left > _NOTHING else 0.0

    def move(self, at_ms: float) -> None:
        """Take at the pace until an instant."""
        before, taken, _ = self.taken_at[-1]
        if at_ms > before:
            came = self.rate * (at_ms - self.begin_ms)
            self.taken_at.append((at_ms, min(came, taken + self.pace * (at_ms - before)), self.server))

    def leave_unread(self, at_ms: float, held_ms: float) -> None:
        """What came in so long a time before is with its server, which has not given it away: the next one takes it."""
        kept = self.rate * (at_ms - held_ms - self.begin_ms)
        last = self.taken_at[-1]
        while len(self.taken_at) > 1 and self.taken_at[-1][1] > kept and self.taken_at[-1][2] == self.server:
            last = self.taken_at.pop()
        before, taken, _ = self.taken_at[-1]
        if taken < kept < last[1]:
            since = before + (last[0] - before) * (kept - taken) / (last[1] - taken)
            self.taken_at.append((since, kept, self.server))
        if self.taken_at[-1][0] < at_ms:
            self.taken_at.append((at_ms, self.taken_at[-1][1], None))

    def take_all(self, at_ms: float) -> None:
        """Take at once what waits."""
        self.taken_at.append((at_ms, self.rate * (at_ms - self.begin_ms), self.server))

    def pieces(self, load: Load) -> list[Piece]:
        """The delays of what was taken."""
        found = []
        for (at, taken, _), (later, more, server) in pairwise(self.taken_at):
            if more - taken > _NOTHING:
                came = [self.begin_ms + count / self.rate for count in (taken, more)]
                first, last = max(0.0, at - came[0]), max(0.0, later - came[1])
                found.append(_until_a_poll(Piece(more - taken, first, last), load.batch_ms(server)))
        return found


def _until_a_poll(piece: Piece, batch_ms: float) -> Piece:
    """One to two batches, where nothing else delays the records: a member that gets a partition is in a poll."""
    waited = max(piece.first_ms, piece.last_ms) > _NOTHING
    return piece if waited else Piece(piece.records, batch_ms, 2 * batch_ms)


class _Model:
    """All partitions of a group: events in the order of time."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._queues: dict[TopicPartition, _Queue] = {}
        self._of: dict[str, set[TopicPartition]] = defaultdict(set)
        self._empty: list[tuple[float, int, str]] = []
        self._planned: dict[str, int] = defaultdict(int)

    def add(self, partition: TopicPartition, rate: float, begin_ms: int) -> None:
        """A partition that counts from an instant on."""
        self._queues[partition] = _Queue(rate, begin_ms)

    def change(self, changes: Iterable[tuple[TopicPartition, str | None]], at_ms: int) -> None:
        """Who serves which partitions from now on; None: nobody."""
        members = set[str]()
        for partition, server in changes:
            queue = self._queues[partition]
            if server == queue.server:
                continue
            queue.move(at_ms)
            if queue.server is not None:
                self._of[queue.server].discard(partition)
                members.add(queue.server)
                queue.leave_unread(at_ms, 2 * self._load.batch_ms(queue.server))
            queue.pace, queue.server = 0.0, server
            if server is not None:
                self._of[server].add(partition)
                members.add(server)
                queue.back_ms = at_ms if queue.waiting(at_ms) else None
        for member in sorted(members):
            self._share(member, at_ms)

    def advance(self, until_ms: float) -> None:
        """Go on to an instant: partitions of which nothing waits any more leave their share to the others."""
        while self._empty and self._empty[0][0] <= until_ms:
            at_ms, plan, member = heapq.heappop(self._empty)
            if plan == self._planned[member]:
                self._share(member, at_ms)

    def _share(self, member: str, at_ms: float) -> None:
        """What each partition of a member gets from now on: evenly, and none more than it can use."""
        queues = [self._queues[partition] for partition in sorted(self._of[member])]
        capacity = self._load.per_ms(member)
        for queue in queues:
            queue.move(at_ms)
            if capacity == inf:
                queue.take_all(at_ms)
            if queue.back_ms is not None and not queue.waiting(at_ms):
                queue.catch_up_ms, queue.back_ms = max(queue.catch_up_ms, at_ms - queue.back_ms), None
        left, wanting = capacity, sorted(queues, key=lambda q: inf if q.waiting(at_ms) else q.rate)
        for number, queue in enumerate(wanting):
            share = left / (len(wanting) - number)
            queue.pace = share if queue.waiting(at_ms) else min(queue.rate, share)
            left -= queue.pace
        self._planned[member] += 1
        soon = [
            at_ms + left / (queue.pace - queue.rate)
            for queue in queues
            if (left := queue.waiting(at_ms)) and queue.pace > queue.rate
        ]
        if soon:
            heapq.heappush(self._empty, (min(soon), self._planned[member], member))

    def delays(self, ends: Mapping[TopicPartition, int]) -> Delays:
        """What came of it; each partition to its own end."""
        pieces, waiting, catch_up = list[Piece](), 0.0, dict[TopicPartition, float]()
        behind = False
        for partition, queue in sorted(self._queues.items()):
            end = ends[partition]
            queue.move(end)
            pieces += queue.pieces(self._load)
            left = queue.waiting(end)
            if left:
                came = queue.begin_ms + queue.taken_at[-1][1] / queue.rate
                pieces.append(Piece(left, end - came, 0.0))
                waiting += left
            behind = behind or queue.back_ms is not None
            catch_up[partition] = queue.catch_up_ms
        return Delays(pieces, waiting, None if behind else max(catch_up.values(), default=0.0))
