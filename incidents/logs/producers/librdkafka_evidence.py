"""What librdkafka says of reasons, errors and what it holds, beside a member's history."""

from __future__ import annotations

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.patterns import Detail, Wording, wording

GROUP = r"[Gg]roup \"{group}\""


def partition_named(detail: Detail, record: Record) -> None:
    """One partition, printed as its topic and number."""
    topic, number = detail.pop("topic", None), detail.pop("number", None)
    if topic is not None:
        detail["partitions"] = [f"{topic}-{number}"]


EVIDENCE: tuple[Wording, ...] = (
    wording(
        "reason_given",
        " is rebalancing",
        GROUP + r" is rebalancing(?: \((?P<protocol>[A-Z]{1,40})\))? in state {word:state} \(join[- ]state"
        r" {word:join_state}\) with(?:out)?(?: \d{1,9})? assign(?:ment|ed partition\(s\))(?: \([a-z ]{1,60}\))?:"
        r" {text:reason}",
    ),
    wording(
        "reason_given",
        "initiating rebalance",
        GROUP + r" initiating rebalance \((?P<protocol>[A-Z]{1,40})\) in state {word:state} \(join[- ]state"
        r" {word:join_state}\) with \d{1,9} assigned partition\(s\)(?: \([a-z ]{1,60}\))?: {text:reason}",
    ),
    wording("reason_given", "no longer coordinator", GROUP + r" broker (?P<reason>\S{1,300} is no longer coordinator)"),
    wording("fatal_error", "Fatal error: ", r"\[thrd:\w{1,40}\]:? Fatal error: {text:error}"),
    wording(
        "request_timed_out",
        "Timed out ",
        r": Timed out (?P<request>(?:Join|Sync|Leave)Group|(?:ConsumerGroup)?Heartbeat|Offset(?:Commit|Fetch)"
        r"|FindCoordinator|Metadata)(?:Request)? .{0,60}?"
        r"\(after {int:after_ms}ms, timeout #\d{1,9}\)(?:: possibly held back by prece+ding (?:blocking )?"
        r"(?P<behind>\w{1,60}?)(?:Request)? with timeout in {int:limit_ms}ms)?",
    ),
    wording(
        "join_answered",
        "Received JoinGroupResponse",
        r"Received JoinGroupResponse \(v\d{1,3}, \d{1,9} bytes, CorrId \d{1,12}, rtt {int:after_ms}(?:\.\d{1,9})?ms\)",
    ),
    wording(
        "assignment_counted",
        ": new assignment of ",
        GROUP + r": new assignment of {int:partition_count} partition\(s\) in join-state {word:join_state}",
    ),
    wording(
        "fetchers",
        "starting fetchers for ",
        GROUP + r": (?P<what>(?:not )?starting fetchers for \d{1,9} assigned partition\(s\) in join-state .{1,200})",
    ),
    wording(
        "partition_held",
        "] offset ",
        r"\[thrd:\w{1,40}\]:? {1,2}(?P<topic>\S{1,249}) \[(?P<number>\d{1,9})\] offset \S",
        partition_named,
    ),
)
