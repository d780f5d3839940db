"""A classic consumer's threads: the application's, and librdkafka's in the background (Kafka: ClassicKafkaConsumer)."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import simpy

from groupsim.events import client as facts
from groupsim.events.types import NO_GENERATION, TopicPartition
from groupsim.simulation.clients import heartbeat, join, listener, lookup, metadata, offsets, positions, records
from groupsim.simulation.clients.member import Member, State
from groupsim.simulation.clients.process import Script

CLOSE_TIMEOUT_MS = 30_000
REFUSAL_MS = 4
"""What refusing a commit costs the consumer itself: time in which SyncGroup may be answered (2-12 ms were seen)."""
Taken = dict[TopicPartition, int]


class Application:
    """The application thread: poll, work, poll again, until it is told to close or a fatal error is raised."""

    def __init__(self, member: Member) -> None:
        self.member = member

    def run(self) -> Script:
        """The thread's script; ends when the consumer is closed."""
        m = self.member
        while not m.closing and m.fatal is None:
            taken = yield from self._poll()
            if taken:
                yield from self._work(taken)
        if m.fatal is not None and not m.closing:
            m.tell(facts.Failed(process=m.process.id, error=m.fatal))
            m.closing = True
        yield from self._close()

    def _poll(self) -> Generator[simpy.Event, Any, Taken]:
        """poll(): the coordinator's part first, then records (spec 5.2)."""
        m = self.member
        m.in_poll, m.last_poll_ms = True, m.now
        m.poll_started.notify()
        if m.poll_expired:
            m.main.notify()
        if m.traits.background:  # callbacks that wait for the application run before poll() returns records
            yield from m.process.sleep(0)
            while m.in_callback:
                yield from m.process.wait(m.app.wait(None))
        taken: Taken = {}
        while m.fatal is None and not m.closing:
            if not m.traits.background:
                yield from membership(m)
            taken, wake = records.take(m)
            if taken or m.closing:
                break
            if m.coordinator_known or m.traits.background:
                membership_due = [] if m.traits.background else due(m)  # a thread of its own looks after it
                times = [t for t in (wake, *membership_due) if t is not None]
                yield from m.process.wait(m.app.wait(min(times, default=None)))
        m.in_poll, m.last_poll_ms = False, m.now
        return taken

    def _work(self, taken: Taken) -> Script:
        """Process what poll() returned, then commit if the application does that itself."""
        m = self.member
        extra, m.batch_extra_ms = m.batch_extra_ms, 0
        duration = records.duration_ms(m, taken) + extra
        m.tell(facts.PollEnd(process=m.process.id, records=sum(taken.values()), process_ms=duration))
        yield from heartbeat.away(m, duration)
        if m.application.commit_sync:
            yield from join.drive(m)
            yield from offsets.commit_and_wait(m, CLOSE_TIMEOUT_MS)
            if m.state is State.COMPLETING_REBALANCE:
                yield from m.process.sleep(REFUSAL_MS)
        elif m.application.commit_async:
            offsets.send_commit(m)
        m.tell(facts.PollStart(process=m.process.id))

    def _close(self) -> Script:
        """close(): commit, give everything back, leave (spec 5.9)."""
        m = self.member
        m.closed = True  # the heartbeat thread ends here, not when the application is asked to close
        m.beat.notify()
        m.tell(facts.CloseStarted(process=m.process.id))
        if m.config.enable_auto_commit and m.view and not m.traits.commits_after_revoking:
            yield from offsets.commit_and_wait(m, m.config.request_timeout_ms)
        yield from leave_group(m, "the consumer is being closed")
        m.tell(facts.Closed(process=m.process.id))


def membership(m: Member) -> Script:
    """One round of what keeps a consumer a member: coordinator, joining, commits, positions, metadata."""
    if m.traits.session_clock and m.generation == NO_GENERATION:
        yield from listener.lose(m)  # its own clock says so: that needs no coordinator
    if not m.coordinator_known:
        yield from lookup.find_coordinator(m)
    metadata.refresh_if_due(m)
    if m.topics:
        yield from join.ensure_active(m)
    offsets.auto_commit_if_due(m)
    positions.fetch_positions(m)


def due(m: Member) -> list[int]:
    """When `membership` must be looked after next, if nothing happens before."""
    commit = [m.next_commit_ms] if m.config.enable_auto_commit and m.view else []
    watching = m.pattern is not None or m.leads or not m.topics_known
    return [*commit, m.next_metadata_ms] if watching else commit


def background(m: Member) -> Script:
    """The main thread of a library that has one: the membership needs no poll, only callbacks do (spec 5.12)."""
    while not m.closing and m.fatal is None:
        expired = m.state is State.UNJOINED and m.poll_expired
        if not expired or m.in_poll:
            m.poll_expired = expired = False
            yield from membership(m)
        if expired:  # nothing is done, however overdue, before the application polls
            yield from m.process.wait(m.main.wait(None))
        elif m.coordinator_known:
            yield from m.process.wait(m.main.wait(min(due(m), default=None)))


def leave_group(m: Member, reason: str) -> Script:
    """Give everything back, then LeaveGroup; what is held while a rebalance runs counts as lost (spec 5.9)."""
    if m.view:
        lost = m.generation == NO_GENERATION or m.state is not State.STABLE or m.rejoin_needed
        yield from listener.call(m, "lost", m.view) if lost else listener.revoke(m, m.view)
    m.set_view(())
    done = m.env.event()
    if heartbeat.leave(m, reason, done):
        yield m.env.any_of([done, m.env.timeout(CLOSE_TIMEOUT_MS)])
        yield from m.process.gate()


def unsubscribe(m: Member) -> Script:
    """Give everything back and leave; the consumer belongs to no group until it subscribes again."""
    m.topics = ()
    yield from leave_group(m, "the consumer unsubscribed from all topics")
    m.joining = None
    m.generation, m.member_id = NO_GENERATION, ""
    m.become(State.UNJOINED)
    m.needs_join_prepare, m.rejoin_needed = True, True
