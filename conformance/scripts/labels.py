"""Member ids and their labels in a script: `m1#2` is the second id that client `m1` was given."""

from __future__ import annotations

from groupsim.events.types import MemberId


class MemberLabels:
    """Ids by label and labels by id.

    Ids that are given between two requests have no order of their own: the id of the earlier request counts first.
    """

    def __init__(self) -> None:
        self.labels: dict[MemberId, str] = {}
        self._ids: dict[str, list[MemberId]] = {}
        self._new: list[tuple[int, str, MemberId]] = []

    def given(self, step: int, client: str, member: MemberId) -> None:
        """The answer to a step gives a client this id."""
        self._new.append((step, client, member))

    def settle(self) -> None:
        """Another request is sent, or the script is over: ids given since the last one get their labels."""
        for _, client, member in sorted(self._new):
            if member and member not in self.labels:
                ids = self._ids.setdefault(client, [])
                ids.append(member)
                self.labels[member] = f"{client}#{len(ids)}"
        self._new.clear()

    def resolve(self, label: str) -> MemberId:
        """The id of `m1#2`; any other text is returned unchanged."""
        client, separator, number = label.rpartition("#")
        ids = self._ids.get(client, [])
        if separator and number.isdigit() and 0 < int(number) <= len(ids):
            return ids[int(number) - 1]
        return label
