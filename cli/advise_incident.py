"""`groupsim advise RUN`: the best settings for a recorded incident."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from groupsim.api.question import total_unknown
from groupsim.api.spreading import Where
from groupsim.cli import output
from groupsim.cli.advise_spread import spreading
from groupsim.cli.errors import BadRequest
from groupsim.cli.existing_store import existing
from groupsim.cli.options import key_integers
from groupsim.cli.progress import progress
from groupsim.cli.run_times import period
from groupsim.cli.whatif import assumptions
from groupsim.incidents.facts.limits import check_counts
from groupsim.storage.errors import StoreError

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
    """The advice on a run of the store. Raises GroupsimError; where nothing is varied, with an example for this run."""
    from groupsim.api.advising import AdviceQuestion, of_run
    from groupsim.replay.sentences.parts import baseline

    with _found(asked) as (opened, info), progress(info.name) as bar:
        topics, part = asked.partitions, period(asked.between, info)
        question = AdviceQuestion(asked.group, topics, assumptions(asked.assume), part, space, goal, unknown)
        say = partial(nothing_varied, asked.run)
        found = of_run(opened, info, question, seed, where, spreading, bar, say)
        total_known = topics or total_unknown(opened, info) is None
        if found.now and total_known and goal.minimise == "partition_ms":
            output.note(f"note: {baseline([row['partition_ms'] for row in found.now], list(unknown))}")
        return found
