"""Joining: prepare, JoinGroup, the leader's assignment, SyncGroup (Kafka: AbstractCoordinator.joinGroupIfNeeded)."""

from __future__ import annotations

from groupsim.assignors.spec import COOPERATIVE, EAGER
from groupsim.coordinator.classic.commands import Join, JoinAnswer, Sync, SyncAnswer
from groupsim.coordinator.outcome import Error
from groupsim.events import client as facts
from groupsim.events.client import ClientState
from groupsim.events.types import NO_GENERATION, Plan
from groupsim.simulation.clients.classic import heartbeat, rebalance
from groupsim.simulation.clients.classic.state import ClassicState, PendingJoin, rebalance_protocol
from groupsim.simulation.clients.client import Client
from groupsim.simulation.clients.config import ProtocolMode
from groupsim.simulation.clients.connection import Failure
from groupsim.simulation.clients.process import Script
from groupsim.simulation.requests import ToGroup

REJOIN_AT_ONCE = (
    Error.UNKNOWN_MEMBER_ID,
    Error.ILLEGAL_GENERATION,
    Error.REBALANCE_IN_PROGRESS,
    Error.MEMBER_ID_REQUIRED,
)
RETRIABLE = (Error.COORDINATOR_LOAD_IN_PROGRESS, Error.COORDINATOR_NOT_AVAILABLE, Error.NOT_COORDINATOR)
JOIN_GROUP_TIMEOUT_LAPSE_MS = 5_000
"""Kafka: AbstractCoordinator.JOIN_GROUP_TIMEOUT_LAPSE."""


def join_if_needed(m: ClassicState) -> Script:
    """Go on until the group is joined or an answer must be waited for."""
    while (m.rejoin_needed or m.join is not None) and not m.client.threads.ending:
        if not m.client.coordinator.known:
            return
        if m.needs_join_prepare:
            m.needs_join_prepare = False
            prepared = yield from m.kind.prepare(m)
            if not prepared:
                m.needs_join_prepare = True
                return
            continue
        if m.join is None:
            away = m.client.traits.callbacks_beside_work and m.client.threads.poll_expired
            if away or m.client.now < m.rejoin_ms:
                return  # what comes before the join is done; the join itself waits
            _send_join(m)
        yield from handle_join_answer(m)
        join = m.join
        if join is None:
            continue
        if join.assigned is None:
            return
        m.join = None
        if m.generation == NO_GENERATION or m.state is not ClientState.STABLE:
            m.reset("the generation was modified by the heartbeat thread", member_id_too=True)
            continue
        handled = yield from m.kind.take_over(m, join, join.assigned)
        if not handled:
            m.join = join
            m.client.threads.wake()  # the exception leaves poll(); the application polls again
            return
        m.needs_join_prepare = True
        if not m.rejoin_needed and set(join.topics) != set(m.client.topics):  # Kafka: rejoinNeededOrPending
            m.request_rejoin("subscription has changed")
        m.follow_up()


def handle_join_answer(m: ClassicState) -> Script:
    """Handle a JoinGroup answer that waits for the thread that reads the network."""
    join = m.join
    if join is not None and join.answer is not None:
        answer, join.answer = join.answer, None
        yield from _joined(m, join, answer)


def _timeout_ms(client: Client) -> int:
    """The coordinator may hold JoinGroup and SyncGroup back for as long as a rebalance takes."""
    config = client.config
    return max(config.request_timeout_ms, config.max_poll_interval_ms + JOIN_GROUP_TIMEOUT_LAPSE_MS)


def _rebalance_timeout_ms(client: Client) -> int:
    within_session = client.traits.rebalances_within_session
    return client.config.session_timeout_ms if within_session else client.config.max_poll_interval_ms


def _send_join(m: ClassicState) -> None:
    client = m.client
    join = m.join = PendingJoin(client.topics)
    m.become(ClientState.PREPARING_REBALANCE)
    client.record(facts.JoinSent(process=client.process.id, member=m.member_id, owned=client.fetch.view))
    protocols = m.kind.offers(m)
    reason, m.rejoin_reason = m.rejoin_reason, None

    def body(number: int) -> ToGroup:
        request = Join(
            request=number,
            member=m.member_id,
            instance_id=client.instance_id,
            client_id=client.client_id,
            client_host=client.process.id,
            session_timeout_ms=client.config.session_timeout_ms,
            rebalance_timeout_ms=_rebalance_timeout_ms(client),
            protocol_type=m.kind.protocol_type,
            protocols=protocols,
            reason=reason if client.traits.sends_reasons else None,
        )
        return ToGroup(client.group, request)

    def receive(answer: object) -> None:
        if m.join is join:
            join.answer = answer
            client.threads.wake()

    client.connection.call("JoinGroup", body, _timeout_ms(client), receive)


