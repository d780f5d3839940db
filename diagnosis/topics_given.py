"""Where no log names a partition: what `--topic NAME=PARTITIONS` would give, by an import that has it.

How many partitions there are changes the amount and not whether it is known: all are treated alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import structs

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.tables.bounds import Support, Supported
from groupsim.events.errors import GroupsimError
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.client_libraries import worker_of
from groupsim.incidents.logs.rows import Reading, Row
from groupsim.storage.memory import MemoryStore
from groupsim.wording.lists import listed, quoted

_MOST_ROWS = 20_000
"""With more of them it would take a second or more, and nothing is said."""
_MOST_GROUPS = 20
_ANY = {"?": 1}


def topics_would_give(reading: Reading, given: Mapping[str, int]) -> list[str]:
    """A sentence each on the groups whose total it makes known, and on those of which it gives bounds.

    None where partition counts were `given`, and where it gives nothing.
    """
    every = [*reading.rows, *reading.context, *reading.evidence]
    workers = {row.group for row in every if worker_of(row) is not None}
    groups = sorted({row.group for row in reading.rows if row.group is not None} - workers)
    if given or len(every) > _MOST_ROWS or not 0 < len(groups) <= _MOST_GROUPS:
        return []
    one = len(groups) == 1
    found = {group: _with_topic(reading if one else _of(reading, group)) for group in groups}
    known = [group for group, rests_on in found.items() if rests_on is not None and rests_on.unknown is None]
    bounded = [group for group, rests_on in found.items() if group not in known and _says_something(rests_on)]
    option = "`--topic NAME=PARTITIONS`" if one else "`--group NAME --topic NAME=PARTITIONS`"
    said = (("makes the total known", known), ("gives bounds of the total", bounded))
    return [f"{option} {what}{'' if one else f', of {_groups(of)}'}" for what, of in said if of]


def _groups(names: Sequence[str]) -> str:
    return f"group{'' if len(names) == 1 else 's'} {listed(quoted(names))}"


def _says_something(rests_on: Support | None) -> bool:
    return rests_on is not None and (rests_on.at_least_ms > 0 or (rests_on.at_most_ms or 0) > 0 < rests_on.known_share)


def _with_topic(reading: Reading) -> Support | None:
    store = MemoryStore()
    try:
        run = import_run(reading, store, name=None, topics=_ANY).run
    except GroupsimError:
        return None
    return Supported(run.summary, intervals(list(store.read(run.id)))).support_after_start()


def _of(reading: Reading, group: str) -> Reading:
    """What was read of one group, as with `--group`."""

    def own(rows: Sequence[Row]) -> list[Row]:
        return [row for row in rows if row.group in (group, None)]

    return structs.replace(
        reading, rows=own(reading.rows), context=own(reading.context), evidence=own(reading.evidence)
    )
