"""`ask`: the answer about an incident: exactly replayed, as recorded and with choices, and what that rests on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from groupsim.analysis.what_ifs import StoredChoice, StoredWhatIf
from groupsim.coordinator.config import BadSetting
from groupsim.replay import protocols
from groupsim.replay.choice import Choice
from groupsim.replay.choice_result import ChoiceResult
from groupsim.replay.fidelity import Fidelity, fidelity
from groupsim.replay.migration_answer import MigrationAnswer
from groupsim.replay.refusals import hardly_shown
from groupsim.replay.replayable import ReplayableRun
from groupsim.replay.rests_on import Basis, basis
from groupsim.replay.sentences.all_choices import headline, rests_on, starting
from groupsim.replay.sentences.one_choice import line, sentence
from groupsim.replay.spread import FEWEST, Sampling
from groupsim.replay.trust import Trust, trust
from groupsim.replay.verdict import Verdict, verdict
from groupsim.replay.what_if import compare_choices
from groupsim.wording.lists import as_sentence

EXACT_SEEDS = 5
"""Seeds for the incident exactly as recorded, which leaves little to chance."""
FIRST_SEEDS, MOST_SEEDS, FEWEST_SEEDS = 10, 40, FEWEST
_MEMBER_MS = 600_000_000
"""Simulated time, times members, that takes about a minute: longer incidents get fewer seeds by default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What is answered about one incident. `results`: as recorded first; `assumed`: what the logs did not tell.

    `headline`: the answer; `sentences`: each choice in full; `rests_on`: how near the replay is to the record, and what
    the answer depends on. `basis`: what is assumed by what it rests on, and what the user gave.
    """

    headline: str
    sentences: tuple[str, ...]
    rests_on: tuple[str, ...]
    results: tuple[ChoiceResult, ...]
    close: Fidelity
    trust: Trust
    assumed: tuple[str, ...]
    basis: Basis

    @property
    def answered(self) -> bool:
        """Whether the record's total is known, and one choice at least (if any was asked for) was answered."""
        _, *choices = self.results
        return self.trust.unknown is None and (not choices or any(each.refused is None for each in choices))

    def verdict(self, result: ChoiceResult) -> Verdict | None:
        """What is said of one of the results; None of the baseline."""
        return None if result is self.results[0] else verdict(result, self.trust)

    def possible(self, choices: Sequence[Choice]) -> list[Choice]:
        """Those of the choices that some group can have."""
        return _possible(choices, self.results)

    def _below_the_headline(self, result: ChoiceResult, text: str) -> str:
        """The sentence on a choice (`text`), without what all of them rest on, where that stands below them."""
        own = self.verdict(result)
        return text if own is None or own is Verdict.UNKNOWN else as_sentence(line(result, self.trust))

    def stored(self, incident: ReplayableRun, migration: MigrationAnswer | None = None) -> StoredWhatIf:
        """What is kept of it with the run; `migration`: of the change of protocol that was asked for with it."""
        return StoredWhatIf(
            group=incident.group,
            headline=self.headline,
            from_ms=incident.window.from_ms,
            to_ms=incident.window.to_ms,
            recorded_ms=None if self.trust.unknown is not None else incident.cost.unavailable_partition_ms,
            choices=[
                _stored(result, self._below_the_headline(result, text), self.verdict(result) or "")
                for result, text in zip(self.results, self.sentences, strict=True)
            ],
            founding=starting(self.results),
            rests_on=list(self.rests_on),
            assumed=list(self.assumed),
            given=list(self.basis.given),
            inferred=list(self.basis.inferred),
            drawn=list(self.basis.drawn),
            migration=[] if migration is None else migration.sentences,
            to_do=[] if migration is None else list(migration.checks),
            recorded_between_ms=None if self.trust.unknown is not None else incident.cost.bounds_ms,
        )


def _stored(result: ChoiceResult, text: str, said: str) -> StoredChoice:
    if not result.costs:
        return StoredChoice(choice=result.choice, answer=text, verdict=said)
    found, rebalances, at_once = result.unavailable_partition_ms, result.rebalances, result.max_partitions
    outage = result.outage_ms
    return StoredChoice(
        choice=result.choice,
        answer=text,
        verdict=said,
        median_ms=found.median,
        least_ms=found.least,
        most_ms=found.most,
        seeds=len(result.costs),
        values_ms=result.values,
        rebalances=[rebalances.median, rebalances.least, rebalances.most],
        max_partitions=[at_once.median, at_once.least, at_once.most],
        outage_ms=[outage.median, outage.least, outage.most],
    )


