"""README.md beside the recordings of families: what they are, the families, what was recorded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

from groupsim.conformance.predictions.families import RECORDS, read_record
from groupsim.conformance.timelines.recorded_form import Record
from groupsim.simulation.clients.config import CLASSIC
from recorders.broker.fetch import VERSION
from recorders.families.catalogue import FAMILIES
from recorders.families.family import LOOKED_AT, PUT_ASIDE, Family
from recorders.markdown import markdown

_INTRO = f"""# Families of recordings

One story under two to four choices each, on a real Apache Kafka {VERSION} (released jars of Maven Central; KRaft, one
node), one process per member: the Java `KafkaConsumer` {VERSION}, where *clients* names no other library. For scoring
what-ifs: read the logs of one run, ask for another choice of its family, compare with the recorded runs of that choice.

`groupsim conformance predict tests/golden/families/{LOOKED_AT}` scores them; `python -m recorders.families
record FOLDER` records them anew (JDK 17, Maven, about two hours), `… readme FOLDER` writes this file. The families are
data in `recorders/families/`.

- **Two halves**, by a rule that was fixed before anything was recorded: families with even numbers are in
  `{LOOKED_AT}/` and may be looked at while what-ifs are worked on; those with odd numbers are in `{PUT_ASIDE}/` and are
  scored only at the end. Each story is in both halves, with other settings. f37 to f48 came later: other libraries,
  old groups, 12 and 13 members, the consumer protocol, callbacks that commit, uneven load, two topics.
