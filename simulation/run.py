"""Run one scenario once: a world, a log, the invariants that watch it.

Whatever ends it, a run has its last fact and its status.
"""

from __future__ import annotations

import math
import re
import traceback
import uuid
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import simpy

from groupsim.assignors import ASSIGNORS
from groupsim.coordinator.config import BadSetting, near
from groupsim.events.base import WORLD_STREAM
from groupsim.events.errors import GroupsimError
from groupsim.events.types import RunId
from groupsim.events.world import RunEnded
from groupsim.invariants import Violation, Watch, all_invariants
from groupsim.simulation.checks import whole
from groupsim.simulation.errors import BadScenario, RunInterrupted, ScenarioFailed, ScenarioRaised
from groupsim.simulation.log import Log
from groupsim.simulation.settings import Settings, check_settings
from groupsim.simulation.world import World
from groupsim.storage.deferred_signals import let_through, uninterrupted
from groupsim.storage.deferred_writer import DeferredWriter
from groupsim.storage.errors import StoreError, StoreUnusable
from groupsim.storage.rare_collections import rare_collections
from groupsim.storage.resumed_writer import ResumedWriter
from groupsim.storage.run_info import resume_command
from groupsim.storage.store import EventStore, RecordMode, RunInfo, RunSource, RunStatus, RunWriter

PROGRESS_STEPS = 200
_MOST_CLOSINGS = 10_000
DURATION = "duration.ms"
"""The one parameter every scenario has: how long it lasts."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """What happens in a World, as code. `params` are its own parameters with their defaults; `lasts_ms` simulated."""

    name: str
    story: Callable[..., Any]
    seed: int
    lasts_ms: int
    params: Mapping[str, int | float | str | bool] = field(default_factory=dict)
    path: str | None = None

    @property
    def about(self) -> str:
        """The first line of its docstring."""
        return (self.story.__doc__ or self.name).strip().splitlines()[0]


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended: `failure` is the sentence of what went wrong in the story, if anything did;
    `notes` is what an invariant remarks of a run that kept it."""

    info: RunInfo
    violations: Mapping[str, tuple[Violation, ...]]
    notes: Mapping[str, str]
    failure: str | None = None

    @property
    def ok(self) -> bool:
        """The story held and no invariant was broken."""
        return self.failure is None and not any(self.violations.values())

    def unless_interrupted(self) -> RunResult:
        """Itself. Raises RunInterrupted for an interrupted run: a part of its facts says nothing of the whole."""
        if self.info.status in (RunStatus.INTERRUPTED, RunStatus.RUNNING):
            raise RunInterrupted(self.info)
        return self


def run(
    scenario: Scenario,
    store: EventStore,
    *,
    seed: int | None = None,
    settings: Settings | None = None,
    record: str = "all",
    progress: Callable[[float], None] = lambda _: None,
) -> RunResult:
    """Play a scenario into a store. `settings` are parameters of the scenario or Kafka settings by name.

    `progress` is called with the share of simulated time that is over. Raises BadSetting or BadScenario for an
    impossible request; one that is refused before time passes leaves no run. A KeyboardInterrupt ends the run, marked
    `interrupted`: see `RunResult.unless_interrupted`. RunInterrupted is one that came too late for that.
    """
    chosen = scenario.seed if seed is None else seed
    resolve_settings(scenario, settings or {})  # before the run begins
    info = RunInfo(
        id=uuid.uuid4().hex[:12],
        name=scenario.name,
        source=RunSource.SIMULATED,
        seed=chosen,
        params=dict(settings or {}),
        record=RecordMode(record),
        created_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        scenario_path=scenario.path,
    )
    writer = DeferredWriter(store, info)
    try:
        return _play(scenario, writer, chosen, progress)
    except StoreUnusable as error:
        if not writer.begun:
            raise
        raise StoreUnusable(f"{error}; `{resume_command(info)}` continues from what was stored") from error
    except KeyboardInterrupt:
        if not writer.begun:
            raise
        raise RunInterrupted(writer.info) from None


