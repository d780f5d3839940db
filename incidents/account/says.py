"""Which changes of what each source always prints: only of those does its silence mean "as before"."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from groupsim.incidents.logs.rows import Program


class Change(StrEnum):
    """What can change in a group."""

    GENERATION = "a generation or epoch is stored"
    MEMBER_ADDED = "a member is added"
    MEMBER_REMOVED = "a member is removed"
    PLAN = "what a generation gives each member"
    VIEW = "what a process holds"
    LOSS = "a process hears that it is no member"
    SESSION = "a process that runs misses an answer for a session"
    CALLBACK_BEGINS = "a callback begins"
    CALLBACK_ENDS = "a callback ends"
    START = "a process starts"
    DEATH = "a process dies or freezes"
    POSITION = "a process knows where to start reading"


class Says(NamedTuple):
    """A source, and the changes that it always prints, by default."""

    program: Program
    changes: frozenset[Change]
    source: str


_CLIENT = frozenset([Change.VIEW, Change.LOSS, Change.CALLBACK_BEGINS])

SAYS = (
    Says(
        Program.BROKER,
        frozenset([Change.GENERATION, Change.MEMBER_ADDED, Change.MEMBER_REMOVED]),
        "GroupMetadataManager, GroupCoordinator",
    ),
    Says(
        Program.OFFSETS_TOPIC,
        frozenset([Change.GENERATION, Change.MEMBER_ADDED, Change.MEMBER_REMOVED, Change.PLAN]),
        "GroupCoordinatorRecordHelpers",
    ),
    Says(
        Program.JAVA,
        _CLIENT | {Change.SESSION, Change.START},
        "ConsumerCoordinator, AbstractCoordinator, AbstractMembershipManager",
    ),
    Says(Program.LIBRDKAFKA, _CLIENT | {Change.SESSION}, "rdkafka_cgrp.c, with debug=cgrp"),
    Says(Program.KAFKA_PYTHON, _CLIENT | {Change.SESSION}, "kafka.coordinator.base, kafka.coordinator.consumer"),
    Says(Program.AIOKAFKA, _CLIENT | {Change.SESSION}, "aiokafka.consumer.group_coordinator"),
)
"""No source prints DEATH, CALLBACK_ENDS or POSITION."""


def always_says(program: Program | None, change: Change) -> bool:
    """Whether a program always prints such a change; of one that is not in SAYS nobody knows."""
    return any(each.program is program and change in each.changes for each in SAYS)
