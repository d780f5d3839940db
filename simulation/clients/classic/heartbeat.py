"""The heartbeat thread: session and poll timeouts (Kafka: AbstractCoordinator.HeartbeatThread)."""

from __future__ import annotations

from math import ceil, floor

from groupsim.coordinator.classic.commands import Heartbeat, HeartbeatAnswer
from groupsim.coordinator.outcome import Error
from groupsim.events import client as facts
from groupsim.events.client import ClientState
from groupsim.simulation.clients.classic.leave import send_leave
from groupsim.simulation.clients.classic.state import ClassicState
from groupsim.simulation.clients.connection import Failure
from groupsim.simulation.clients.coordinator_lookup import find_coordinator
from groupsim.simulation.clients.process import Script
from groupsim.simulation.clients.records import fetch_ends_ms
from groupsim.simulation.requests import ToGroup

POLL_EXPIRED = "consumer poll timeout has expired."


def enable(m: ClassicState) -> None:
    """Begin to send heartbeats: at the answer to JoinGroup all three timers start anew."""
    client = m.client
    client.coordinator.last_answer_ms = client.threads.last_poll_ms = client.now
    _count_from_now(m)
    client.threads.heartbeat.notify()


def _count_from_now(m: ClassicState) -> None:
    """The next heartbeat is due in an interval; the thread wakes a little later than it should, from each nap."""
    client, heartbeat, interval_ms = m.client, m.heartbeat, m.client.config.heartbeat_interval_ms
    woke_ms = _look_ms(m, heartbeat.next_ms) + heartbeat.late_ms
    heartbeat.napping_since_ms = woke_ms if floor(woke_ms) == client.now else client.now
    heartbeat.nap_ms = client.config.retry_backoff_ms + client.nap_late_ms() if client.traits.naps else 0.0
    at_work = client.traits.naps and client.application.works
    heartbeat.next_ms, heartbeat.late_ms = client.now + interval_ms, client.heartbeat_late_ms(interval_ms, at_work)


def _wakes_ms(m: ClassicState) -> int:
    """When the thread sends the next heartbeat."""
    due_ms = m.heartbeat.next_ms + m.heartbeat.late_ms
    if m.client.traits.beats_after_fetches:
        return fetch_ends_ms(m.client, due_ms, due_ms - m.client.config.heartbeat_interval_ms)
    return floor(_look_ms(m, m.heartbeat.next_ms)) + m.heartbeat.late_ms


def active(m: ClassicState) -> bool:
    """Whether heartbeats are sent: neither before joining nor while JoinGroup is in flight."""
    joined = m.state in (ClientState.COMPLETING_REBALANCE, ClientState.STABLE)
    return joined and (m.client.traits.beats_beside_work or m.client.threads.away_since_ms is None)


def keep_watch(m: ClassicState) -> None:
    """Wake the thread if it would look too late. It seldom would: waking it at each poll would be slow."""
    if active(m):
        m.client.threads.heartbeat.hasten(_next_look_ms(m))


def sync_ends(m: ClassicState) -> None:
    """The thread that JoinGroup's answer woke read the network, and naps, after SyncGroup's: see `poll_ends`."""
    if m.client.now < m.heartbeat.next_ms:
        m.heartbeat.napping_since_ms = m.client.now


def poll_ends(m: ClassicState) -> None:
    """A nap that was over while poll() waited ends now: both threads read the network under one lock.

    Kafka: ConsumerNetworkClient.poll.
    """
    heartbeat, polled_ms = m.heartbeat, m.client.fetch.polling_since_ms
    if heartbeat.nap_ms:
        naps = max(1, ceil((polled_ms - heartbeat.napping_since_ms) / heartbeat.nap_ms))
        if heartbeat.napping_since_ms + naps * heartbeat.nap_ms <= m.client.now:
            heartbeat.napping_since_ms = m.client.now


def read_answer(m: ClassicState) -> bool:
    """Handle a heartbeat's answer that no thread has read yet. Whether a rejoin is needed now that was not before."""
    handle, m.heartbeat.read_answer = m.heartbeat.read_answer, None
    needed = m.rejoin_needed
    if handle is not None:
        handle()
    return m.rejoin_needed and not needed


def _look_ms(m: ClassicState, at_ms: int) -> float:
    """When the thread looks, from `at_ms` on: at once, as poll() wakes it, or from a nap while the application is away.

    It naps for retry.backoff.ms at a time from the heartbeat on that it sent (Kafka: HeartbeatThread.run).
    """
    since_ms, nap_ms = m.heartbeat.napping_since_ms, m.heartbeat.nap_ms
    if m.client.threads.away_since_ms is None or not nap_ms:
        return at_ms
    return max(at_ms, since_ms + ceil((at_ms - since_ms) / nap_ms) * nap_ms)


