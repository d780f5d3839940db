"""`groupsim advise RUN`: the best settings for a recorded incident."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groupsim.cli.errors import BadRequest
from groupsim.cli.existing_store import existing
from groupsim.cli.options import key_integers
from groupsim.cli.progress import progress
from groupsim.cli.whatif import assumptions, total_unknown
from groupsim.incidents.facts.limits import MOST_PARTITIONS
from groupsim.storage.errors import StoreError

if TYPE_CHECKING:
    from groupsim.advice.advice import Advice
    from groupsim.advice.choices import Choice
    from groupsim.advice.selection import Goal
    from groupsim.advice.unknown import Unknown


@dataclass(frozen=True, slots=True)
class Asked:
    """Which incident is meant, as the options say."""

    run: str
    store: str
    group: str | None
    topics: Sequence[str]
    assume: Sequence[str]
    between: tuple[int, int] | None


def is_scenario(reference: str) -> bool:
    """Whether this names a scenario, of the catalogue or in a file, and not a run."""
    from groupsim.scenarios import catalogue

    path = reference.partition("::")[0]
    return path in catalogue.names() or path.endswith(".py") or "/" in path


def on_incident(asked: Asked, choices: Sequence[Choice], goal: Goal, unknown: Unknown, seed: int, jobs: int) -> Advice:
    """The advice on a run of the store. Raises GroupSimError."""
    from groupsim.advice.incident import advise
    from groupsim.replay.replayable import replayable_run

    try:
        store = existing(asked.store)
    except StoreError as error:
        raise BadRequest(f"{asked.run!r} is no scenario, and as a run: {error}") from None
    with store as opened:
        info = opened.find(asked.run)
        topics = key_integers(asked.topics, "--topic", 1, MOST_PARTITIONS)
        unknown_total = None if topics else total_unknown(opened, info)
        incident = replayable_run(opened, info, asked.group, topics, assumptions(asked.assume), between=asked.between)
        with progress(info.name) as bar:
            return advise(
                incident,
                choices,
                goal,
                unknown=unknown,
                total_unknown=unknown_total,
                seed=seed,
                jobs=jobs,
                progress=bar,
            )
