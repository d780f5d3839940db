"""Standby tasks: copies of state that follow the changelog, so that a task runs at once where one was (KIP-1071)."""

from __future__ import annotations

from groupsim.events.streams import Tasks
from groupsim.events.types import Partitions
from groupsim.simulation.clients.client import Client
from groupsim.simulation.clients.process import Script
from groupsim.simulation.clients.streams.application import StreamsApplication


def keep(client: Client, application: StreamsApplication, tasks: Tasks) -> None:
    """These are its tasks from now on: new standbys are restored in the background, one after the other.

    A store that is no more on a disk is there as long as the task is active or a standby.
    """
    followed = application.partitions(tasks.standby)
    client.warm &= {*followed, *application.partitions(tasks.active)}
    new = [p for p in followed if p not in client.followed]
    client.followed = set(followed)
    if states := application.restores(new, client.disk | client.warm, client.random):
        client.process.thread(_follow(client, application, states))


def _follow(client: Client, application: StreamsApplication, states: list[tuple[Partitions, int]]) -> Script:
    for partitions, ms in states:
        yield from client.process.sleep(ms)
        if client.followed.issuperset(partitions):  # still a standby
            client.warm.update(partitions)
            client.disk.update(application.kept(partitions))
