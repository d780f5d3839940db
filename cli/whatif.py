"""`groupsim incident whatif`: simulate a recorded incident again, as recorded and with other choices."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groupsim.analysis.display_names import counted, duration
from groupsim.cli import completion, output
from groupsim.cli.errors import BadRequest
from groupsim.cli.existing_store import DEFAULT_STORE, existing
from groupsim.cli.options import FormatOption, RunArgument, StoreOption, key_integers, key_values, seed_range
from groupsim.cli.output import Format
from groupsim.cli.progress import progress
from groupsim.cli.summary import amount
from groupsim.cli.whatif_choices import choices

if TYPE_CHECKING:
    from groupsim.replay.fidelity import Fidelity, PhaseDurations
    from groupsim.replay.player import Choice
    from groupsim.replay.replayable import ReplayableRun
    from groupsim.replay.what_if import ChoiceResult, Range
    from groupsim.storage.store import EventStore

EXACT_SEEDS = 5
"""Seeds for the incident exactly as recorded, which leaves little to chance."""
SEEDS, FEWEST_SEEDS = 20, 3
_MEMBER_MS = 600_000_000
"""Simulated time, times members, that takes about a minute: longer incidents get fewer seeds by default."""

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
    list[str], typer.Option("--protocol", metavar="classic|consumer", help="Only classic can be simulated.")
]
AssumeOption = Annotated[
    list[str],
    typer.Option(
        "--assume",
        metavar="KEY=VALUE",
        help="What you know and the logs don't show: session.timeout.ms, heartbeat.interval.ms, max.poll.interval.ms, "
        "group.initial.rebalance.delay.ms, client (java, librdkafka or kafka-python).",
    ),
]
SeedsOption = Annotated[
    str | None,
    typer.Option(
        "--seeds",
        metavar="A:B",
        help=f"The seeds from A up to B - 1; default: {SEEDS} seeds, fewer for an incident of hours.",
    ),
]
COLUMNS = (
    "choice",
    "rebalances",
    "unavailable_partition_ms",
    "p95_partition_ms",
    "max_partitions",
    "unsafe_ms",
    "versus_recorded",
)
GENERATIONS = ("generation", "cause", "members", "join_recorded_ms", "join_ms", "sync_recorded_ms", "sync_ms", "note")


def whatif(
    run: RunArgument,
    sets: SetOption = [],  # noqa: B006  typer copies it
    assignors: AssignorOption = [],  # noqa: B006
    protocols: ProtocolOption = [],  # noqa: B006
    seeds: SeedsOption = None,
    group: Annotated[str | None, typer.Option(help="The group; default: the one with the most rebalances.")] = None,
    topics: Annotated[
        list[str], typer.Option("--topic", metavar="NAME=PARTITIONS", help="Partitions of a topic, if not in the logs.")
    ] = [],  # noqa: B006
    assume: AssumeOption = [],  # noqa: B006
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Simulate an incident again: first as recorded, compared with the recording, then with each choice.

    Figures are medians over the seeds. The seed decides when faults happen between two heartbeats, and how long
    requests take. Time counts until the group is stable again, which can be after the end of the recording.
    versus_recorded compares the unavailable time of a choice with that of the simulation as recorded. Assumptions are
    listed below the table.

    Example: groupsim incident whatif latest --assignor cooperative-sticky --set membership=static
    """
    from groupsim.replay.replayable import replayable_run

    if form is Format.CSV:
        raise BadRequest("--format must be table, json or jsonl for whatif, not csv")
    wanted, chosen = None if seeds is None else seed_range(seeds), choices(assignors, sets, protocols)
    with existing(store) as opened:
        info = opened.find(run)
        unknown = not topics and _unknown(opened, info.id)
        incident = replayable_run(
            opened, info, group, key_integers(topics, "--topic", minimum=1), _assumptions(assume), chosen
        )
    if wanted is None:
        wanted = _default_seeds(incident, 1 + len(chosen))
    close, exact_ms, results = _simulated(incident, chosen, wanted)
    if form is Format.TABLE:
        _print(incident, close, exact_ms, results, len(wanted))
        raise typer.Exit(int(unknown))
    rows = [result.row() for result in results]
    rows[0] |= {
        "recorded": _recorded(incident),
        "fidelity": _fidelity(close, exact_ms),
        "assumptions": list(incident.notes),
    }
    output.rows(rows, COLUMNS, form)
    for sentence in [*incident.notes, *_failures(results)]:
        output.note(f"note: {sentence}")
    raise typer.Exit(int(unknown))


