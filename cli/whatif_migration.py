"""`whatif --migrate FORM`: what the change to another protocol costs, and what it asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from groupsim.cli import output
from groupsim.cli.errors import BadRequest
from groupsim.cli.progress import progress
from groupsim.cli.whatif_choices import CONSUMER, REMOTE, STRATEGY, choices

if TYPE_CHECKING:
    from groupsim.replay.ask import Answer
    from groupsim.replay.choice import Choice
    from groupsim.replay.migration_answer import MigrationAnswer
    from groupsim.replay.replayable import ReplayableRun
    from groupsim.storage.store import EventStore, RunInfo

SEEDS = 10
"""How many seeds of a change are simulated by default."""


def wanted(migrate: str | None, protocols: Sequence[str], sets: Sequence[str]) -> list[str]:
    """The protocols to ask for: with --migrate the consumer protocol, if no option names one. Raises BadRequest."""
    from groupsim.replay.migration import FORMS

    if migrate is None:
        return list(protocols)
    if migrate not in FORMS:
        raise BadRequest(f"--migrate must be {' or '.join(FORMS)}, not {migrate!r}")
    named = protocols or any(choice.protocol is not None for choice in choices([], sets, []))
    return list(protocols) if named else [CONSUMER]


def changed(incident: ReplayableRun, chosen: Sequence[Choice]) -> Choice:
    """The choice to whose protocol the group changes. Raises BadRequest where several differ, and where none does."""
    migrations = [choice for choice in chosen if choice.protocol is not None]
    if not migrations or incident.incident is None:
        raise BadRequest("--migrate needs a recorded incident and a --protocol")
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
    with progress("rolling"):
        answer = migration_answer(incident.incident, choice, form, range(SEEDS) if seeds is None else seeds, configs)
    (result,) = (each for each in asked.results if each.choice == choice.name)
    return decided(answer, result, asked.trust)


def print_migration(answer: MigrationAnswer) -> None:
    """For people: sentences on the cost, what it assumes, and the list of what has to change."""
    print()
    costs = answer.sentences
    for number, sentence in enumerate(costs):
        assumes = answer.migration is not None and number == len(costs) - 1
        print(f"{'  ' if assumes else ''}{output.plain(sentence)}")
    for sentence in () if answer.migration is None else answer.migration.failures:
        output.note(f"note: {sentence}")
    print("To do and to know:")
    for sentence in answer.checks:
        print(f"  {output.plain(sentence)}")
