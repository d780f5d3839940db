"""The sentences about a change of the protocol: whether to do it, what it costs, and what that assumes."""

from __future__ import annotations

import math
from statistics import median

from groupsim.replay.choice_result import ChoiceResult
from groupsim.replay.migration import ROLLING, STOP_ALL, Migration
from groupsim.replay.sentences import parts
from groupsim.replay.trust import Trust
from groupsim.replay.verdict import Verdict, verdict
from groupsim.wording.lists import joined
from groupsim.wording.numbers import counted, partition_seconds, seconds


def decision(result: ChoiceResult, trusted: Trust, named: str, migration: Migration) -> str:
    """Whether to change to the protocol of a choice, `named` in words; empty where nothing is known of the choice.

    What it saves or costs each time that this incident happens, how sure that is, and what the change costs once.
    """
    if not result.costs:
        return ""
    decided, once = verdict(result, trusted), _once(migration)
    moved = result.unavailable_partition_ms.median - result.base.median
    amount, each_time = partition_seconds(abs(moved)), f"each time this happens ({_how_sure(result)})"
    if decided.helps:
        saves = f"change to the {named}: it saves {amount} {each_time}"
        said = [saves, f"{once}{_pays(-moved, migration)}", parts.needs([result]), parts.unfinished(result)]
    elif decided in (Verdict.WORSE, Verdict.LIKELY_WORSE):
        costs = f"do not change to the {named} for this: it costs {amount} more {each_time}"
        said = [costs, once, parts.unfinished(result)]
    elif decided in (Verdict.NO_DIFFERENCE, Verdict.MOVED):
        said = [f"this is no reason to change to the {named}: it would have saved nothing worth having", once]
    elif decided is Verdict.NOT_SURE:
        said = [f"this record does not decide whether to change to the {named}: what it saves is not sure", once]
    else:
        return ""
    return f"In short: {joined(said)}."


def cost_of(migration: Migration, named: str) -> str:
    """What the change to a protocol, `named` in words, costs, and what the same costs without another protocol."""
    roll, plain = (migration.measured("unavailable_partition_ms", plain=plain) for plain in (False, True))
    how, same = f"A roll to the {named}", "roll"
    if migration.form == STOP_ALL:
        how, same = f"A stop of all members together, and a start with the {named},", "stop"
    at_once = counted(migration.measured("max_partitions").most, "partition")
    return (
        f"{how} costs {partition_seconds(roll.median)} ({seconds(roll.least)}–{seconds(roll.most)} over"
        f" {counted(len(migration.costs), 'seed')}), at most {at_once} at once;"
        f" the same {same} without another protocol costs {partition_seconds(plain.median)}"
        f" ({seconds(plain.least)}–{seconds(plain.most)})."
    )


def assumptions_of(migration: Migration, client: str | None) -> str:
    """What that assumes. `client`: the library that members change to; None: they keep theirs."""
    every = f"one every {seconds(migration.step_ms)} s, each" if migration.form == ROLLING else "all"
    other = f", simulated with {client}" if client else ""
    return (
        f"{counted(migration.members, 'member')}, {every} away for {seconds(migration.downtime_ms)} s"
        f" ({migration.away}), in a quiet time{other}"
    )


def _how_sure(result: ChoiceResult) -> str:
    likely = "likely, " if result.opposed else ""
    return f"{likely}{len(result.costs) - result.opposed} of {parts.seeds_of(result)}"


def _medians_ms(migration: Migration) -> tuple[float, float]:
    """What the change costs, and by how much that is more than the same without another protocol."""
    cost, plain = (
        median(each.unavailable_partition_ms for each in costs) for costs in (migration.costs, migration.plain)
    )
    return cost, cost - plain


def _once(migration: Migration) -> str:
    what = "the roll" if migration.form == ROLLING else "the stop of all members"
    cost, more = _medians_ms(migration)
    than = f"{seconds(abs(more))} {'more' if more >= 0 else 'less'} than without another protocol"
    return f"{what} costs {seconds(cost)} once, {than}"


def _pays(saved_ms: float, migration: Migration) -> str:
    """After how many such incidents the change has cost nothing; empty where it does not cost more than a restart."""
    _, more = _medians_ms(migration)
    times = math.ceil(more / saved_ms) if more > 0 else 0
    return f", which {times} such {'incident makes' if times == 1 else 'incidents make'} up for" if times else ""
