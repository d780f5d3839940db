"""What one run's logs (or its recorded actions) predict of the other choices of its family, and what those choices are.

What differs between two recordings of a family is the choice of a what-if, or a changed recording.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from groupsim.conformance.predictions import inferred
from groupsim.conformance.predictions.families import LOGS, RecordedRun
from groupsim.conformance.predictions.inferred import Inferred
from groupsim.conformance.predictions.measure import (
    ASSIGNMENT_INTERVAL,
    METADATA_AGE,
    metadata_age,
    opens_ms,
    recorded_ms,
    session_and_heartbeat,
    simulated_ms,
)
from groupsim.conformance.predictions.results import Answer, AskedRun, Evidence
from groupsim.conformance.timelines.recording import CONSUMER_SETTINGS, INITIAL_DELAY, BadRecording, Recording, parse
from groupsim.conformance.timelines.reenact import reenact
from groupsim.events.errors import GroupsimError
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.times import instant
from groupsim.replay.broker_limits import MIN_SESSION
from groupsim.replay.choice import AS_RECORDED, Choice
from groupsim.replay.protocols import REMOTE, STRATEGY
from groupsim.replay.reconstruct.inferred_settings.evidence import SESSION
from groupsim.replay.replayable import ReplayableRun, replayable_run
from groupsim.simulation.clients.config import CLASSIC, CONSUMER
from groupsim.storage.memory import MemoryStore

INSTANCE = "instance"


def as_choice(name: str, given: Recording, wanted: Recording) -> Choice:
    """What a user would ask of `given` to get `wanted`: the settings that differ, and static or dynamic membership."""
    if given.protocol != wanted.protocol:
        return _across(name, given, wanted)
    settings = {
        key: str(wanted.consumer[key])
        for key in CONSUMER_SETTINGS
        if key in wanted.consumer and wanted.consumer[key] != given.consumer.get(key)
    }
    if wanted.protocol == CONSUMER:
        settings |= _of_group(given, wanted)
    if wanted.assignors != given.assignors:
        settings[STRATEGY] = ",".join(wanted.assignors)
    if wanted.broker[INITIAL_DELAY] != given.broker[INITIAL_DELAY]:
        settings[INITIAL_DELAY] = str(wanted.broker[INITIAL_DELAY])
    if SESSION in settings:
        settings[MIN_SESSION] = str(wanted.broker[MIN_SESSION])
    changes_membership = is_static(given) != is_static(wanted)
    return Choice(name=name, settings=settings, static=is_static(wanted) if changes_membership else None)


def _of_group(given: Recording, wanted: Recording) -> dict[str, str]:
    """What an administrator would set for a consumer group, and its assignor, where they differ."""
    before, after = session_and_heartbeat(given), session_and_heartbeat(wanted)
    settings = {f"group.consumer.{key}": str(value) for key, value in after.items() if value != before[key]}
    if wanted.remote_assignor != given.remote_assignor:
        settings[REMOTE] = wanted.remote_assignor or ""
    if (interval := wanted.broker.get(ASSIGNMENT_INTERVAL)) not in (None, given.broker.get(ASSIGNMENT_INTERVAL)):
        settings[ASSIGNMENT_INTERVAL] = str(interval)
    return settings


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
    if wanted.protocol == CONSUMER:
        config |= {REMOTE: wanted.remote_assignor, "group_config": wanted.group_config}
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


Cost = Callable[[int], int]
"""The measure of one simulation, by its seed. Raises GroupsimError."""


def ask(run: RecordedRun, others: Sequence[RecordedRun], seeds: range, evidence: Evidence) -> AskedRun:
    """The run as recorded, and under the choices of `others`, each with every seed.

    If its logs can't be imported or replayed, every answer says why.
    """
    names = [run.choice, *(other.choice for other in others)]
    read = Inferred()
    try:
        if evidence is Evidence.ACTIONS:
            costs = _reenacted(run, others)
        else:
            costs, read = _replayed(run, others, evidence)
        answers = [_answer(name, cost, seeds) for name, cost in zip(names, costs, strict=True)]
    except GroupsimError as error:
        answers = [Answer(choice=name, refused=str(error)) for name in names]
    return AskedRun(
        run=run.id,
        story=run.story,
        family=run.family,
        choice=run.choice,
        baseline=answers[0],
        answers=tuple(answers[1:]),
        settings=read.settings,
        misread=read.misread,
    )


def _answer(name: str, cost: Cost, seeds: range) -> Answer:
    try:
        return Answer(choice=name, ms=tuple(map(cost, seeds)))
    except GroupsimError as error:
        return Answer(choice=name, refused=str(error))


def _reenacted(run: RecordedRun, others: Sequence[RecordedRun]) -> list[Cost]:
    """From the true settings and actions: what is left is the error of the simulated group itself."""
    record = run.record()

    def cost(wanted: Recording, seed: int) -> int:
        changed = as_recording(record, run.recorded, wanted)
        played = reenact(changed, seed)
        return recorded_ms({**changed, **played}, parse(changed))

    return [partial(cost, other.recorded) for other in (run, *others)]


def _replayed(run: RecordedRun, others: Sequence[RecordedRun], evidence: Evidence) -> tuple[list[Cost], Inferred]:
    """From the logs; with Evidence.KNOWN as if a user had named the true timeouts."""
    true = inferred.true_settings(run.recorded)
    given = true if evidence is Evidence.KNOWN else {}
    store = MemoryStore()
    reading = read_files(sorted((run.folder / LOGS).glob("*")))
    imported = import_run(reading, store, name=None, topics={}, session_timeout_ms=given.get(SESSION))
    if run.starts is None or imported.run.origin is None:
        raise BadRecording(f"recording {run.id}: run_start_utc is missing, so its window can't be found in its logs")
    offset_ms = instant(imported.run.origin) - run.starts
    choices = [AS_RECORDED, *(as_choice(other.choice, run.recorded, other.recorded) for other in others)]
    replayable = replayable_run(store, imported.run, given=given, choices=choices)
    costs: list[Cost] = [partial(_replay, run.recorded, replayable, offset_ms, choice) for choice in choices]
    return costs, inferred.compared(run, replayable, offset_ms)


def _replay(recorded: Recording, replayable: ReplayableRun, offset_ms: int, choice: Choice, seed: int) -> int:
    """One simulation. `offset_ms`: the time of the run at which the import's time 0 lies."""
    played = replayable.replay(choice, seed)
    if played.failure:
        raise BadRecording(f"{choice.name}, seed {seed}: {played.failure}")
    opens, shift_ms = opens_ms(recorded), played.from_ms - offset_ms
    opens_at = None if opens is None else opens + shift_ms
    return simulated_ms(played.facts, replayable.replayed_group, opens_at, recorded.end_ms + shift_ms)
