"""How many partitions were surely unavailable, and possibly: what the account proves where logs support no total."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from msgspec import structs

from groupsim.incidents.account.accounts import accounts_in_order
from groupsim.incidents.account.alike import one_of_each
from groupsim.incidents.account.group import Account
from groupsim.incidents.account.spans import INF
from groupsim.incidents.account.unavailable import unavailable
from groupsim.incidents.facts.clock_check import ClockCheck
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.doubts.find import Imported
from groupsim.incidents.logs.client_libraries import of_streams
from groupsim.incidents.logs.rows import Reading, is_broker
from groupsim.incidents.logs.times import instant
from groupsim.storage.log_gaps import Counts, Proved


def proved(known: Imported, clocks: ClockCheck) -> list[Proved]:
    """Of the groups of consumers; not of tasks and connectors, which are more than partitions that a consumer has, nor
    of groups in `__consumer_offsets`, which has its own bounds.

    A group whose members speak both protocols is not: what a line of the one leaves out may stand in lines of the
    other. A broker's log with gaps is left out, as one that is not given. Coarse times hide short silences: with them
    nothing surely runs, and there is no upper count.
    """
    others = known.index.workers.keys() | known.reading.topic.keys() | _of_streams(known.rows)
    gaps = {doubt.group for doubt in known.silent}
    one = one_of_each(_without_brokers(known.reading, gaps))
    found: list[Proved] = []
    for account in accounts_in_order(one.reading, clocks, known.session_timeout_ms):
        if account.group in others or account.of_both_protocols or not account.named:
            continue
        topics = known.index.topics[account.group]
        whole = unavailable(
            account,
            (known.origin, known.ended),
            partitions=sum(max(count, known.topics.get(topic, 0)) for topic, count in topics.items()),
            are_all=bool(topics) and known.topics.keys() >= topics.keys(),
            stands_for=one.stands_for,
            broker_ends=_broker_ends(known.reading, account),
        )
        coarse = clocks.precision.resolution_ms or clocks.precision.placed_ms
        most = None if whole.most is None or coarse else _since(whole.most, known.origin)
        found.append(Proved(account.group, _since(whole.least, known.origin), most))
    return found


def _without_brokers(reading: Reading, groups: AbstractSet[str]) -> Reading:
    """The reading without what brokers say of these groups."""
    if not groups:
        return reading
    rows, context = (
        [row for row in each if not (row.group in groups and is_broker(row))]
        for each in (reading.rows, reading.context)
    )
    return structs.replace(reading, rows=rows, context=context)


def _broker_ends(reading: Reading, account: Account) -> int:
    """When the broker's logs end, on whatever line."""
    files = {said.row.file: said.when.lo for said in account.brokers}
    ends = (max(lo, instant(reading.ends[file]) if reading.ends.get(file) else lo) for file, lo in files.items())
    return max(ends, default=INF)


def _of_streams(rows: Sequence[TimedRow]) -> set[str]:
    """Groups of Kafka Streams."""
    return {
        row.group
        for _, row in rows
        if row.group is not None
        and (row.detail.get("group_type") == "streams" or any(map(of_streams, (row.client or "", row.member or ""))))
    }


def _since(counts: Counts, origin: int) -> list[tuple[int, int]]:
    return [(at - origin, count) for at, count in counts]
