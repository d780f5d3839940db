"""Signs of life of members in `__consumer_offsets`: their commits, and the generations and epochs they were in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from groupsim.events.types import NO_GENERATION, GroupId, MemberId
from groupsim.incidents.offsets_topic.history import GroupHistory
from groupsim.incidents.offsets_topic.ledger import Membership, View
from groupsim.incidents.offsets_topic.unsettled import CommitTimes


class SignsOfLife:
    """Of all groups in the topic; there are none of other groups. Times are UTC milliseconds since 1970."""

    def __init__(self, histories: Mapping[GroupId, GroupHistory]) -> None:
        self._histories = histories
        self._commits = {
            group: CommitTimes(each.commits, each.ledger.holdings, each.ended_ms) for group, each in histories.items()
        }

    def last(self, group: GroupId, members: Iterable[MemberId], until_ms: int) -> int | None:
        """When one of these members (the ids of one process) certainly ran for the last time up to an instant."""
        found: list[int] = []
        for member in members if group in self._histories else ():
            committed = self._commits[group].last_of(member, until_ms)
            found += [] if committed is None else [committed]
            if (membership := self._histories[group].ledger.memberships.get(member)) is not None:
                found += [at for at in _steps(membership) if at <= until_ms]
        return max(found, default=None)

    def back(self, group: GroupId, member: MemberId, after_ms: int) -> bool:
        """Whether a member that was gone at an instant came back later under its id."""
        history = self._histories.get(group)
        known = None if history is None else history.ledger.memberships.get(member)
        return known is not None and any(v.at_ms > after_ms and v.generation != NO_GENERATION for v in known.views)

    def commit_due(self, group: GroupId, member: MemberId, until_ms: int) -> int | None:
        """When the next commit of a member would have come at the latest, if it committed regularly before.

        None if it did not, or if that is not before `until_ms`.
        """
        if group not in self._commits:
            return None
        commits = self._commits[group]
        last, gap_ms = commits.last_of(member, until_ms), commits.longest_gap_ms(member, until_ms)
        due = until_ms if last is None or gap_ms is None else last + gap_ms
        return due if due < until_ms else None


def _steps(membership: Membership) -> Iterable[int]:
    """When the member certainly ran: it came into an epoch with a heartbeat, and asked for a generation since its last.

    A classic member may be gone when the generation begins that it waited for (Kafka: its session begins anew then).
    """
    before: View | None = None
    for view in membership.views:
        if view.generation not in (NO_GENERATION if before is None else before.generation, NO_GENERATION):
            if not view.waited:
                yield view.at_ms
            elif before is not None:
                yield before.at_ms
        before = view
