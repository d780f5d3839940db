"""The answer about a change to the other group protocol: what it costs in words, and what is to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from groupsim.replay.choice import Choice
from groupsim.replay.choice_result import ChoiceResult, Range, range_of
from groupsim.replay.decision import decision
from groupsim.replay.migration import ROLLING, STOP_ALL, Migration, client_after, migrate
from groupsim.replay.migration_checks import checks, impossible, other_protocol
from groupsim.replay.protocols import REMOTE, STRATEGY, assignor_meant
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.trust import Trust
from groupsim.simulation.clients.config import CONSUMER
from groupsim.wording.numbers import counted, partition_seconds, seconds

Config = Mapping[str, int | str | bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationAnswer:
    """What is answered about a change to `protocol`. `impossible`: why not in the form that was asked for.

    `found`: what it costs, in that form, or else with all members stopped together; None: it can't be done at all.
    `client`: the library that members have to change to; None: they keep theirs. `checks`: what is to do and to know.
    `decision`: whether to do it, where a what-if of the same choice is known.
    """

    protocol: str
    assignor: str | None
    impossible: str | None
    found: Migration | None
    client: str | None
    checks: tuple[str, ...]
    decision: str = ""

    @property
    def named(self) -> str:
        """The protocol with the assignor."""
        return f"{self.protocol} protocol" + (f" ({self.assignor})" if self.assignor else "")

    @property
    def sentences(self) -> list[str]:
        """What it costs, and what that assumes."""
        said = [self.decision] if self.decision else []
        if self.impossible is not None:
            said.append(f"A roll to the {self.named} can't be done online: {self.impossible}.")
        if self.found is not None:
            said += [_cost(self.found, self.named), _assumes(self.found, self.client)]
        return said

    def row(self) -> dict[str, Any]:
        """The same for programs."""
        row: dict[str, Any] = {
            "protocol": self.protocol,
            "assignor": self.assignor,
            "impossible": self.impossible,
            "decision": self.decision or None,
            "checks": list(self.checks),
        }
        return row if self.found is None else row | _figures(self.found) | {"client": self.client}


def migration_answer(
    incident: Incident, choice: Choice, form: str, seeds: Sequence[int], configs: Sequence[Config] = ()
) -> MigrationAnswer:
    """What a change to the protocol of a choice costs and asks for. `configs`: the settings that members printed.

    Where a roll is not possible, all members stopped together are simulated. Raises GroupSimError.
    """
    protocol = choice.protocol or CONSUMER
    refused = impossible(incident, protocol, form)
    never = protocol == CONSUMER and other_protocol(incident) is not None
    after = client_after(incident, protocol)
    return MigrationAnswer(
        protocol=protocol,
        assignor=choice.settings.get(REMOTE) or choice.settings.get(STRATEGY) or assignor_meant(incident, choice),
        impossible=refused,
        found=None if never else migrate(incident, choice, seeds, form if refused is None else STOP_ALL),
        client=None if after == incident.client else after,
        checks=tuple(checks(incident, choice, configs)),
    )


def decided(found: MigrationAnswer, result: ChoiceResult, trusted: Trust) -> MigrationAnswer:
    """The same with the decision that follows from the what-if of its choice."""
    if found.found is None:
        return found
    return replace(found, decision=decision(result, trusted, found.named, found.found))


def _measured(found: Migration, name: str, *, plain: bool = False) -> Range:
    return range_of([getattr(cost, name) for cost in (found.plain if plain else found.costs)])


def _cost(found: Migration, named: str) -> str:
    roll, plain = (_measured(found, "unavailable_partition_ms", plain=each) for each in (False, True))
    how, same = f"A roll to the {named}", "roll"
    if found.form == STOP_ALL:
        how, same = f"A stop of all members together, and a start with the {named},", "stop"
    at_once = counted(_measured(found, "max_partitions").most, "partition")
    return (
        f"{how} costs {partition_seconds(roll.median)} ({seconds(roll.least)}–{seconds(roll.most)} over"
        f" {counted(len(found.costs), 'seed')}), at most {at_once} at once;"
        f" the same {same} without another protocol costs {partition_seconds(plain.median)}"
        f" ({seconds(plain.least)}–{seconds(plain.most)})."
    )


def _assumes(found: Migration, client: str | None) -> str:
    every = f"one every {seconds(found.step_ms)} s, each" if found.form == ROLLING else "all"
    other = f", simulated with {client}" if client else ""
    return (
        f"{counted(found.members, 'member')}, {every} away for {seconds(found.downtime_ms)} s ({found.away}),"
        f" in a quiet time{other}"
    )


def _figures(found: Migration) -> dict[str, Any]:
    roll, plain = (_measured(found, "unavailable_partition_ms", plain=each) for each in (False, True))
    return {
        "form": found.form,
        "unavailable_partition_ms": roll.median,
        "range": [roll.least, roll.most],
        "max_partitions": _measured(found, "max_partitions").most,
        "unsafe_ms": _measured(found, "unsafe_ms").most,
        "restart_partition_ms": plain.median,
        "restart_range": [plain.least, plain.most],
        "members": found.members,
        "downtime_ms": found.downtime_ms,
        "downtime_recorded": found.recorded,
        "step_ms": found.step_ms,
        "seeds": len(found.costs),
        "failures": list(found.failures),
    }
