"""`groupsim advise RUN`: the best settings for a recorded incident."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from groupsim.cli import output
from groupsim.cli.advise_spread import Where, spreading
from groupsim.cli.errors import BadRequest
from groupsim.cli.existing_store import existing
from groupsim.cli.options import key_integers
from groupsim.cli.progress import progress
from groupsim.cli.run_times import period
from groupsim.cli.whatif import assumptions, total_unknown
from groupsim.incidents.facts.limits import check_counts
from groupsim.storage.errors import StoreError
from groupsim.storage.run_info import scenario_command
from groupsim.storage.store import RunSource

if TYPE_CHECKING:
    from groupsim.advice.advice import Advice
    from groupsim.advice.choices import Space
    from groupsim.advice.selection import Goal
    from groupsim.advice.unknown import Unknown
    from groupsim.storage.store import EventStore, RunInfo


@dataclass(frozen=True, slots=True)
class Asked:
    """Which incident is meant, as the options say."""

    run: str
    store: str
    group: str | None
    topics: Sequence[str]
    assume: Sequence[str]
    between: tuple[str, str] | None
    most_partitions: int

    @property
    def partitions(self) -> Mapping[str, int]:
        """By topic. Raises BadRequest and a sentence for more than there may be."""
        found = key_integers(self.topics, "--topic", 1)
        check_counts(found, self.most_partitions)
        return found


def is_scenario(reference: str) -> bool:
    """Whether this names a scenario, of the catalogue or in a file, and not a run."""
    from groupsim.scenarios import catalogue

    path = reference.partition("::")[0]
    return path in catalogue.names() or path.endswith(".py") or "/" in path


def nothing_varied(about: str, examples: Sequence[str]) -> str:
    """What to write instead of an advice without --vary."""
    from groupsim.advice.example import limits

    parts = ["name the settings to compare with --vary KEY=V1,V2"]
    if needed := limits(examples):
        parts.append(needed)
    if examples:
        parts.append(f"for example: groupsim advise {about} {' '.join(f'--vary {each}' for each in examples)}")
    return "; ".join(parts)


@contextmanager
def _found(asked: Asked) -> Iterator[tuple[EventStore, RunInfo]]:
    """The store and the run. Raises BadRequest for what is neither a scenario nor a run."""
    from groupsim.coordinator.config import near
    from groupsim.scenarios import catalogue

    with ExitStack() as stack:
        try:
            opened = stack.enter_context(existing(asked.store))
            info = opened.find(asked.run)
        except StoreError as error:
            meant = near(asked.run, catalogue.names())
            raise BadRequest(f"{asked.run!r} is neither a scenario{meant}, nor a run: {error}") from None
        yield opened, info


def on_incident(asked: Asked, space: Space, goal: Goal, unknown: Unknown, seed: int, where: Where) -> Advice:
    """The advice on a run of the store. Raises GroupSimError; where nothing is varied, with an example for this run."""
    from groupsim.advice.example import of_incident
    from groupsim.advice.incident import advise, is_small
    from groupsim.advice.replays import Done
    from groupsim.advice.stored import stored
    from groupsim.analysis import advices
    from groupsim.pipeline.grid import Subject
    from groupsim.pipeline.parallel import digest_of
    from groupsim.replay.replayable import replayable_run
    from groupsim.replay.sentences.parts import baseline

    with _found(asked) as (opened, info):
        if info.source != RunSource.RECORDED:
            again = scenario_command("advise", info.scenario_path or info.name, info.params)
            raise BadRequest(f"run {info.id} was simulated; ask about its scenario: {again}")
        topics = asked.partitions
        unknown_total = None if topics else total_unknown(opened, info)
        part = period(asked.between, info)
        incident = replayable_run(opened, info, asked.group, topics, assumptions(asked.assume), between=part)
        if not space:
            raise BadRequest(nothing_varied(asked.run, of_incident(incident)))
        options = [asked.group, list(asked.topics), list(asked.assume), part, sorted(space.items()), unknown]
        about = Subject(scenario=f"run {info.id} with these options", text=digest_of([info.digest, *options]))
        where = replace(where, jobs=1) if is_small(incident, space) else where
        with progress(info.name) as bar, spreading(about, Done, where) as spread:
            found = advise(
                incident,
                space,
                goal,
                unknown=unknown,
                total_unknown=unknown_total,
                seed=seed,
                spread=spread,
                progress=bar,
            )
        if found.now and unknown_total is None and goal.minimise == "partition_ms":
            output.note(f"note: {baseline([row['partition_ms'] for row in found.now], list(unknown))}")
        with suppress(StoreError):  # a store that can only be read has the answer on the screen alone
            advices.keep(opened, info, stored(found, incident.group))
        return found
