"""`groupsim incident whatif`: the recorded story again, as it was and with other choices."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groupsim.cli import completion, output
from groupsim.cli.choices import choices
from groupsim.cli.errors import BadRequest
from groupsim.cli.fuzz import span
from groupsim.cli.options import DEFAULT_STORE, Format, FormatOption, RunArgument, StoreOption, existing, numbers, pairs
from groupsim.cli.progress import progress
from groupsim.cli.summary import amount, count

if TYPE_CHECKING:
    from groupsim.replay.fidelity import Fidelity, Phase
    from groupsim.replay.player import Choice
    from groupsim.replay.replayable import ReplayableRun
    from groupsim.replay.what_if import Range, Verdict

EXACT_SEEDS = 5
"""The story exactly as recorded leaves little to chance; so many seeds tell it."""
SEEDS, FEWEST_SEEDS = 20, 3
_MEMBER_MS = 600_000_000
"""So much time of one member each is played within about a minute: longer stories get fewer seeds by default."""

SetOption = Annotated[
    list[str],
    typer.Option(
        "--set",
        metavar="KEY=VALUE[,KEY=VALUE]",
        help="A choice: a Kafka setting, membership=static|dynamic, or restart.ms=N (who comes back is away so long). "
        "Each --set is a choice of its own; commas join several into one.",
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
        help="What you know and the logs don't tell: session.timeout.ms, heartbeat.interval.ms, max.poll.interval.ms, "
        "group.initial.rebalance.delay.ms, client (java, librdkafka or kafka-python).",
    ),
]
SeedsOption = Annotated[
    str | None,
    typer.Option(
        "--seeds",
        metavar="A:B",
        help=f"From seed A up to, not including, B; else {SEEDS} of them, fewer for a story of hours.",
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
    group: Annotated[str | None, typer.Option(help="Which group; else the one with the most rebalances.")] = None,
    topics: Annotated[
        list[str], typer.Option("--topic", metavar="NAME=PARTITIONS", help="What the logs don't tell.")
    ] = [],  # noqa: B006
    assume: AssumeOption = [],  # noqa: B006
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Play an incident again: first as recorded (with how far that is from the record), then with each choice.

    Figures are medians over the seeds; a seed decides where faults fall between two heartbeats, and how long answers
    take. They count until everything has settled, so they may go beyond the record's end. versus_recorded divides a
    choice's unavailable time by that of the story played as recorded.

    Example: groupsim incident whatif latest --assignor cooperative-sticky --set membership=static
    """
    from groupsim.replay.replayable import story

    if form is Format.CSV:
        raise BadRequest("--format must be table, json or jsonl for whatif, not csv")
    wanted, chosen = None if seeds is None else span(seeds), choices(assignors, sets, protocols)
    with existing(store) as opened:
        info = opened.find(run)
        told = story(opened, info, group, numbers(topics, "--topic", least=1), _known(assume), chosen)
    if wanted is None:
        wanted = _affordable(told, 1 + len(chosen))
    close, exact_ms, verdicts = _played_again(told, chosen, wanted)
    if form is Format.TABLE:
        _print(told, close, exact_ms, verdicts, len(wanted))
        return
    rows = [verdict.row() for verdict in verdicts]
    rows[0] |= {"recorded": _recorded(told), "fidelity": _fidelity(close, exact_ms), "assumptions": list(told.notes)}
    output.rows(rows, COLUMNS, form)
    for sentence in [*told.notes, *_failures(verdicts)]:
        output.note(f"note: {sentence}")


def _played_again(told: ReplayableRun, chosen: Sequence[Choice], seeds: range) -> tuple[Fidelity, int, list[Verdict]]:
    """First exactly (how close, and its median unavailable ms), then as recorded and with each choice."""
    from groupsim.replay.fidelity import fidelity
    from groupsim.replay.what_if import compare, cost

    first = list(seeds)[:EXACT_SEEDS]
    share = len(first) / (len(first) + len(seeds) * (1 + len(chosen)))
    exact = []
    with progress("playing") as bar:
        for done, seed in enumerate(first, start=1):
            exact.append(told.play_exactly(seed))
            bar(share * done / len(first))
        close = fidelity(told.generations, exact, told.played_group)
        verdicts = compare(told.play, chosen, seeds, told.played_group, lambda part: bar(share + (1 - share) * part))
    spent = [cost(run.facts, told.played_group, run.from_ms, run.to_ms, 0).unavailable_partition_ms for run in exact]
    return close, round(median(spent)), verdicts