def resume(
    scenario: Scenario, store: EventStore, run: RunId, *, progress: Callable[[float], None] = lambda _: None
) -> RunResult:
    """Go on with a run (a whole id) whose process was killed: played again from its seed, and held against its facts.

    It ends with the digest of an undisturbed run. Raises Diverged, naming the first fact that comes out otherwise than
    it is stored, and StoreError for a run that is over; nothing was written then. A KeyboardInterrupt before the end of
    what is stored leaves the run as it was (`running`).
    """
    writer = ResumedWriter(store, run)
    if writer.info.source != "simulated" or writer.info.seed is None:
        raise BadScenario(f"run {run} was recorded, not simulated: it can't be played on")
    return _play(scenario, writer, writer.info.seed, progress)


def _play(scenario: Scenario, writer: RunWriter, seed: int, progress: Callable[[float], None]) -> RunResult:
    params, lasts, given = resolve_settings(scenario, writer.info.params)
    env = simpy.Environment()
    log = Log(env, writer)
    watch = Watch(all_invariants())
    log.watchers.append(watch.observe)

    def started() -> None:
        if isinstance(writer, DeferredWriter):
            log.write_to(writer.begin())

    signals = uninterrupted(
        lambda: _handle_before_next_step(env), log.end
    )  # what a story does because of them is no fact
    with _closing() as scripts, rare_collections(), _ending(env, log, writer) as end, signals:
        world = World(env, log, seed, given)
        _run_story(scenario, world, params, lasts, started, progress, scripts)
        end.done()
    watch.finish()
    notes = {invariant.name: invariant.note for invariant in watch.invariants}
    return RunResult(end.info, {k: tuple(v) for k, v in watch.violations.items()}, notes, end.failure)


@contextmanager
def _closing() -> Iterator[list[Generator[Any, Any, Any]]]:
    """Close these at the end; left to Python, what they raise then would be printed."""
    scripts: list[Generator[Any, Any, Any]] = []
    try:
        yield scripts
    finally:
        for script in scripts:
            for _ in range(_MOST_CLOSINGS):  # each ends a wait of a story that catches whatever it gets
                with suppress(BaseException):
                    script.close()
                    break


@dataclass(slots=True)
class _End:
    """How it ended so far."""

    status: RunStatus = RunStatus.FAILED
    failure: str | None = None
    info: RunInfo = field(default_factory=lambda: RunInfo(id="", name="", source=RunSource.SIMULATED))

    def done(self) -> None:
        self.status = RunStatus.FINISHED


@contextmanager
def _ending(env: simpy.Environment, log: Log, writer: RunWriter) -> Iterator[_End]:
    """Whatever happens inside, the run gets its last fact and its status."""
    end = _End()
    try:
        yield end
    except ScenarioFailed as failure:
        end.failure = str(failure)
    except KeyboardInterrupt:
        end.status = RunStatus.INTERRUPTED
    except (BadScenario, BadSetting) as error:
        if isinstance(writer, DeferredWriter) and not isinstance(error, ScenarioRaised):
            writer.give_up()
        raise
    finally:
        try:
            end.info = _finish(env, log, writer, end.status)
        finally:
            log.end()


def _finish(env: simpy.Environment, log: Log, writer: RunWriter, status: RunStatus) -> RunInfo:
    """Write the run's last fact and its status. If facts can't be stored, those before them are, and the run failed."""
    with uninterrupted():
        log.write_to(writer)  # again, if its story was interrupted
        log.append(WORLD_STREAM, [RunEnded(status=status)])
        try:
            return writer.finish(status, int(env.now))
        except StoreError:
            log.append(WORLD_STREAM, [RunEnded(status=RunStatus.FAILED)])
            with suppress(StoreError):  # the store itself has failed: the first error says so
                writer.finish(RunStatus.FAILED, int(env.now))
            raise


def _handle_before_next_step(env: simpy.Environment) -> None:
    """Let a signal through between two events: within one, its process would fail of it, and others would go on.

    In place of the method, so that it costs nothing before; an event would be scheduled at an instant that is over, if
    SimPy has just taken the next one.
    """

    def step() -> None:
        del vars(env)["step"]
        let_through()
        env.step()

    vars(env)["step"] = step


