"""The account's bounds of recordings beside the import's: `python -m tests.incidents.account.recordings`.

Of each recording of the folders given (else of all beside the checkout) the logs of all, of the clients, of the broker,
of one client, of all clients but one, and of all but one client with the broker's. Both are asked about the part of the
recording's window that these logs reach into, without its session timeout. A bound is false if the recorded
partition-ms are beside it by more than 5 % and 200 ms. Prints a line for each kind, and each false bound.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from groupsim.conformance.predictions.families import read_record
from groupsim.events.types import TopicPartition
from groupsim.incidents.account.accounts import accounts_of
from groupsim.incidents.account.group import Account
from groupsim.incidents.account.spans import both, length, union
from groupsim.incidents.account.unavailable import total as total_of
from groupsim.incidents.account.unavailable import unavailable
from groupsim.incidents.errors import LogError
from groupsim.incidents.logs.reading import read_files
from tests.incidents.recordings import BOTH, BROKER, CLIENTS, SHARED, began, in_folder, logs_of
from tests.incidents.unavailable import NEAR_MS, NEAR_SHARE, total

PLACES = ("recordings", "recordings-848", "recordings-pairs")


class Bounds(NamedTuple):
    """In partition-ms; None: no upper bound."""

    least: int
    most: int | None

    def false(self, truth: int) -> bool:
        """Whether the recorded time is beside them."""
        slack = max(NEAR_MS, NEAR_SHARE * truth)
        return self.least > truth + slack or (self.most is not None and self.most < truth - slack)

    def meet(self, other: Bounds) -> Bounds:
        """What both say."""
        most = [each for each in (self.most, other.most) if each is not None]
        return Bounds(max(self.least, other.least), min(most, default=None))


def given(folder: Path) -> Iterator[tuple[str, list[Path]]]:
    """Kinds of subsets of a recording's logs, each with the logs."""
    clients, broker = logs_of(folder, CLIENTS), logs_of(folder, BROKER)
    yield "all", logs_of(folder, BOTH)
    yield "clients alone", clients
    if broker:
        yield "broker alone", broker
    names = sorted({log.name.split(".")[0] for log in clients})
    if len(names) > 1:
        for name in names:
            own = [log for log in clients if log.name.split(".")[0] == name]
            others = [log for log in clients if log not in own]
            yield "one client", own
            yield "all clients but one", others
            if broker:
                yield "broker, all clients but one", [*others, *broker]


def by_import(logs: Sequence[Path], truth: dict[str, Any]) -> Bounds:
    """Of the import, of labels that a recording knows."""
    said = total(logs, truth, session=False)
    return Bounds(said.held_ms, said.held_ms) if said.exact else Bounds(said.at_least_ms, said.at_most_ms)


def account_of(logs: Sequence[Path], truth: dict[str, Any]) -> Account | None:
    """None where its group is not there, or is of both protocols."""
    wanted = truth["config"].get("group_id")
    accounts = [each for each in accounts_of(read_files(logs)) if each.group == wanted or not wanted]
    return accounts[0] if len(accounts) == 1 and not accounts[0].of_both_protocols else None


def by_account(account: Account, truth: dict[str, Any]) -> Bounds:
    """Of the account. The lower one counts whoever holds a partition: a recording does not ask who is a member."""
    lo, hi = (at + began(truth) for at in truth["summary"]["window_ms"])
    found = unavailable(account, (lo, hi))
    least = sum(_not_held(account, partition, lo, hi) for partition in account.named)
    return Bounds(least, None if found.most is None else total_of(found.most, lo, hi))


def _not_held(account: Account, partition: TopicPartition, lo: int, hi: int) -> int:
    held = union(
        account.others(partition),
        *(both(own.runs.possibly(True), own.holding(partition).possibly(True)) for own in account.incarnations),
    )
    since = max(lo, min((begin for begin, _ in held), default=hi))
    return max(0, hi - since) - length(held, since, hi)


def clipped(truth: dict[str, Any], account: Account) -> dict[str, Any] | None:
    """A recording in the part of its window that the logs reach into; None: in none."""
    begin, end = truth["summary"]["window_ms"]
    begin, end = max(begin, account.begins - began(truth)), min(end, account.ends - began(truth))
    if end <= begin:
        return None
    gaps = (gap for gaps in truth["unavailable"].values() for gap in gaps)
    ms = sum(max(0, min(end, b) - max(begin, a)) for a, b in gaps)
    return truth | {"summary": {"window_ms": [begin, end], "unavailable_partition_ms": ms}}


class Row(NamedTuple):
    """One recording with one kind of logs."""

    name: str
    truth: int
    import_: Bounds
    account: Bounds


def rows(folder: Path) -> Iterator[tuple[str, Row]]:
    """Of one recording; nothing of logs that the import refuses."""
    truth = read_record(folder)
    if "summary" not in truth or "window_ms" not in truth["summary"] or not truth["config"].get("partitions"):
        return
    for kind, logs in given(folder):
        with suppress(LogError):
            account = account_of(logs, truth)
            part = None if account is None else clipped(truth, account)
            if account is not None and part is not None:
                ms = part["summary"]["unavailable_partition_ms"]
                yield kind, Row(folder.name, ms, by_import(logs, part), by_account(account, part))


def _line(kind: str, found: Sequence[Row], which: str, bounds: Sequence[Bounds]) -> str:
    widths = [each.most - each.least for each in bounds if each.most is not None]
    false = sum(each.false(row.truth) for each, row in zip(bounds, found, strict=True))
    least = sum(each.least for each in bounds)
    width = f"median width {median(widths):,.0f}" if widths else "no width"
    return (
        f"{kind:28} {which:8} {len(found):5} with an upper bound {len(widths):5} {width}; "
        f"lower bounds {least:,} of {sum(row.truth for row in found):,}; false {false}"
    )


def main(arguments: list[str]) -> int:
    """Print the table; 0 if no bound of the account is false."""
    parser = argparse.ArgumentParser(prog="python -m tests.incidents.account.recordings")
    parser.add_argument("folder", nargs="*", type=Path)
    parser.add_argument("--every", type=int, default=1, help="only each N-th recording")
    options = parser.parse_args(arguments)
    places = options.folder or [SHARED / place for place in PLACES]
    found: dict[str, list[Row]] = defaultdict(list)
    for folder in [folder for place in places for folder in in_folder(place)][:: options.every]:
        for kind, row in rows(folder):
            found[kind].append(row)
            if row.account.false(row.truth):
                print(f"false: {kind}: {row.name}: {row.account} of {row.truth}; import {row.import_}", flush=True)
    for kind, each in found.items():
        for which, bounds in (
            ("import", [row.import_ for row in each]),
            ("account", [row.account for row in each]),
            ("both", [row.import_.meet(row.account) for row in each]),
        ):
            print(_line(kind, each, which, bounds))
    return int(any(row.account.false(row.truth) for each in found.values() for row in each))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
