"""LogReader: one log into rows: candidate lines become records, and records that are recognised become rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from groupsim.incidents.logs import unknown_errors
from groupsim.incidents.logs.formats import MESSAGES, Record, clean, parse, starts_record
from groupsim.incidents.logs.local_times import LocalTimes
from groupsim.incidents.logs.missing_days import Dating, day
from groupsim.incidents.logs.multiline import TRACE, block, join_lines, lines_below, may_be_cut
from groupsim.incidents.logs.patterns import Match
from groupsim.incidents.logs.producers.exceptions import of_a_group
from groupsim.incidents.logs.recognition import concerns_a_group, recognise
from groupsim.incidents.logs.repeated import settle_assignments, settle_callbacks
from groupsim.incidents.logs.row_kinds import WEAK
from groupsim.incidents.logs.rows import Counts, Row, UnrecognisedLine
from groupsim.incidents.logs.scan import Scan, Window
from groupsim.incidents.logs.scanned_words import TROUBLES
from groupsim.incidents.logs.thrown import with_thrown
from groupsim.incidents.logs.times import Stamp, iso, parse_zone

UNRECOGNISED_KEPT = 10_000
GROUP_ACTIVITY = re.compile(
    rb"[Jj]oin|[Ss]ync|[Ll]eav|[Ll]eft|ssign|evo[kc]|[Ll]ost|eneration|ember|ffset|ubscri|tabiliz|oordinat|ebalanc|eartbeat"
    rb"|onsumer group|(?:Consumer|Distributed|Streams)Config|UUID from|fresh process|kafkajs|poll|[Dd]ead|empty|load"
    rb"|fenced|epoch|ommit"
    rb"|kafka(?: server|\.(?:common\.)?errors)|INCONSISTENT_|GROUP_"
    rb"|record store|econcil|alanced|laims|REVOK|ASSIGN|LOST|Kafka|rdk|thrd:|BrokerServer|state|Bootstrap b|Rebootstr"
    + rb"|onnection to node|configs? updated|config (?:removed|update by|state)|atal exception|to unexpected error"
    + rb"|rovided listener|ncaught exception in herder|Error sending fetch|robing|followup|restoring|\] task \[|"
    + b"threads have died|Herder starting|(?:Start|Stopp)ing (?:connector|task) |tarting connectors|topping tasks in|"
    + b"inished creating connector|finished initialization|WorkerConnector{|"
    + b"|".join(map(re.escape, TROUBLES))
)
"""A candidate line without any of these is not read further: a shop's user groups, say."""
_FREQUENT = (b"oordinat", b"ember", b"ebalanc", b"ssign", b"eneration", b"onsumer group", b"rdk", b"Kafka")
"""Words of the pattern that most lines about groups have: found sooner than by it."""
_OPENERS = ("Updating assignment with", "Reconciling assignment with")
_WRAPPED = 5
_GOES_ON = re.compile(r" {1,12}(?!at |\.\.\. |Caused by)[\w(\[]")
"""A line of a sentence that was broken by hand or by a viewer, set in below its first; no frame of a stack trace."""
_DOTNET_INDENT = " " * 6
_DOTNET = re.compile(r"(?:^|\s)(?:trce|dbug|info|warn|fail|crit): [\w.+`<>-]{1,300}\[\d{1,9}\]\s{0,4}$")
_SOURCE = re.compile(r"(?:[\w$]{1,100}\.){1,20}[\w$]{1,100}(?: [\w$<>]{1,100})?")


def has_group_activity(line: bytes) -> bool:
    """Whether a line has any of the words of GROUP_ACTIVITY."""
    for word in _FREQUENT:  # a loop: `any` takes as long as the pattern
        if word in line:
            return True
    return GROUP_ACTIVITY.search(line) is not None


