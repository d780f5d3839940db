"""What differs between two recordings of a family: as a choice of a what-if, and as a changed recording."""

from __future__ import annotations

from typing import Any

from groupsim.conformance.predictions.group_times import (
    ASSIGNMENT_INTERVAL,
    METADATA_AGE,
    metadata_age,
    session_and_heartbeat,
)
from groupsim.conformance.timelines.recording import CONSUMER_SETTINGS, INITIAL_DELAY, Recording
from groupsim.replay.broker_limits import MIN_SESSION
from groupsim.replay.choice import Choice
from groupsim.replay.protocols import REMOTE, STRATEGY
from groupsim.simulation.clients.config import CLASSIC, CONSUMER

INSTANCE = "instance"
SESSION = "session.timeout.ms"


def as_choice(name: str, given: Recording, wanted: Recording) -> Choice:
    """What a user would ask of `given` to get `wanted`: the settings that differ, and static or dynamic membership."""
    if given.protocol != wanted.protocol:
        return _across(name, given, wanted)
    settings = {
        key: str(wanted.consumer[key])
        for key in CONSUMER_SETTINGS
        if key in wanted.consumer and wanted.consumer[key] != given.consumer.get(key)
    }
    if wanted.assignors != given.assignors:
        settings[STRATEGY] = ",".join(wanted.assignors)
    if wanted.broker[INITIAL_DELAY] != given.broker[INITIAL_DELAY]:
        settings[INITIAL_DELAY] = str(wanted.broker[INITIAL_DELAY])
    if SESSION in settings:
        settings[MIN_SESSION] = str(wanted.broker[MIN_SESSION])
    changes_membership = is_static(given) != is_static(wanted)
    return Choice(name=name, settings=settings, static=is_static(wanted) if changes_membership else None)


def _across(name: str, given: Recording, wanted: Recording) -> Choice:
    """The other protocol, with its assignor, and the times that differ, whoever they belong to there."""
    before, after = session_and_heartbeat(given), session_and_heartbeat(wanted)
    times = {key: str(value) for key, value in after.items() if value != before[key]}
    if wanted.protocol == CLASSIC:
        if metadata_age(wanted) != metadata_age(given):
            times[METADATA_AGE] = str(metadata_age(wanted))
        return Choice(name=name, settings={STRATEGY: ",".join(wanted.assignors), **times}, protocol=CLASSIC)
    settings = {REMOTE: wanted.remote_assignor or ""} | {f"group.consumer.{key}": value for key, value in times.items()}
    if (interval := wanted.broker.get(ASSIGNMENT_INTERVAL)) is not None:
        settings[ASSIGNMENT_INTERVAL] = str(interval)
    return Choice(name=name, settings=settings, protocol=CONSUMER)


def is_static(recorded: Recording) -> bool:
    """Whether all members have a group.instance.id."""
    return all(program.instance is not None for program in recorded.programs.values())


def as_recording(record: dict[str, Any], given: Recording, wanted: Recording) -> dict[str, Any]:
    """The recording `record`, parsed as `given`, with the choice of `wanted`: the same members, actions and window."""
    config = {**record["config"], **wanted.consumer, **wanted.broker, STRATEGY: ",".join(wanted.assignors)}
    if is_static(given) != is_static(wanted):
        per_member = config.get("per_member") or {}
        config["per_member"] = {
            label: {
                **{key: value for key, value in per_member.get(label, {}).items() if key != INSTANCE},
                **({INSTANCE: label} if is_static(wanted) else {}),
            }
            for label in given.members
        }
    return {**record, "config": config}
