"""What processes do a second time: for one instant, by looking back through all that a process has said until then.

`analysis.blame.steps.STEPS` says what the activities mean. Steps of critical paths and pieces of blame that rest on an
activity are held against it, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.blame.blame import Blame, blame
from groupsim.analysis.blame.critical_path import critical_paths
from groupsim.analysis.timelines.builder import group_timelines
from groupsim.analysis.timelines.process_timeline import CONFIGURATION, Activity, ProcessTimeline
from groupsim.events import client as p
from groupsim.events import network as n
from groupsim.events.base import Event, Recorded

_WINDOWS, _PIECES = 6, 40
"""So many periods of each process, and steps and pieces of each run, are looked at."""
_STEPS: dict[type[Event], Activity] = {
    p.ProcessStarted: Activity.STARTING,
    p.EpochReceived: Activity.AWAITING_HEARTBEAT,
    p.PollExpired: Activity.AWAITING_HEARTBEAT,
    p.SyncOk: Activity.AWAITING_HEARTBEAT,
    p.JoinSent: Activity.JOIN,
    p.JoinOk: Activity.ASSIGN,
    p.SyncSent: Activity.SYNC,
}
_WAITS = {"wait": Activity.JOIN, "answered": Activity.JOIN, "heartbeat": Activity.AWAITING_HEARTBEAT}
"""Steps that say more of an activity than the process knows."""
_TO_POLL = (p.MemberPhase.RECONCILING, p.MemberPhase.FENCED, p.MemberPhase.STALE)
Doing = tuple[Activity, str | None]
"""An activity, and the kind of the listener that runs."""


class Said:
    """What one process said, with when, and what happened to its link to the coordinator."""

    def __init__(self) -> None:
        self.facts: list[tuple[int, Event]] = []

    def doing(self, at_ms: int) -> Doing:
        """What it does at an instant: what stops it first, then its listener, then its membership."""
        past = [event for at, event in self.facts if at <= at_ms]
        if not past:
            return Activity.NOT_STARTED, None
        match _last(past, p.ProcessStarted, p.Crashed, p.Closed, p.CloseStarted, p.Failed):
            case p.Crashed() | p.Closed():
                return Activity.DEAD, None
            case p.CloseStarted():
                return Activity.CLOSING, None
            case p.Failed():
                return Activity.FAILED, None
        if isinstance(_last(past, p.Frozen, p.Thawed), p.Frozen):
            return Activity.FROZEN, None
        if isinstance(runs := _last(past, p.CallbackStart, p.CallbackEnd), p.CallbackStart):
            return Activity.CALLBACK, runs.kind
        if _commits_first(past):
            return Activity.COMMIT, None
        return _of_membership(past), None


def _of_membership(past: Sequence[Event]) -> Activity:
    native, step = _native(past), _step(past)
    asked = isinstance(_last(past, p.RejoinRequested, p.PollExpired, p.JoinSent), p.RejoinRequested | p.PollExpired)
    idle = step is Activity.AWAITING_HEARTBEAT
    cut = isinstance(_last(past, n.LinkCut, n.LinkHealed), n.LinkCut)
    if cut and step is not Activity.ASSIGN and not (idle and asked):
        return Activity.CUT
    seeks = isinstance(_last(past, p.CoordinatorLost, p.CoordinatorFound), p.CoordinatorLost)
    if seeks and (idle or step is Activity.RETRY):
        return Activity.SEEKING
    return Activity.POLL if idle and (asked or _has_to_poll(past, native)) else step


def _commits_first(past: Sequence[Event]) -> bool:
    """It commits what it is about to give up; a native member has done so before it says what that is."""
    for number in reversed(range(len(past))):
        if isinstance(past[number], p.RevocationPending):
            return not _native(past[:number])
        if isinstance(past[number], p.CallbackStart | p.JoinSent):
            return False
    return False


def _has_to_poll(past: Sequence[Event], native: bool) -> bool:
    """It was given something that its application has yet to take."""
    for number in reversed(range(len(past))):
        event, spoke = past[number], _native(past[:number])
        match event:
            case p.StateChanged() if spoke:
                return event.state in _TO_POLL
            case p.SyncOk():
                return True
            case p.JoinSent():
                return False
            case p.CallbackStart(kind=p.CallbackKind.ASSIGNED) if not spoke:
                return False
            case p.ViewChanged() if event.partitions and not spoke:
                return False
    return False


def _native(past: Sequence[Event]) -> bool:
    """It speaks the consumer protocol."""
    found = _last(past, p.ProtocolSelected, p.EpochReceived, p.TargetReceived)
    return found is not None and (not isinstance(found, p.ProtocolSelected) or found.protocol == "CONSUMER")


def _step(past: Sequence[Event]) -> Activity:
    """The step of its membership; whoever waits to ask again does so, whatever else it hears."""
    for number in reversed(range(len(past))):
        event = past[number]
        if (known := _STEPS.get(type(event))) is not None:
            return known
        if isinstance(event, p.RequestFailed) and event.api in ("JoinGroup", "SyncGroup", "assignor"):
            return Activity.RETRY
        if isinstance(event, p.RejoinRequested):
            before = _step(past[:number])
            return before if before is Activity.RETRY else Activity.AWAITING_HEARTBEAT
    return Activity.STARTING


def _last(past: Sequence[Event], *kinds: type[Event]) -> Event | None:
    return next((event for event in reversed(past) if isinstance(event, kinds)), None)


def processes(facts: Sequence[Recorded]) -> dict[str, Said]:
    """Everything that was said, by process."""
    found: dict[str, Said] = {}
    for fact in facts:
        event = fact.event
        if isinstance(event, p.ClientEvent):
            found.setdefault(event.process, Said()).facts.append((fact.at_ms, event))
        elif isinstance(event, n.LinkCut | n.LinkHealed) and "broker" in (event.a, event.b):
            for name, said in found.items():
                if {event.a, event.b} & {name, name.rpartition(".")[0]}:
                    said.facts.append((fact.at_ms, event))
    return found


def activities_differ(facts: Sequence[Recorded], rng: Random) -> list[str]:
    """Each span, step and piece of blame that contradicts what the process has said, in a sentence."""
    known, found, end_ms = processes(facts), list[str](), facts[-1].at_ms
    timelines = group_timelines(facts)
    for timeline in timelines.values():
        for name, process in timeline.processes.items():
            for _ in range(_WINDOWS):
                window = sorted(rng.randrange(end_ms + 2) for _ in range(2))
                found += _spans_differ(process, known[name], window[0], window[1], rng)
    steps = [each for each in critical_paths(facts, end_ms, timelines) if each.member in known]
    for step in rng.sample(steps, min(_PIECES, len(steps))):
        for at_ms in _looked_at(step.from_ms, step.to_ms, rng):
            does = known[str(step.member)].doing(at_ms)
            if does not in ((step.step, step.kind), (_WAITS.get(step.step), step.kind)):
                found.append(f"{step}: at {at_ms} ms it is {does}")
    pieces = [
        each for each in blame(facts, intervals(facts), timelines) if each.label in _RESTS and each.member in known
    ]
    for piece in rng.sample(pieces, min(_PIECES, len(pieces))):
        found += _blamed(piece, known, rng)
    return found


def _looked_at(from_ms: int, to_ms: int, rng: Random) -> tuple[int, ...]:
    return from_ms, to_ms - 1, rng.randrange(from_ms, to_ms)


def _spans_differ(process: ProcessTimeline, said: Said, from_ms: int, to_ms: int, rng: Random) -> Iterator[str]:
    spans = list(process.during(from_ms, to_ms))
    edges = [from_ms, *(each.to_ms for each in spans)]
    if [each.from_ms for each in spans] != edges[:-1] or edges[-1] != to_ms or sorted({*edges}) != edges:
        if from_ms < to_ms:
            yield f"{process.process} from {from_ms} to {to_ms} ms: spans leave gaps or overlap: {spans}"
        return
    if any(one[2:] == other[2:] for one, other in pairwise(spans)):
        yield f"{process.process} from {from_ms} to {to_ms} ms: neighbours do the same: {spans}"
    for span in spans:
        for at_ms in _looked_at(span.from_ms, span.to_ms, rng):
            does = said.doing(at_ms)
            if does != (span.activity, span.callback_kind) or does[0] != process.at(at_ms):
                yield f"{process.process}: {span}, by itself {process.at(at_ms)}; at {at_ms} ms it is {does}"


def _blamed(piece: Blame, known: Mapping[str, Said], rng: Random) -> Iterator[str]:
    """What decides has to be what the member is doing, at each instant of the piece."""
    said = known[str(piece.member)]
    for at_ms in _looked_at(piece.from_ms, piece.to_ms, rng):
        activity, _ = said.doing(at_ms)
        native = _native([event for _, event in said.facts])
        if (decides := _RESTS[piece.label](activity, native)) != piece.configuration:
            yield f"{piece}: at {at_ms} ms it is {activity}, so {decides} decides"


def _of_grant(activity: Activity, native: bool) -> str | None:
    """It is to learn what it is given: at a heartbeat, of which logs do not say when it is, or at its next poll."""
    if activity is Activity.AWAITING_HEARTBEAT:
        return CONFIGURATION[Activity.JOIN] if native else None
    if activity is Activity.JOIN and not native:
        return CONFIGURATION[Activity.POLL]
    return "group.consumer.session.timeout.ms" if native and activity is Activity.DEAD else CONFIGURATION.get(activity)


def _of_callback(activity: Activity, native: bool) -> str | None:
    says = activity is Activity.COMMIT or (activity is Activity.POLL and native)
    return CONFIGURATION[activity if says else Activity.CALLBACK]


_RESTS = {"GRANT_IN_FLIGHT": _of_grant, "PAUSED_CALLBACK": _of_callback}
"""Labels whose pieces rest on what one member is doing."""