class LogReader:
    """One log. Iterating gives its rows in line order, in constant memory; the counts grow meanwhile.

    `date` (YYYY-MM-DD) is the day on which times begin that have no day; `dayless` counts the rows that stay without
    a time for want of one. Rows of kinds outside `row_kinds.SHOWN` are among the rows. `progress` is called with the
    number of bytes taken from the file. Raises LogError if the file can't be read.
    """

    def __init__(
        self,
        path: Path,
        *,
        tz: str | None = None,
        skew_ms: int = 0,
        date: str | None = None,
        name: str | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.file = str(path) if name is None else name
        self.counts = Counts()
        self.unrecognised: list[UnrecognisedLine] = []
        self.damage: list[str] = []
        self.missing: list[str] = []
        self.remarks: list[str] = []
        self._seen: set[int] | frozenset[int] | None = None
        self.last_at: str | None = None
        self.dayless = 0
        self._dating = None if date is None else Dating(day(date))
        self._times = LocalTimes(parse_zone(tz), self.file)
        self._skew_ms = skew_ms
        self._scan = Scan(path, progress)
        self._timed = False
        self._read_to = 0
        self._groups: dict[str, str] = {}
        self._errors = self._looked_at = 0

    def __iter__(self) -> Iterator[Row]:
        yield from settle_callbacks(settle_assignments(self._rows()))

    def _rows(self) -> Iterator[Row]:
        for window in self._scan.windows():
            if window.number > self._read_to and not self._stands_twice(window):
                yield from self._read(window)
        self.counts.lines = self._scan.lines
        self.last_at = self._last_at()
        self._times.end()
        self.damage = [*self._scan.damage, *self._times.doubts]
        self.missing = [*self._scan.missing, *self._times.doubts]

    def _stands_twice(self, window: Window) -> bool:
        """Whether the line is the second of two that are the same, in a log of which nearly all lines are."""
        if self._seen is None:
            self._seen = set() if window.begins_doubled() else frozenset()
            if isinstance(self._seen, set):
                self.remarks.append(f"{self.file}: lines stand twice; each is read once")
        if not isinstance(self._seen, set) or not starts_record(clean(window.line)):
            return False
        twin = hash(window.line)
        if twin in self._seen:
            self._seen.remove(twin)
            return True
        self._seen.add(twin)
        return False

    def _last_at(self) -> str | None:
        """The UTC instant of the file's last line with a time, whatever that line is about."""
        for raw in reversed(self._scan.tail.split(b"\n")):
            stamp = parse(0, clean(raw)).stamp if raw.strip() else None
            ms = self._utc(stamp)
            if ms is not None:
                return iso(ms + self._skew_ms)
        return None

    def _utc(self, stamp: Stamp | None) -> int | None:
        """UTC milliseconds of a stamp; None if it is not known of which day it is."""
        if stamp is None:
            return None
        return self._times.utc(stamp if self._dating is None else self._dating.complete(stamp))

    def _read(self, window: Window) -> Iterator[Row]:
        raw = window.line
        active = has_group_activity(raw) or self._may_be_error(raw)
        if not active and not may_be_cut(window):
            return
        text, line = clean(raw), window.number
        joined = join_lines(window, text)
        if joined is None and not active:
            return
        if joined is not None:
            text, line = joined.text, line - joined.before
            self._read_to = window.number + joined.after
        record = parse(line, text)
        if record.stamp is None and record.level is not None:
            self._take_time_above(window, record)
        elif record.stamp is None and text.startswith(_DOTNET_INDENT):
            self._take_category_above(window, record)
        elif record.stamp is not None and record.text.count(" ") < 2 and _SOURCE.fullmatch(record.text):
            return
        self._timed = self._timed or (record.stamp is not None and record.stamp.ms is not None)
        if any(opener in record.text for opener in _OPENERS):
            record = replace(record, more=record.more + tuple(block(window, max(0, self._read_to - window.number))))
        elif not record.more and (below := lines_below(window, record.text, max(0, self._read_to - window.number))):
            record = replace(record, more=tuple(below))
            self._read_to = max(self._read_to, window.number) + len(below)
        elif record.logger is None or record.logger.startswith("rdkafka"):
            longer = self._joined_below(window, text, record)
            if longer is not None:
                record = longer
        found = recognise(record)
        if found is None and record.stamp is None and self._timed:
            found, record = self._joined_above(window, text, record)
        if found is None:
            if concerns_a_group(record.text):
                self._unrecognised(record.line, text)
            yield from self._unknown_error(record)
            return
        if not found or found[0].kind not in WEAK or found[0].group is not None or of_a_group(found[0]):
            self.counts.recognised += 1
        found = with_thrown(found, record, window, max(0, self._read_to - window.number))
        yield from (self._row(record, each) for each in found)

    def _may_be_error(self, line: bytes) -> bool:
        """Whether a line is to be read for an error; of a log with many, only the first ones are."""
        if self._looked_at < 0 or not unknown_errors.may_be_error(line):
            return False
        self._looked_at += 1
        if self._looked_at == unknown_errors.LOOKED_AT or self._errors == unknown_errors.KEPT:
            self._scan.words, self._looked_at = TROUBLES, -1
        return True

    def _unknown_error(self, record: Record) -> Iterator[Row]:
        error = unknown_errors.read(record) if self._errors < unknown_errors.KEPT else None
        if error is not None:
            self._errors += 1
            yield self._row(record, error)

    def _take_time_above(self, window: Window, record: Record) -> None:
        """java.util.logging prints the time on a line of its own, with class and method, above the message."""
        for raw in window.preceding(1):
            above = parse(record.line - 1, clean(raw))
            if above.stamp is not None and _SOURCE.fullmatch(above.text):
                record.stamp, record.line = above.stamp, above.line

    def _take_category_above(self, window: Window, record: Record) -> None:
        """ASP.NET Core's console prints time, level and category on a line of their own, above the indented message."""
        for raw in window.preceding(1):
            above = clean(raw)
            if _DOTNET.search(above[-400:]) is not None:
                record.stamp, record.line = parse(0, above).stamp, record.line - 1
                record.level = record.level or "INFO"

    def _joined_below(self, window: Window, text: str, record: Record) -> Record | None:
        """The record with its hard-wrapped lines joined, if it has any and the whole says more than its first line."""
        if (record.stamp is None and not record.text.startswith(MESSAGES)) or len(text) < 60 or record.fields:
            return None
        lines: list[str] = []
        set_in = False
        for raw in window.following(_WRAPPED):
            line = clean(raw)
            goes_on = _GOES_ON.match(line) is not None
            if not line or starts_record(line) or (set_in and not goes_on) or (TRACE.match(line) and not goes_on):
                break
            below = parse(0, line)
            if below.text.startswith(MESSAGES) or recognise(below):
                break  # another record, perhaps one without a time
            set_in = goes_on
            lines.append(line.strip() if goes_on else line)
        glues = (" ",) if set_in else ("", " ")
        for glue in glues if lines else ():
            whole = parse(window.number, glue.join((text, *lines)))
            if whole.logger is not None and recognise(whole):
                self._read_to = window.number + len(lines)
                return whole
        if lines and not recognise(record):
            for glue in glues:
                whole = parse(window.number, glue.join((text, *lines)))
                if recognise(whole):
                    self._read_to = window.number + len(lines)
                    return whole
        return None

    def _joined_above(self, window: Window, text: str, record: Record) -> tuple[tuple[Match, ...] | None, Record]:
        """A line without a time may be the rest of a wrapped record: look for its head above."""
        if TRACE.match(text):
            return None, record
        lines = [text]
        for back, raw in enumerate(window.preceding(_WRAPPED), 1):
            line = clean(raw)
            lines.insert(0, line)
            if starts_record(line):
                if recognise(parse(0, line)) is not None:
                    break  # whole without this line
                for glue in ("", " "):
                    whole = parse(window.number - back, glue.join(lines))
                    found = recognise(whole)
                    if found:
                        return found, whole
                break
            if not line or TRACE.match(line):
                break
        return None, record

    def _unrecognised(self, line: int, text: str) -> None:
        self.counts.unrecognised += 1
        if len(self.unrecognised) < UNRECOGNISED_KEPT:
            self.unrecognised.append(UnrecognisedLine(self.file, line, text[:2000]))

    def _row(self, record: Record, match: Match) -> Row:
        ms = self._utc(record.stamp)
        self.dayless += ms is None and record.stamp is not None
        group, client = match.group, match.client
        if client is not None:
            group = group or self._groups.get(client) if (record.logger or "").startswith("rdkafka") else group
            if group is not None:
                self._groups[client] = group
        at = None if ms is None else iso(ms + self._skew_ms)
        return Row(
            self.file,
            record.line,
            at,
            match.kind,
            group,
            match.member,
            client,
            match.detail,
            match.program,
            resolution_ms=0 if record.stamp is None else record.stamp.resolution_ms,
            multiple_ms=1 if record.stamp is None else record.stamp.multiple_ms,
        )
