"""Sentences on why a total is unknown. There may be thousands of reasons: of those that are alike a few are shown."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from groupsim.analysis.availability.causes import START
from groupsim.analysis.availability.labels import Interval, SubLabel
from groupsim.wording.names import plain
from groupsim.wording.numbers import counted

NO_PARTITION = "no log names a partition"

_ALIKE = 3
"""So many reasons that are alike are shown."""
_MOST = 12
"""So many reasons are shown in all."""
_NAMED = 2
_LITTLE = 0.01
"""Members that served less than this share of the time that members without a log did are not named."""
_NO_ID = "-?"
"""The end of a static member's id that no log shows: before it is its `group.instance.id`."""

_NAME = re.compile(r"\([^()]*\)|\b(?:group|member) \S+|^\S+:|\S*\d\S*")
"""What differs between reasons that are alike: what is in brackets, groups, members, files, times and numbers."""

_ADVICE = "; export "
_EXPORT = "; export the missing logs of members and of the broker"
_WHY_OPEN = {
    START: ": who had the partitions before the logs begin is not in them; export from before the incident",
    SubLabel.ONLY_CLIENTS: ": there are only logs of clients, and a client without a log may have had the partitions;"
    " export the broker's log",
    SubLabel.NOTHING_YET: ": the broker's log begins later; export its lines from before",
}
"""By what `open_by` says of UNKNOWN time: why it is unknown, and what to export."""


def few_of_each(reasons: Sequence[str]) -> list[str]:
    """The reasons; of those that are alike the first three and how many more there are, and a dozen in all."""
    alike = defaultdict[str, list[str]](list)
    for reason in reasons:
        alike[_NAME.sub("", reason)].append(reason)
    last = {group[_ALIKE - 1]: len(group) - _ALIKE for group in alike.values() if len(group) > _ALIKE}
    first = {reason for group in alike.values() for reason in group[:_ALIKE]}
    chosen = [reason for reason in reasons if reason in first][:_MOST]
    rest = len(reasons) - len(chosen) - sum(last.get(reason, 0) for reason in chosen)
    several = [[reason, *([f"and {last[reason]:,} more like this one"] if reason in last else [])] for reason in chosen]
    other = [f"and {counted(rest, 'other reason')}"] if rest else []
    return [*(reason for pair in several for reason in pair), *other]


def in_one_sentence(reasons: Sequence[str]) -> str:
    """The reasons with semicolons; what several of them say is to be exported stands behind the last of them."""
    asked = [reason.partition(_ADVICE)[2] for reason in reasons]

    def follows(nth: int) -> bool:
        """Whether another reason says the same and more, or a later one the same."""
        return any(
            other.startswith(asked[nth]) and (other != asked[nth] or at > nth)
            for at, other in enumerate(asked)
            if other
        )

    return "; ".join(
        reason.partition(_ADVICE)[0] if asked[nth] and follows(nth) else reason for nth, reason in enumerate(reasons)
    )


def open_by(interval: Interval) -> str:
    """Which kind of UNKNOWN time this is: its sub-label, or that it is before the first assignment in the logs."""
    before = interval.member is None and (interval.cause == START or interval.from_ms == 0)
    return START if before and interval.sub_label != SubLabel.ONLY_CLIENTS else interval.sub_label or ""


def why_open(unknown_ms: Mapping[str, int]) -> str:
    """Why most time that is UNKNOWN is so, or only what to export, as the end of a sentence; by `open_by`."""
    most = max(unknown_ms, key=lambda kind: unknown_ms[kind], default="")
    return _WHY_OPEN.get(most, _EXPORT)


def unlogged_serving(intervals: Sequence[Interval]) -> str:
    """The sentence that members without a log may have served or not, so that there is no upper bound; who they are."""
    served = Counter[str]()
    for interval in intervals:
        if interval.sub_label == SubLabel.COORDINATOR_ONLY and interval.member is not None:
            served[interval.member.removesuffix(_NO_ID)] += interval.duration_ms
    few_ms = _LITTLE * served.total()
    ids = [name for name, ms in served.most_common() if ms >= few_ms]
    names = [plain(name) for name in ids if not any(member.startswith(f"{name}-") for member in ids)]
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    who = f"{', '.join(names[:_NAMED])}{more}" if names else "members without a log"
    its, log = ("its", "log") if len(names) == 1 else ("their", "logs")
    return f"no log shows whether {who} served {its} partitions all the time; export {its} {log}"