def _unknown(store: EventStore, run: str) -> bool:
    """Whether the recording does not support a total; then a note says why: the figures are the simulation's alone."""
    from groupsim import analysis

    reason = analysis.load(store, run).unknown
    if reason is not None:
        output.note(f"note: the total of the recording is unknown, so nothing can be compared with it: {reason}")
    return reason is not None


def _simulated(
    incident: ReplayableRun, chosen: Sequence[Choice], seeds: range
) -> tuple[Fidelity, int, list[ChoiceResult]]:
    """Simulate exactly as recorded (fidelity, median unavailable ms), then as recorded and with each choice."""
    from groupsim.replay.fidelity import fidelity
    from groupsim.replay.what_if import compare_choices, cost

    group, first = incident.replayed_group, list(seeds)[:EXACT_SEEDS]
    share = len(first) / (len(first) + len(seeds) * (1 + len(chosen)))
    exact = []
    with progress("simulating") as bar:
        for done, seed in enumerate(first, start=1):
            exact.append(incident.replay_exactly(seed))
            bar(share * done / len(first))
        close = fidelity(incident.generations, exact, group)
        results = compare_choices(incident.replay, chosen, seeds, group, lambda part: bar(share + (1 - share) * part))
    spent = [cost(run.facts, group, run.from_ms, run.to_ms, 0).unavailable_partition_ms for run in exact]
    return close, round(median(spent)), results


