"""The host of the machines: one protocol hands a group over to another, and a failed append changes nothing."""

from __future__ import annotations

import resource
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import simpy

from groupsim.coordinator.classic.commands import Join
from groupsim.coordinator.config import Configs
from groupsim.coordinator.machine import MACHINES, absent
from groupsim.coordinator.outcome import Answer, Arm, Outcome, Reply
from groupsim.events.base import Event, group_stream
from groupsim.simulation.group_host import GroupHost
from groupsim.simulation.log import Log
from groupsim.storage import open_store
from groupsim.storage.errors import StoreError
from groupsim.storage.store import RunInfo, RunSource
from tests.coordinator.given import RANGE


@dataclass(frozen=True)
class Old:
    """A group of a protocol that a test made up."""

    ticks: int = 0


@dataclass(frozen=True)
class New:
    """The same group after its conversion; it keeps what it needs of the old one."""

    before: int
    ticks: int = 0


class Ticked(Event, frozen=True, kw_only=True):
    """A timer fired."""


class Converted(Event, frozen=True, kw_only=True):
    """The group has another protocol from now on."""


def _tick(group: Old | New) -> Outcome[Any]:
    return Outcome(replace(group, ticks=group.ticks + 1), (Ticked(),), timers=(Arm("tick", 10, "tick"),))


def _old(group: Old, command: object) -> Outcome[Any]:
    if command == "convert":
        return Outcome(New(before=group.ticks), (Converted(),), (Reply(1, Answer()),))
    return _tick(group)


def _new(group: New, command: object) -> Outcome[Any]:
    return _tick(group)


def _machine(decide: Any, resume: Any) -> Any:
    return SimpleNamespace(
        decide=decide, evolve=None, resume=resume, survives=lambda event: isinstance(event, Converted)
    )


def test_one_fact_hands_a_group_over_to_the_machine_of_another_protocol() -> None:
    env = simpy.Environment()
    facts: list[tuple[float, str]] = []
    answers: list[tuple[Reply, bool]] = []
    host = GroupHost(
        env,
        record=lambda group, events: facts.extend((env.now, type(event).__name__) for event in events),
        answer=lambda group, reply, wrote: answers.append((reply, wrote)),
        initial=lambda group: Old(),  # type: ignore[arg-type,return-value]
        machines={Old: _machine(_old, lambda state: ()), New: _machine(_new, lambda state: (Arm("new", 25, "tick"),))},
    )
    host.handle("g", "tick")
    env.run(until=15)
    host.handle("g", "convert")
    assert repr(host.group("g")) == "New(before=2, ticks=0)"
    assert answers == [(Reply(1, Answer()), True)]
    env.run(until=45)
    assert facts == [(0, "Ticked"), (10, "Ticked"), (15, "Converted"), (40, "Ticked")]


def test_a_command_that_no_machine_knows_is_an_error() -> None:
    group = absent("g", Configs())
    with pytest.raises(TypeError, match="not a command of a classic group: 'tick'"):
        MACHINES[type(group)].decide(group, "tick")


@contextmanager
def _full_disk() -> Iterator[None]:
    """As on a full disk: no write may go beyond the first bytes of a file."""
    limit, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, most))


def _join(number: int, **more: Any) -> Join:
    return Join(request=number, new_member=f"a-{number}", client_id="a", protocols=RANGE, **more)


def test_a_failed_append_changes_nothing(tmp_path: Path) -> None:
    """No state, no answer, no timer; what was written before is kept."""
    env = simpy.Environment()
    store = open_store(tmp_path / "runs.db")
    writer = store.begin(RunInfo(id="r", name="full", source=RunSource.SIMULATED))
    log = Log(env, writer)
    answered: list[int] = []

    def record(group: str, events: Sequence[Event]) -> None:
        log.append(group_stream(group), events)
        writer.flush()

    host = GroupHost(
        env,
        record=record,
        answer=lambda group, reply, wrote: answered.append(reply.request),
        initial=lambda group: absent(group, Configs()),
    )
    host.handle("g", _join(1))
    before = host.group("g")
    with _full_disk(), pytest.raises(StoreError):
        host.handle("g", _join(2, session_timeout_ms=6_000))
    assert host.group("g") is before
    assert answered == [1]
    assert [type(fact.event).__name__ for fact in store.read("r")] == ["GroupCreated", "MemberIdIssued"]
    env.run(until=6_001)  # the session of the second id would end here, and its end could not be recorded either
    assert host.group("g") is before
    store.close()
