"""Positions of new partitions, and the state that an application keeps for them."""

from __future__ import annotations

from collections.abc import Callable

from groupsim.events import client as facts
from groupsim.events.types import Offsets, Partitions, TopicPartition
from groupsim.simulation.clients.client import Client
from groupsim.simulation.clients.process import Script
from groupsim.simulation.clients.streams.application import StreamsApplication
from groupsim.simulation.clients.streams.task_states import TaskStates
from groupsim.simulation.requests import FetchOffsets, OffsetsAre


def fetch_positions(client: Client) -> None:
    """Ask where to start in partitions that have no position; they can be fetched from the answer on."""
    fetch = client.fetch
    if len(fetch.positions) + len(fetch.awaiting_position) == len(fetch.view):
        return
    missing = tuple(p for p in fetch.view if p not in fetch.positions and p not in fetch.awaiting_position)
    if not missing or not client.coordinator.known:
        return
    fetch.awaiting_position.update(missing)

    def receive(answer: object) -> None:
        fetch.awaiting_position.difference_update(missing)
        if isinstance(answer, OffsetsAre):
            _start(client, missing, answer.offsets)
        else:
            client.request_failed("OffsetFetch", "DISCONNECTED")
        client.threads.wake()

    request = FetchOffsets(client.group, missing)
    client.connection.call("OffsetFetch", lambda _: request, client.config.request_timeout_ms, receive)


def _start(client: Client, asked: Partitions, committed: Offsets) -> None:
    """Set positions: the committed offset, or what auto.offset.reset says."""
    fetch = client.fetch
    known = {(topic, partition): offset for topic, partition, offset in committed}
    earliest = client.config.auto_offset_reset == "earliest"
    view = set(fetch.view)
    started: list[TopicPartition] = []
    for p in asked:
        if p in view and p not in fetch.positions:
            offset = known.get(p)
            if offset is None:
                offset = 0 if earliest else client.cluster_topics.end_offset(p, client.now)
            fetch.positions[p] = offset
            started.append(p)
    if started:
        offsets = tuple((p.topic, p.partition, fetch.positions[p]) for p in started)
        client.record(facts.PositionReady(process=client.process.id, offsets=offsets))
        _restore(client, started)


def _restore(client: Client, gained: list[TopicPartition]) -> None:
    """Rebuild local state in the background, state after state; they are not processed before it is there."""
    fetch = client.fetch
    if client.tasks is not None:
        assert client.streams is not None
        _wait_for_tasks(client, client.streams, client.tasks, gained)
        return
    rebuilt = tuple(p for p in gained if p not in fetch.restored)
    fetch.restored.update(gained)
    if rebuilt and client.application.restore_ms:
        fetch.restoring.update(dict.fromkeys(rebuilt, client.now))
        client.record(facts.RestoreStart(process=client.process.id, partitions=rebuilt))
        client.process.thread(_rebuild(client, rebuilt, client.now))


def _wait_for_tasks(
    client: Client, application: StreamsApplication, tasks: TaskStates, gained: list[TopicPartition]
) -> None:
    """A partition is read while its task runs; the task began to restore when it was assigned."""
    waiting = tuple(p for p in gained if not tasks.runs(application.task(p)))
    if waiting:
        client.fetch.restoring.update(dict.fromkeys(waiting, client.now))
        client.record(facts.RestoreStart(process=client.process.id, partitions=waiting))


def ask_committed(client: Client, partitions: Partitions, then: Callable[[], None]) -> None:
    """Ask what was committed, until there is an answer; then go on. A client that knows no coordinator goes on."""
    if not client.coordinator.known:
        then()
        return

    def receive(answer: object) -> None:
        if isinstance(answer, OffsetsAre):
            then()
        else:
            client.process.thread(again())

    def again() -> Script:
        yield from client.process.sleep(client.backoff_ms())
        ask_committed(client, partitions, then)

    request = FetchOffsets(client.group, partitions)
    client.connection.call("OffsetFetch", lambda _: request, client.config.request_timeout_ms, receive)


def task_runs(client: Client, partitions: Partitions) -> None:
    """The task that reads these partitions runs now; they may have no position yet."""
    done = tuple(p for p in partitions if client.fetch.restoring.pop(p, None) is not None)
    if done:
        client.record(facts.RestoreEnd(process=client.process.id, partitions=done))
        client.threads.wake()


def _rebuild(client: Client, partitions: Partitions, since: int) -> Script:
    for p in partitions:
        yield from client.process.sleep(client.application.restore_ms)
        if client.fetch.restoring.get(p) == since:  # still owned since then
            del client.fetch.restoring[p]
            client.record(facts.RestoreEnd(process=client.process.id, partitions=(p,)))
            client.threads.wake()
