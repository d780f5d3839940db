"""`groupsim whatif`: simulate a recorded incident again, as recorded and with other choices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from groupsim.cli import completion, output
from groupsim.cli.errors import BadRequest
from groupsim.cli.existing_store import DEFAULT_STORE, existing
from groupsim.cli.log_options import MostPartitionsOption
from groupsim.cli.options import (
    FormatOption,
    RunArgument,
    ScenarioFileOption,
    StoreOption,
    TrustOption,
    key_integers,
    key_values,
    seed_range,
)
from groupsim.cli.output import Format
from groupsim.cli.progress import progress
from groupsim.cli.run_times import period
from groupsim.cli.whatif_output import print_answer
from groupsim.incidents.facts.limits import MOST_PARTITIONS as USUAL_PARTITIONS
from groupsim.incidents.facts.limits import check_counts
from groupsim.wording.numbers import counted
from groupsim.wording.times import duration

if TYPE_CHECKING:
    from groupsim.api.asking import WhatIf
    from groupsim.replay.migration_answer import MigrationAnswer
    from groupsim.replay.replayable import ReplayableRun
    from groupsim.replay.spread import Sampling

_NEXT_KEY = re.compile(r",(?=[A-Za-z][\w.]*=)")

SetOption = Annotated[
    list[str],
    typer.Option(
        "--set",
        metavar="KEY=VALUE[,KEY=VALUE]",
        help="A choice: a Kafka setting, membership=static|dynamic, or restart.ms=N (downtime of restarted members). "
        "Each --set is one choice; commas combine several settings into one choice.",
    ),
]
AssignorOption = Annotated[
    list[str],
    typer.Option(
        "--assignor", metavar="NAME", help="A choice: another assignor.", autocompletion=completion.assignor_names
    ),
]
ProtocolOption = Annotated[
    list[str],
    typer.Option(
        "--protocol",
        metavar="classic|consumer|streams",
        help="A choice: another group protocol, with each fitting --assignor (consumer: uniform or range); streams is "
        "for applications of Kafka Streams, which speak classic or streams.",
    ),
]
MigrateOption = Annotated[
    str | None,
    typer.Option(
        "--migrate",
        metavar="rolling|stop-all",
        help="What the change to --protocol (default: consumer) costs itself, member by member or with all members "
        "stopped together, and what it asks for.",
    ),
]
AssumeOption = Annotated[
    list[str],
    typer.Option(
        "--assume",
        metavar="KEY=VALUE",
        help="What you know and the logs don't show: session.timeout.ms, heartbeat.interval.ms, max.poll.interval.ms, "
        "group.initial.rebalance.delay.ms, metadata.max.age.ms, client "
        "(java, librdkafka, kafka-python, kafkajs, sarama or aiokafka).",
    ),
]
TopicOption = Annotated[
    list[str], typer.Option("--topic", metavar="NAME=PARTITIONS", help="Partitions of a topic, if not in the logs.")
]
SeedsOption = Annotated[
    str | None,
    typer.Option(
        "--seeds",
        metavar="A:B",
        help="The seeds from A up to B - 1; default: 10 to 40 seeds, until the medians are stable; fewer for an "
        "incident of hours.",
    ),
]
BetweenOption = Annotated[
    tuple[str, str] | None,
    typer.Option(
        metavar="FROM TO",
        help="Compare only this time: ms since the run's start, or instants, UTC; default: from when the group "
        "first worked to the end.",
    ),
]


def whatif(
    run: RunArgument,
    sets: SetOption = [],  # noqa: B006  typer copies it
    assignors: AssignorOption = [],  # noqa: B006
    protocols: ProtocolOption = [],  # noqa: B006
    migrate: MigrateOption = None,
    between: BetweenOption = None,
    seeds: SeedsOption = None,
    group: Annotated[str | None, typer.Option(help="The group; default: the one with the most rebalances.")] = None,
    topics: TopicOption = [],  # noqa: B006
    most: MostPartitionsOption = USUAL_PARTITIONS,
    assume: AssumeOption = [],  # noqa: B006
    scenario: ScenarioFileOption = None,
    trust: TrustOption = False,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Simulate an incident again, with each choice, and say in one sentence what would have helped.

    Answered for consumers of both protocols, applications of Kafka Streams and clusters of Kafka Connect, recorded or
    simulated (of a simulated run, for settings alone). The first line is the answer; what was recorded, as the import
    says it, stands below; the table has medians over the seeds. Counted is the time after start-up in which no running
    process held a partition, by its own rebalance listener; start-up is a line of its own. p95_partition_ms: 95 % of
    the partitions were not held for at most so long; max_partitions: so many at once; unsafe_ms: two owners could both
    commit. versus_baseline compares with the simulation as recorded (JSON: versus_recorded, too), versus_record with
    the record. Phases are the join and sync phases of the exact replay and of the record. The answers are kept with the
    run, and `groupsim report` shows them.

    Example: groupsim whatif latest --assignor cooperative-sticky --set membership=static
    """
    from groupsim.api.asking import WhatIfQuestion, asked
    from groupsim.api.choices import choices, notes
    from groupsim.api.migrating import wanted
    from groupsim.scenarios.scenario_of_run import Consent

    if form is Format.CSV:
        raise BadRequest("--format must be table, json or jsonl for whatif, not csv")
    consent = Consent(scenario, trust, "name it with --scenario FILE")
    counts = key_integers(topics, "--topic", 1)
    check_counts(counts, most)
    seeds_wanted = None if seeds is None else seed_range(seeds)
    settings = [key_values(_NEXT_KEY.split(text), "--set") for text in sets]
    chosen = choices(assignors, settings, wanted(migrate, protocols, settings), "--")
    with existing(store) as opened:
        info = opened.find(run)
        part = period(between, info)
        question = WhatIfQuestion(group, counts, assumptions(assume), part, seeds_wanted, consent, migrate)
        for note in notes(assignors):
            output.note(f"note: {note}")
        with progress("simulating") as bar:
            answer = asked(opened, info, chosen, question, fewer_seeds=_note_fewer_seeds, progress=bar)
    _print(answer, form)
    raise typer.Exit(int(not answer.answered))


def _print(answer: WhatIf, form: Format) -> None:
    from groupsim.replay.sentences.parts import baseline

    found, roll = answer.found, answer.migration
    if form is Format.TABLE:
        print_answer(answer.incident, found)
        if roll is not None:
            _print_migration(roll)
    else:
        output.rows(answer.to_dict(), (), form)
        for sentence in found.assumed:
            output.note(f"note: {sentence}")
    if found.results[0].costs and found.trust.unknown is None:
        output.note(f"note: {baseline(found.results[0].values)}")
    for result in found.results:
        for sentence in result.failures:
            output.note(f"note: {result.choice}: {sentence}")


def _print_migration(answer: MigrationAnswer) -> None:
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


def _note_fewer_seeds(incident: ReplayableRun, sampling: Sampling) -> None:
    from groupsim.replay.ask import MOST_SEEDS

    output.note(
        f"note: at most {sampling.most} seeds instead of {MOST_SEEDS} are simulated, for an incident of "
        f"{duration(incident.lasts_ms)} with {counted(incident.members, 'member')}; --seeds A:B chooses others"
    )


def assumptions(assume: Sequence[str]) -> dict[str, int | str]:
    """The values of --assume. Raises BadRequest."""
    from groupsim.api.question import assumptions as checked

    texts = key_values(assume, "--assume")
    return checked({key: int(text) if text.isascii() and text.isdigit() else text for key, text in texts.items()})
