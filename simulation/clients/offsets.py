"""Positions and commits of a consumer (Kafka: the offset half of ConsumerCoordinator)."""

from __future__ import annotations

import simpy

from groupsim.coordinator.commands import Commit, CommitAnswer
from groupsim.coordinator.outcome import Error
from groupsim.events import client as facts
from groupsim.events.types import Offsets
from groupsim.simulation.clients.connection import Failure
from groupsim.simulation.clients.member import AssignmentLost, CommitFailed, Member, RebalanceInProgress, State
from groupsim.simulation.clients.process import Script
from groupsim.simulation.clients.records import catch_up, consumed
from groupsim.simulation.requests import ToGroup


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
    if m.commits_disabled:
        return RebalanceInProgress
    if m.traits.commits_while_joining:
        return AssignmentLost if m.state is State.UNJOINED else _without_coordinator(m)
    match m.state:
        case State.UNJOINED:
            return CommitFailed
        case State.PREPARING_REBALANCE | State.COMPLETING_REBALANCE:
            return RebalanceInProgress
        case _:
            return _without_coordinator(m)


def _without_coordinator(m: Member) -> str | None:
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
        case Error.ILLEGAL_GENERATION if m.traits.commits_while_joining and m.joining is not None:
            pass  # the commit waited behind the JoinGroup of a cooperative round; nothing is lost (since 2.10)
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
