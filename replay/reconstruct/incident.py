"""The plot of a recorded group: the facts of its run as a story that can be played again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from groupsim.assignors import ASSIGNORS
from groupsim.events import world as w
from groupsim.events.base import Recorded
from groupsim.incidents.errors import LogError
from groupsim.replay.reconstruct import inferred_settings, topology_changes, unlogged_members
from groupsim.replay.reconstruct.member_history import CLOSE, KILL, Incarnation, Incarnations
from groupsim.replay.reconstruct.rebalances import Generation, generations

JAVA, LIBRDKAFKA, KAFKA_PYTHON = "java", "librdkafka", "kafka-python"
_LIBRDKAFKA = ("Unassignment done", "JoinGroup error", "Metadata for subscribed topic(s)")
_COMMON = "range"
_COOPERATIVE = "cooperative-sticky"
_ALIASES = {"RoundRobinAssigner": "roundrobin", "stream": "cooperative-sticky"}


@dataclass(frozen=True, slots=True)
class Member:
    """One consumer through its lives: a process that went and came again is the same actor."""

    name: str
    lives: tuple[Incarnation, ...]

    @property
    def instance(self) -> str | None:
        """Its static id, if it has one."""
        return next((life.instance for life in self.lives if life.instance), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """Who did what when (ms of the run), with which settings (Kafka's names), and what had to be assumed.

    `failovers`: the coordinator was away from, to. `rejoins`: a life joined anew of its own accord.
    """

    group: str
    topics: Mapping[str, int]
    actors: tuple[Member, ...]
    client: str
    settings: Mapping[str, int]
    generations: tuple[Generation, ...]
    growths: tuple[topology_changes.Growth, ...]
    failovers: tuple[tuple[int, int], ...]
    rejoins: tuple[tuple[int, str], ...]
    ends_ms: int
    notes: tuple[str, ...]

    @property
    def lives(self) -> list[Incarnation]:
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
) -> Incident:
    """The plot of one group. `topics` are partition counts, `given` settings, that the record does not tell.

    Raises LogError if the record holds no consumer of the group.
    """
    told = Incarnations(group)
    told.fold(facts)
    passed = generations(facts, group)
    end_ms = facts[-1].at_ms if facts else 0
    lives = unlogged_members.join(told, unlogged_members.entries(facts, group), passed, end_ms)
    lives = [life for life in lives if life.joins or life.starts_ms is not None or not life.told or life.callbacks]
    if not lives:
        raise LogError(f"group {group!r}: the record tells of no member of it; there is no story to play again")
    counts, growths, notes = topology_changes.topics(facts, group, lives, topics, max([1, *(g.size for g in passed)]))
    client = str(given.get("client") or _client(lives))
    known = {name: int(value) for name, value in given.items() if name != "client"}
    settings, assumed = inferred_settings.infer(facts, group, lives, passed, known)
    if not any(generation.protocol for generation in passed):
        notes.append(f"partition.assignment.strategy={_COMMON} is assumed; no log tells the assignor")
    notes += _strange(passed)
    return Incident(
        group=group,
        topics=counts,
        actors=tuple(_actors(lives)),
        client=client,
        settings=settings,
        generations=tuple(passed),
        growths=tuple(growths),
        failovers=tuple(topology_changes.failovers(facts, group, lives)),
        rejoins=tuple(topology_changes.rejoins(passed, lives, client == KAFKA_PYTHON)),
        ends_ms=end_ms,
        notes=(*assumed, *notes, *_unsaid(lives)),
    )


def _client(lives: Sequence[Incarnation]) -> str:
    """The client library, by its habits."""
    told = [life for life in lives if life.told]
    if any(reason.startswith(_LIBRDKAFKA) for life in told for reason in life.reasons):
        return LIBRDKAFKA
    silent = [life for life in told if life.joined_twice and not any("re-join" in r for r in life.reasons)]
    return KAFKA_PYTHON if silent and len(silent) * 2 > len(told) else JAVA


def _actors(lives: list[Incarnation]) -> list[Member]:
    """Incarnations of one client that do not overlap are one actor's; a member that left for being slow comes back."""
    chains: list[list[Incarnation]] = []
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
    return [Member(chain[0].instance or chain[0].client, tuple(chain)) for chain in chains]


def _follows(last: Incarnation, life: Incarnation) -> bool:
    if (last.instance or last.client) != (life.instance or life.client) or life.starts_ms is None:
        return False
    if last.ending is not None:
        return last.ends_ms is None or last.ends_ms <= life.starts_ms
    stall = last.stalls[-1] if last.stalls else None
    away = stall is not None and stall.to_ms is None and (stall.expired_ms or stall.from_ms or 0) <= life.starts_ms
    return away and not last.told and not life.told


def _go_on(last: Incarnation, life: Incarnation) -> None:
    """The same process under a new member id."""
    last.stalls[-1].to_ms = life.starts_ms
    last.ids += life.ids
    last.ends_ms, last.ending, last.expired_ms = life.ends_ms, life.ending, life.expired_ms
    last.stalls += life.stalls


def strategy(life: Incarnation, passed: Sequence[Generation]) -> tuple[str, ...]:
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


def _strange(passed: Sequence[Generation]) -> list[str]:
    """Assignors of the record that are none of Kafka's consumers': of Connect, Streams, other libraries, one's own."""
    named = dict.fromkeys(g.protocol for g in passed if g.protocol)
    others = [name for name in named if name not in ASSIGNORS or ASSIGNORS[name].side != "client"]
    return [f"assignor {name} is played as {_ALIASES.get(name, _COMMON)}, which is not the same" for name in others]


def _unsaid(lives: Sequence[Incarnation]) -> list[str]:
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
