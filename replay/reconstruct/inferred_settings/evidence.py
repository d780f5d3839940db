"""Evidence, from which a setting is inferred, and Inference, the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from groupsim.replay.reconstruct.incarnation import Incarnation
from groupsim.replay.reconstruct.rebalances import Generation

SESSION, HEARTBEAT = "session.timeout.ms", "heartbeat.interval.ms"
MAX_POLL, INITIAL_DELAY = "max.poll.interval.ms", "group.initial.rebalance.delay.ms"
DEFAULT_HEARTBEAT_MS = 3_000
CLOSING_MS = 50
"""A consumer's last commit, from which its session counts, comes at most this long before close() returns."""


class Evidence(NamedTuple):
    """What is known of a group besides its settings."""

    incarnations: Sequence[Incarnation]
    generations: Sequence[Generation]


class Inference(NamedTuple):
    """A value in ms, and why, as the end of a sentence that begins with `setting=value`; empty: nothing was assumed."""

    value_ms: int
    why: str = ""
