"""A family: a story, settings and choices. Only the choice differs between its runs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from groupsim.conformance.timelines.recording import ADD_PARTITIONS, MemberAction
from groupsim.simulation.clients.config import CLASSIC, CONSUMER
from recorders.timelines.scenarios import JAVA, Action

LOOKED_AT, PUT_ASIDE = "looked-at", "put-aside"
STATIC, HEARTBEAT, SESSION = "static", "hb", "s"
KIP848 = "kip848-"

_CHOICE = re.compile(
    rf"({KIP848}(?:uniform|range)|range|roundrobin|sticky|cooperative-sticky)"
    rf"(-{STATIC})?(?:-{HEARTBEAT}(\d+))?(?:-{SESSION}(\d+))?"
)


@dataclass(frozen=True, slots=True)
class RecordedChoice:
    """What differs within a family. `heartbeat_ms`, `session_ms`: None for the family's own.

    Written as in other recordings: `range`, `range-static`, `range-hb1000`, `range-static-hb1000-s6000`; with the
    consumer protocol `kip848-uniform`, where the times are the group's.
    """

    name: str
    protocol: str
    assignor: str
    static: bool = False
    heartbeat_ms: int | None = None
    session_ms: int | None = None


def choice(name: str) -> RecordedChoice:
    """The choice of this name."""
    parts = _CHOICE.fullmatch(name)
    if parts is None:
        form = f"<assignor> or {KIP848}<assignor>, then -{STATIC}, -{HEARTBEAT}<ms> or -{SESSION}<ms>"
        raise ValueError(f"{name!r} is no choice: {form}")
    assignor, static, heartbeat, session = parts.groups()
    return RecordedChoice(
        name,
        CONSUMER if assignor.startswith(KIP848) else CLASSIC,
        assignor.removeprefix(KIP848),
        static=static is not None,
        heartbeat_ms=None if heartbeat is None else int(heartbeat),
        session_ms=None if session is None else int(session),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A story and its settings.

    `founders` members start `apart_ms` one after the other, from 0 on. `then` are the other actions, separated by
    commas: `AT close|kill|stop|cont|start MEMBER`, `AT slow_batch MEMBER MS`, `AT subscribe MEMBER TOPIC+TOPIC`,
    `AT add_partitions TOPIC COUNT`; times in ms, the first one opens the window in which unavailability counts.

    `process_ms`, `callback_ms`: by member, or under "" for all others, the sleep after each poll that brought records,
    and in each assigned and revoked callback. `subscribed`: the topics of members that do not take all. `commits`:
    commitSync after each batch instead of auto-commit; `commits_revoked`: also in each revoked callback. `every_ms`:
    each partition gets a record so often. `prints_config`: client logs keep the block `ConsumerConfig values:`.
    `library`: of all members; a program of another one than Java's does neither sleep nor commit by itself.
    """

    number: int
    story: str
    about: str
    topics: Mapping[str, int]
    founders: int
    apart_ms: int
    then: str
    end_ms: int
    choices: str
    session_ms: int
    heartbeat_ms: int
    max_poll_ms: int
    delay_ms: int
    every_ms: int = 500
    process_ms: Mapping[str, int] = field(default_factory=dict)
    callback_ms: Mapping[str, int] = field(default_factory=dict)
    subscribed: Mapping[str, str] = field(default_factory=dict)
    commits: bool = False
    commits_revoked: bool = False
    metadata_age_ms: int | None = None
    prints_config: bool = True
    library: str = JAVA

    @property
    def name(self) -> str:
        """`f01`."""
        return f"f{self.number:02}"

    @property
    def half(self) -> str:
        """The folder that it belongs to: even numbers may be looked at, odd ones are put aside."""
        return PUT_ASIDE if self.number % 2 else LOOKED_AT

    @property
    def named_choices(self) -> tuple[RecordedChoice, ...]:
        """In the order in which they are recorded."""
        return tuple(map(choice, self.choices.split()))

    @property
    def actions(self) -> tuple[Action, ...]:
        """All of them, in order; topics by the family's names."""
        founding: list[Action] = [(n * self.apart_ms, "start", f"m{n + 1}", {}) for n in range(self.founders)]
        return (*founding, *(_action(text.split()) for text in self.then.split(",")))

    @property
    def members(self) -> tuple[str, ...]:
        """Their labels."""
        return tuple(sorted({member for _, _, member, _ in self.actions if member}))


def _action(words: Sequence[str]) -> Action:
    at, action, on, *rest = words
    more: dict[str, Any] = {}
    if action == ADD_PARTITIONS:
        return int(at), action, "", {"topic": on, "partitions": int(rest[0])}
    if action == MemberAction.SLOW_BATCH:
        more = {"ms": int(rest[0])}
    elif action == MemberAction.SUBSCRIBE:
        more = {"topics": topics_of(rest[0])}
    elif rest:
        raise ValueError(f"{' '.join(words)!r} says more than an action {action!r} takes")
    return int(at), MemberAction(action).value, on, more


def topics_of(text: str) -> list[str]:
    """`orders+payments` as names."""
    return text.split("+")


def folder_of(root: Path, family: Family) -> Path:
    """Where a family's recordings lie below the folder of all."""
    return root / family.half
