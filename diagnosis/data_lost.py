"""Whether a group lost what its coordinator knew of it: its generation begins again, its commits are gone."""

from __future__ import annotations

from typing import NamedTuple

from groupsim.diagnosis.finding import Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.said import Said
from groupsim.incidents.logs.row_kinds import RowKind

KEEP_DATA = (
    Remedy(
        "find out whether the broker lost its data or the clients reached another cluster: its log.dirs must outlive a"
        " restart (a volume of its own), and bootstrap.servers must name the same cluster",
        ("log.dirs", "bootstrap.servers"),
        brief="keep the broker's log.dirs over a restart",
    ),
)


OTHER_CLUSTER = (
    Remedy(
        "compare the cluster ids that the client prints (`Cluster ID:`): if they are the same, the offsets expired"
        " (offsets.retention.minutes) or the broker lost its log.dirs; if not, bootstrap.servers names another cluster",
        ("bootstrap.servers", "offsets.retention.minutes", "log.dirs"),
        brief="see whether it is another cluster now",
    ),
)


class DataLost(NamedTuple):
    """What is said of it, behind another sentence, its lines, and what to do."""

    what: str
    said: list[Said]
    do: tuple[Remedy, ...]
    confirm: str | None = None


def data_lost(log: GroupLog) -> DataLost | None:
    """The first sign of it: a broker's generation 0 after a higher one, or no committed offset after a restart."""
    before: int = 0
    for line in log.broker:
        if line.row.kind is RowKind.GROUP_DEAD:  # it was deleted, or all its offsets expired: that is no loss
            before = 0
        old, new = line.row.detail.get("old_generation"), line.row.detail.get("generation")
        if line.row.kind is RowKind.REBALANCE_START and old == 0 and before > 0:
            proof = (
                f"it begins again at generation 0, after {before:,}: compare cluster.id in the broker's meta.properties"
            )
            return DataLost("its broker had lost the group's data", [line], KEEP_DATA, proof)
        before = max([before, *(number for number in (old, new) if isinstance(number, int))])
    return _no_commit_found(log)


def _no_commit_found(log: GroupLog) -> DataLost | None:
    """A client that had begun at a committed offset finds none of the same partition later."""
    for said in log.clients.values():
        committed: set[object] = set()
        for line in said:
            if line.row.kind is RowKind.CLIENT_POSITION and line.row.detail.get("committed"):
                committed.add(line.row.detail.get("partition"))
            elif line.row.kind is RowKind.CLIENT_NO_OFFSET and line.row.detail.get("partition") in committed:
                return DataLost("its committed offsets were gone", [line], OTHER_CLUSTER)
    return None
