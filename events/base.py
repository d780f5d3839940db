"""Event, the base of all facts, and Recorded, the envelope that gives a fact its time and place."""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

import msgspec

from groupsim.events.types import RunId


class Event(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    tag=True,
    tag_field="type",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """A fact: past tense, no clock, no behaviour. The envelope carries time and order."""

    durable: ClassVar[bool] = False
    """True where Kafka itself writes a record, so that the fact survives a coordinator failover."""
    noise: ClassVar[bool] = False
    """True for what changes no state (heartbeats, messages): left out by `--record facts`."""
    schema: ClassVar[int] = 1
    """Grows when the fields change; `storage.upcasts` lifts older ones on reading."""


class Recorded(msgspec.Struct, frozen=True):
    """One line of a run's log.

    `seq` counts the run's facts from 0; `version` counts the facts of one stream from 0. `source` is `file:line` where
    the fact was read from a log, None where it was simulated.
    """

    run: RunId
    seq: int
    at_ms: int
    stream: str
    version: int
    event: Event
    source: str | None = None


def group_stream(group: str) -> str:
    """The stream of a group's coordinator facts."""
    return f"group:{group}"


def process_stream(group: str, process: str) -> str:
    """The stream of one client process's own facts; a slash in its name is escaped, as the group may hold one."""
    return f"client:{group}/{process.replace('/', '%2F')}"


@lru_cache(maxsize=10_000)
def group_of(stream: str) -> str | None:
    """The group a stream speaks of; None for `world` and `network`."""
    kind, _, rest = stream.partition(":")
    if kind == "group":
        return rest
    if kind == "client":
        return rest.rpartition("/")[0]
    return None


WORLD_STREAM = "world"
NETWORK_STREAM = "network"
