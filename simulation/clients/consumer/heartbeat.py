"""ConsumerGroupHeartbeat as the client sends it (Kafka: ConsumerHeartbeatRequestManager)."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import structs

from groupsim.coordinator.modern.commands import ModernHeartbeatAnswer
from groupsim.coordinator.outcome import Error
from groupsim.events import client as facts
from groupsim.events.client import MemberPhase
from groupsim.simulation.clients.connection import Failure
from groupsim.simulation.clients.consumer import leave
from groupsim.simulation.clients.consumer.polls import overdue
from groupsim.simulation.clients.consumer.state import AT_ONCE, OUTSIDE, ConsumerState, Sent
from groupsim.simulation.requests import ToGroup

JOIN_AGAIN = (Error.FENCED_MEMBER_EPOCH, Error.UNKNOWN_MEMBER_ID)
ELSEWHERE = (Error.NOT_COORDINATOR, Error.COORDINATOR_NOT_AVAILABLE)


def due_ms(m: ConsumerState) -> int | None:
    """When the next heartbeat has to be sent; None if none is due before something happens."""
    beat = m.heartbeat
    if m.phase in OUTSIDE or m.phase is MemberPhase.FENCED or beat.in_flight:
        return None
    due = m.client.now if m.phase in AT_ONCE else beat.next_ms + beat.late_ms
    return max(due, beat.not_before_ms)


def send_if_due(m: ConsumerState) -> None:
    """Send the heartbeat that is due. A poll that is overdue is noticed now, and then the member leaves."""
    due = due_ms(m)
    if due is None or m.client.now < due or not m.client.coordinator.known:
        return
    if overdue(m.client):
        leave.expire_poll(m)
        return
    _send(m)


def _send(m: ConsumerState) -> None:
    client, beat = m.client, m.heartbeat
    news = Sent(client.topics if client.pattern is None else (), client.pattern, m.held_number)
    before, m.sent = m.sent, news
    if before is None:
        client.record(facts.JoinSent(process=client.process.id, member=m.member_id, owned=client.fetch.view))
    changes = m.wire.everything(m, news) if before is None else m.wire.changes(m, news, before)
    if m.phase is MemberPhase.ACKNOWLEDGING:
        m.become(MemberPhase.STABLE if m.reconciled else MemberPhase.RECONCILING)
    beat.in_flight = True
    beat.next_ms, beat.late_ms = client.now + beat.interval_ms, client.heartbeat_late_ms(beat.interval_ms, False)

    def body(number: int) -> ToGroup:
        return ToGroup(client.group, structs.replace(changes, request=number))

    client.connection.call(m.wire.api, body, client.config.request_timeout_ms, _receiver(m, m.joined))


def _receiver(m: ConsumerState, joined: int) -> Callable[[object], None]:
    def receive(answer: object) -> None:
        m.heartbeat.in_flight = False
        if joined == m.joined and m.phase not in OUTSIDE:
            _answered(m, answer)
        m.client.threads.library.notify()

    return receive


def _answered(m: ConsumerState, answer: object) -> None:
    client, beat = m.client, m.heartbeat
    if isinstance(answer, Failure):
        client.request_failed(m.wire.api, answer.value)
        _retry(m)
        client.lose_coordinator("heartbeat request failed")
        return
    assert isinstance(answer, ModernHeartbeatAnswer)
    if answer.error is Error.NONE:
        beat.failures, beat.not_before_ms = 0, 0
        client.coordinator.last_answer_ms = client.now
        if beat.interval_ms != answer.heartbeat_interval_ms:
            beat.next_ms += answer.heartbeat_interval_ms - beat.interval_ms
            beat.interval_ms = answer.heartbeat_interval_ms
        _accepted(m, answer)
        return
    client.request_failed(m.wire.api, answer.error.name)
    m.sent = None
    if answer.error in JOIN_AGAIN:
        leave.fenced(m, answer.error)
    elif answer.error in ELSEWHERE:
        client.lose_coordinator(f"error response {answer.error.name}")
        beat.next_ms = client.now
    elif answer.error is Error.COORDINATOR_LOAD_IN_PROGRESS:
        _retry(m)
    else:
        m.become(MemberPhase.FATAL)
        client.fail(answer.error.name)


def _retry(m: ConsumerState) -> None:
    """Say everything again after a backoff that doubles."""
    beat, config = m.heartbeat, m.client.config
    backoff = min(config.retry_backoff_ms * 2**beat.failures, config.retry_backoff_max_ms)
    beat.failures, m.sent = beat.failures + 1, None
    beat.next_ms = beat.not_before_ms = m.client.now + max(1, round(backoff * (0.8 + 0.4 * m.client.random())))


def _accepted(m: ConsumerState, answer: ModernHeartbeatAnswer) -> None:
    """A new epoch, perhaps a new target (Kafka: AbstractMembershipManager.processAssignmentReceived)."""
    client = m.client
    if answer.epoch != m.epoch:
        m.epoch = answer.epoch
        client.record(facts.EpochReceived(process=client.process.id, member=m.member_id, epoch=m.epoch))
    given = m.wire.target(m, answer)
    if given is None:
        return
    target = tuple(sorted(given))
    if m.target_number < 0 or target != m.target:
        m.target, m.target_number = target, m.target_number + 1
        client.record(
            facts.TargetReceived(process=client.process.id, member=m.member_id, epoch=m.epoch, partitions=target)
        )
    if not m.reconciled:
        m.become(MemberPhase.RECONCILING)
    elif m.phase in (MemberPhase.RECONCILING, MemberPhase.JOINING):
        m.become(MemberPhase.STABLE)