- **Layout**: `<story>__<choice>__d<initial delay in s>-<family>__r<repetition>/` with `recording.json.gz` (actions,
  what each member's program saw, the broker's lines as rows, ownership and unavailability) and `logs/` (the group's
  lines of the broker's log; each client's log from its start on, at INFO, `[time] level message (logger)`, UTC;
  librdkafka's as it writes it, with `debug=cgrp`).
- **Choice**: `<assignor>`; `<assignor>-static`, where every member has a `group.instance.id`; `<assignor>-hb<ms>`, with
  another heartbeat interval than the family's; `kip848-<assignor>` with the consumer protocol and that assignor of the
  broker, where session and heartbeat are set for the group alone. All else is the same within a family.
- Faults are real: SIGKILL, SIGSTOP and SIGCONT, `close()`, callbacks and batches that sleep, `subscribe()`, partitions
  that are added. A run has topics of its own. *Processing*: sleep after each poll that brought records. *Callback*:
  sleep in each assigned and revoked callback with partitions. *Config block*: whether client logs keep the settings
  that a consumer prints at its start.
- Broker: `group.min.session.timeout.ms=1000`, `offsets.topic.num.partitions=1`, the initial rebalance delay as in the
  table, all else default. Consumers: auto-commit, where *commits* does not say otherwise; `auto.offset.reset=latest`;
  `poll(100 ms)`.
"""


def readme(root: Path) -> str:
    """The whole file, for the recordings below a folder."""
    by_family: dict[str, list[Record]] = defaultdict(list)
    for file in sorted(file for name in RECORDS for file in root.glob(f"*/*/{name}")):
        record = read_record(file.parent)
        by_family[record["config"]["family"]].append(record)
    parts = [
        _INTRO,
        "## Families\n",
        *markdown(_settings_table()),
        "",
        *_actions(),
        "",
        "## Partition-milliseconds unavailable: median (least–most of the repetitions)\n",
        *markdown(_truths(by_family)),
        "",
        "## Noise\n",
        _noise(by_family),
    ]
    return "\n".join(parts) + "\n"


def _settings_table() -> Iterator[Sequence[object]]:
    yield (
        "family",
        "half",
        "story",
        "clients",
        "members",
        "partitions",
        "session",
        "heartbeat",
        "max.poll",
        "processing",
        "callback",
        "commits",
        "initial delay",
        "records/s/partition",
        "config block",
    )
    for family in FAMILIES:
        yield (
            family.name,
            family.half,
            f"{family.story}: {family.about}",
            _clients(family),
            len(family.members),
            ", ".join(f"{topic} {count}" for topic, count in family.topics.items()),
            family.session_ms,
            family.heartbeat_ms,
            family.max_poll_ms,
            _by_member(family.process_ms),
            _by_member(family.callback_ms),
            _commits(family),
            family.delay_ms,
            f"{1000 / family.every_ms:g}",
            "kept" if family.prints_config else "left out",
        )


def _clients(family: Family) -> str:
    (protocol,) = {choice.protocol for choice in family.named_choices}
    return family.library if protocol == CLASSIC else f"{family.library}, {protocol} protocol"


def _commits(family: Family) -> str:
    if not family.commits:
        return "auto"
    return "after each batch, in revoked callbacks" if family.commits_revoked else "after each batch"


def _by_member(values: Mapping[str, int]) -> str:
    return ", ".join(f"{ms} ({member})" if member else str(ms) for member, ms in values.items()) or "0"


def _actions() -> Iterator[str]:
    yield "Actions (ms; the first ones are the starts of the founding members):"
    yield ""
    for family in FAMILIES:
        yield f"- {family.name}: {family.founders} start {family.apart_ms} apart; {family.then}; end {family.end_ms}"


def _truths(by_family: Mapping[str, Sequence[Record]]) -> Iterator[Sequence[object]]:
    most = max(len(family.named_choices) for family in FAMILIES)
    yield "family", *(f"choice {n + 1}" for n in range(most))
    for family in FAMILIES:
        cells = [_truth(family, choice.name, by_family.get(family.name, ())) for choice in family.named_choices]
        yield f"{family.name} {family.story}", *cells, *[""] * (most - len(cells))


def _truth(family: Family, choice: str, records: Sequence[Record]) -> str:
    costs_ms = [_unavailable_ms(r) for r in records if r["config"]["choice"] == choice]
    return (
        f"{choice}: {median(costs_ms):.0f} ({min(costs_ms)}–{max(costs_ms)})" if costs_ms else f"{choice}: not recorded"
    )


def _unavailable_ms(record: Record) -> int:
    return int(record["summary"]["unavailable_partition_ms"])


def _noise(by_family: Mapping[str, Sequence[Record]]) -> str:
    runs = [record for records in by_family.values() for record in records]
    kinds: dict[str, list[int]] = defaultdict(list)
    for record in runs:
        kinds[record["id"].rpartition("__")[0]].append(_unavailable_ms(record))
    apart = sorted((max(ms) - min(ms)) / max(1, sum(ms) / len(ms)) for ms in kinds.values() if len(ms) > 1)
    own = sorted(record["machine_cpu_busy"]["mean_of_this_harness"] for record in runs)
    other = sorted(r["machine_cpu_busy"]["mean"] - r["machine_cpu_busy"]["mean_of_this_harness"] for r in runs)
    return (
        f"{len(runs)} recordings. `unavailable_partition_ms` of the repetitions of one choice differs by "
        f"{_at(apart, 0.5):.3f} (median), {_at(apart, 0.75):.3f} (75th percentile), {_at(apart, 0.9):.3f} (90th) of "
        f"their mean.\n\nTwo groups ran side by side on two processors. Share of the processors that brokers, members "
        f"and the recorder used: median {_at(own, 0.5):.2f}, greatest {own[-1]:.2f}. Other work ran beside them, at a "
        f"lower priority, in f37 to f48 also at the same: median {_at(other, 0.5):.2f}, greatest {other[-1]:.2f} "
        f"(`machine_cpu_busy`). The old groups f39 and f40 were recorded at once, with their faults apart."
    )


def _at(values: Sequence[float], part: float) -> float:
    return values[min(len(values) - 1, int(part * len(values)))]