def ask(
    incident: ReplayableRun,
    choices: Sequence[Choice],
    seeds: range | Sampling,
    unknown: str | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> Answer:
    """Replay the incident exactly, then as recorded and with each choice.

    `unknown`: why the record's total is not known, if so. A choice that is not possible is named with its reason.
    Raises BadSetting where none of them is possible, and GroupsimError where the incident can't be replayed.
    """
    first = range(seeds.begin, seeds.begin + EXACT_SEEDS) if isinstance(seeds, Sampling) else seeds[:EXACT_SEEDS]
    rows = 1 + sum(incident.refusal(choice) is None and not incident.has_already(choice) for choice in choices)
    share = len(first) / (len(first) + rows * (seeds.most if isinstance(seeds, Sampling) else len(seeds)))
    close, trusted = nearness(incident, first, choices, unknown, lambda part: progress(share * part))
    recorded = incident.cost
    results = compare_choices(
        incident.replay,
        incident.measure,
        choices,
        seeds,
        None if unknown is not None else recorded.range_ms,
        incident.refusal,
        incident.has_already,
        lambda part: progress(share + (1 - share) * part),
    )
    needs = [(), *map(incident.needs, choices)]
    results = [
        replace(result, needs=own) if result.costs else result for result, own in zip(results, needs, strict=True)
    ]
    possible = _possible(choices, results)
    if choices and not possible:
        raise BadSetting("; ".join(dict.fromkeys(result.refused for result in results if result.refused is not None)))
    notes = assumed(incident, possible)
    return Answer(
        headline=headline(results, trusted),
        sentences=(headline(results[:1], trusted), *(sentence(result, trusted) for result in results[1:])),
        rests_on=tuple(rests_on(results, trusted)),
        results=tuple(results),
        close=close,
        trust=trusted,
        assumed=notes,
        basis=basis(incident, notes),
    )


def _possible(choices: Sequence[Choice], results: Sequence[ChoiceResult]) -> list[Choice]:
    impossible = {each.choice for each in results if each.impossible}
    return [choice for choice in choices if choice.name not in impossible]


def nearness(
    incident: ReplayableRun,
    seeds: Sequence[int],
    choices: Sequence[Choice],
    unknown: str | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> tuple[Fidelity, Trust]:
    """Replay the incident exactly: how near that is to the record, and what answers about these choices rest on."""
    exact = []
    for done, seed in enumerate(seeds, start=1):
        exact.append(incident.replay_exactly(seed))
        progress(done / len(seeds))
    close = fidelity(incident.generations, exact, incident.replayed_group)
    replayed_ms = round(median(incident.measure(run).unavailable_partition_ms for run in exact))
    stopped = () if incident.incident is None else incident.incident.stopped
    settings = incident.open_settings(choices)
    return close, trust(close, replayed_ms, incident.cost, unknown, settings, stopped, incident.imported)


def assumed(incident: ReplayableRun, choices: Sequence[Choice]) -> tuple[str, ...]:
    """What the logs did not tell: of the record, and of what these choices depend on."""
    return (*incident.notes, *_shown_hardly(incident, choices))


def _shown_hardly(incident: ReplayableRun, choices: Sequence[Choice]) -> list[str]:
    """What the choices depend on and the logs hardly show; that a record stops while partitions are not served."""
    notes = ["the record ends before all partitions are served again, so its own total is a lower bound"]
    notes = notes if incident.cost.cut and incident.partitions_known and not incident.window.given else []
    if incident.incident is not None:
        notes += [text for choice in choices for text in hardly_shown(incident.incident, choice)]
        notes += protocols.notes(incident.incident, choices)
    return notes


def default_seeds(incident: ReplayableRun, rows: int) -> Sampling:
    """As many seeds as the medians need, fewer at most for a long incident; it does not depend on the machine."""
    plays = _MEMBER_MS // max(1, incident.played_ms * incident.members)
    most = max(FEWEST_SEEDS, min(MOST_SEEDS, (plays - EXACT_SEEDS) // rows))
    return Sampling(first=min(FIRST_SEEDS, most), most=most)
