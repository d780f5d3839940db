"""What was read from the logs of a recording (timeouts, actions, programs), against what the recording says of itself.

This does not enter a score; it shows why a prediction is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median

from groupsim.conformance.predictions.families import RecordedRun
from groupsim.conformance.predictions.measure import METADATA_AGE, metadata_age, session_and_heartbeat
from groupsim.conformance.timelines.recording import ADD_PARTITIONS, CREATE_TOPIC, MemberAction, Recording
from groupsim.replay.actions import ActionKind, actions_of, lead_in_ms
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, INITIAL_DELAY, MAX_POLL, SESSION
from groupsim.replay.replayable import ReplayableRun

SETTINGS = (SESSION, HEARTBEAT, MAX_POLL, INITIAL_DELAY)
NEAR_MS = 500
"""An action is read rightly if its time is off by less than this."""
NEAR_SHARE = 0.05
"""A timeout is read rightly if it is off by at most this share, or by `_SLOW_MS`."""
_SLOW_MS = 100
"""Shorter callbacks and processing times don't matter."""
_DEFAULTS = {SESSION: 45_000, HEARTBEAT: 3_000, MAX_POLL: 300_000}
_KINDS = {
    MemberAction.START: ActionKind.START,
    MemberAction.CLOSE: ActionKind.CLOSE,
    MemberAction.KILL: ActionKind.KILL,
    MemberAction.STOP: ActionKind.FREEZE,
    MemberAction.SLOW_BATCH: ActionKind.BUSY,
    MemberAction.SUBSCRIBE: ActionKind.SUBSCRIBE,
    ADD_PARTITIONS: ActionKind.GROW,
    CREATE_TOPIC: ActionKind.GROW,
    "broker_stop": ActionKind.FAILOVER,
}
"""What a recorded action is in a replay; the others only end one of these."""
_NOT_DONE = (ActionKind.COMMIT, ActionKind.REJOIN, ActionKind.REFRESH)
"""Actions that a replay needs, but that nobody does to a member."""
_Times = dict[tuple[ActionKind, str], list[int]]
"""When what was done to which process."""


@dataclass(frozen=True, slots=True)
class Inferred:
    """`settings`: by name, the true and the inferred value in ms. `misread`: what is read otherwise than it was."""

    settings: dict[str, tuple[int, int]] = field(default_factory=dict)
    misread: tuple[str, ...] = ()


def true_settings(recorded: Recording) -> dict[str, int]:
    """The timeouts of a recorded group and the age of its metadata, in ms."""
    settings = {name: int(recorded.consumer.get(name, default)) for name, default in _DEFAULTS.items()}
    settings |= session_and_heartbeat(recorded)
    settings[METADATA_AGE] = metadata_age(recorded)
    return {**settings, INITIAL_DELAY: int(recorded.broker[INITIAL_DELAY])}


def compared(run: RecordedRun, replayable: ReplayableRun, offset_ms: int) -> Inferred:
    """What was inferred from the run's logs. `offset_ms`: the time of the run at which the import's time 0 lies."""
    incident = replayable.incident
    if incident is None:
        return Inferred()
    true = true_settings(run.recorded)
    settings = {name: (true[name], incident.settings[name]) for name in SETTINGS}
    names = run.record().get("member_ids", {})
    processes = {i.name: next((names[m] for m in i.member_ids if m in names), i.name) for i in incident.incarnations}
    actions = _actions_misread(_true_actions(run.recorded), _read_actions(incident, processes, offset_ms))
    programs = _programs_misread(run.recorded, incident, processes)
    return Inferred(settings, (*_settings_misread(settings), *actions, *programs))


def _settings_misread(settings: dict[str, tuple[int, int]]) -> Iterator[str]:
    """Sentences on wrong timeouts; max.poll.interval.ms is left out where nothing was read, and it rarely matters."""
    for name, (true, read) in settings.items():
        if name == MAX_POLL and read == _DEFAULTS[MAX_POLL]:
            continue
        if abs(read - true) > max(_SLOW_MS, NEAR_SHARE * true):
            yield f"{name}={true} is read as {read}"


