"""Taking records from partitions: what the fetcher and the application do between rebalances."""

from __future__ import annotations

from groupsim.events.types import Offsets, TopicPartition
from groupsim.simulation.clients.member import Member


def fetchable(m: Member) -> list[TopicPartition]:
    """Partitions of the view that records can be taken from now."""
    return [p for p in m.view if p in m.positions and p not in m.not_fetchable and p not in m.restoring]


def instant(m: Member) -> bool:
    """The application needs no time for its records, so it has always read everything."""
    application = m.application
    return not (application.process_ms or application.record_ms or application.slow or m.batch_extra_ms)


def catch_up(m: Member) -> None:
    """Read what has arrived, if the application is free and reads at once."""
    if instant(m) and m.in_poll and not m.in_callback:
        until = m.data_until()
        for p in fetchable(m):
            m.positions[p] = max(m.positions[p], m.world_topics.end_offset(p, until))


def consumed(m: Member) -> Offsets:
    """The positions to commit."""
    return tuple((p.topic, p.partition, m.positions[p]) for p in m.view if p in m.positions)


def take(m: Member) -> tuple[dict[TopicPartition, int], int | None]:
    """The records this poll returns, by partition, and when to look again if none has arrived."""
    if instant(m):
        return {}, None
    room, wake, until = m.config.max_poll_records, None, m.data_until()
    taken: dict[TopicPartition, int] = {}
    for p in fetchable(m):
        position = m.positions[p]
        count = min(room, m.world_topics.end_offset(p, until) - position)
        if count > 0:
            taken[p] = count
            m.positions[p] = position + count
            room -= count
        elif (arrival := m.world_topics.arrival_ms(p, position)) is not None and arrival > m.now:
            wake = arrival if wake is None else min(wake, arrival)
    return taken, wake


def duration_ms(m: Member, taken: dict[TopicPartition, int]) -> int:
    """How long the application takes for them; a slow partition's records take longer."""
    application = m.application
    per_record = sum(
        count * (application.slow.get(p.partition, application.record_ms)) for p, count in sorted(taken.items())
    )
    return application.process_ms + round(per_record)