def heartbeat_thread(m: ClassicState) -> Script:
    """Send heartbeats, notice a silent coordinator, notice an application that does not poll."""
    client, threads, heartbeat = m.client, m.client.threads, m.heartbeat
    session_ms, max_poll_ms = client.config.session_timeout_ms, client.config.max_poll_interval_ms
    while not threads.closed:
        now = client.now
        if not active(m):
            yield from client.process.wait(threads.heartbeat.wait(None))
        elif not client.coordinator.known:
            yield from find_coordinator(client)
        elif now >= client.coordinator.last_answer_ms + session_ms:
            _session_timed_out(m)
        elif _away_from_poll(m) and now >= threads.last_poll_ms + max_poll_ms:
            _expire_poll(m)
        elif heartbeat.read_answer is not None and now >= heartbeat.read_ms:
            read_answer(m)
        elif now >= max(heartbeat.next_ms, _wakes_ms(m)) and not heartbeat.in_flight:
            _send(m)
        else:
            yield from client.process.wait(threads.heartbeat.wait(_next_look_ms(m)))


def _away_from_poll(m: ClassicState) -> bool:
    """Whether max.poll.interval.ms runs: the application works, or its listener does, inside poll() as well."""
    threads, traits = m.client.threads, m.client.traits
    away = not threads.in_poll or (threads.in_callback and not traits.library_thread)
    return away and traits.poll_limit


def _session_timed_out(m: ClassicState) -> None:
    """Java only looks for a coordinator again and works on; librdkafka loses its partitions."""
    m.client.lose_coordinator("session timed out without receiving a heartbeat response")
    if m.client.traits.session_clock:
        m.reset("session timed out without a successful response from the group coordinator", member_id_too=True)


def _next_look_ms(m: ClassicState) -> int:
    client, heartbeat = m.client, m.heartbeat
    look = client.coordinator.last_answer_ms + client.config.session_timeout_ms
    if not heartbeat.in_flight or client.now < heartbeat.next_ms:
        look = min(look, _wakes_ms(m))
    if heartbeat.read_answer is not None:
        look = min(look, heartbeat.read_ms)
    if _away_from_poll(m) and not client.traits.expires_at_heartbeats:
        look = min(look, client.threads.last_poll_ms + client.config.max_poll_interval_ms)
    return look


def _send(m: ClassicState) -> None:
    client, heartbeat = m.client, m.heartbeat
    heartbeat.in_flight = True
    _count_from_now(m)
    generation, member_id = m.generation, m.member_id

    def read(answer: object) -> None:
        heartbeat.in_flight = False
        _handle_answer(m, answer, generation, member_id)
        if client.now >= heartbeat.next_ms:  # the next one is due already
            client.threads.heartbeat.notify()

    def receive(answer: object) -> None:
        if client.threads.away_since_ms is None or not client.traits.naps:
            read(answer)
        else:
            heartbeat.read_answer, heartbeat.read_ms = lambda: read(answer), ceil(_look_ms(m, client.now + 1))
            client.threads.heartbeat.notify()

    def body(number: int) -> ToGroup:
        request = Heartbeat(request=number, member=member_id, generation=generation, instance_id=client.instance_id)
        return ToGroup(client.group, request)

    client.connection.call("Heartbeat", body, client.config.request_timeout_ms, receive)


def _handle_answer(m: ClassicState, answer: object, generation: int, member_id: str) -> None:
    """Kafka: AbstractCoordinator.HeartbeatResponseHandler."""
    client = m.client
    if isinstance(answer, Failure):
        client.request_failed("Heartbeat", answer.value)
        m.heartbeat.next_ms = client.now + client.backoff_ms()
        client.lose_coordinator("heartbeat request failed")
        return
    assert isinstance(answer, HeartbeatAnswer)
    error = answer.error
    if error is not Error.NONE:
        client.request_failed("Heartbeat", error.name)
    outdated = (generation, member_id) != (m.generation, m.member_id)
    match error:
        case Error.NONE:
            client.coordinator.last_answer_ms = client.now
        case Error.REBALANCE_IN_PROGRESS:
            client.coordinator.last_answer_ms = client.now
            if m.state is ClientState.STABLE and not m.rejoin_needed:
                m.request_rejoin("group is already rebalancing")
        case Error.NOT_COORDINATOR | Error.COORDINATOR_NOT_AVAILABLE:
            client.lose_coordinator(f"error response {error.name}")
        case Error.ILLEGAL_GENERATION | Error.UNKNOWN_MEMBER_ID if not outdated:
            reason = f"encountered {error.name} from HEARTBEAT response"
            m.reset(reason, member_id_too=error is Error.UNKNOWN_MEMBER_ID)
        case Error.FENCED_INSTANCE_ID if not outdated:
            m.reset(f"encountered {error.name} from HEARTBEAT response", member_id_too=True)
            client.fail(error.name)
        case _:
            pass


def _expire_poll(m: ClassicState) -> None:
    """The application has not polled for max.poll.interval.ms. It keeps its view until it does."""
    m.client.record(facts.PollExpired(process=m.client.process.id))
    m.client.threads.poll_expired = True
    send_leave(m, POLL_EXPIRED)
    m.reset("consumer pro-actively leaving the group", member_id_too=True)
