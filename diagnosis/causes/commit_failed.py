"""A commit was refused."""

from __future__ import annotations

import re

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names, one_or_many
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Cost, Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.incidents.logs.row_kinds import RowKind

_DO = (
    Remedy(
        "commit in the revoked callback and make processing repeatable: what was done since the last commit is done"
        " again;"
        " the cause is what put the member out of its group",
        brief="make processing repeatable",
    ),
)

_DO_UNSENT = (
    Remedy(
        "nothing to change in the client: the next commit has the same offsets or later ones; see why the coordinator"
        " could not be reached",
        brief="see why the coordinator could not be reached",
    ),
)
_UNSENT = re.compile(r"NodeNotReady|disconnect|ConnectionError|timed.?out|coordinator(?: is |_)not.available", re.I)


def _find(log: GroupLog) -> Finding | None:
    said = [line for line in log.of(RowKind.COMMIT_FAILED) if not line.row.detail.get("local")]
    said = said or [line for line in log.troubles if line.row.detail.get("name") == "COMMIT_FAILED"]
    if not said:  # what a client refuses itself while it rebalances is tried again
        return None
    who = names(line.client for line in said if line.client)
    unsent = all(_UNSENT.search(line.reason) for line in said)
    return Finding(
        code=Code.COMMIT_FAILED,
        certainty=Certainty.SHOWN,
        what=_sentence(one_or_many(log.called(who)), len(said), unsent=unsent),
        members=who,
        times=len(said),
        evidence=evidence_of(said),
        cost=Cost(processed_again=True),
        do=_DO_UNSENT if unsent else _DO,
        harm_ms=1_500,
    )


def _sentence(name: str, commits: int, *, unsent: bool) -> str:
    begins, was = (f"{commits} commits", "were") if commits > 1 else ("a commit", "was")
    if unsent:
        return f"{begins} of {name} failed, because the coordinator could not be reached"
    return f"{begins} of {name} {was} refused"


CAUSE = Cause(
    code=Code.COMMIT_FAILED,
    title="Commit refused",
    means="A commit was refused because the member was no longer in the generation that it committed for. It follows"
    " from"
    " what put the member out: a poll timeout, a session that ended, a rebalance.",
    seen=(
        Message(
            "Java", "CommitFailedException: Offset commit cannot be completed since the consumer is not part of an"
        ),
        Message("Broker", "ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID, REBALANCE_IN_PROGRESS at a commit"),
        Message("librdkafka", "Broker: Specified group generation id is not valid"),
    ),
    do=_DO,
    find=_find,
    symptoms=("CommitFailedException", "the same records come again"),
)
