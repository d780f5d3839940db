"""Evidence, from which a setting is inferred, and Inference, the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from groupsim.replay.reconstruct.incarnation import Incarnation
from groupsim.replay.reconstruct.rebalances import Generation

SESSION, HEARTBEAT = "session.timeout.ms", "heartbeat.interval.ms"
MAX_POLL, INITIAL_DELAY = "max.poll.interval.ms", "group.initial.rebalance.delay.ms"
METADATA_AGE, APPEND_LINGER = "metadata.max.age.ms", "group.coordinator.append.linger.ms"
ASSUMABLE = (SESSION, HEARTBEAT, MAX_POLL, INITIAL_DELAY, METADATA_AGE, APPEND_LINGER)
"""The settings that a user can give, by Kafka's names; all in ms."""

Open = tuple[int, ...]
"""Values of a setting in ms, ascending, that fit the logs and are equally likely: a likely one is there repeatedly."""


class Evidence(NamedTuple):
    """What is known of a group besides its settings.

    `from_sync`: its clients count the heartbeat interval from the answer to SyncGroup, not from that to JoinGroup.
    """

    incarnations: Sequence[Incarnation]
    generations: Sequence[Generation]
    from_sync: bool = False


class Inference(NamedTuple):
    """The likeliest value in ms, and why, as the end of a sentence that begins with `setting=value`.

    An empty `why`: nothing was assumed. `open`: the values that fit the logs, where they do not show a single one.
    `known`: the logs show the value.
    """

    value_ms: int
    why: str = ""
    open: Open = ()
    known: bool = False


class Inferred(NamedTuple):
    """The inferred settings of a group: values in ms by Kafka's names, and those that are open.

    `known`: those that the logs show, or that the user gave. `notes`: a sentence on each that is assumed or open.
    `metadata_age_ms`: metadata.max.age.ms, where members print it.
    """

    values: Mapping[str, int]
    open: Mapping[str, Open]
    known: frozenset[str]
    notes: list[str]
    metadata_age_ms: int | None = None
