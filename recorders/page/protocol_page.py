"""docs/protocol.md: the state changes and answers of the coordinator, computed by calling it.

The table has a group in each state and one request of each kind. `python -m recorders.page.protocol_page` writes the
page; a test keeps it current.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

from msgspec.structs import replace

from groupsim.coordinator import classic
from groupsim.coordinator.classic.commands import (
    Command,
    Heartbeat,
    InitialDelayElapsed,
    Join,
    JoinAnswer,
    Leave,
    LeaveAnswer,
    Leaving,
    Sync,
    SyncAnswer,
)
from groupsim.coordinator.classic.state import TRANSITIONS, ClassicGroup, Phase
from groupsim.coordinator.commands import Commit, Unload
from groupsim.coordinator.outcome import Error, Outcome
from groupsim.events.types import Protocol, Subscription, TopicPartition
from recorders.page import member_states, share_states, streams_states

ASKED = 99
"""The number of the request a cell is about."""
LEADER, FOLLOWER, STATIC, PENDING, STRANGER = "m1", "m2", "s1", "m9", "nobody"
INSTANCE = "i1"
_NUMBERS = count(1_000)
_OLD, _NEW = Subscription(topics=("t",)), Subscription(topics=("t",), generation=1)


def _join(member: str, *, new: str = "fresh", instance: str | None = None, changed: bool = False, **more: str) -> Join:
    protocols = (Protocol("range", _NEW if changed else _OLD),)
    return Join(request=ASKED, member=member, new_member=new, instance_id=instance, protocols=protocols, **more)  # type: ignore[arg-type]


def _ask(group: ClassicGroup, *commands: Command) -> ClassicGroup:
    """Set a state up; its requests have other numbers, so that their late answers are not taken for the cell's."""
    for command in commands:
        if isinstance(command, Join | Sync | Heartbeat | Leave | Commit):
            command = replace(command, request=next(_NUMBERS))
        group = classic.decide(group, command).state
    return group


def _stable() -> ClassicGroup:
    """m1 leads, m2 follows, s1 is static; all three hold a partition; m9 is pending."""
    group = _completing()
    plan = tuple((m, (TopicPartition("t", i),)) for i, m in enumerate((LEADER, FOLLOWER, STATIC)))
    syncs = [Sync(request=i, member=m, generation=1, version=4) for i, m in enumerate((FOLLOWER, STATIC))]
    leaders = Sync(request=9, member=LEADER, generation=1, assignment=plan, version=4)
    return _ask(group, *syncs, leaders, _join("", new=PENDING))


def _initial() -> ClassicGroup:
    """The initial delay runs; m1, m2 and s1 are parked."""
    group = ClassicGroup(id="g")
    for member in (LEADER, FOLLOWER):
        group = _ask(group, _join("", new=member), _join(member))
    return _ask(group, _join("", new=STATIC, instance=INSTANCE))


def _completing() -> ClassicGroup:
    """The join phase is over; nobody has synced."""
    return _ask(_initial(), InitialDelayElapsed(3_000, 0), InitialDelayElapsed(3_000, 0))


def _preparing() -> ClassicGroup:
    """A rebalance after a Stable generation; the leader has rejoined, the others have not."""
    return _ask(_stable(), Leave(request=0, members=(Leaving(PENDING),)), _join("", new=PENDING), _join(LEADER))


def _emptied() -> ClassicGroup:
    """Everybody has left."""
    gone = Leave(request=0, members=tuple(Leaving(m) for m in (LEADER, FOLLOWER, STATIC, PENDING)))
    return _ask(_stable(), gone, _join("", new=PENDING))


STATES: dict[str, Callable[[], ClassicGroup]] = {
    "no group": lambda: ClassicGroup(id="g"),
    "Empty": _emptied,
    "PreparingRebalance, initial": _initial,
    "PreparingRebalance": _preparing,
    "CompletingRebalance": _completing,
    "Stable": _stable,
    "Dead": lambda: _ask(_stable(), Unload()),
}

