"""The heartbeat thread (spec 5.9; Kafka: AbstractCoordinator.HeartbeatThread)."""

from __future__ import annotations

from groupsim.coordinator.classic.commands import Heartbeat, HeartbeatAnswer, Leave, Leaving
from groupsim.coordinator.outcome import Error
from groupsim.events import client as facts
from groupsim.simulation.clients import lookup
from groupsim.simulation.clients.connection import Failure
from groupsim.simulation.clients.member import Member, State
from groupsim.simulation.clients.process import Script
from groupsim.simulation.requests import ToGroup

POLL_EXPIRED = "consumer poll timeout has expired."


def enable(m: Member) -> None:
    """Begin to beat: at the join response all three timers start anew."""
    m.last_heard_ms = m.last_poll_ms = m.now
    m.next_beat_ms = m.now + m.config.heartbeat_interval_ms
    m.beat.notify()


def active(m: Member) -> bool:
    """Neither before joining nor while JoinGroup is under way does a client beat."""
    return m.state in (State.COMPLETING_REBALANCE, State.STABLE)


def away(m: Member, ms: int) -> Script:
    """The application thread runs the application's own code: meanwhile only the heartbeat thread reads the network.

    In Java that one looks every retry.backoff.ms; what it has not read by then, the application's return does.
    """
    m.away_since_ms = m.now
    _keep_watch(m)
    yield from m.process.sleep(ms)
    m.away_since_ms = None
    read_answer(m)
    _keep_watch(m)


def _keep_watch(m: Member) -> None:
    """Let the thread look again if it would look too late. It seldom would: waking it at each poll costs a lot."""
    if active(m):
        m.beat.hasten(_next_look(m))


def read_answer(m: Member) -> None:
    """Handle the heartbeat's answer that has waited for a thread to read it."""
    waiting, m.unread = m.unread, None
    if waiting is not None:
        waiting()


def _look_ms(m: Member, at_ms: int) -> int:
    """When the thread looks, from `at_ms` on: at once, or after its naps while the application is away."""
    since, nap = m.away_since_ms, m.config.retry_backoff_ms
    if since is None or not m.traits.naps or not nap:
        return at_ms
    return since - (since - at_ms) // nap * nap


def thread(m: Member) -> Script:
    """Beat, notice a silent coordinator, notice an application that does not poll."""
    while not m.closed:
        now = m.now
        if not active(m):
            yield from m.process.wait(m.beat.wait(None))
        elif not m.coordinator_known:
            yield from lookup.find_coordinator(m)
        elif now >= m.last_heard_ms + m.config.session_timeout_ms:
            _session_timed_out(m)
        elif not m.in_poll and now >= m.last_poll_ms + m.config.max_poll_interval_ms:
            _expire_poll(m)
        elif m.unread is not None and now >= m.read_ms:
            read_answer(m)
        elif now >= m.next_beat_ms and now >= _look_ms(m, m.next_beat_ms) and not m.beating:
            _send(m)
        else:
            yield from m.process.wait(m.beat.wait(_next_look(m)))


def _session_timed_out(m: Member) -> None:
    """Java only looks for a coordinator again and works on; librdkafka gives everything up as lost."""
    m.lose_coordinator("session timed out without receiving a heartbeat response")
    if m.traits.session_clock:
        m.reset("session timed out without a successful response from the group coordinator", member_id_too=True)


def _next_look(m: Member) -> int:
    look = m.last_heard_ms + m.config.session_timeout_ms
    if not m.beating or m.now < m.next_beat_ms:
        look = min(look, _look_ms(m, m.next_beat_ms))
    if m.unread is not None:
        look = min(look, m.read_ms)
    if not m.in_poll and not m.traits.expires_at_beats:
        look = min(look, m.last_poll_ms + m.config.max_poll_interval_ms)
    return look


def _send(m: Member) -> None:
    m.beating = True
    m.next_beat_ms = m.now + m.config.heartbeat_interval_ms
    generation, member_id = m.generation, m.member_id

    def read(answer: object) -> None:
        m.beating = False
        _react(m, answer, generation, member_id)
        if m.now >= m.next_beat_ms:  # the next one is due already
            m.beat.notify()

    def handle(answer: object) -> None:
        if m.away_since_ms is None or not m.traits.naps:
            read(answer)
        else:
            m.unread, m.read_ms = lambda: read(answer), _look_ms(m, m.now + 1)
            m.beat.notify()

    def body(number: int) -> ToGroup:
        beat = Heartbeat(request=number, member=member_id, generation=generation, instance_id=m.instance_id)
        return ToGroup(m.group, beat)

    m.connection.call("Heartbeat", body, m.config.request_timeout_ms, handle)


def _react(m: Member, answer: object, generation: int, member_id: str) -> None:
    if isinstance(answer, Failure):
        m.tell(facts.RequestFailed(process=m.process.id, api="Heartbeat", error=answer.value))
        m.next_beat_ms = m.now + m.backoff_ms()
        m.lose_coordinator("heartbeat request failed")
        return
    assert isinstance(answer, HeartbeatAnswer)
    error = answer.error
    if error is not Error.NONE:
        m.tell(facts.RequestFailed(process=m.process.id, api="Heartbeat", error=error.name))
    stale = (generation, member_id) != (m.generation, m.member_id)
    match error:
        case Error.NONE:
            m.last_heard_ms = m.now
        case Error.REBALANCE_IN_PROGRESS:
            m.last_heard_ms = m.now
            if m.state is State.STABLE and not m.rejoin_needed:
                m.request_rejoin("group is already rebalancing")
        case Error.NOT_COORDINATOR | Error.COORDINATOR_NOT_AVAILABLE:
            m.lose_coordinator(f"error response {error.name}")
        case Error.ILLEGAL_GENERATION | Error.UNKNOWN_MEMBER_ID if not stale:
            reason = f"encountered {error.name} from HEARTBEAT response"
            m.reset(reason, member_id_too=error is Error.UNKNOWN_MEMBER_ID)
        case Error.FENCED_INSTANCE_ID if not stale:
            m.reset(f"encountered {error.name} from HEARTBEAT response", member_id_too=True)
            m.fail(error.name)
        case _:
            pass


def _expire_poll(m: Member) -> None:
    """The application has not polled for max.poll.interval.ms. It keeps its view until it does."""
    m.tell(facts.PollExpired(process=m.process.id))
    m.poll_expired = True
    leave(m, POLL_EXPIRED)
    m.reset("consumer pro-actively leaving the group", member_id_too=True)


def leave(m: Member, reason: str, done: object = None) -> bool:
    """Send LeaveGroup, as a dynamic member that knows its id and its coordinator; best effort. False: not sent."""
    if m.instance_id is not None or not m.member_id or not m.coordinator_known:
        return False
    member_id = m.member_id
    m.tell(facts.LeaveSent(process=m.process.id, member=member_id, reason=reason))

    def handle(answer: object) -> None:
        if done is not None:
            done.succeed()  # type: ignore[attr-defined]

    told = reason if m.traits.tells_reasons else None

    def body(number: int) -> ToGroup:
        return ToGroup(m.group, Leave(request=number, members=(Leaving(member_id, None, told),)))

    m.connection.call("LeaveGroup", body, m.config.request_timeout_ms, handle)
    return True