def _true_actions(recorded: Recording) -> _Times:
    times: _Times = {}
    incarnations: dict[str, int] = {}
    for action in sorted(recorded.actions, key=lambda a: a.at_ms):
        label = action.member or ""
        if action.kind == MemberAction.START:
            incarnations[label] = incarnations.get(label, -1) + 1
        process = f"{label}.{incarnations.get(label, 0)}" if label else ""
        if action.kind in _KINDS:
            times.setdefault((_KINDS[action.kind], process), []).append(action.at_ms)
    return times


def _read_actions(incident: Incident, processes: dict[str, str], offset_ms: int) -> _Times:
    times: _Times = {}
    lead_in = lead_in_ms(incident)
    for action in actions_of(incident, None, None):
        process = processes[action.incarnation.name] if action.incarnation is not None else ""
        if action.kind not in _NOT_DONE:
            times.setdefault((action.kind, process), []).append(action.at_ms - lead_in + offset_ms)
    return times


def _actions_misread(true: _Times, read: _Times) -> Iterator[str]:
    """Sentences on actions that were not read, read at another time, or read where nothing was done."""
    for kind, process in sorted({*true, *read}):
        left = list(read.get((kind, process), ()))
        what = f"{kind} {process}".strip()
        for at in true.get((kind, process), ()):
            nearest = min(left, key=lambda other: abs(other - at), default=None)
            if nearest is None:
                yield f"{what} at {at:,} ms not read"
                continue
            left.remove(nearest)
            if abs(nearest - at) >= NEAR_MS:
                yield f"{what} at {at:,} ms read {nearest - at:+,} ms off"
        if left:
            times = ", ".join(f"{at:,}" for at in left[:3])
            yield f"{what} read {len(left)} times too often (at {times} ms)"


def _programs_misread(recorded: Recording, incident: Incident, processes: dict[str, str]) -> Iterator[str]:
    """Sentences on slow callbacks that are read as another duration, and on processing times that are not read."""
    for label, program in sorted(recorded.programs.items()):
        own = [i for i in incident.incarnations if processes[i.name].rpartition(".")[0] == label]
        gaps = [
            gap
            for member in incident.members
            if any(i in own for i in member.incarnations)
            for gap in member.program.gaps_ms
        ]
        yield from _processing_misread(label, program.process_ms, gaps)
        if program.callback_ms < _SLOW_MS:
            continue
        for kind in ("assigned", "revoked"):
            durations = [callback.lasts_ms for i in own for callback in i.callbacks.get(kind, ())]
            typical = round(median(durations)) if durations else 0
            if abs(typical - program.callback_ms) >= max(_SLOW_MS, program.callback_ms // 5):
                yield f"{label}'s {kind} callback of {program.callback_ms:,} ms is read as {typical:,} ms"


def _processing_misread(label: str, true_ms: int, gaps: Sequence[int]) -> Iterator[str]:
    """A sentence, if the poll gaps that fit the logs do not contain the processing time of a poll."""
    slack = max(_SLOW_MS, NEAR_SHARE * true_ms)
    busy = [gap for gap in gaps if gap]
    if true_ms >= _SLOW_MS and not busy:
        yield f"processing of {true_ms:,} ms per poll is not read ({label})"
    elif true_ms >= _SLOW_MS and not min(busy) - slack <= true_ms <= max(busy) + slack:
        yield f"{label}'s processing of {true_ms:,} ms per poll is read as {min(busy):,} to {max(busy):,} ms"
    elif true_ms < _SLOW_MS and 2 * len(busy) > len(gaps):
        yield f"{label} is read to work {min(busy):,} to {max(busy):,} ms per poll, and polls all the time"
