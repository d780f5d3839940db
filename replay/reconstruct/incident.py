"""Incident: what happened to one recorded group, reconstructed from the facts of its run so that it can be replayed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from groupsim.events import world as w
from groupsim.events.base import Recorded
from groupsim.events.client import ProcessStarted
from groupsim.incidents.errors import LogError
from groupsim.replay.reconstruct import topology_changes, unlogged_members
from groupsim.replay.reconstruct.applications.programs import program_notes, with_programs
from groupsim.replay.reconstruct.client_library import assignor_notes, client_library
from groupsim.replay.reconstruct.connect_program import ConnectProgram, connect_program
from groupsim.replay.reconstruct.host_speed import Host, host_notes, host_of
from groupsim.replay.reconstruct.incarnation import Ending, Incarnation, StallKind
from groupsim.replay.reconstruct.inferred_settings.append_linger import writes_ms
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, METADATA_AGE, SESSION, Evidence, Open
from groupsim.replay.reconstruct.inferred_settings.infer import infer_settings
from groupsim.replay.reconstruct.member_history import MemberHistory
from groupsim.replay.reconstruct.members import Member, members_of
from groupsim.replay.reconstruct.old_imports import completed
from groupsim.replay.reconstruct.rebalances import Generation, generations_of
from groupsim.replay.reconstruct.record_interval import record_interval_ms
from groupsim.replay.reconstruct.short_stops import is_quiet, stopped_members
from groupsim.replay.reconstruct.streams_program import StreamsProgram, streams_program, streams_protocol
from groupsim.replay.reconstruct.unseen import died_before_return
from groupsim.simulation.clients.config import KAFKA_PYTHON
from groupsim.simulation.clients.traits import TRAITS
from groupsim.simulation.latencies import Latencies
from groupsim.wording.lists import listed
from groupsim.wording.numbers import seconds

_SILENT = (
    "at an unknown time between the last request that its session allows and its next heartbeat (each seed draws one)"
)
_NO_JOINS = ("does not say when its members joined", "; import the logs of its members, too")


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """One group: its members, what happened to them and around them (ms of the run), its settings (Kafka's names).

    `open_settings`: the values of a setting that fit the record, where it does not show a single one; `known_settings`:
    those that it shows, or that the user gave. `client`: the client library that is simulated; `streams`: what its
    members are instances of, if they are of an application of Kafka Streams; `connect`: the cluster of Kafka Connect
    that they are workers of. `failovers`: when the coordinator was unavailable. `metadata_age_ms`: metadata.max.age.ms,
    if it was given or printed. `rejoins`: when which incarnation joined again without a visible cause.
    `record_interval_ms`: the typical time between two records of a partition, where offsets show it. `host`: how slow
    its programs are. `stopped`: processes that seem to have been stopped for less than a session. `notes`: what had to
    be assumed.
    """

    group: str
    topics: Mapping[str, int]
    members: tuple[Member, ...]
    client: str
    streams: StreamsProgram | None
    connect: ConnectProgram | None
    settings: Mapping[str, int]
    open_settings: Mapping[str, Open]
    known_settings: frozenset[str]
    generations: tuple[Generation, ...]
    growths: tuple[topology_changes.Growth, ...]
    metadata_age_ms: int | None
    failovers: tuple[topology_changes.Failover, ...]
    rejoins: tuple[tuple[int, str], ...]
    ends_ms: int
    record_interval_ms: float | None
    host: Host
    stopped: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def of_consumers(self) -> bool:
        """Whether its members are consumers of their own, neither of Kafka Streams nor of Kafka Connect."""
        return self.streams is None and self.connect is None

    @property
    def latencies(self) -> Latencies:
        """Of its library, on its host."""
        return self.host.latencies(self.client)

    @property
    def incarnations(self) -> list[Incarnation]:
        """The incarnations of all members."""
        return [incarnation for member in self.members for incarnation in member.incarnations]

    def drawn_settings(self, draw: Callable[[], float]) -> dict[str, int]:
        """The settings (ms) of one seed, for any choice; those that the record leaves open are drawn.

        `draw` gives numbers from 0 to 1, for each of them one.
        """
        drawn = {name: likely[int(draw() * len(likely))] for name, likely in sorted(self.open_settings.items())}
        settings = {**self.settings, **drawn}
        if settings[HEARTBEAT] >= settings[SESSION]:
            settings[HEARTBEAT] = max(1, settings[SESSION] // 3)
        return settings


def groups(facts: Sequence[Recorded]) -> dict[str, tuple[str, int]]:
    """Protocol and number of generations of every group of a run, in the order in which they were declared."""
    found: dict[str, tuple[str, int]] = {}
    for fact in facts:
        if isinstance(fact.event, w.GroupDeclared):
            found.setdefault(fact.event.group, (fact.event.protocol, len(generations_of(facts, fact.event.group))))
    return found


def reconstruct(
    facts: Sequence[Recorded], group: str, topics: Mapping[str, int] = {}, given: Mapping[str, int | str] = {}
) -> Incident:
    """The incident of one group. `topics` are partition counts, `given` settings, that the user knows.

    Raises LogError if the record has no member of the group.
    """
    facts = completed(facts)
    generations = generations_of(facts, group)
    end_ms = facts[-1].at_ms if facts else 0
    incarnations = _incarnations(facts, group, generations, end_ms)
    cluster = connect_program(facts, group)
    counts, notes = ({}, []) if cluster else topology_changes.topics(facts, group, topics, generations)
    client = str(given.get("client") or client_library(incarnations))
    known = {name: int(value) for name, value in given.items() if name != "client"}
    age_ms = known.pop(METADATA_AGE, None)
    growths, growth_notes = topology_changes.growths(facts, group, counts, incarnations, generations, age_ms)
    evidence = Evidence(incarnations, generations, TRAITS[client].heartbeats_from_sync)
    writes = writes_ms(facts, group)
    inferred = infer_settings(facts, group, evidence, known, writes)
    longest_ms = max([inferred.values[HEARTBEAT], *inferred.open.get(HEARTBEAT, ())])
    protocol = streams_protocol(facts, group)
    chains = members_of(incarnations, of_streams=protocol is not None)
    members = with_programs(facts, group, chains, generations, longest_ms, writes)
    program = streams_program(facts, group, members, protocol) if protocol else None
    stopped = stopped_members(members, generations, inferred, is_quiet(incarnations) and not growths)
    return Incident(
        group=group,
        topics=counts,
        members=stopped.members,
        client=client,
        streams=program,
        connect=cluster,
        settings=inferred.values,
        open_settings=inferred.open,
        known_settings=inferred.known,
        generations=tuple(generations),
        growths=tuple(cluster.growths if cluster else growths),
        metadata_age_ms=inferred.metadata_age_ms if age_ms is None else age_ms,
        failovers=tuple(topology_changes.failovers(facts, group, incarnations)),
        rejoins=() if program or cluster else _rejoins(generations, incarnations, client),
        ends_ms=end_ms,
        record_interval_ms=record_interval_ms(facts),
        host=host_of(client, members, generations),
        stopped=stopped.names,
        notes=(
            *inferred.notes,
            *(() if cluster else [*notes, *growth_notes]),
            *stopped.notes,
            *(program.notes(counts) if program else cluster.notes() if cluster else assignor_notes(generations)),
            *program_notes(members),
            *host_notes(client, members, generations),
            *_assumptions(members, inferred.values),
        ),
    )


def _incarnations(
    facts: Sequence[Recorded], group: str, generations: list[Generation], end_ms: int
) -> list[Incarnation]:
    """Every process that took part in the group. Raises LogError where there is none."""
    history = MemberHistory(group)
    history.apply(facts)
    records = unlogged_members.member_records(facts, group)
    known = unlogged_members.combined(history, records, generations, end_ms)
    if found := [incarnation for incarnation in known if incarnation.took_part]:
        return found
    held = any(isinstance(fact.event, ProcessStarted) for fact in facts)
    why, advice = _NO_JOINS if held else ("has no member of it", "")
    raise LogError(f"group {group!r}: the record {why}, so there is nothing to replay{advice}")


def _rejoins(
    generations: Sequence[Generation], incarnations: Sequence[Incarnation], client: str
) -> tuple[tuple[int, str], ...]:
    """When members joined again without a visible cause. Assignors of Streams and Connect ask for it, replayed, too."""
    return tuple(topology_changes.rejoins(generations, incarnations, client == KAFKA_PYTHON))


def _assumptions(members: Sequence[Member], settings: Mapping[str, int]) -> list[str]:
    """Sentences on what no log shows of the incarnations."""
    incarnations = [incarnation for member in members for incarnation in member.incarnations]
    notes = []
    before = [i.name for i in incarnations if i.starts_ms is None]
    if before:
        notes.append(f"members before the record begins, in a settled group: {listed(before)}")
    frozen = [i.name for i in incarnations for s in i.stalls if s.kind == StallKind.FROZEN and s.expired_ms is not None]
    if frozen:
        notes.append(f"removed while alive, so assumed to have been frozen, {_SILENT}: {listed(frozen)}")
    unlogged = [i.name for i in incarnations if not i.logged]
    if unlogged:
        notes.append(f"known from the coordinator alone, each member id as one process: {listed(unlogged)}")
    killed = [i.name for i in incarnations if i.ending == Ending.KILL and i.expired_ms is not None]
    if killed:
        notes.append(f"assumed to have died, {_SILENT}: {listed(killed)}")
    if any(i.ending == Ending.CLOSE and not i.logged for i in incarnations):
        notes.append("a member that left is assumed to have closed its consumer")
    deaths = [_died(*each, settings) for member in members for each in pairwise(member.incarnations)]
    return [*notes, *(sentence for sentence in deaths if sentence is not None)]


def _died(incarnation: Incarnation, after: Incarnation, settings: Mapping[str, int]) -> str | None:
    """A sentence on a process that came back before its session ended."""
    if incarnation.ending is not Ending.KILL or incarnation.expired_ms is not None:
        return None
    died = died_before_return(incarnation, after, settings)
    if died is None:
        return None
    when = f"from {seconds(died.since_ms)} to {seconds(died.until_ms)} s of the record"
    return (
        f"{incarnation.name} died at an unknown time {when}: it wrote nothing more until it was back, and its session"
        " did not end; each seed draws a time"
    )
