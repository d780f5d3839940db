"""The plot of a recorded group: the facts of its run as a story that can be played again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assignors import ASSIGNORS
from events import classic as c
from events import client as p
from events import world as w
from events.base import Recorded, group_of, group_stream
from events.types import TopicPartition
from incidents import ghosts, timeouts
from incidents.errors import LogError
from incidents.generations import Generation, generations
from incidents.lives import CLOSE, KILL, Life, Lives

JAVA, LIBRDKAFKA, KAFKA_PYTHON = "java", "librdkafka", "kafka-python"
_LIBRDKAFKA = ("Unassignment done", "JoinGroup error", "Metadata for subscribed topic(s)")
_NATURAL = re.compile(
    r"need to revoke|re-join|already rebalancing|encountered|failed|metadata has changed|subscription"
)
_NEAR_MS = 2_000
_COMMON = "range"
_COOPERATIVE = "cooperative-sticky"
_ALIASES = {"RoundRobinAssigner": "roundrobin", "stream": "cooperative-sticky"}


@dataclass(frozen=True, slots=True)
class Actor:
    """One consumer through its lives: a process that went and came again is the same actor."""

    name: str
    lives: tuple[Life, ...]

    @property
    def instance(self) -> str | None:
        """Its static id, if it has one."""
        return next((life.instance for life in self.lives if life.instance), None)


@dataclass(frozen=True, slots=True)
class Growth:
    """A topic grew to so many partitions; `life` was the one to notice."""

    at_ms: int
    topic: str
    partitions: int
    life: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """Who did what when (ms of the run), with which settings (Kafka's names), and what had to be assumed.

    `failovers`: the coordinator was away from, to. `rejoins`: a life joined anew of its own accord.
    """

    group: str
    topics: Mapping[str, int]
    actors: tuple[Actor, ...]
    client: str
    settings: Mapping[str, int]
    generations: tuple[Generation, ...]
    growths: tuple[Growth, ...]
    failovers: tuple[tuple[int, int], ...]
    rejoins: tuple[tuple[int, str], ...]
    ends_ms: int
    notes: tuple[str, ...]

    @property
    def lives(self) -> list[Life]:
        """All lives."""
        return [life for actor in self.actors for life in actor.lives]


def groups(facts: Sequence[Recorded]) -> dict[str, tuple[str, int]]:
    """Protocol and number of generations of every group of a run, in the order in which they were declared."""
    found: dict[str, tuple[str, int]] = {}
    for fact in facts:
        if isinstance(fact.event, w.GroupDeclared):
            found.setdefault(fact.event.group, (fact.event.protocol, len(generations(facts, fact.event.group))))
    return found


def plot(
    facts: Sequence[Recorded], group: str, topics: Mapping[str, int] = {}, given: Mapping[str, int | str] = {}
) -> Plot:
    """The plot of one group. `topics` are partition counts, `given` settings, that the record does not tell.

    Raises LogError if the record holds no consumer of the group, or none of its topics.
    """
    told = Lives(group)
    told.fold(facts)
    passed = generations(facts, group)
    end_ms = facts[-1].at_ms if facts else 0
    lives = ghosts.join(told, ghosts.entries(facts, group), passed, end_ms)
    lives = [life for life in lives if life.joins or life.starts_ms is not None or not life.told or life.callbacks]
    if not lives:
        raise LogError(f"group {group!r}: the record tells of no member of it; there is no story to play again")
    counts, growths, notes = _topics(facts, group, lives, topics)
    client = str(given.get("client") or _client(lives))
    known = {name: int(value) for name, value in given.items() if name != "client"}
    settings, assumed = timeouts.infer(facts, group, lives, passed, known)
    if not any(generation.protocol for generation in passed):
        notes.append(f"partition.assignment.strategy={_COMMON} is assumed; no log tells the assignor")
    return Plot(
        group=group,
        topics=counts,
        actors=tuple(_actors(lives)),
        client=client,
        settings=settings,
        generations=tuple(passed),
        growths=tuple(growths),
        failovers=tuple(_failovers(facts, group, lives)),
        rejoins=tuple(_rejoins(passed, lives, told, client)),
        ends_ms=end_ms,
        notes=(*assumed, *notes, *_unsaid(lives)),
    )


def _client(lives: Sequence[Life]) -> str:
    """The client library, by its habits."""
    told = [life for life in lives if life.told]
    if any(reason.startswith(_LIBRDKAFKA) for life in told for reason in life.reasons):
        return LIBRDKAFKA
    silent = [life for life in told if life.joined_twice and not any("re-join" in r for r in life.reasons)]
    return KAFKA_PYTHON if silent and len(silent) * 2 > len(told) else JAVA


def _actors(lives: list[Life]) -> list[Actor]:
    """Lives of one client that do not overlap are one actor's; a member that left for being slow comes back."""
    chains: list[list[Life]] = []
    for life in sorted(lives, key=lambda each: (-1 if each.starts_ms is None else each.starts_ms, each.name)):
        before = [chain for chain in chains if _follows(chain[-1], life)]
        if not before:
            chains.append([life])
            continue
        chain = max(before, key=lambda each: each[-1].ends_ms or 0)
        last = chain[-1]
        if last.ending is None:
            _go_on(last, life)
            continue
        if last.ends_ms is None:
            last.ends_ms = max((life.starts_ms or 0) - 1, 0)
        chain.append(life)
    return [Actor(chain[0].instance or chain[0].client, tuple(chain)) for chain in chains]


def _follows(last: Life, life: Life) -> bool:
    if (last.instance or last.client) != (life.instance or life.client) or life.starts_ms is None:
        return False
    if last.ending is not None:
        return last.ends_ms is None or last.ends_ms <= life.starts_ms
    stall = last.stalls[-1] if last.stalls else None
    away = stall is not None and stall.to_ms is None and (stall.expired_ms or stall.from_ms or 0) <= life.starts_ms
    return away and not last.told and not life.told


def _go_on(last: Life, life: Life) -> None:
    """The same process under a new member id."""
    last.stalls[-1].to_ms = life.starts_ms
    last.ids += life.ids
    last.ends_ms, last.ending, last.expired_ms = life.ends_ms, life.ending, life.expired_ms
    last.stalls += life.stalls


def strategy(life: Life, passed: Sequence[Generation]) -> tuple[str, ...]:
    """What a life offered, as far as it was selected while it took part: the latest first.

    An assignor that is not Kafka's is played as one that is: Streams' as cooperative-sticky, others as range.
    """
    ids = set(life.ids)
    chosen: dict[str, None] = dict.fromkeys(reversed(life.protocols))
    if not chosen:
        mine = [g.protocol for g in passed if g.protocol and (g.members is None or ids & set(g.members))]
        chosen = dict.fromkeys(reversed(mine))
    names = [_ALIASES.get(name, name) for name in chosen]
    known = [name for name in names if name in ASSIGNORS and ASSIGNORS[name].side == "client"]
    common = [g.protocol for g in passed if g.protocol in ASSIGNORS]
    offered = list(dict.fromkeys(known)) or [str(common[-1]) if common else _COMMON]
    if life.eager and offered == [_COOPERATIVE]:  # it offered an eager one besides, which was never selected
        offered.append(next((name for name in common if name != _COOPERATIVE), _COMMON))
    return tuple(offered)


def _topics(
    facts: Sequence[Recorded], group: str, lives: Sequence[Life], given: Mapping[str, int]
) -> tuple[dict[str, int], list[Growth], list[str]]:
    """Partition counts at the begin, and how they grew."""
    counts = {f.event.topic: f.event.partitions for f in facts if isinstance(f.event, w.TopicCreated)}
    declared = [f.event.topics for f in facts if isinstance(f.event, w.GroupDeclared) and f.event.group == group]
    names = sorted({topic for topics in declared for topic in topics} & set(counts)) or sorted(given)
    counts = {topic: max(given.get(topic, 0), counts.get(topic, 0)) for topic in names}
    if not counts:
        raise LogError(
            f"group {group!r}: no log names a partition of it, so there is nothing to assign; give"
            " --topic NAME=PARTITIONS"
        )
    noticed = sorted((at, life.name) for life in lives for at in life.grows)
    growths: list[Growth] = []
    notes: list[str] = []
    if noticed:
        at, name = noticed[0]
        before = _seen_before(facts, group, at)
        for topic, count in counts.items():
            if 0 < before.get(topic, 0) < count:
                growths.append(Growth(at, topic, count, name))
                notes.append(f"{topic} had {before[topic]} partitions until {name} noticed that it had grown")
                counts[topic] = before[topic]
    return counts, growths, notes


def _seen_before(facts: Sequence[Recorded], group: str, until_ms: int) -> dict[str, int]:
    """How many partitions of each topic were named before an instant."""
    highest: dict[str, int] = {}
    for fact in facts:
        if fact.at_ms >= until_ms:
            break
        named: tuple[TopicPartition, ...] = ()
        if isinstance(fact.event, p.ViewChanged) and group_of(fact.stream) == group:
            named = fact.event.partitions
        elif isinstance(fact.event, c.AssignmentStored) and fact.stream == group_stream(group):
            named = tuple(tp for given in (fact.event.assignment or {}).values() for tp in given)
        for topic, partition in named:
            highest[topic] = max(highest.get(topic, 0), partition + 1)
    return highest


def _failovers(facts: Sequence[Recorded], group: str, lives: Sequence[Life]) -> list[tuple[int, int]]:
    """When the coordinator was away; a crash says nothing, but its clients notice."""
    found: list[tuple[int, int]] = []
    gone: int | None = None
    for fact in facts:
        if fact.stream != group_stream(group):
            continue
        if isinstance(fact.event, c.CoordinatorUnloaded):
            gone = fact.at_ms
        elif isinstance(fact.event, c.CoordinatorLoaded):
            last = found[-1][1] if found else 0
            missed = [at for life in lives for at in life.lost if max(last, fact.at_ms - 120_000) < at < fact.at_ms]
            if gone is None and len(missed) >= 2:
                gone = min(missed)
            if gone is not None and fact.at_ms > gone:
                found.append((gone, fact.at_ms))
            gone = None
    return found


def _rejoins(passed: Sequence[Generation], lives: Sequence[Life], told: Lives, client: str) -> list[tuple[int, str]]:
    """Rebalances that a member began although nothing had happened: enforced, for all the record tells."""
    by_id = {member: life for life in lives for member in life.ids}
    found = []
    for i, generation in enumerate(passed):
        life = by_id.get(generation.member or "")
        if (
            life is None
            or generation.started_ms is None
            or generation.cause not in ("member-rejoined", "leader-rejoined")
        ):
            continue
        at = generation.started_ms
        cooperative = any("cooperative" in (g.protocol or "") for g in passed[max(0, i - 1) : i + 1])
        explained = [*life.grows, *(when for when, _ in life.subscribes)]
        begins = min([*life.joins[:1], at]) if life.joins else at
        if cooperative or _NATURAL.search(generation.reason.partition("client reason:")[2]):
            continue
        if any(abs(when - at) <= _NEAR_MS for when in explained) or (
            client == KAFKA_PYTHON and at - begins <= _NEAR_MS
        ):
            continue
        found.append((at, life.name))
    return found


def _unsaid(lives: Sequence[Life]) -> list[str]:
    """What no log tells of the lives."""
    notes = []
    before = [life.name for life in lives if life.starts_ms is None]
    if before:
        notes.append(f"in the group before the record begins, and settled by then: {_listed(before)}")
    frozen = [life.name for life in lives for stall in life.stalls if stall.kind == "frozen"]
    if frozen:
        notes.append(
            f"removed while alive, so taken to have stood still as a whole (no log tells since when): {_listed(frozen)}"
        )
    silent = [life.name for life in lives if not life.told]
    if silent:
        notes.append(f"known from the coordinator alone, each member id as one process: {_listed(silent)}")
    killed = [life.name for life in lives if life.ending == KILL and life.expired_ms is not None]
    if killed:
        notes.append(f"taken to have died right after the last heartbeat that its session allows: {_listed(killed)}")
    if any(life.ending == CLOSE and not life.told for life in lives):
        notes.append("a member that left is taken to have closed its consumer")
    return notes


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:4])
    return shown if len(names) <= 4 else f"{shown} and {len(names) - 4} more"
