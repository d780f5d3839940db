"""karafka (Ruby, on librdkafka): its LoggerListener's lines about rebalances, one for each topic."""

from __future__ import annotations

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.patterns import Detail, Match, Wording, first_match, wording

_GROUP = r"Group (?P<group>[^\s:]{1,300}) rebalance: "
_PARTITIONS = r"Partition\(s\) (?P<numbers>\d[\d, ]{0,40000}) of (?P<topic>[\w.-]{1,249}) "


def _of_topic(detail: Detail, record: Record) -> None:
    topic, numbers = detail.pop("topic"), str(detail.pop("numbers"))
    detail["partitions"] = [f"{topic}-{int(number)}" for number in numbers.replace(",", " ").split()]


def _none(detail: Detail, record: Record) -> None:
    detail["partitions"] = []


WORDINGS: tuple[Wording, ...] = (
    wording("listener_assigned", " rebalance: ", _GROUP + _PARTITIONS + "assigned", _of_topic),
    wording("listener_revoked", " rebalance: ", _GROUP + _PARTITIONS + "revoked", _of_topic),
    wording("listener_lost", " rebalance: ", _GROUP + _PARTITIONS + "lost", _of_topic),
    wording("listener_assigned", " rebalance: ", _GROUP + "No partitions assigned", _none),
    wording("listener_revoked", " rebalance: ", _GROUP + "No partitions revoked", _none),
    wording("rebalance_failed", "Rebalance callback error", r"(?P<error>Rebalance callback error occurred: .{1,600})"),
)


def read(record: Record) -> tuple[Match, ...] | None:
    """The rows of a karafka record; None if no wording fits."""
    return first_match(WORDINGS, record)
