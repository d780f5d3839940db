"""What keeps a client a member and its partitions readable: done inside poll(), or by a library's own thread."""

from __future__ import annotations

from groupsim.simulation.clients import commits, positions
from groupsim.simulation.clients.client import Client
from groupsim.simulation.clients.process import Script


def advance(client: Client) -> Script:
    """One round: the membership, periodic commits, positions of new partitions."""
    yield from client.membership.advance()
    commits.auto_commit_if_due(client)
    positions.fetch_positions(client)


def due_ms(client: Client) -> list[int]:
    """The times at which `advance` is needed even if nothing happens before."""
    commit = [client.next_commit_ms] if client.config.enable_auto_commit and client.fetch.view else []
    return [*commit, *client.membership.due()]


def library_thread(client: Client) -> Script:
    """librdkafka's main thread: the membership needs no poll, only callbacks do (rd_kafka_cgrp_serve)."""
    threads = client.threads
    while not threads.ending:
        expired = client.membership.outside and threads.poll_expired
        if not expired or threads.in_poll or client.traits.callbacks_beside_work:
            threads.poll_expired = expired = expired and not threads.in_poll
            yield from advance(client)
        if expired:  # nothing is done, however overdue, before the application polls
            yield from client.process.wait(threads.library.wait(None))
        elif client.coordinator.known:
            yield from client.process.wait(threads.library.wait(min(due_ms(client), default=None)))
