"""The application and settings that a replayed member is simulated with."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from groupsim.analysis.availability.without_holder import STUCK_MS
from groupsim.replay.reconstruct.applications.callbacks import LIBRARY_MS, Listener
from groupsim.replay.reconstruct.applications.commit_style import UNKNOWN
from groupsim.replay.reconstruct.members import Member
from groupsim.simulation.clients.config import Application, CallbackTime

AUTO_COMMIT = "enable.auto.commit"
_UNUSUAL = 2


def application(member: Member, exact: bool) -> Application:
    """Its application. In an exact replay the recorded slow batches are all that it works on."""
    if exact:
        return Application(callback_ms=_callbacks(member), empty_ms=0)
    program = member.program
    return Application(
        process_ms=program.gap_ms,
        commit_sync=program.gap_ms > 0 and program.commits_sync > UNKNOWN,
        callback_draws={kind: _draws(found) for kind, found in program.listeners.items() if any(found)},
        empty_ms=0,
    )


def _draws(found: Listener) -> tuple[CallbackTime, ...]:
    return tuple(CallbackTime(ms, 0) for ms in found.fixed_ms) + tuple(CallbackTime(0, ms) for ms in found.partition_ms)


def settings(application: Application) -> dict[str, object]:
    """The settings of a consumer with this application, by Kafka's names."""
    return {AUTO_COMMIT: False} if application.commit_sync else {}


def stuck_ms(members: Iterable[Member]) -> int:
    """A batch that takes longer is none that these members' programs usually work on."""
    usual = max((gap for member in members for gap in member.program.gaps_ms), default=0)
    return max(STUCK_MS, _UNUSUAL * usual)


def _callbacks(member: Member) -> dict[str, int]:
    """The median duration of its recorded callbacks by kind, where it is more than a library's own work."""
    lasts_ms: dict[str, list[int]] = {}
    for incarnation in member.incarnations:
        for kind, callbacks in incarnation.callbacks.items():
            lasts_ms.setdefault(kind, []).extend(callback.lasts_ms for callback in callbacks)
    typical = {kind: round(median(durations)) for kind, durations in sorted(lasts_ms.items())}
    return {kind: ms for kind, ms in typical.items() if ms >= LIBRARY_MS}