def _joined(m: ClassicState, join: PendingJoin, answer: object) -> Script:
    """Kafka: AbstractCoordinator.JoinGroupResponseHandler."""
    client = m.client
    if isinstance(answer, Failure):
        m.join = None
        client.request_failed("JoinGroup", answer.value)
        m.request_rejoin("rebalance failed due to a disconnect")
        client.lose_coordinator("join request failed")
        return
    assert isinstance(answer, JoinAnswer)
    if answer.error is not Error.NONE:
        m.join = None
        yield from _join_refused(m, answer)
        return
    if m.state is not ClientState.PREPARING_REBALANCE:
        m.join = None
        m.reset("the state was modified before receiving JoinGroup response", member_id_too=True)
        return
    m.generation, m.member_id, m.assignor = answer.generation, answer.member, answer.protocol
    m.leads = answer.leader == answer.member
    yield from _guard_downgrade(m)
    m.become(ClientState.COMPLETING_REBALANCE)
    heartbeat.enable(m)
    client.record(
        facts.JoinOk(
            process=client.process.id,
            member=m.member_id,
            generation=m.generation,
            protocol=m.assignor,
            leader=m.leads,
        )
    )
    plan: Plan | None = {}
    if answer.members:
        plan = yield from m.kind.assign(m, join, answer)
    if plan is None or m.join is not join or client.application.never_syncs:
        return
    if m.generation == answer.generation:
        _send_sync(m, join, plan)
    else:  # reset while the assignor ran: this join has come to nothing
        m.join = None


def _guard_downgrade(m: ClassicState) -> Script:
    """An eager assignor was selected while partitions are held: others may get them in this generation (KIP-726).

    They are lost at once, not revoked, and nothing is committed until the next generation is complete.
    """
    if m.protocol_mode is not ProtocolMode.DYNAMIC or not m.client.fetch.view or m.assignor is None:
        return
    if rebalance_protocol((m.assignor,)) == EAGER and m.rebalance_protocol == COOPERATIVE:
        m.commits_disabled = True
        yield from rebalance.lose(m)


def _join_refused(m: ClassicState, answer: JoinAnswer) -> Script:
    client, error = m.client, answer.error
    m.become(ClientState.UNJOINED)
    if error is Error.MEMBER_ID_REQUIRED:
        m.member_id = answer.member
        m.rejoin_reason = f"need to re-join with the given member-id: {answer.member}"
        m.rejoin_needed = True
        return
    client.request_failed("JoinGroup", error.name)
    if error is Error.UNKNOWN_MEMBER_ID:
        m.reset(f"encountered {error.name} from JOIN_GROUP response", member_id_too=True)
    elif error in REJOIN_AT_ONCE:
        m.request_rejoin(f"rebalance failed due to {error.name}")
    elif error in RETRIABLE:
        m.request_rejoin(f"rebalance failed due to {error.name}")
        if error is not Error.COORDINATOR_LOAD_IN_PROGRESS:
            client.lose_coordinator(f"error response {error.name}")
        yield from client.process.sleep(client.backoff_ms())
    else:
        client.fail(error.name)


def _send_sync(m: ClassicState, join: PendingJoin, plan: Plan) -> None:
    client = m.client
    client.record(facts.SyncSent(process=client.process.id, member=m.member_id, generation=m.generation))
    generation, member_id = m.generation, m.member_id

    def body(number: int) -> ToGroup:
        request = Sync(
            request=number,
            member=member_id,
            generation=generation,
            instance_id=client.instance_id,
            protocol_type=m.kind.protocol_type,
            protocol=m.assignor,
            assignment=tuple(plan.items()),
            user_data=join.user_data,
        )
        return ToGroup(client.group, request)

    def receive(answer: object) -> None:
        if m.join is join:
            _synced(m, join, answer, generation)
            client.threads.wake()

    client.connection.call("SyncGroup", body, _timeout_ms(client), receive)


def _synced(m: ClassicState, join: PendingJoin, answer: object, generation: int) -> None:
    """Any thread may handle this answer; the application gets the assignment at its next poll."""
    client = m.client
    if isinstance(answer, SyncAnswer) and answer.error is Error.NONE:
        if m.state is not ClientState.COMPLETING_REBALANCE or m.generation != generation:
            m.join = None
            m.request_rejoin("the generation was modified before receiving SyncGroup response")
            return
        join.assigned, join.assigned_data = answer.assignment, answer.user_data
        m.rejoin_needed = False
        heartbeat.sync_ends(m)
        if client.traits.beats_at_once:
            m.heartbeat.next_ms = client.now
            client.threads.heartbeat.notify()
        elif client.traits.heartbeats_from_sync:
            m.heartbeat.next_ms = client.now + client.config.heartbeat_interval_ms
        client.record(
            facts.SyncOk(
                process=client.process.id, member=m.member_id, generation=generation, assignment=answer.assignment
            )
        )
        m.become(ClientState.STABLE)
        return
    m.join = None
    error = answer.value if isinstance(answer, Failure) else getattr(answer, "error", Error.NONE).name
    client.request_failed("SyncGroup", error)
    match error:
        case "UNKNOWN_MEMBER_ID" | "ILLEGAL_GENERATION":
            reason = f"encountered {error} from SYNC_GROUP response"
            m.reset(reason, member_id_too=error == "UNKNOWN_MEMBER_ID")
        case "REBALANCE_IN_PROGRESS":
            m.interrupted("group is already rebalancing")
        case "TIMEOUT" | "DISCONNECTED" | "NOT_COORDINATOR" | "COORDINATOR_NOT_AVAILABLE":
            m.request_rejoin(f"rebalance failed due to {error}")
            client.lose_coordinator(f"sync failed: {error}")
        case _:
            client.fail(error)
