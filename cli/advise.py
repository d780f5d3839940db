"""`groupsim advise`: which settings to take, and how sure that is."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Annotated

import typer

from groupsim.api.spreading import Where
from groupsim.cli import completion
from groupsim.cli.advise_incident import Asked, is_scenario, nothing_varied, on_incident
from groupsim.cli.advise_spread import KeepOption, ResumeOption, SparkOption, spreading
from groupsim.cli.errors import BadRequest
from groupsim.cli.existing_store import DEFAULT_STORE
from groupsim.cli.log_options import MostPartitionsOption
from groupsim.cli.options import FormatOption, StoreOption, key_values
from groupsim.cli.output import Format, note, plain, table, write_json
from groupsim.cli.progress import progress
from groupsim.cli.run import SetOption
from groupsim.cli.sweep import MemoryOption
from groupsim.cli.whatif import AssumeOption, BetweenOption, TopicOption
from groupsim.cli.whatif_output import print_basis
from groupsim.incidents.facts.limits import MOST_PARTITIONS as USUAL_PARTITIONS
from groupsim.wording.seeds import seed_changes_nothing

if TYPE_CHECKING:
    from groupsim.advice.advice import Advice
    from groupsim.advice.choices import Space
    from groupsim.advice.selection import Goal
    from groupsim.advice.unknown import Unknown
AboutArgument = Annotated[
    str,
    typer.Argument(
        metavar="SCENARIO|RUN",
        help="A scenario, or a run of the store: an id, a unique prefix of it, a name, or `latest`.",
        autocompletion=completion.scenario_names,
    ),
]
VaryOption = Annotated[
    list[str], typer.Option("--vary", metavar="KEY=V1,V2,...", help="Values of a setting, or KEY=LOW..HIGH.")
]
UnknownOption = Annotated[
    list[str], typer.Option("--unknown", metavar="KEY=LOW..HIGH", help="A parameter that nobody knows: drawn.")
]
MinimizeOption = Annotated[
    list[str],
    typer.Option(
        "--minimize",
        metavar="MEASURE",
        help="What to make small, by default unavailable time after start-up; several give what no choice beats. "
        "See docs/how-to/choose-settings.md.",
    ),
]
SubjectOption = Annotated[
    list[str], typer.Option("--subject-to", metavar="MEASURE<=VALUE", help="A bound that the mean has to keep.")
]
IndifferenceOption = Annotated[
    str, typer.Option("--indifference", metavar="SHARE", help="What is no difference worth having.")
]
ConfidenceOption = Annotated[float, typer.Option("--confidence", min=0.5, max=0.999, help="How sure it has to be.")]
BudgetOption = Annotated[int | None, typer.Option("--budget", metavar="RUNS", min=4, help="At most so many runs.")]
SeedOption = Annotated[int, typer.Option("--seed", metavar="N", help="The first seed.")]
JobsOption = Annotated[int | None, typer.Option("--jobs", min=1, help="Processes; by default one per core.")]
GroupOption = Annotated[str | None, typer.Option(help="Of a run: the group; default: that with most rebalances.")]

MOST_ROWS = 10
_BOUND = re.compile(r"\s*([a-z_]{1,40})\s*<=\s*(\d{1,15}(?:\.\d{1,6})?)\s*")


def advise(
    about: AboutArgument,
    vary: VaryOption = [],  # noqa: B006  typer copies it
    unknown: UnknownOption = [],  # noqa: B006
    minimize: MinimizeOption = [],  # noqa: B006
    subject_to: SubjectOption = [],  # noqa: B006
    indifference: IndifferenceOption = "5%",
    confidence: ConfidenceOption = 0.95,
    budget: BudgetOption = None,
    seed: SeedOption = 0,
    settings: SetOption = [],  # noqa: B006
    jobs: JobsOption = None,
    group: GroupOption = None,
    topics: TopicOption = [],  # noqa: B006
    most_partitions: MostPartitionsOption = USUAL_PARTITIONS,
    assume: AssumeOption = [],  # noqa: B006
    between: BetweenOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: KeepOption = None,
    resume: ResumeOption = False,
    master: SparkOption = None,
    memory: MemoryOption = "2g",
    form: FormatOption = Format.TABLE,
) -> None:
    """Find the best of several settings of a scenario with as few runs as possible, and say how sure that is.

    Every choice is simulated under the same seeds; those that cannot be the best get no more of them. Of a RUN, an
    incident that was imported, every choice is a what-if (`groupsim whatif`), and what its logs leave open is
    drawn anew under each seed, alike for all choices.

    Example: groupsim advise rolling_restart --vary assignor=range,cooperative-sticky --vary static=true,false
    """
    from groupsim.advice.as_data import as_data
    from groupsim.advice.choices import vary as values_of
    from groupsim.advice.selection import Goal
    from groupsim.advice.unknown import unknown as ranges_of

    if form not in (Format.TABLE, Format.JSON):
        raise BadRequest(f"--format must be table or json for an advice, not {form.value}")
    space, fixed = values_of(vary), key_values(settings, "--set")
    ranges = ranges_of(unknown)
    for key in sorted((space.keys() & fixed.keys()) | (ranges.keys() & (space.keys() | fixed.keys()))):
        raise BadRequest(f"{key!r} is given twice, by --vary, --unknown or --set")
    first, *also = dict.fromkeys(minimize) or [_usual_measure(about)]
    goal = Goal(first, _bounds(subject_to), confidence, _share(indifference), budget, tuple(also))
    where = Where(jobs or os.cpu_count() or 1, master, memory, to, resume)
    if is_scenario(about):
        advice = _on_scenario(about, space, fixed, goal, ranges, seed, where)
    elif fixed:
        raise BadRequest("--set is for scenarios; of a run its own settings are what choices are compared with")
    else:
        asked = Asked(about, store, group, topics, assume, between, most_partitions)
        advice = on_incident(asked, space, goal, ranges, seed, where)
    _note_seeds(advice)
    if form is Format.JSON:
        write_json(as_data(advice))
    else:
        print_advice(advice)
    if not advice.selection.reached:
        raise typer.Exit(1)


def _usual_measure(about: str) -> str:
    from groupsim.api.advising import usual_measure

    return usual_measure(recorded=not is_scenario(about))


def _note_seeds(advice: Advice) -> None:
    if advice.seeds_alike:
        note(f"note: {seed_changes_nothing(advice.seeds_alike)}")


def _on_scenario(
    about: str, space: Space, fixed: dict[str, str], goal: Goal, unknown: Unknown, seed: int, where: Where
) -> Advice:
    from groupsim.advice.example import of_scenario as examples
    from groupsim.api.advising import of_scenario
    from groupsim.pipeline.grid import load, subject

    what = subject(about, "facts")
    if not space:
        raise BadRequest(nothing_varied(about, examples(load(what).params)))
    with progress(about) as bar:
        return of_scenario(what, space, fixed, goal, unknown, seed, where, spreading, bar)


def _share(text: str) -> float:
    digits = text.removesuffix("%")
    try:
        share = float(digits) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share < 1:
        raise BadRequest(f"--indifference must be a share such as 5% or 0.05, not {text!r}")
    return share


def _bounds(texts: list[str]) -> dict[str, float]:
    found = {}
    for text in texts:
        parsed = _BOUND.fullmatch(text)
        if parsed is None:
            raise BadRequest(f"--subject-to must be MEASURE<=VALUE, not {text!r}")
        found[parsed[1]] = float(parsed[2])
    return found


def print_advice(advice: Advice) -> None:
    """The sentences, the best choices, charts of what flips, which settings matter, and what it rests on."""
    from groupsim.advice.as_data import table_rows
    from groupsim.advice.chart import chart
    from groupsim.advice.choices import main_effects
    from groupsim.advice.refused import left_out, needs
    from groupsim.advice.sentences import answer, rests_on

    print(plain(answer(advice)))
    rows = table_rows(advice)
    table(rows[:MOST_ROWS], list(rows[0]))
    for sentence in rests_on(advice):
        print(plain(sentence))
    for each in advice.along:
        for line in chart(advice, each) if each.flips else ():
            print(plain(line))
    means = [advice.means(i)[advice.goal.minimise] for i in range(len(advice.choices))]
    effects = [f"{key} {share:.0%}" for key, share in main_effects(advice.choices, means).items()]
    if len(effects) > 1:
        print(plain(f"differences that each setting explains by itself: {', '.join(effects)}"))
    for sentence in left_out(advice.refused):
        print(plain(f"left out: {sentence}"))
    if advice.record is None:
        return
    for sentence in needs(advice.choices, advice.record.needs):
        print(plain(sentence))
    print_basis(advice.record.basis)