def resolve_settings(scenario: Scenario, settings: Settings) -> tuple[dict[str, Any], int, dict[str, Any]]:
    """All parameters of the scenario, how long it lasts (ms), and the Kafka settings among `settings`.

    Raises BadSetting or BadScenario for an unknown name or a value that will not do.
    """
    given = dict(settings)
    check_settings(given, also=(DURATION, *scenario.params))
    params = {k: _typed(k, given.pop(k), default) for k, default in scenario.params.items() if k in given}
    for name, value in params.items():
        _check_assignors(name, value, scenario.params[name])
    lasts: int = _typed(DURATION, given.pop(DURATION, scenario.lasts_ms), scenario.lasts_ms)
    return {**scenario.params, **params}, whole(lasts, DURATION), given


def _check_assignors(name: str, value: Any, default: Any) -> None:
    """A parameter that names assignors by default must name known ones; checked before the run begins."""
    if not isinstance(default, str) or not all(assignor in ASSIGNORS for assignor in default.split(",")):
        return
    for assignor in str(value).split(","):
        if assignor not in ASSIGNORS:
            raise BadSetting(f"parameter {name}: unknown assignor {assignor!r}{near(assignor, ASSIGNORS)}")


def _typed(name: str, value: object, default: object) -> Any:
    """A parameter in the type of its default. Raises BadScenario."""
    try:
        if isinstance(default, bool):
            return {"true": True, "false": False}[str(value).lower()]
        typed = type(default)(str(value))  # type: ignore[call-arg]  # by way of its text: 2.7 is no int
        if isinstance(typed, float) and not math.isfinite(typed):
            raise ValueError
        return typed
    except (KeyError, TypeError, ValueError):
        kind = type(default).__name__
        raise BadScenario(f"parameter {name} must be {kind}, not {value!r}") from None


def _run_story(
    scenario: Scenario,
    world: World,
    params: Mapping[str, object],
    lasts: int,
    started: Callable[[], None],
    progress: Callable[[float], None],
    scripts: list[Generator[Any, Any, Any]],
) -> None:
    """`started` is called when time is about to pass: what is wrong from the start was refused."""
    with _locating_errors(scenario):
        script = scenario.story(world, **params)
        if script is not None and not isinstance(script, Generator):
            raise BadScenario(
                f"{scenario.path or scenario.name}: a scenario must `yield` or return nothing: {script!r}"
            )
        if script is not None:
            scripts.append(script)
        story = world.env.process(script) if script is not None else None
        while lasts and world.env.peek() <= 0:
            world.env.step()
        started()
        for step in range(1, PROGRESS_STEPS + 1):
            until = lasts * step // PROGRESS_STEPS
            if until > world.env.now:
                world.env.run(until=until)
            progress(step / PROGRESS_STEPS)
    if story is not None and story.is_alive:
        raise ScenarioFailed(f"the story was not over after {lasts:,} ms; give it more with --set {DURATION}=…")


_YIELDED = re.compile(r"line (\d+),.*?Invalid yield value ([^\n]*)", re.DOTALL)


@contextmanager
def _locating_errors(scenario: Scenario) -> Iterator[None]:
    """An exception from the scenario's own code gets its file and line; any other passes as it is."""
    try:
        yield
    except BadScenario as error:
        line = _line_in_story(error, scenario.story.__code__.co_filename)
        if line is None or isinstance(error, ScenarioRaised):
            raise
        raise BadScenario(f"{scenario.path or scenario.name}, line {line}: {error}") from None
    except (GroupsimError, KeyboardInterrupt):
        raise
    except BaseException as error:  # SystemExit and GeneratorExit, too: the user's own code may raise anything
        line = _line_in_story(error, scenario.story.__code__.co_filename)
        if line is None and (yielded := _YIELDED.search(str(error))):  # SimPy tells the place in its message alone
            where = f"{scenario.path or scenario.name}, line {yielded[1]}"
            raise ScenarioRaised(
                f"{where}: {yielded[2]} can't be waited for; yield an event, such as group.stable()"
            ) from None
        if line is None:
            raise
        where = f"{scenario.path or scenario.name}, line {line}"
        raise ScenarioRaised(f"{where}: {type(error).__name__}: {error}") from error


def _line_in_story(error: BaseException, file: str) -> int | None:
    """The last line of the story's file that the exception, or what caused it, passed through."""
    line = None
    cause: BaseException | None = error
    while cause is not None:
        for frame in traceback.extract_tb(cause.__traceback__):
            if frame.filename == file:
                line = frame.lineno
        cause = cause.__cause__
    return line


__all__ = ["GroupsimError", "RunResult", "Scenario", "resume", "run"]
