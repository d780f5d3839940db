"""What reading a log gives: rows as `read` shows them, rows that only the import uses, and counts."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from groupsim.incidents.logs.row_kinds import EVIDENCE, SHOWN, RowKind
from groupsim.incidents.offsets_topic.history import GroupHistory


class Program(StrEnum):
    """What wrote a line: a broker, into its log or `__consumer_offsets`, or the client library of a consumer."""

    BROKER = "broker"
    OFFSETS_TOPIC = "offsets-topic"
    JAVA = "java"
    LIBRDKAFKA = "librdkafka"
    KAFKA_PYTHON = "kafka-python"
    AIOKAFKA = "aiokafka"
    KAFKAJS = "kafkajs"
    SARAMA = "sarama"
    FRANZ_GO = "franz-go"
    KAFKA_GO = "kafka-go"
    RUBY_KAFKA = "ruby-kafka"
    BROD = "brod"


class Row(msgspec.Struct, frozen=True):
    """One recognised line. `at` is a UTC instant (ISO 8601, ms) or None; `line` is where the record starts, from 1.

    `program`: what wrote it, None where several programs word it so. `order` is its place in its stream, where that is
    not the order of `line`: an export may be written newest first. `resolution_ms`: that of its time, if
    fewer than three digits behind the second are printed; else 0. `multiple_ms`: the most of 1, 10, 100, 1,000 and
    60,000 of which its time, as printed, is a multiple.
    """

    file: str
    line: int
    at: str | None
    kind: RowKind
    group: str | None
    member: str | None
    client: str | None
    detail: dict[str, object]
    program: Program | None = None
    order: int | None = None
    resolution_ms: int = 0
    multiple_ms: int = 1


def is_broker(row: Row) -> bool:
    """Whether a broker wrote the row, into its log or into `__consumer_offsets`."""
    return row.program is Program.BROKER or row.program is Program.OFFSETS_TOPIC


class UnrecognisedLine(msgspec.Struct, frozen=True):
    """A line about a consumer group that no wording fits."""

    file: str
    line: int
    text: str


class Counts(msgspec.Struct):
    """Lines read, records recognised, and records about groups that were not recognised."""

    lines: int = 0
    recognised: int = 0
    unrecognised: int = 0

    def add(self, other: Counts) -> None:
        """Add another file's counts."""
        self.lines += other.lines
        self.recognised += other.recognised
        self.unrecognised += other.unrecognised


class LeftOut(msgspec.Struct):
    """Rows that nobody asked for: how many, also by group, the first and the last instant of them."""

    rows: int = 0
    groups: dict[str, int] = {}
    first: str | None = None
    last: str | None = None

    def take(self, row: Row) -> None:
        """Count one row."""
        self.rows += 1
        if row.group is not None:
            self.groups[row.group] = self.groups.get(row.group, 0) + 1
        if row.at is not None:
            self.first = row.at if self.first is None else min(self.first, row.at)
            self.last = row.at if self.last is None else max(self.last, row.at)

    def add(self, other: LeftOut) -> None:
        """Add what was left out of another file."""
        self.rows += other.rows
        for group, rows in other.groups.items():
            self.groups[group] = self.groups.get(group, 0) + rows
        self.first = min((at for at in (self.first, other.first) if at is not None), default=None)
        self.last = max((at for at in (self.last, other.last) if at is not None), default=None)


class Reading(msgspec.Struct):
    """Everything read from some files, each file's rows in the order of its lines.

    `origins` are the files given, `files` the logs in them: an export has one for each stream.
    `evidence` holds rows of kinds in `row_kinds.EVIDENCE`, `context` those of the other kinds outside
    `row_kinds.SHOWN`. `unrecognised` are lines about groups that no wording fits (at most
    `reader.UNRECOGNISED_KEPT` of a file; `counts.unrecognised` counts all). `damage`: sentences about
    damaged files. `ends`: the last instant of each file, on whatever line. `notes`: how exports were read.
    `uncertain`: why their records, or the order of these, are not known well enough. `answers`: of files without
    records, what they hold instead. `resolution_ms`: that of the coarsest times, if they are coarser than a log's
    own; else 0; `placed_ms`: so far were coarse times moved to be in order. `streams`: the short names of those of
    `files` that are one stream of several in an export. `left_out`: rows of other groups and periods than those
    wanted. `topic`: by group, what `__consumer_offsets` says; its rows are among the others. `topic_given`: files
    of it were given. `asked`, `since`, `until`: the groups and the period that were wanted. `cut_off`: logs of
    which the period leaves nothing. `skipped`: files that have nothing about groups, each with what it has instead.
    """

    files: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    rows: list[Row] = []
    context: list[Row] = []
    evidence: list[Row] = []
    counts: Counts = msgspec.field(default_factory=Counts)
    unrecognised: list[UnrecognisedLine] = []
    damage: list[str] = []
    ends: dict[str, str] = {}
    notes: list[str] = []
    uncertain: list[str] = []
    resolution_ms: int = 0
    placed_ms: int = 0
    answers: dict[str, str] = {}
    streams: dict[str, str] = {}
    left_out: LeftOut = msgspec.field(default_factory=LeftOut)
    topic: dict[str, GroupHistory] = {}
    topic_given: bool = False
    asked: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    cut_off: dict[str, LeftOut] = {}
    skipped: dict[str, str] = {}

    @property
    def held(self) -> int:
        """How many rows it holds."""
        return len(self.rows) + len(self.context) + len(self.evidence)

    def add(self, other: Reading) -> None:
        """Add what was read of other files; what was asked for stays."""
        self.files += other.files
        for name in self.__struct_fields__:
            mine, its = getattr(self, name), getattr(other, name)
            if isinstance(mine, list):
                mine.extend(its)
            elif isinstance(mine, dict):
                mine.update(its)
            elif isinstance(mine, Counts | LeftOut):
                mine.add(its)
        self.resolution_ms = max(self.resolution_ms, other.resolution_ms)
        self.placed_ms = max(self.placed_ms, other.placed_ms)

    def take(self, row: Row) -> None:
        """Keep a row, by its kind."""
        kept = self.rows if row.kind in SHOWN else self.evidence if row.kind in EVIDENCE else self.context
        kept.append(row)