REQUESTS: dict[str, Callable[[ClassicGroup], Command]] = {
    "JoinGroup, new dynamic member": lambda g: _join(""),
    "JoinGroup, new static member": lambda g: _join("", instance="i2"),
    "JoinGroup, pending id": lambda g: _join(PENDING),
    "JoinGroup, leader, unchanged": lambda g: _join(LEADER),
    "JoinGroup, follower, unchanged": lambda g: _join(FOLLOWER),
    "JoinGroup, follower, changed": lambda g: _join(FOLLOWER, changed=True),
    "JoinGroup, static member restarted": lambda g: _join("", instance=INSTANCE),
    "JoinGroup, fenced static member": lambda g: _join("s0", instance=INSTANCE),
    "JoinGroup, unknown id": lambda g: _join(STRANGER),
    "JoinGroup, other protocol type": lambda g: _join("", protocol_type="connect"),
    "SyncGroup, leader": lambda g: Sync(request=ASKED, member=LEADER, generation=g.generation, version=4),
    "SyncGroup, follower": lambda g: Sync(request=ASKED, member=FOLLOWER, generation=g.generation, version=4),
    "SyncGroup, old generation": lambda g: Sync(request=ASKED, member=FOLLOWER, generation=-1, version=4),
    "SyncGroup, unknown id": lambda g: Sync(request=ASKED, member=STRANGER, generation=g.generation, version=4),
    "Heartbeat": lambda g: Heartbeat(request=ASKED, member=FOLLOWER, generation=g.generation),
    "Heartbeat, old generation": lambda g: Heartbeat(request=ASKED, member=FOLLOWER, generation=-1),
    "Heartbeat, unknown id": lambda g: Heartbeat(request=ASKED, member=STRANGER, generation=g.generation),
    "LeaveGroup, follower": lambda g: Leave(request=ASKED, members=(Leaving(FOLLOWER),)),
    "LeaveGroup, pending id": lambda g: Leave(request=ASKED, members=(Leaving(PENDING),)),
    "LeaveGroup, instance id alone": lambda g: Leave(request=ASKED, members=(Leaving("", INSTANCE),)),
    "LeaveGroup, unknown id": lambda g: Leave(request=ASKED, members=(Leaving(STRANGER),)),
    "OffsetCommit, member": lambda g: _commit(FOLLOWER, g.generation),
    "OffsetCommit, old generation": lambda g: _commit(FOLLOWER, g.generation + 1),
    "OffsetCommit, unknown id": lambda g: _commit(STRANGER, g.generation),
    "OffsetCommit, memberless": lambda g: _commit("", -1),
    "TxnOffsetCommit, member": lambda g: _commit(FOLLOWER, g.generation, transactional=True),
    "TxnOffsetCommit, memberless": lambda g: _commit("", -1, transactional=True),
}


def _commit(member: str, generation: int, *, transactional: bool = False) -> Commit:
    offsets = (("t", 0, 1),)
    return Commit(request=ASKED, member=member, generation=generation, offsets=offsets, transactional=transactional)


def ask(state: str, request: str) -> tuple[ClassicGroup, Outcome[ClassicGroup], ClassicGroup]:
    """The group before, the decision, the group after."""
    before = STATES[state]()
    outcome = classic.decide(before, REQUESTS[request](before))
    return before, outcome, outcome.state


PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"
_SHORT = {Phase.PREPARING_REBALANCE: "Preparing", Phase.COMPLETING_REBALANCE: "Completing"}
_INTRO = """# The group protocols, as the simulated coordinator implements them

Generated by `python -m recorders.page.protocol_page` from the coordinator itself: the state changes from
`coordinator/classic/state.py`, the answers by asking `decide` once per cell.

## State changes of a classic group

"""
_MATRIX = """
## Answers of a classic group

One group per column (a leader `m1`, a follower `m2`, a static member `s1` with instance id `i1`, a pending id), one
request per row. `park`: no answer yet. `→ State`: the group changes its state. In `PreparingRebalance` the leader has
rejoined, the others have not; in `CompletingRebalance` nobody has synced. Recorded scripts compare the cells with a
real Kafka 4.0:
`groupsim conformance check tests/golden/broker/matrix.jsonl.gz`.

"""
_DIFFERENCES = """
## Deliberate differences from Kafka

- One command at a time: a write is durable at once, and only its answer waits for it
  ([0004](adr/0004-one-command-at-a-time.md)). A write never fails.
- The leader, and what else Kafka leaves to the hash order of random ids, is chosen by the same kind of order, always
  alike.
- A group is never deleted; offsets do not expire.
"""


def page() -> str:
    """The whole page."""
    protocols = (member_states, streams_states, share_states)
    return _INTRO + diagram() + _MATRIX + matrix() + "".join(each.section() for each in protocols) + _DIFFERENCES


def diagram() -> str:
    """The transition table as a Mermaid diagram."""
    lines = ["```mermaid", "stateDiagram-v2", "    [*] --> Empty"]
    lines += [f"    {before.value} --> {after.value}" for before, afters in TRANSITIONS.items() for after in afters]
    return "\n".join([*lines, "```", ""])


def matrix() -> str:
    """Request × state → answer, as a Markdown table."""
    lines = [f"| request | {' | '.join(STATES)} |", "| --- |" + " --- |" * len(STATES)]
    for request in REQUESTS:
        cells = [cell(*ask(state, request)) for state in STATES]
        lines.append(f"| {request} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def cell(before: ClassicGroup, outcome: Outcome[ClassicGroup], after: ClassicGroup) -> str:
    """The answer, and the state that the group changes to."""
    answers = [reply.answer for reply in outcome.replies if reply.request == ASKED]
    said = brief(answers[0]) if answers else "park"
    if after.phase is before.phase and after.generation == before.generation:
        return said
    moved = _SHORT.get(after.phase, after.phase.value)
    grown = f" {after.generation}" if after.generation != before.generation else ""
    return f"{said} → {moved}{grown}"


def brief(answer: object) -> str:
    """An answer in a word or two."""
    error: Error = answer.error  # type: ignore[attr-defined]
    if isinstance(answer, LeaveAnswer) and answer.members:
        error = answer.members[0][2]
    if error is not Error.NONE:
        return error.name
    match answer:
        case JoinAnswer(members=listed, skip_assignment=skip):
            what = "generation, members, skip" if skip else "generation, members" if listed else "generation"
            return f"ok: {what}"
        case SyncAnswer():
            return "ok: assignment"
        case _:
            return "ok"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
