"""`groupsim whatif`: simulate a recorded incident again, as recorded and with other choices."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from groupsim.cli import completion, output, whatif_migration
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
from groupsim.cli.whatif_choices import choices, meant, notes
from groupsim.cli.whatif_output import print_answer, rows_of
from groupsim.incidents.facts.limits import MOST_PARTITIONS as USUAL_PARTITIONS
from groupsim.incidents.facts.limits import check_counts
from groupsim.storage.errors import StoreError
from groupsim.storage.store import RunSource
from groupsim.wording.numbers import counted
from groupsim.wording.times import duration

if TYPE_CHECKING:
    from groupsim.replay.ask import Answer
    from groupsim.replay.migration_answer import MigrationAnswer
    from groupsim.replay.replayable import ReplayableRun
    from groupsim.replay.spread import Sampling
    from groupsim.storage.store import EventStore, RunInfo

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
        metavar="classic|consumer",
        help="A choice: another group protocol, with each fitting --assignor (consumer: uniform or range).",
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
        "group.initial.rebalance.delay.ms, metadata.max.age.ms, client (java, librdkafka or kafka-python).",
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

    Answered for groups of both protocols, recorded or simulated (of a simulated run, for settings alone). The first
    line is the answer; what was recorded, as the import says it, stands below; the table has medians over the seeds.
    Counted is the time after start-up in which no running process held a partition, by its own rebalance listener;
    start-up is a line of its own. p95_partition_ms: 95 % of the partitions were not held for at most so long;
    max_partitions: so many at once; unsafe_ms: two owners could both commit. versus_baseline compares with the
    simulation as recorded (JSON: versus_recorded, too), versus_record with the record. Phases are the join and sync
    phases of the exact replay and of the record. The answers are kept with the run, and `groupsim report` shows them.

    Example: groupsim whatif latest --assignor cooperative-sticky --set membership=static
    """
    from groupsim.analysis import what_ifs
    from groupsim.replay.ask import ask
    from groupsim.replay.replayable import replayable_run
    from groupsim.scenarios.scenario_of_run import Consent

    if form is Format.CSV:
        raise BadRequest("--format must be table, json or jsonl for whatif, not csv")
    consent = Consent(scenario, trust, "name it with --scenario FILE")
    counts = key_integers(topics, "--topic", 1)
    check_counts(counts, most)
    wanted = None if seeds is None else seed_range(seeds)
    chosen = choices(assignors, sets, whatif_migration.wanted(migrate, protocols, sets))
    with existing(store) as opened:
        info = opened.find(run)
        unknown = None if topics else total_unknown(opened, info)
        part = period(between, info)
        incident = replayable_run(opened, info, group, counts, assumptions(assume), chosen, part, consent)
        chosen = meant(incident, chosen)
        to = whatif_migration.changed(incident, chosen) if migrate else None
        for note in notes(assignors):
            output.note(f"note: {note}")
        sampled = wanted if wanted is not None else _default_seeds(incident, 1 + len(chosen))
        with progress("simulating") as bar:
            found = ask(incident, chosen, sampled, unknown, bar)
        roll = None
        if migrate and to is not None and to in found.possible(chosen):
            roll = whatif_migration.migration_of(opened, info, incident, to, migrate, wanted, found)
        with suppress(StoreError):  # a store that can only be read has the answer on the screen alone
            what_ifs.keep(opened, info, found.stored(incident, roll))
    _print(incident, found, form, roll)
    raise typer.Exit(int(not found.answered))


def _print(incident: ReplayableRun, found: Answer, form: Format, roll: MigrationAnswer | None) -> None:
    from groupsim.replay.sentences.parts import baseline

    if form is Format.TABLE:
        print_answer(incident, found)
        if roll is not None:
            whatif_migration.print_migration(roll)
    else:
        rows = rows_of(incident, found)
        rows[0] |= {} if roll is None else {"migration": roll.row()}
        output.rows(rows, (), form)
        for sentence in found.assumed:
            output.note(f"note: {sentence}")
    if found.results[0].costs and found.trust.unknown is None:
        output.note(f"note: {baseline(found.results[0].values)}")
    for result in found.results:
        for sentence in result.failures:
            output.note(f"note: {result.choice}: {sentence}")


def total_unknown(store: EventStore, info: RunInfo) -> str | None:
    """Why the recording does not support a total; then the figures are the simulation's alone."""
    from groupsim.analysis.availability.intervals import intervals
    from groupsim.analysis.tables.bounds import support
    from groupsim.events.catalogue import STATE_CHANGING

    if info.source != RunSource.RECORDED:
        return None
    return support(info.summary, intervals(store.read(info.id, types=STATE_CHANGING))).unknown


def _default_seeds(incident: ReplayableRun, rows: int) -> Sampling:
    from groupsim.replay.ask import MOST_SEEDS, default_seeds

    found = default_seeds(incident, rows)
    if found.most < MOST_SEEDS:
        output.note(
            f"note: at most {found.most} seeds instead of {MOST_SEEDS} are simulated, for an incident of "
            f"{duration(incident.lasts_ms)} with {counted(incident.members, 'member')}; --seeds A:B chooses others"
        )
    return found


def assumptions(assume: Sequence[str]) -> dict[str, int | str]:
    """The values of --assume. Raises BadRequest."""
    from groupsim.replay.reconstruct.inferred_settings.evidence import ASSUMABLE, INITIAL_DELAY
    from groupsim.simulation.clients.config import CLIENTS

    found: dict[str, int | str] = {}
    for key, value in key_values(assume, "--assume").items():
        if key == "client":
            if value not in CLIENTS:
                raise BadRequest(f"--assume client={value}: must be one of {', '.join(CLIENTS)}")
            found[key] = value
        elif key in ASSUMABLE:
            found[key] = key_integers([f"{key}={value}"], "--assume", minimum=0 if key == INITIAL_DELAY else 1)[key]
        else:
            known = ", ".join((*ASSUMABLE, "client"))
            raise BadRequest(f"--assume {key}: must be one of {known}")
    return found
