"""The application thread of a consumer: poll, work, poll again, close (Kafka: ClassicKafkaConsumer.poll)."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import simpy

from groupsim.events import client as facts
from groupsim.events.types import TopicPartition
from groupsim.simulation.clients import commits, maintenance, records
from groupsim.simulation.clients.callbacks import run_application_code
from groupsim.simulation.clients.client import Client
from groupsim.simulation.clients.consumer import polls
from groupsim.simulation.clients.process import Script

COMMIT_SYNC_TIMEOUT_MS = 30_000
"""How long commitSync() tries."""
LOCAL_REFUSAL_MS = 4
"""How long the consumer takes to refuse a commit itself (recorded: 2-12 ms); SyncGroup may be answered meanwhile."""
Taken = dict[TopicPartition, int]


def application_thread(client: Client) -> Script:
    """Poll and work until the consumer is to be closed or a fatal error is raised; then close it."""
    while not client.threads.ending:
        taken = yield from _poll(client)
        if taken:
            yield from _work(client, taken)
    if client.threads.failed is not None and not client.threads.closing:
        client.record(facts.Failed(process=client.process.id, error=client.threads.failed))
        client.threads.closing = True
    yield from _close(client)


def _poll(client: Client) -> Generator[simpy.Event, Any, Taken]:
    """poll(): the membership first, then records."""
    threads, process, in_background = client.threads, client.process, client.traits.library_thread
    threads.in_poll, threads.last_poll_ms = True, client.now
    client.fetch.polling_since_ms = client.now
    polls.inform(client)
    if threads.poll_expired:
        threads.library.notify()
    beats_between = not client.traits.beats_beside_work
    if beats_between:  # KafkaJS's runner.js, processEachMessage: one that is due
        threads.heartbeat.notify()
    if in_background or beats_between:  # what waits for the application runs before poll() returns records
        yield from process.sleep(0)
    taken: Taken = {}
    while not threads.ending:
        if not in_background:
            yield from maintenance.advance(client)
        while in_background and threads.in_callback:
            yield from process.wait(threads.application.wait(None))
        taken, wake = records.take(client)
        read = client.membership.read_network()  # with what was fetched: it is acted on by the next poll()
        if taken or threads.closing:
            break
        if read:
            continue
        if client.coordinator.known or in_background:
            due = [] if in_background else maintenance.due_ms(client)
            times = [t for t in (wake, *due) if t is not None]
            yield from process.wait(threads.application.wait(min(times, default=None)))
    if client.now > threads.last_poll_ms:
        threads.informed_ms = client.now
    threads.in_poll, threads.last_poll_ms = False, client.now
    return taken


def _work(client: Client, taken: Taken) -> Script:
    """Process what poll() returned, then commit if the application does that itself."""
    extra_ms, client.next_batch_extra_ms = client.next_batch_extra_ms, 0
    duration = records.duration_ms(client, taken) + extra_ms
    client.record(facts.PollEnd(process=client.process.id, records=sum(taken.values()), process_ms=duration))
    yield from run_application_code(client, duration)
    if client.application.commit_sync:
        client.membership.read_network()
        yield from client.membership.handle_answers()
        yield from commits.commit_and_wait(client, COMMIT_SYNC_TIMEOUT_MS)
        if client.membership.awaits_assignment:
            yield from client.process.sleep(LOCAL_REFUSAL_MS)
    elif client.application.commit_async:
        commits.send_commit(client)
    client.record(facts.PollStart(process=client.process.id))


def _close(client: Client) -> Script:
    """close(): commit, revoke everything, leave (Kafka: ClassicKafkaConsumer.close)."""
    client.threads.closed = True  # the heartbeat thread ends here, not when the application is asked to close
    client.threads.heartbeat.notify()
    client.record(facts.CloseStarted(process=client.process.id))
    if client.config.enable_auto_commit and client.fetch.view and not client.traits.commits_after_revoking:
        yield from commits.commit_and_wait(client, client.config.request_timeout_ms)
    yield from client.membership.leave("the consumer is being closed")
    client.record(facts.Closed(process=client.process.id))
