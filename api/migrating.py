"""What the change to another protocol costs itself, and what it asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from groupsim.api.choices import CONSUMER, PROTOCOL, REMOTE, STRATEGY
from groupsim.api.errors import BadRequest

if TYPE_CHECKING:
    from groupsim.replay.ask import Answer
    from groupsim.replay.choice import Choice
    from groupsim.replay.migration_answer import MigrationAnswer
    from groupsim.replay.replayable import ReplayableRun
    from groupsim.storage.store import EventStore, RunInfo

SEEDS = 10
"""How many seeds of a change are simulated by default."""


def wanted(migrate: str | None, protocols: Sequence[str], sets: Sequence[Mapping[str, str]]) -> list[str]:
    """The protocols to ask for: for a migration the consumer protocol, if nothing names one. Raises BadRequest."""
    from groupsim.replay.migration import FORMS

    if migrate is None:
        return list(protocols)
    if migrate not in FORMS:
        raise BadRequest(f"--migrate must be {' or '.join(FORMS)}, not {migrate!r}")
    named = protocols or any(PROTOCOL in settings or "protocol" in settings for settings in sets)
    return list(protocols) if named else [CONSUMER]


def changed(incident: ReplayableRun, chosen: Sequence[Choice]) -> Choice:
    """The choice to whose protocol the group changes. Raises BadRequest where several differ, and where none does."""
    migrations = [choice for choice in chosen if choice.protocol is not None]
    if not migrations or incident.incident is None:
        raise BadRequest("--migrate needs a recorded incident and a --protocol")
    if incident.incident.streams is not None:
        raise BadRequest(
            "--migrate: Kafka Streams changes its protocol only with all instances stopped (KIP-1071), which is not"
            " simulated; --protocol says what a deploy costs under the other one"
        )
    first = migrations[0]
    for other in migrations[1:]:
        if _to(other) != _to(first):
            raise BadRequest(
                f"--migrate: {first.name} and {other.name} are two changes; name one, with its assignor:"
                f" --protocol {other.protocol} --assignor NAME"
            )
    if all(incarnation.protocol == first.protocol for incarnation in incident.incident.incarnations):
        raise BadRequest(
            f'--migrate: group "{incident.group}" uses the {first.protocol} protocol already; name the other one'
        )
    return first


def _to(choice: Choice) -> tuple[str | None, ...]:
    return choice.protocol, choice.settings.get(STRATEGY), choice.settings.get(REMOTE)


def migration_of(
    store: EventStore,
    info: RunInfo,
    incident: ReplayableRun,
    choice: Choice,
    form: str,
    seeds: range | None,
    asked: Answer,
) -> MigrationAnswer | None:
    """The answer about the change to the protocol of a choice; `asked`: what the incident costs with it."""
    from groupsim.events.client import ProcessStarted
    from groupsim.replay.migration_answer import decided, migration_answer

    if incident.incident is None:
        return None
    configs = [
        fact.event.config
        for fact in store.read(info.id, types=[ProcessStarted.__name__])
        if isinstance(fact.event, ProcessStarted)
    ]
    answer = migration_answer(incident.incident, choice, form, range(SEEDS) if seeds is None else seeds, configs)
    (result,) = (each for each in asked.results if each.choice == choice.name)
    return decided(answer, result, asked.trust)
