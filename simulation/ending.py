"""The end of a run: its last fact and its status, whatever ended it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import simpy

from groupsim.coordinator.config import BadSetting
from groupsim.events.base import WORLD_STREAM
from groupsim.events.world import RunEnded
from groupsim.simulation.errors import BadScenario, ScenarioFailed, ScenarioRaised
from groupsim.simulation.log import Log
from groupsim.storage.deferred_signals import uninterrupted
from groupsim.storage.deferred_writer import LateWriter
from groupsim.storage.errors import StoreError
from groupsim.storage.store import RunInfo, RunSource, RunStatus, RunWriter


@dataclass(slots=True)
class End:
    """How it ended so far."""

    status: RunStatus = RunStatus.FAILED
    failure: str | None = None
    info: RunInfo = field(default_factory=lambda: RunInfo(id="", name="", source=RunSource.SIMULATED))

    def done(self) -> None:
        self.status = RunStatus.FINISHED


@contextmanager
def ending(env: simpy.Environment, log: Log, writer: RunWriter) -> Iterator[End]:
    """Whatever happens inside, the run gets its last fact and its status."""
    end = End()
    try:
        yield end
    except ScenarioFailed as failure:
        end.failure = str(failure)
    except KeyboardInterrupt:
        end.status = RunStatus.INTERRUPTED
    except (BadScenario, BadSetting) as error:
        if isinstance(writer, LateWriter) and not isinstance(error, ScenarioRaised):
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
