"""A topology with the broker's topics: numbers of partitions and tasks, or what is missing or does not fit.

Kafka: InternalTopicManager.configureTopics, RepartitionTopics, CopartitionedTopicsEnforcer, ChangelogTopics.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from groupsim.coordinator.decision import RequestRefused
from groupsim.coordinator.outcome import Error
from groupsim.coordinator.topics import Topics
from groupsim.events.streams import Copartition, InternalTopic, Subtopology, Topology, TopologyConfigured

MISSING_SOURCES = "MISSING_SOURCE_TOPICS"
MISSING_INTERNAL = "MISSING_INTERNAL_TOPICS"
BADLY_PARTITIONED = "INCORRECTLY_PARTITIONED_TOPICS"
MOST_NAMED = 3
"""So many missing internal topics are named."""
Counts = dict[str, int]


class _Problem(Exception):
    """The application can't run, and members learn why."""

    def __init__(self, status: str, detail: str) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail


def configured(topology: Topology, topics: Topics) -> TopologyConfigured:
    """Compare the topology with the broker's topics. Raises RequestRefused for one that can never run."""
    try:
        counts = _partition_counts(topology, topics)
        tasks = {part.id: _tasks(part, counts) for part in topology.subtopologies}
        missing = _missing(topology, topics, counts, tasks)
    except _Problem as problem:
        return TopologyConfigured(problem=(problem.status, problem.detail))
    names = ", ".join(topic.name for topic in missing[:MOST_NAMED])
    lacks = (MISSING_INTERNAL, f"Internal topics are missing: {names}") if missing else None
    return TopologyConfigured(tasks=tasks, problem=lacks, missing=missing)


def check_topology(topology: Topology) -> None:
    """What Kafka can't even read: two subtopologies of one id, an index out of range, a negative epoch.

    Raises RequestRefused (UNKNOWN_SERVER_ERROR).
    """
    ids = [part.id for part in topology.subtopologies]
    if topology.epoch < 0 or len(set(ids)) < len(ids):
        raise RequestRefused(Error.UNKNOWN_SERVER_ERROR)
    for part in topology.subtopologies:
        for group in part.copartition:
            sources, repartition = len(part.sources), len(part.repartition_sources)
            indexes = [(i, sources) for i in group.sources] + [(i, repartition) for i in group.repartition]
            if not all(0 <= i < count for i, count in indexes):
                raise RequestRefused(Error.UNKNOWN_SERVER_ERROR)


def _partition_counts(topology: Topology, topics: Topics) -> Counts:
    """Partitions of every source topic and repartition topic. Raises _Problem, RequestRefused."""
    repartition = {topic.name: topic for part in topology.subtopologies for topic in part.repartition_sources}
    sources = {name for part in topology.subtopologies for name in part.sources} - repartition.keys()
    missing = sorted(sources - topics.by_name.keys())
    if missing:
        raise _Problem(MISSING_SOURCES, f"Source topics {', '.join(missing)} are missing.")
    existing = {name: topics.by_name[name].partitions for name in sources}
    counts = existing | _repartition_counts(topology, existing, repartition)
    if not repartition.keys() <= counts.keys():
        raise RequestRefused(
            Error.STREAMS_INVALID_TOPOLOGY,
            "Failed to compute number of partitions for all repartition topics, because a repartition source topic is"
            " never used as a sink topic.",
        )
    for part in topology.subtopologies:
        for group in part.copartition:
            counts |= _copartitioned(part, group, counts, repartition)
    return counts


def _repartition_counts(topology: Topology, existing: Counts, topics: Mapping[str, InternalTopic]) -> Counts:
    """A given number, else the most partitions among the inputs of those subtopologies that write the topic."""
    counts = {name: topic.partitions for name, topic in topics.items() if topic.partitions}
    sinks = [(name, part) for part in topology.subtopologies for name in part.repartition_sinks]
    opened = {name for name, _ in sinks} - counts.keys()
    while opened:
        known = existing | counts
        found: Counts = {}
        for name, part in sinks:
            inputs = [known[topic] for topic in part.inputs if topic in known]
            if name in opened and inputs:
                found[name] = max([*inputs, found.get(name, 0)])
        if not found:
            raise RequestRefused(
                Error.STREAMS_INVALID_TOPOLOGY,
                "Failed to compute number of partitions for all repartition topics. There may be loops in the topology"
                " that cannot be resolved.",
            )
        counts |= found
        opened -= found.keys()
    return counts


def _copartitioned(
    part: Subtopology, group: Copartition, counts: Counts, repartition: Mapping[str, InternalTopic]
) -> Counts:
    """The repartition topics of such a group take the number of the others, or the most of their own."""
    named = {part.sources[i] for i in group.sources} | {part.repartition_sources[i].name for i in group.repartition}
    sources = {name: counts[name] for name in sorted(named - repartition.keys())}
    flexible = sorted(named & repartition.keys())
    if len(set(sources.values())) > 1:
        shown = ", ".join(f"{name}={count}" for name, count in sources.items())
        raise _Problem(BADLY_PARTITIONED, f"Following topics do not have the same number of partitions: [{{{shown}}}]")
    if not named:
        return {}
    wanted = next(iter(sources.values())) if sources else max(counts[name] for name in flexible)
    for name in flexible:
        if repartition[name].partitions and counts[name] != wanted:
            raise _Problem(
                BADLY_PARTITIONED,
                f"Number of partitions [{counts[name]}] of repartition topic [{name}] doesn't match number of"
                f" partitions [{wanted}] of the source topic.",
            )
    return dict.fromkeys(flexible, wanted)


def _tasks(part: Subtopology, counts: Counts) -> int:
    inputs = [counts[name] for name in part.inputs]
    if not inputs:
        raise RequestRefused(Error.STREAMS_INVALID_TOPOLOGY, f"No source topics found for subtopology {part.id}")
    return max(inputs)


def _missing(topology: Topology, topics: Topics, counts: Counts, tasks: Counts) -> tuple[InternalTopic, ...]:
    """The internal topics that are to be made, with the number of partitions that they need. Raises _Problem."""
    needed: dict[str, InternalTopic] = {}
    for part in topology.subtopologies:
        needed |= {topic.name: _sized(topic, counts[topic.name]) for topic in part.repartition_sources}
        needed |= {topic.name: _sized(topic, tasks[part.id]) for topic in part.changelogs}
    for name, topic in needed.items():
        expected, found = topic.partitions, topics.by_name[name].partitions if name in topics.by_name else None
        if found is not None and expected != found:
            raise _Problem(
                BADLY_PARTITIONED,
                f"Existing topic {name} has different number of partitions: expected {expected}, found {found}",
            )
    return tuple(needed[name] for name in sorted(needed.keys() - topics.by_name.keys()))


def _sized(topic: InternalTopic, partitions: int) -> InternalTopic:
    return InternalTopic(topic.name, partitions, topic.replication, topic.configs)


def inputs_of(topology: Topology | None) -> dict[str, str]:
    """Source topic or repartition source topic -> the last subtopology that names it."""
    parts: Iterable[Subtopology] = topology.subtopologies if topology is not None else ()
    return {name: part.id for part in parts for name in part.inputs}
