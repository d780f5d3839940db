"""What was asked for and is not in the files: groups, a period, files that have nothing about groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import PurePath

from groupsim.incidents.exports.empty_documents import NOT_A_TEXT
from groupsim.incidents.logs.rows import Reading
from groupsim.incidents.offsets_topic.live import partition_of
from groupsim.wording.lists import listed, quoted
from groupsim.wording.numbers import counted

_EXPECTED = (
    "; expected are logs of Kafka brokers or clients, exports of a log platform, or of __consumer_offsets: segments,"
    " what kafka-dump-log --offsets-decoder prints, or a recording"
)
_NOTHING = "none about a consumer group"
_NAMED, _NEAR, _SKIPPED = 10, 5, 3
_USUAL_PARTITIONS = 50
"""offsets.topic.num.partitions, by default."""
_LIST = "`groupsim read --groups` with the same files lists all"


def nothing_to_import(reading: Reading) -> str:
    """Why there is nothing to import: no lines about groups, none that was asked for, or none with a time."""
    left = reading.left_out
    absent = [group for group in reading.asked if group not in left.groups]
    if absent and left.groups:
        return f"{'; '.join(not_there(group, left.groups, _unit(reading)) for group in absent)}; nothing to import"
    if left.rows:
        return (
            f"none of the {counted(left.rows, 'line')} about groups is {_period(reading)}: they are {_span(reading)};"
            " nothing to import"
        )
    if bare := [group for group, history in reading.topic.items() if not history.ledger.said]:
        commits = sum(len(reading.topic[group].commits) for group in bare)
        return (
            f"__consumer_offsets has {counted(commits, 'commit')} of {_groups(bare)}, and no members: its consumers"
            " choose their partitions themselves (assign), or its last generation is in an older segment; nothing to"
            " import"
        )
    if any(row.at is not None for row in reading.rows):
        return (
            f"no line names its consumer group: {counted(len(reading.rows), 'line')} about groups could be recognised,"
            " with times; give the group's name with --group, or add a line that names it"
        )
    if reading.rows:
        return (
            f"no line names a consumer group at a known time: {counted(len(reading.rows), 'line')} about groups"
            " could be recognised, but none has a time; export the logs with their times"
        )
    aside = [row for row in (*reading.context, *reading.evidence) if row.group is not None]
    if aside:
        groups = sorted({str(row.group) for row in aside})
        return (
            f"{counted(len(aside), 'line')} of {_groups(groups)} could be recognised, but none shows a member that"
            " joins or an assignment; `groupsim explain` says what they show; nothing to import"
        )
    if reading.counts.unrecognised and not reading.answers:
        return (
            f"no line names a consumer group in a known wording; {counted(reading.counts.unrecognised, 'line')} may be"
            " about groups: `groupsim read --unrecognised` lists them"
        )
    return nothing_read(reading.counts.lines, reading.skipped, (*reading.damage, *reading.notes))


def nothing_read(lines: int, skipped: Mapping[str, str], more: Sequence[str] = ()) -> str:
    """That no file has anything about groups, and what each has instead, as `skipped` says; what is expected, else."""
    known = {file: why for file, why in skipped.items() if _NOTHING not in why}
    held = [f"it {why}" if len(skipped) == 1 else f"{PurePath(file).name} {why}" for file, why in known.items()]
    if any(why == NOT_A_TEXT for why in known.values()):
        held = [*held[:_SKIPPED], "a segment of __consumer_offsets is known by its first bytes, or by 20 digits.log"]
    said = "; ".join([f"{counted(lines, 'line')} read", *held[: _SKIPPED + 1], *more[:_SKIPPED]])
    return f"no line names a consumer group ({said}){'' if held else _EXPECTED}; nothing to import"


def not_there(group: str, there: Mapping[str, int], unit: str) -> str:
    """That no line or record is of the group, those of near names, and how to list all that are there."""
    near = near_names(group, there)
    shown = near or sorted(there, key=lambda name: (-there[name], name))
    names = [f'"{name}" ({counted(there[name], unit)})' for name in shown]
    others = len(there) - len(shown[:_NAMED])
    which = f"near names are {listed(names, _NAMED)}" if near else f"there are {listed(names, _NAMED)}"
    rest = f"; {counted(len(there), 'group')} in all, {_LIST}" if others else ""
    return f'no line or record is of the group "{group}"; {which}{rest}'


def near_names(group: str, there: Mapping[str, int]) -> list[str]:
    """The nearest few names: first those that are written much like it, then those that it is a part of or contains."""
    asked = group.casefold()
    folded: dict[str, str] = {name.casefold(): name for name in sorted(there)}
    like = [folded[name] for name in get_close_matches(asked, sorted(folded), n=_NEAR, cutoff=0.75)]
    inside = [name for name in there if asked in name.casefold() or name.casefold() in asked]
    inside.sort(
        key=lambda name: (not name.casefold().startswith(asked), abs(len(name) - len(asked)), -there[name], name)
    )
    return list(dict.fromkeys([*like, *inside]))[:_NEAR]


def remarks_on_asked(reading: Reading) -> list[str]:
    """Sentences on groups asked for that are not there while others are, on what is cut off, and on files left out."""
    return [*_absent(reading), *_cut_off(reading), *_later(reading), *left_out(reading.skipped)]


def left_out(skipped: Mapping[str, str]) -> list[str]:
    """A sentence on the files that have nothing about groups, each with what it has instead; none if there are none."""
    files = [f"{PurePath(file).name} {why}" for file, why in skipped.items()]
    files.sort(key=lambda said: "beside its segments" in said)
    if not files:
        return []
    one = len(files) == 1
    return [
        f"{counted(len(files), 'file')} {'was' if one else 'were'} left out, with nothing about groups in"
        f" {'it' if one else 'them'}: {'; '.join(files[:_SKIPPED])}"
        + (f"; and {len(files) - _SKIPPED} more" if len(files) > _SKIPPED else "")
    ]


def _absent(reading: Reading) -> list[str]:
    here = {row.group for row in (*reading.rows, *reading.context)} | reading.topic.keys()
    there = reading.left_out.groups
    found = [
        not_there(group, there, _unit(reading)) if there else f'no line or record is of the group "{group}"'
        for group in reading.asked
        if group not in here and group not in there
    ]
    named = sorted({row.group for row in reading.rows if row.group is not None} - reading.topic.keys())
    topic_others = "__consumer_offsets" if reading.topic_given and not reading.topic else ""
    if topic_others and named:
        where = ", ".join(f"of {name} {partition_of(name, _USUAL_PARTITIONS)}" for name in named[:_SKIPPED])
        found.append(
            f"the files of __consumer_offsets have no record of {_groups(named)}, so only the logs count; each group's"
            f" records are in one partition of the topic (if it has {_USUAL_PARTITIONS}: {where})"
        )
    return found


def _cut_off(reading: Reading) -> list[str]:
    """Which logs have lines about the groups, but none in the period."""
    logs = [
        PurePath(name).name + (f" ({left.first} to {left.last})" if left.first is not None else "")
        for name, left in reading.cut_off.items()
    ]
    if not logs:
        return []
    return [
        f"{counted(len(logs), 'log')} {'has' if len(logs) == 1 else 'have'} no line about groups {_period(reading)}, so"
        f" {'it says' if len(logs) == 1 else 'they say'} nothing here: {listed(logs, _SKIPPED)}"
    ]


def _later(reading: Reading) -> list[str]:
    """That what came after the period may be of deaths in it."""
    last, until = reading.left_out.last, reading.until
    if (
        until is None
        or last is None
        or last < until
        or not {row.group for row in reading.rows} & {*reading.left_out.groups}
    ):
        return []
    return [
        f"the logs go on after --until {until}: a member that died before, and was removed after it, counts as serving"
        " to the end; import more, and ask `groupsim unavailable RUN --between` for the time before"
    ]


def _unit(reading: Reading) -> str:
    return "record" if reading.topic_given else "line"


def _period(reading: Reading) -> str:
    ends = (f"--since {reading.since}" if reading.since else "", f"--until {reading.until}" if reading.until else "")
    return f"in the period asked for ({' '.join(each for each in ends if each)})"


def _span(reading: Reading) -> str:
    left = reading.left_out
    return "without times" if left.first is None else f"from {left.first} to {left.last}"


def _groups(names: list[str]) -> str:
    return f"the group{'' if len(names) == 1 else 's'} {listed(quoted(names))}"
