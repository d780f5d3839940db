"""`run.what_if`: an incident simulated again, as recorded and with other choices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from groupsim.api import html
from groupsim.api.in_python import in_python
from groupsim.api.question import Question, total_unknown
from groupsim.api.values import Settings, one_or_more, texts_of
from groupsim.wording.lists import as_sentence

if TYPE_CHECKING:
    import pandas as pd

    from groupsim.replay.ask import Answer
    from groupsim.replay.choice import Choice
    from groupsim.replay.migration_answer import MigrationAnswer
    from groupsim.replay.replayable import ReplayableRun
    from groupsim.replay.spread import Sampling
    from groupsim.scenarios.scenario_of_run import Consent
    from groupsim.storage.store import EventStore, RunInfo

SHOWN = ("choice", "unavailable_partition_ms", "versus_baseline", "verdict")
_MEASURED = (
    "outage_ms",
    "longest_partition_ms",
    "max_partitions",
    "unavailable_partition_ms",
    "p95_partition_ms",
    "rebalances",
    "unsafe_ms",
    "unpolled_partition_ms",
)
CHOICES = {
    "choice": "string",
    "verdict": "string",
    **{f"{name}{end}": "Int64" for name in _MEASURED for end in ("", "_least", "_most")},
    "versus_baseline": "Float64",
    "versus_record": "Float64",
    "seeds": "Int64",
    "unfinished_seeds": "Int64",
    "refused": "string",
    "answer": "string",
}
"""One row a choice, the first as recorded. Of each measure the median over the seeds, and the least and the most.
`versus_baseline`: the sum as a share of that of the simulation as recorded; `versus_record`: of the record's own (where
that is known in bounds only, of the nearest of it: 1.0 within them).
`refused`: why a choice could not be answered; its figures are missing then. `answer`: the sentence on it."""


@dataclass(frozen=True, repr=False)
class WhatIf:
    """What was answered: `.answer` in short sentences, `.sentences` one a choice, `.to_frame()` the figures."""

    incident: ReplayableRun
    found: Answer
    migration: MigrationAnswer | None = None

    @property
    def answer(self) -> str:
        """What would have helped and how much, and then how far to trust that."""
        return self.found.headline

    @property
    def answered(self) -> bool:
        """Whether the record's total is known, and one choice at least was answered."""
        return self.found.answered

    @property
    def rests_on(self) -> tuple[str, ...]:
        """How near the replay is to the record, and what the logs do not show and the answer depends on."""
        return tuple(map(in_python, self.found.rests_on))

    @property
    def sentences(self) -> dict[str, str]:
        """A sentence on each choice."""
        pairs = zip(self.found.results, self.found.sentences, strict=True)
        return {result.choice: text for result, text in pairs if result is not self.found.results[0]}

    @property
    def assumed(self) -> tuple[str, ...]:
        """What the record does not show and was assumed."""
        return tuple(map(in_python, self.found.assumed))

    def to_dict(self) -> list[dict[str, Any]]:
        """What `groupsim whatif --format json` prints: a row a choice, the first as recorded."""
        from groupsim.api.what_if_rows import rows_of

        rows = rows_of(self.incident, self.found)
        rows[0] |= {} if self.migration is None else {"migration": self.migration.row()}
        return rows

    def to_frame(self) -> pd.DataFrame:
        """One row a choice, the first as recorded: columns `CHOICES`."""
        from groupsim.analysis.tables.frames import typed

        return typed((_flat(row) for row in self.to_dict()), CHOICES)

    def __str__(self) -> str:
        return "\n".join((self.answer, *self.sentences.values(), *map(as_sentence, self.rests_on)))

    def __repr__(self) -> str:
        return f"<WhatIf: {self.answer}>"

    def _repr_html_(self) -> str:
        rows = [[_shown(row[name]) for name in SHOWN] for row in self.to_dict()]
        return html.page(self.answer, html.table(SHOWN, rows))


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Of a row of JSON what is one value, and the least and the most of what has a range."""
    flat = {name: row.get(name) for name in CHOICES}
    for name, (least, most) in row.get("ranges", {}).items():
        flat |= {f"{name}_least": least, f"{name}_most": most}
    return flat


def _shown(value: object) -> object:
    return round(value, 3) if isinstance(value, float) else value


def choices_of(
    assignor: str | Iterable[str], settings: Settings | Sequence[Settings], protocol: str | Iterable[str]
) -> list[Choice]:
    """The choices, in the order of the command line. Raises BadRequest, BadSetting."""
    from groupsim.api.choices import choices

    dicts = [settings] if isinstance(settings, Mapping) else list(settings)
    texts = [texts_of(each) for each in dicts if each]
    return choices(one_or_more(assignor), texts, one_or_more(protocol))


@dataclass(frozen=True, slots=True)
class WhatIfQuestion(Question):
    """What is asked besides the choices: `seeds` None: as many as are needed."""

    seeds: range | None
    consent: Consent
    migrate: str | None = None


def asked(
    store: EventStore,
    info: RunInfo,
    chosen: Sequence[Choice],
    question: WhatIfQuestion,
    *,
    fewer_seeds: Callable[[ReplayableRun, Sampling], None] = lambda incident, sampling: None,
    progress: Callable[[float], None] = lambda _: None,
) -> WhatIf:
    """Ask, and keep the answer with the run. `fewer_seeds` gets a default that is smaller for a long incident."""
    from groupsim.analysis import what_ifs
    from groupsim.api.choices import meant
    from groupsim.api.migrating import changed, migration_of
    from groupsim.replay.ask import MOST_SEEDS, ask, default_seeds
    from groupsim.replay.replayable import replayable_run
    from groupsim.storage.errors import StoreError

    topics, seeds, migrate = question.topics, question.seeds, question.migrate
    unknown = None if topics else total_unknown(store, info)
    incident = replayable_run(
        store, info, question.group, topics, question.assume, chosen, question.between, question.consent
    )
    chosen = meant(incident, chosen)
    to = changed(incident, chosen) if migrate else None
    sampled: range | Sampling = default_seeds(incident, 1 + len(chosen)) if seeds is None else seeds
    if not isinstance(sampled, range) and sampled.most < MOST_SEEDS:
        fewer_seeds(incident, sampled)
    found = ask(incident, chosen, sampled, unknown, progress)
    roll = None
    if migrate and to is not None and to in found.possible(chosen):
        roll = migration_of(store, info, incident, to, migrate, seeds, found)
    with suppress(StoreError):  # a store that can only be read has the answer on the screen alone
        what_ifs.keep(store, info, found.stored(incident, roll))
    return WhatIf(incident, found, roll)
