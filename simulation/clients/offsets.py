"""Positions and commits of a consumer (Kafka: the offset half of ConsumerCoordinator)."""

from __future__ import annotations

import simpy

from coordinator.classic.commands import Commit, CommitAnswer
from coordinator.outcome import Error
from events import client as facts
from events.types import Offsets, TopicPartition
from simulation.clients.connection import Failure
from simulation.clients.member import CommitFailed, Member, RebalanceInProgress, State
from simulation.clients.process import Script
from simulation.requests import FetchOffsets, OffsetsAre, ToGroup


def fetchable(m: Member) -> list[TopicPartition]:
    """Partitions of the view that records can be taken from now."""
    return [p for p in m.view if p in m.positions and p not in m.not_fetchable]


def instant(m: Member) -> bool:
    """The application needs no time for its records, so it has always read everything."""
    return m.application.process_ms == 0 and m.application.record_ms == 0


def catch_up(m: Member) -> None:
    """Read what has arrived, if the application is free and reads at once."""
    if instant(m) and m.in_poll and not m.in_callback:
        for p in fetchable(m):
            m.positions[p] = max(m.positions[p], m.world_topics.end_offset(p, m.now))


def consumed(m: Member) -> Offsets:
    """The positions to commit."""
    return tuple((p.topic, p.partition, m.positions[p]) for p in m.view if p in m.positions)


def send_commit(m: Member, done: simpy.Event | None = None) -> bool:
    """Commit all positions without waiting. False if it can't be sent: refused by the consumer itself."""
    catch_up(m)
    offsets = consumed(m)
    refusal = _local_refusal(m)
    if refusal is not None:
        m.tell(facts.CommitFailed(process=m.process.id, error=refusal, local=True, offsets=offsets))
        return False
    generation, member_id = m.generation, m.member_id
    m.tell(facts.CommitSent(process=m.process.id, member=member_id, generation=generation, offsets=offsets))

    def body(number: int) -> ToGroup:
        return ToGroup(
            m.group,
            Commit(
                request=number,
                member=member_id,
                generation=generation,
                instance_id=m.instance_id,
                offsets=offsets,
            ),
        )

    def handle(answer: object) -> None:
        error = _react(m, answer, generation, offsets)
        if done is not None:
            done.succeed(error)

    m.connection.call("OffsetCommit", body, m.config.request_timeout_ms, handle)
    return True


def _local_refusal(m: Member) -> str | None:
    """A commit goes out only while the consumer believes it is a stable member (spec 4.4)."""
    match m.state:
        case State.UNJOINED:
            return CommitFailed
        case State.PREPARING_REBALANCE | State.COMPLETING_REBALANCE:
            return RebalanceInProgress
        case _:
            return None if m.coordinator_known else Error.COORDINATOR_NOT_AVAILABLE.name


def _react(m: Member, answer: object, generation: int, offsets: Offsets) -> str | None:
    """What a commit's answer means for the membership (spec 5.9); the error's name, None if there is none."""
    if isinstance(answer, Failure):
        m.tell(facts.RequestFailed(process=m.process.id, api="OffsetCommit", error=answer.value))
        m.lose_coordinator("request failed")
        return answer.value
    assert isinstance(answer, CommitAnswer)
    error = answer.error
    if error is Error.NONE:
        return None
    m.tell(facts.CommitFailed(process=m.process.id, error=error.name, local=False, offsets=offsets))
    changed = generation != m.generation
    match error:
        case Error.REBALANCE_IN_PROGRESS:
            m.request_rejoin("group is already rebalancing")
        case Error.UNKNOWN_MEMBER_ID | Error.ILLEGAL_GENERATION:
            if not (changed and m.state is State.PREPARING_REBALANCE) and not _reset_already(m):
                reason = f"encountered {error.name} from OFFSET_COMMIT response"
                m.reset(reason, member_id_too=error is Error.UNKNOWN_MEMBER_ID)
        case Error.FENCED_INSTANCE_ID:
            if not changed:
                m.fail(error.name)
        case Error.NOT_COORDINATOR | Error.COORDINATOR_NOT_AVAILABLE:
            m.lose_coordinator(f"error response {error.name}")
        case _:
            pass
    return error.name


def _reset_already(m: Member) -> bool:
    return m.state is State.UNJOINED


def auto_commit_if_due(m: Member) -> None:
    """The periodic commit inside poll(). While no coordinator is known it stays due, and goes out once one is."""
    if m.config.enable_auto_commit and m.view and m.coordinator_known and m.now >= m.next_commit_ms:
        m.next_commit_ms = m.now + max(m.config.auto_commit_interval_ms, 1)
        send_commit(m)


def commit_and_wait(m: Member, timeout_ms: int) -> Script:
    """Commit and wait for the answer; what has no answer or no coordinator is tried again until the time is up."""
    until = m.now + timeout_ms
    retry = {Failure.TIMEOUT.value, Failure.DISCONNECTED.value, Error.COORDINATOR_LOAD_IN_PROGRESS.name}
    while m.process.alive:
        done = m.env.event()
        sent = send_commit(m, done)
        if sent:
            error = yield from m.process.wait(done)
            if error not in retry:
                return
        elif _local_refusal(m) != Error.COORDINATOR_NOT_AVAILABLE.name:
            return
        if m.now >= until:
            return
        yield from m.process.sleep(min(m.backoff_ms(), until - m.now))


def fetch_positions(m: Member) -> None:
    """Ask where to start in partitions that have no position; they can be fetched from the answer on."""
    missing = tuple(p for p in m.view if p not in m.positions and p not in m.fetching)
    if not missing or not m.coordinator_known:
        return
    m.fetching.update(missing)

    def handle(answer: object) -> None:
        m.fetching.difference_update(missing)
        if isinstance(answer, OffsetsAre):
            _start(m, missing, answer.offsets)
        else:
            m.tell(facts.RequestFailed(process=m.process.id, api="OffsetFetch", error="DISCONNECTED"))
        m.app.notify()

    m.connection.call("OffsetFetch", lambda _: FetchOffsets(m.group, missing), m.config.request_timeout_ms, handle)


def _start(m: Member, asked: tuple[TopicPartition, ...], committed: Offsets) -> None:
    known = {TopicPartition(topic, partition): offset for topic, partition, offset in committed}
    earliest = m.config.auto_offset_reset == "earliest"
    found: list[tuple[str, int, int]] = []
    for p in asked:
        if p in m.view and p not in m.positions:
            reset = 0 if earliest else m.world_topics.end_offset(p, m.now)
            m.positions[p] = known.get(p, reset)
            found.append((p.topic, p.partition, m.positions[p]))
    if found:
        m.tell(facts.PositionReady(process=m.process.id, offsets=tuple(found)))