def _default_seeds(incident: ReplayableRun, rows: int) -> range:
    """The default seeds; they do not depend on the machine."""
    plays = _MEMBER_MS // max(1, incident.lasts_ms * incident.members)
    number = max(FEWEST_SEEDS, min(SEEDS, (plays - EXACT_SEEDS) // rows))
    if number < SEEDS:
        output.note(
            f"note: {number} seeds instead of {SEEDS} are simulated, for an incident of "
            f"{duration(incident.lasts_ms)} with {counted(incident.members, 'member')}; --seeds A:B chooses others"
        )
    return range(number)


def _assumptions(assume: Sequence[str]) -> dict[str, int | str]:
    """The values of --assume. Raises BadRequest."""
    from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, INITIAL_DELAY, MAX_POLL, SESSION
    from groupsim.simulation.clients.config import CLIENTS

    found: dict[str, int | str] = {}
    for key, value in key_values(assume, "--assume").items():
        if key == "client":
            if value not in CLIENTS:
                raise BadRequest(f"--assume client={value}: must be one of {', '.join(CLIENTS)}")
            found[key] = value
        elif key in (SESSION, HEARTBEAT, MAX_POLL, INITIAL_DELAY):
            found[key] = key_integers([f"{key}={value}"], "--assume", minimum=0 if key == INITIAL_DELAY else 1)[key]
        else:
            known = ", ".join((SESSION, HEARTBEAT, MAX_POLL, INITIAL_DELAY, "client"))
            raise BadRequest(f"--assume {key}: must be one of {known}")
    return found


def _recorded(incident: ReplayableRun) -> dict[str, Any]:
    cost = incident.cost
    return {
        "group": incident.group,
        "generations": len(incident.generations),
        "unavailable_partition_ms": cost.unavailable_partition_ms if incident.partitions_known else None,
        "unknown_ms": cost.unknown_ms,
        "max_partitions": cost.max_partitions if incident.partitions_known else None,
    }


def _fidelity(close: Fidelity, exact_ms: int) -> dict[str, Any]:
    return {
        "recorded_generations": close.recorded,
        "played_generations": close.played,
        "matched_generations": close.matched,
        "median_error_ms": close.median_error_ms,
        "p95_error_ms": close.p95_error_ms,
        "played_unavailable_partition_ms": exact_ms,
        "holds": close.holds,
        "generations": _generations(close),
    }


def _generations(close: Fidelity) -> list[dict[str, Any]]:
    """The generations of the recording and of the simulation side by side."""
    rows = []
    for pair in close.pairs:
        known = pair.recorded or pair.played
        assert known is not None
        note = "" if pair.same else "only recorded" if pair.played is None else "only simulated"
        if pair.recorded is not None and pair.played is not None and not pair.same:
            note = f"simulated: {pair.played.cause}, {counted(pair.played.size, 'member')}"
        elif not all(phase is None or phase.met for phase in (pair.join, pair.sync)):
            note = "differs"
        recorded = pair.recorded
        rows.append(
            {
                "generation": recorded.number if recorded else None,
                "cause": known.cause,
                "members": known.size,
                "join_recorded_ms": recorded.join_ms if recorded else None,
                "join_ms": _played(pair.join),
                "sync_recorded_ms": recorded.sync_ms if recorded else None,
                "sync_ms": _played(pair.sync),
                "note": note,
            }
        )
    return rows


def _played(phase: PhaseDurations | None) -> int | None:
    return phase.played_ms if phase is not None else None


def _print(
    incident: ReplayableRun, close: Fidelity, exact_ms: int, results: Sequence[ChoiceResult], seeds: int
) -> None:
    name, generations = output.plain(incident.name), counted(len(incident.generations), "generation")
    print(f"{name}  group {output.plain(incident.group)}  {duration(incident.lasts_ms)}, {generations}")
    output.table(_generations(close), GENERATIONS)
    errors = ""
    if close.median_error_ms is not None:
        errors = f"; phases differ by {close.median_error_ms} ms in the median, {close.p95_error_ms} ms at p95"
    played = counted(close.played, "generation")
    print(f"simulated exactly: {played}, {close.matched} of {close.recorded} as recorded{errors}")
    print(f"recorded: {_recorded_cost(incident)}; simulated exactly: {amount(exact_ms)}")
    print(f"\n{counted(seeds, 'seed')}: median (least–most)")
    output.table([_shown(result) for result in results], COLUMNS)
    print("Each seed draws what is random in real clients: the times of heartbeats, the duration of requests.")
    print("Time counts until the group is stable. versus_recorded compares with the row `as recorded`.")
    for sentence in _failures(results):
        output.note(f"note: {sentence}")
    if incident.notes:
        print("Assumptions, because the recording does not show it:")
    for sentence in incident.notes:
        print(f"  {output.plain(sentence)}")


def _recorded_cost(incident: ReplayableRun) -> str:
    if not incident.partitions_known:
        return "no log names a partition, so the unavailable time is unknown"
    known = f"{amount(incident.cost.unavailable_partition_ms)} unavailable"
    unknown = incident.cost.unknown_ms
    return f"{known}; {unknown / 1_000:,.1f} partition-seconds are unknown from the logs" if unknown else known


def _shown(result: ChoiceResult) -> dict[str, Any]:
    """A row for people: medians with ranges, and the difference in percent."""
    row: dict[str, Any] = {"choice": result.choice}
    for name in COLUMNS[1:-1]:
        row[name] = _ranged(getattr(result, name))
    versus = result.versus_recorded
    row["versus_recorded"] = "—" if versus is None else f"{(versus - 1) * 100:+,.0f} %".replace("-", "−")
    return row


def _ranged(found: Range) -> str:
    if found.least == found.most:
        return f"{found.median:,}"
    return f"{found.median:,} ({found.least:,}–{found.most:,})"


def _failures(results: Sequence[ChoiceResult]) -> list[str]:
    return [f"{result.choice}: {sentence}" for result in results for sentence in result.failures]