def _affordable(told: ReplayableRun, rows: int) -> range:
    """The seeds where none are given; the same on every machine."""
    plays = _MEMBER_MS // max(1, told.lasts_ms * told.members)
    count_ = max(FEWEST_SEEDS, min(SEEDS, (plays - EXACT_SEEDS) // rows))
    if count_ < SEEDS:
        output.note(
            f"note: {count_} seeds instead of {SEEDS} are played, for {output.seconds(told.lasts_ms)} of"
            f" {count(told.members, 'member')}; --seeds A:B plays others"
        )
    return range(count_)


def _known(assume: Sequence[str]) -> dict[str, int | str]:
    """What --assume says. Raises BadRequest."""
    from groupsim.replay.reconstruct.inferred_settings import HEARTBEAT, INITIAL_DELAY, MAX_POLL, SESSION
    from groupsim.simulation.clients.config import CLIENTS

    found: dict[str, int | str] = {}
    for key, value in pairs(assume, "--assume").items():
        if key == "client":
            if value not in CLIENTS:
                raise BadRequest(f"--assume client={value}: must be one of {', '.join(CLIENTS)}")
            found[key] = value
        elif key in (SESSION, HEARTBEAT, MAX_POLL, INITIAL_DELAY):
            found[key] = numbers([f"{key}={value}"], "--assume", least=0 if key == INITIAL_DELAY else 1)[key]
        else:
            known = ", ".join((SESSION, HEARTBEAT, MAX_POLL, INITIAL_DELAY, "client"))
            raise BadRequest(f"--assume {key}: must be one of {known}")
    return found


def _recorded(told: ReplayableRun) -> dict[str, Any]:
    cost = told.cost
    return {
        "group": told.group,
        "generations": len(told.generations),
        "unavailable_partition_ms": cost.unavailable_partition_ms if told.partitions_told else None,
        "unknown_ms": cost.unknown_ms,
        "max_partitions": cost.max_partitions if told.partitions_told else None,
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
    """Record and baseline side by side."""
    rows = []
    for pair in close.pairs:
        known = pair.recorded or pair.played
        assert known is not None
        note = "" if pair.same else "only recorded" if pair.played is None else "only played"
        if pair.recorded is not None and pair.played is not None and not pair.same:
            note = f"played: {pair.played.cause}, {count(pair.played.size, 'member')}"
        elif not all(phase is None or phase.met for phase in (pair.join, pair.sync)):
            note = "off"
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


def _played(phase: Phase | None) -> int | None:
    return phase.played_ms if phase is not None else None


def _print(told: ReplayableRun, close: Fidelity, exact_ms: int, verdicts: Sequence[Verdict], seeds: int) -> None:
    name = output.plain(told.name)
    print(f"{name}  group {output.plain(told.group)}  {output.seconds(told.lasts_ms)}, {_count_generations(told)}")
    output.table(_generations(close), GENERATIONS)
    errors = ""
    if close.median_error_ms is not None:
        errors = f"; phases off by {close.median_error_ms} ms in the median, {close.p95_error_ms} ms at 95 %"
    played = count(close.played, "generation")
    print(f"played again exactly: {played}, {close.matched} of {close.recorded} as recorded{errors}")
    print(f"recorded: {_recorded_cost(told)}; played again exactly: {amount(exact_ms)}")
    print(f"\n{count(seeds, 'seed')}: median (least–most)")
    output.table([_shown(verdict) for verdict in verdicts], COLUMNS)
    print("each seed draws anew what real clients leave to chance (when heartbeats fall, how long answers take) and")
    print("counts until all has settled; the record is one such draw, so versus_recorded is against `as recorded` here")
    for sentence in _failures(verdicts):
        output.note(f"note: {sentence}")
    if told.notes:
        print("the record does not tell, so it was assumed:")
    for sentence in told.notes:
        print(f"  {output.plain(sentence)}")


def _count_generations(told: ReplayableRun) -> str:
    return count(len(told.generations), "generation")


def _recorded_cost(told: ReplayableRun) -> str:
    if not told.partitions_told:
        return "no log names a partition, so what stood still is not known"
    known = f"{amount(told.cost.unavailable_partition_ms)} unavailable"
    unknown = told.cost.unknown_ms
    return f"{known}; for {unknown / 1_000:,.1f} partition-seconds the logs do not tell" if unknown else known


def _shown(verdict: Verdict) -> dict[str, Any]:
    """A row for people: medians with their ranges, and how much more or less."""
    row: dict[str, Any] = {"choice": verdict.choice}
    for name in COLUMNS[1:-1]:
        row[name] = _ranged(getattr(verdict, name))
    versus = verdict.versus_recorded
    row["versus_recorded"] = "—" if versus is None else f"{(versus - 1) * 100:+,.0f} %".replace("-", "−")
    return row


def _ranged(found: Range) -> str:
    if found.least == found.most:
        return f"{found.median:,}"
    return f"{found.median:,} ({found.least:,}–{found.most:,})"


def _failures(verdicts: Sequence[Verdict]) -> list[str]:
    return [f"{verdict.choice}: {sentence}" for verdict in verdicts for sentence in verdict.failures]
