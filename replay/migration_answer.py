"""The answer about a change to the other group protocol: what it costs, and what is to do, in words and as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from groupsim.replay.choice import Choice
from groupsim.replay.choice_result import ChoiceResult
from groupsim.replay.migration import STOP_ALL, Migration, client_after, migrate
from groupsim.replay.migration_checks import checks, impossible, other_protocol
from groupsim.replay.protocols import REMOTE, STRATEGY, assignor_meant
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.sentences.migration import assumptions_of, cost_of, decision
from groupsim.replay.trust import Trust
from groupsim.simulation.clients.config import CONSUMER

Config = Mapping[str, int | str | bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationAnswer:
    """What is answered about a change to `protocol`. `impossible`: why not in the form that was asked for.

    `migration`: what it costs, in that form, or else with all members stopped together; None: it can't be done at all.
    `client`: the library that members have to change to; None: they keep theirs. `checks`: what is to do and to know.
    `decision`: whether to do it, where a what-if of the same choice is known.
    """

    protocol: str
    assignor: str | None
    impossible: str | None
    migration: Migration | None
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
        if self.migration is not None:
            said += [cost_of(self.migration, self.named), assumptions_of(self.migration, self.client)]
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
        return row if self.migration is None else row | _figures(self.migration) | {"client": self.client}


def migration_answer(
    incident: Incident, choice: Choice, form: str, seeds: Sequence[int], configs: Sequence[Config] = ()
) -> MigrationAnswer:
    """What a change to the protocol of a choice costs and asks for. `configs`: the settings that members printed.

    Where a roll is not possible, all members stopped together are simulated. Raises GroupsimError.
    """
    protocol = choice.protocol or CONSUMER
    refused = impossible(incident, protocol, form)
    never = protocol == CONSUMER and other_protocol(incident) is not None
    after = client_after(incident, protocol)
    return MigrationAnswer(
        protocol=protocol,
        assignor=choice.settings.get(REMOTE) or choice.settings.get(STRATEGY) or assignor_meant(incident, choice),
        impossible=refused,
        migration=None if never else migrate(incident, choice, seeds, form if refused is None else STOP_ALL),
        client=None if after == incident.client else after,
        checks=tuple(checks(incident, choice, configs)),
    )


def decided(answer: MigrationAnswer, result: ChoiceResult, trusted: Trust) -> MigrationAnswer:
    """The same with the decision that follows from the what-if of its choice."""
    if answer.migration is None:
        return answer
    return replace(answer, decision=decision(result, trusted, answer.named, answer.migration))


def _figures(migration: Migration) -> dict[str, Any]:
    roll, plain = (migration.measured("unavailable_partition_ms", plain=plain) for plain in (False, True))
    return {
        "form": migration.form,
        "unavailable_partition_ms": roll.median,
        "range": [roll.least, roll.most],
        "max_partitions": migration.measured("max_partitions").most,
        "unsafe_ms": migration.measured("unsafe_ms").most,
        "restart_partition_ms": plain.median,
        "restart_range": [plain.least, plain.most],
        "members": migration.members,
        "downtime_ms": migration.downtime_ms,
        "downtime_recorded": migration.recorded,
        "step_ms": migration.step_ms,
        "seeds": len(migration.costs),
        "failures": list(migration.failures),
    }
