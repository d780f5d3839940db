"""Joining: prepare, JoinGroup, the leader's assignment, SyncGroup (spec 5.4, 5.6; Kafka: joinGroupIfNeeded)."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any

import simpy

from groupsim.assignors import ASSIGNORS
from groupsim.assignors.spec import COOPERATIVE, EAGER, Spec
from groupsim.assignors.spec import Member as AssignorMember
from groupsim.coordinator.classic.commands import Join, JoinAnswer, Sync, SyncAnswer
from groupsim.coordinator.outcome import Error
from groupsim.events import client as facts
from groupsim.events.types import NO_GENERATION, MemberId, Partitions, Protocol, Subscription
from groupsim.simulation.clients import heartbeat, listener, metadata, mirrored
from groupsim.simulation.clients.config import DYNAMIC, MEASURED
from groupsim.simulation.clients.connection import Failure
from groupsim.simulation.clients.member import Joining, Member, State, rebalance_protocol
from groupsim.simulation.clients.process import Script
from groupsim.simulation.requests import ToGroup

REJOIN_AT_ONCE = (
    Error.UNKNOWN_MEMBER_ID,
    Error.ILLEGAL_GENERATION,
    Error.REBALANCE_IN_PROGRESS,
    Error.MEMBER_ID_REQUIRED,
)
RETRIABLE = (Error.COORDINATOR_LOAD_IN_PROGRESS, Error.COORDINATOR_NOT_AVAILABLE, Error.NOT_COORDINATOR)


def ensure_active(m: Member) -> Script:
    """One round of the join loop: goes on until the group is joined or the network must answer first."""
    while (m.rejoin_needed or m.joining is not None) and m.fatal is None and not m.closing:
        if not m.coordinator_known:
            return
        if m.needs_join_prepare:
            m.needs_join_prepare = False
            yield from listener.on_join_prepare(m)
            continue
        if m.joining is None:
            _send_join(m)
        yield from drive(m)
        joining = m.joining
        if joining is None:
            continue
        if joining.assigned is None:
            return
        m.joining = None
        if m.generation == NO_GENERATION or m.state is not State.STABLE:
            m.reset("the generation was modified by the heartbeat thread", member_id_too=True)
            continue
        handled = yield from listener.on_join_complete(m, joining.assigned)
        if not handled:
            m.joining = joining
            m.wake()  # the exception leaves poll(); the application polls again
            return
        m.needs_join_prepare = True


def drive(m: Member) -> Script:
    """Handle a JoinGroup answer that waits for the application thread; whatever drives the network does it."""
    joining = m.joining
    if joining is not None and joining.answer is not None:
        answer, joining.answer = joining.answer, None
        yield from _joined(m, joining, answer)


def _send_join(m: Member) -> None:
    joining = m.joining = Joining()
    m.become(State.PREPARING_REBALANCE)
    m.tell(facts.JoinSent(process=m.process.id, member=m.member_id, owned=m.view))
    protocols = tuple(Protocol(name, _subscription(m, name)) for name in m.config.partition_assignment_strategy)
    reason, m.reason = m.reason, None

    def body(number: int) -> ToGroup:
        join = Join(
            request=number,
            member=m.member_id,
            instance_id=m.instance_id,
            client_id=m.client_id,
            client_host=m.process.id,
            session_timeout_ms=m.config.session_timeout_ms,
            rebalance_timeout_ms=m.config.max_poll_interval_ms,
            protocols=protocols,
            reason=reason if m.traits.tells_reasons else None,
        )
        return ToGroup(m.group, join)

    def handle(answer: object) -> None:
        if m.joining is joining:
            joining.answer = answer
            m.wake()

    timeout = max(m.config.request_timeout_ms, m.config.max_poll_interval_ms + 5_000)
    m.connection.call("JoinGroup", body, timeout, handle)


def _subscription(m: Member, assignor: str) -> Subscription:
    """What travels for one assignor; eager sticky ones carry their memory in their own data (KIP-54, KIP-315)."""
    remembers = _remembers(assignor)
    return Subscription(
        topics=tuple(sorted(m.topics)),
        owned=m.view,
        generation=m.generation,
        user_owned=m.sticky_owned if remembers else (),
        user_generation=m.sticky_generation if remembers else NO_GENERATION,
    )


def _remembers(assignor: str) -> bool:
    """Whether an assignor is sticky although its members own nothing when they join."""
    chosen = ASSIGNORS[assignor]
    return COOPERATIVE not in chosen.protocols and "sticky" in chosen.properties


def _joined(m: Member, joining: Joining, answer: object) -> Script:
    if isinstance(answer, Failure):
        m.joining = None
        m.tell(facts.RequestFailed(process=m.process.id, api="JoinGroup", error=answer.value))
        m.request_rejoin("rebalance failed due to a disconnect")
        m.lose_coordinator("join request failed")
        return
    assert isinstance(answer, JoinAnswer)
    if answer.error is not Error.NONE:
        m.joining = None
        yield from _join_refused(m, answer)
        return
    if m.state is not State.PREPARING_REBALANCE:
        m.joining = None
        m.reset("the state was modified before receiving JoinGroup response", member_id_too=True)
        return
    m.generation, m.member_id, m.assignor = answer.generation, answer.member, answer.protocol
    m.leads = answer.leader == answer.member
    yield from _guard_downgrade(m)
    m.become(State.COMPLETING_REBALANCE)
    heartbeat.enable(m)
    m.tell(
        facts.JoinOk(
            process=m.process.id,
            member=m.member_id,
            generation=m.generation,
            protocol=m.assignor,
            leader=m.leads,
        )
    )
    plan: dict[MemberId, Partitions] = {}
    if answer.members:
        counts = metadata.counts(m)
        topics = sorted({topic for listed in answer.members for topic in listed.metadata.topics})
        m.watched = {topic: counts.get(topic, 0) for topic in topics}
        if m.application.assignor_fails:
            yield from _assignor_failed(m)
            return
        if not answer.skip_assignment:
            yield from metadata.wait_for_news(m, topics)
            plan = yield from _lead(m, answer)
    if m.joining is not joining or m.application.never_syncs:
        return
    if m.generation == answer.generation:
        _send_sync(m, joining, plan)
    else:  # reset while the assignor ran: this join has come to nothing
        m.joining = None


def _guard_downgrade(m: Member) -> Script:
    """An eager assignor was selected while partitions are held: others may get them in this generation (KIP-726).

    They are lost at once, not revoked, and nothing is committed until a generation is entered empty-handed.
    """
    if m.protocol_mode != DYNAMIC or not m.view or m.assignor is None:
        return
    if rebalance_protocol((m.assignor,)) == EAGER and m.protocol == COOPERATIVE:
        m.commits_disabled = True
        yield from listener.lose(m)


def _assignor_failed(m: Member) -> Script:
    """The exception is raised out of poll(); the application logs it and polls again. Nobody gets an assignment."""
    m.joining = None
    m.tell(facts.RequestFailed(process=m.process.id, api="assignor", error="the assignor raised"))
    m.request_rejoin("rebalance failed due to an exception of the assignor")
    yield from m.process.sleep(m.backoff_ms())


def _join_refused(m: Member, answer: JoinAnswer) -> Script:
    error = answer.error
    m.become(State.UNJOINED)
    if error is Error.MEMBER_ID_REQUIRED:
        m.member_id = answer.member
        m.reason = f"need to re-join with the given member-id: {answer.member}"
        m.rejoin_needed = True
        return
    m.tell(facts.RequestFailed(process=m.process.id, api="JoinGroup", error=error.name))
    if error is Error.UNKNOWN_MEMBER_ID:
        m.reset(f"encountered {error.name} from JOIN_GROUP response", member_id_too=True)
    elif error in REJOIN_AT_ONCE:
        m.request_rejoin(f"rebalance failed due to {error.name}")
    elif error in RETRIABLE:
        m.request_rejoin(f"rebalance failed due to {error.name}")
        if error is not Error.COORDINATOR_LOAD_IN_PROGRESS:
            m.lose_coordinator(f"error response {error.name}")
        yield from m.process.sleep(m.backoff_ms())
    else:
        m.fail(error.name)


def _lead(m: Member, answer: JoinAnswer) -> Generator[simpy.Event, Any, dict[MemberId, Partitions]]:
    """Run the assignor on the application thread; everybody else waits for it."""
    assert m.assignor is not None
    remembers = _remembers(m.assignor)
    members = tuple(
        AssignorMember(
            id=listed.member,
            topics=listed.metadata.topics,
            owned=listed.metadata.user_owned if remembers else listed.metadata.owned,
            generation=listed.metadata.user_generation if remembers else listed.metadata.generation,
            instance_id=listed.instance_id,
            rack=listed.metadata.rack,
        )
        for listed in answer.members
    )
    started = time.perf_counter_ns()
    assign, spec = ASSIGNORS[m.assignor].assign, Spec(members, metadata.counts(m))
    from_the_end = m.traits.sticky_from_the_end and m.assignor == "cooperative-sticky"
    given = mirrored.assign(assign, spec) if from_the_end else assign(spec)
    duration = m.application.assignor_ms
    if duration == MEASURED:
        duration = (time.perf_counter_ns() - started) // 1_000_000
    if duration:
        yield from m.process.sleep(duration)
    m.tell(facts.AssignorRan(process=m.process.id, generation=m.generation, assignor=m.assignor, duration_ms=duration))
    return {member: tuple(sorted(given[member])) for member in sorted(given)}


def _send_sync(m: Member, joining: Joining, plan: dict[MemberId, Partitions]) -> None:
    m.tell(facts.SyncSent(process=m.process.id, member=m.member_id, generation=m.generation))
    generation, member_id = m.generation, m.member_id

    def body(number: int) -> ToGroup:
        sync = Sync(
            request=number,
            member=member_id,
            generation=generation,
            instance_id=m.instance_id,
            protocol_type="consumer",
            protocol=m.assignor,
            assignment=tuple(plan.items()),
        )
        return ToGroup(m.group, sync)

    def handle(answer: object) -> None:
        if m.joining is joining:
            _synced(m, joining, answer, generation)
            m.wake()

    timeout = max(m.config.request_timeout_ms, m.config.max_poll_interval_ms + 5_000)
    m.connection.call("SyncGroup", body, timeout, handle)


def _synced(m: Member, joining: Joining, answer: object, generation: int) -> None:
    """Any thread may handle this answer; the application learns of it at its next poll."""
    if isinstance(answer, SyncAnswer) and answer.error is Error.NONE:
        if m.state is not State.COMPLETING_REBALANCE or m.generation != generation:
            m.joining = None
            m.request_rejoin("the generation was modified before receiving SyncGroup response")
            return
        joining.assigned = answer.assignment
        m.rejoin_needed = False
        if m.traits.beats_from_sync:
            m.next_beat_ms = m.now + m.config.heartbeat_interval_ms
        m.tell(
            facts.SyncOk(process=m.process.id, member=m.member_id, generation=generation, assignment=answer.assignment)
        )
        m.become(State.STABLE)
        return
    m.joining = None
    error = answer.value if isinstance(answer, Failure) else getattr(answer, "error", Error.NONE).name
    m.tell(facts.RequestFailed(process=m.process.id, api="SyncGroup", error=error))
    match error:
        case "UNKNOWN_MEMBER_ID" | "ILLEGAL_GENERATION":
            reason = f"encountered {error} from SYNC_GROUP response"
            m.reset(reason, member_id_too=error == "UNKNOWN_MEMBER_ID")
        case "REBALANCE_IN_PROGRESS":
            m.request_rejoin("group is already rebalancing")
        case "TIMEOUT" | "DISCONNECTED" | "NOT_COORDINATOR" | "COORDINATOR_NOT_AVAILABLE":
            m.request_rejoin(f"rebalance failed due to {error}")
            m.lose_coordinator(f"sync failed: {error}")
        case _:
            m.fail(error)
