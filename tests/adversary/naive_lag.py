"""Lag, catch-up and commits a second time, by looking through all facts at each instant.

Nothing is shared with `analysis.tables.lag` and `analysis.tables.commits`: their columns' meanings are taken at their
word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.tables import commits as table
from groupsim.analysis.tables.lag import Ends, Level, catch_up_rows, lag_rows, partition_lags
from groupsim.events import client as p
from groupsim.events.base import Recorded, group_of
from groupsim.events.group import CommitAccepted, CommitRefused
from groupsim.events.types import TopicPartition
from groupsim.events.world import TopicCreated
from tests.adversary.naive import Naive, Spans, naive

Key = tuple[str, TopicPartition]
Row = dict[str, Any]
_INSTANTS, _OUTAGES, _STEP_MS = 6, 3, 211
"""So many instants and outages of a run are looked at; in an outage every few milliseconds, and around commits."""
_NEAR = 1
"""Records: ends are computed in floating point."""


class Known(NamedTuple):
    """What a user says of where partitions end."""

    given: Mapping[TopicPartition, Sequence[Level]]
    rates: Mapping[str, float]


def lags_differ(facts: Sequence[Recorded], rng: Random) -> list[str]:
    """Each row of lag, of catch-up and of commits that only one of the two has, in a sentence."""
    return [*_levels_differ(facts, rng), *_ends_differ(facts, rng), *_commits_differ(facts)]


def _levels_differ(facts: Sequence[Recorded], rng: Random) -> Iterator[str]:
    every_ms = rng.choice((250, 1_000, 7_777))
    rows: dict[int, list[Row]] = {}
    for row in table.lag(facts, every_ms):
        rows.setdefault(row["at_ms"], []).append(row)
    last = -(-facts[-1].at_ms // every_ms) * every_ms
    for at_ms in {*(every_ms * rng.randint(0, last // every_ms) for _ in range(_INSTANTS)), last}:
        mine, theirs = rows.get(at_ms, []), _levels(facts, at_ms)
        if mine != theirs:
            yield f"lag at {at_ms} ms: the table has {mine}, the naive reading {theirs}"
    if max(rows) != last:
        yield f"lag ends at {max(rows)} ms, the run at {facts[-1].at_ms} ms"


def _levels(facts: Sequence[Recorded], at_ms: int) -> list[Row]:
    """Who has read or committed what up to an instant."""
    past = [fact for fact in facts if fact.at_ms <= at_ms]
    rates = {fact.event.topic: fact.event.rate for fact in past if isinstance(fact.event, TopicCreated)}
    done, began = _committed(past), dict[Key, int]()
    for fact in past:
        if isinstance(fact.event, p.PositionReady):
            for topic, number, offset in fact.event.offsets:
                began.setdefault((group_of(fact.stream) or "", TopicPartition(topic, number)), offset)
    rows = []
    for group, tp in sorted(done.keys() | began.keys()):
        committed = done[group, tp][-1][1] if (group, tp) in done else None
        produced = int(rates[tp.topic] * at_ms / 1_000) if rates.get(tp.topic) else None
        read = began.get((group, tp)) if committed is None else committed
        behind = None if produced is None or read is None or read < 0 else max(0, produced - read)
        values = {"committed": committed, "produced": produced, "lag": behind}
        rows.append({"at_ms": at_ms, "group": group, "topic": tp.topic, "partition": tp.partition, **values})
    return rows


def _committed(facts: Iterable[Recorded]) -> dict[Key, list[Level]]:
    found: dict[Key, list[Level]] = {}
    for fact in facts:
        if isinstance(fact.event, CommitAccepted):
            for topic, number, offset in fact.event.offsets:
                key = (group_of(fact.stream) or "", TopicPartition(topic, number))
                found.setdefault(key, []).append((fact.at_ms, offset))
    return found


def _drawn_ends(facts: Sequence[Recorded], rng: Random) -> Known:
    """Ends of some partitions, as a user's file has them, a topic's rate, or nothing."""
    end, given, rates = facts[-1].at_ms, dict[TopicPartition, list[Level]](), dict[str, float]()
    for _, tp in sorted(_committed(facts)):
        if rng.random() < 0.3:
            times, offsets = (sorted(rng.randrange(most) for _ in range(3)) for most in (end + 1, 500))
            given[tp] = list(dict(zip(times, offsets, strict=True)).items())
        if rng.random() < 0.2:
            rates[tp.topic] = rng.choice((0.5, 2.0, 31.4))
    return Known(given, rates)


class _Partition:
    """Where one partition ended, and what was committed of it."""

    def __init__(self, facts: Sequence[Recorded], key: Key, commits: Sequence[Level], known: Known) -> None:
        topic = key[1].topic
        made = [each.event.rate for each in facts if isinstance(each.event, TopicCreated) and each.event.topic == topic]
        simulated = bool(made and made[0]) and topic not in known.rates
        self.commits, self.given = commits, sorted(known.given.get(key[1], ()))
        rate = known.rates.get(topic, made[0] if simulated else None)
        self.end_is = "given" if self.given else "estimated" if rate is None else "rate"
        (begin, first), (later, last) = commits[0], commits[-1]
        estimated = max(0.0, (last - first) / (later - begin)) if later > begin else 0.0
        self.slope = estimated if rate is None else rate / 1_000
        self.through = [(0, 0)] if simulated else list(commits)
        self.known = self.end_is != "estimated" or later > begin

    def end(self, at_ms: int) -> int:
        """The highest of the lines that nothing contradicts; between given ends straight."""
        before = [level for level in self.given if level[0] <= at_ms]
        after = [level for level in self.given if level[0] > at_ms]
        if before and after:
            (begin, low), (later, high) = before[-1], after[0]
            return int(low + (high - low) * (at_ms - begin) / (later - begin) + 1e-6)
        through = [before[-1]] if before else [after[0]] if after else self.through
        return int(max(offset + self.slope * (at_ms - at) for at, offset in through) + 1e-6)

    def committed(self, at_ms: int) -> int | None:
        """What was committed last."""
        done = None
        for at, offset in self.commits:
            if at > at_ms:
                break
            done = offset
        return done

    def lag(self, at_ms: int) -> int | None:
        """How far behind."""
        done = self.committed(at_ms)
        if done is None or not self.known:
            return None
        behind = self.end(at_ms) - done
        return None if behind < 0 and self.given else max(0, behind)


def _ends_differ(facts: Sequence[Recorded], rng: Random) -> Iterator[str]:
    known, end_ms = _drawn_ends(facts, rng), facts[-1].at_ms
    theirs = {key: _Partition(facts, key, commits, known) for key, commits in _committed(facts).items()}
    lags = partition_lags(facts, Ends(known.given, known.rates))
    if sorted(lags) != sorted(theirs):
        yield f"partitions with commits: {sorted(lags)}, read as {sorted(theirs)}"
        return
    every_ms = max(1, end_ms // rng.randint(2, 9))
    for row in lag_rows(lags, every_ms, end_ms):
        own = theirs[row["group"], TopicPartition(row["topic"], row["partition"])]
        at_ms = row["at_ms"]
        end = own.end(at_ms) if own.known else None
        said = (row["committed"], row["end_is"])
        apart = _apart(row["end"], end) or _apart(row["lag"], own.lag(at_ms))
        if said != (own.committed(at_ms), own.end_is) or apart:
            yield f"{row}: read as {own.committed(at_ms)} of {end}, {own.lag(at_ms)} behind, {own.end_is}"
    outages = _outages(naive(facts))
    rows = list(catch_up_rows(lags, intervals(facts)))
    where = [(r["group"], TopicPartition(r["topic"], r["partition"]), r["from_ms"], r["to_ms"]) for r in rows]
    had = [each for each in outages if each[:2] in theirs and theirs[each[:2]].committed(each[2]) is not None]
    if sorted(where) != sorted(had):
        yield f"outages of partitions with commits: {sorted({*where} ^ {*had})} only in one of the two"
    for row in rng.sample(rows, min(_OUTAGES, len(rows))):
        own = theirs[row["group"], TopicPartition(row["topic"], row["partition"])]
        if (found := _caught_up(row, own)) is not None:
            yield found


def _apart(mine: int | None, theirs: int | None) -> bool:
    return (mine is None) != (theirs is None) or abs((mine or 0) - (theirs or 0)) > _NEAR


def _outages(spans: Spans) -> list[tuple[str, TopicPartition, int, int]]:
    found: list[tuple[str, TopicPartition, int, int]] = []
    for (group, tp), said in spans.items():
        for from_ms, to_ms, value in said:
            if value.available or from_ms == to_ms:
                continue
            if found and found[-1][:2] == (group, tp) and found[-1][3] == from_ms:
                from_ms = found.pop()[2]
            found.append((group, tp, from_ms, to_ms))
    return found


def _caught_up(row: Row, own: _Partition) -> str | None:
    """A sentence on where the row differs from what every millisecond shows."""
    from_ms, to_ms, before = row["from_ms"], row["to_ms"], row["lag_before"]
    before_ms = max(at for at, _ in own.commits if at <= from_ms)
    if _apart(before, own.lag(before_ms)):
        return f"{row}: the lag before is {own.lag(before_ms)}"
    if before is None:
        return None if row["caught_up_ms"] is None else f"{row}: caught up with what is not known"
    later = [(at, offset) for at, offset in own.commits if at > to_ms]
    caught = next((at for at, offset in later if own.end(at) - offset <= before), None)
    if caught != row["caught_up_ms"]:
        sure = next((at for at, offset in later if own.end(at) - offset <= before - _NEAR), None)
        could = [at for at, offset in later if own.end(at) - offset <= before + _NEAR]
        if row["caught_up_ms"] not in (*could, None) or (sure is not None and (row["caught_up_ms"] or sure + 1) > sure):
            return f"{row}: caught up at {caught}"
        return None
    behind = max([to_ms, *(at for at, _ in own.commits if caught is None or at < caught)])
    if row["catch_up_at_least_ms"] != behind - to_ms or row["catch_up_ms"] != (
        None if caught is None else caught - to_ms
    ):
        return f"{row}: behind until {behind}, caught up at {caught}"
    until = to_ms if caught is None else caught
    looked = {*(at + by for at, _ in own.commits for by in (-1, 0)), *range(before_ms, until, _STEP_MS), until}
    levels = [lag for at in looked if before_ms <= at <= until and (lag := own.lag(at)) is not None]
    if _apart(row["highest_lag"], max(levels, default=None)):
        return f"{row}: the highest lag is {max(levels, default=None)}"
    return None


def _commits_differ(facts: Sequence[Recorded]) -> Iterator[str]:
    mine, theirs = (Counter(tuple(row.items()) for row in rows) for rows in (table.commits(facts), _answered(facts)))
    for row in mine - theirs:
        yield f"only the table of commits has {dict(row)}"
    for row in theirs - mine:
        yield f"only the naive reading of commits has {dict(row)}"


def _answered(facts: Sequence[Recorded]) -> Iterator[Row]:
    """Each partition of each commit that was answered; of those that failed what the coordinator does not report."""
    naively, refused = Naive(), list[tuple[str, str | None, str]]()
    for fact in facts:
        naively.take(fact)
        event, group = fact.event, group_of(fact.stream) or ""
        if isinstance(event, CommitAccepted | CommitRefused):
            process = naively.groups[group].process_of.get(event.member)
            error = event.error if isinstance(event, CommitRefused) else None
            if error is not None:
                refused.append((group, process, error))
            who = (fact.at_ms, group, process, event.member or None, event.generation)
            yield from _of_commit(who, event.offsets, error, "coordinator")
        elif isinstance(event, p.CommitFailed):
            if (group, event.process, event.error) in refused:
                refused = [each for each in refused if each != (group, event.process, event.error)]
                continue
            member = naively.processes[event.process].member or None
            sender = (fact.at_ms, group, event.process, member, None)
            yield from _of_commit(sender, event.offsets, event.error, "client")


def _of_commit(
    who: tuple[int, str, str | None, str | None, int | None],
    offsets: Sequence[tuple[str, int, int]],
    error: str | None,
    by: str,
) -> Iterator[Row]:
    at_ms, group, process, member, generation = who
    named: Sequence[tuple[str | None, int | None, int | None]] = offsets or [(None, None, None)]
    for topic, number, offset in named:
        about = {"at_ms": at_ms, "group": group, "process": process, "member": member, "generation": generation}
        where = {"topic": topic, "partition": number, "offset": offset}
        yield {**about, **where, "accepted": error is None, "error": error, "reported_by": by}
