"""Decision: whether to change the protocol, in one sentence, from the what-if and the cost of the change."""

from __future__ import annotations

import math
from statistics import median

from groupsim.replay.caveats import needs, unfinished
from groupsim.replay.choice_result import ChoiceResult
from groupsim.replay.migration import ROLLING, Migration
from groupsim.replay.trust import Trust
from groupsim.replay.verdict import Verdict, verdict
from groupsim.wording.lists import joined
from groupsim.wording.numbers import counted, partition_seconds, seconds


def decision(result: ChoiceResult, trusted: Trust, named: str, found: Migration) -> str:
    """Whether to change to the protocol of a choice, `named` in words; empty where nothing is known of the choice.

    What it saves or costs each time that this incident happens, how sure that is, and what the change costs once.
    """
    if not result.costs:
        return ""
    said, once = verdict(result, trusted), _once(found)
    moved = result.unavailable_partition_ms.median - result.base.median
    amount, each_time = partition_seconds(abs(moved)), f"each time this happens ({_how_sure(result)})"
    if said.helps:
        parts = [
            f"change to the {named}: it saves {amount} {each_time}",
            f"{once}{_pays(-moved, found)}",
            needs([result]),
            unfinished(result),
        ]
    elif said in (Verdict.WORSE, Verdict.LIKELY_WORSE):
        parts = [f"do not change to the {named} for this: it costs {amount} more {each_time}", once, unfinished(result)]
    elif said in (Verdict.NO_DIFFERENCE, Verdict.MOVED):
        parts = [f"this is no reason to change to the {named}: it would have saved nothing worth having", once]
    elif said is Verdict.NOT_SURE:
        parts = [f"this record does not decide whether to change to the {named}: what it saves is not sure", once]
    else:
        return ""
    return f"In short: {joined(parts)}."


def _how_sure(result: ChoiceResult) -> str:
    seeds = len(result.costs)
    return f"{'likely, ' if result.opposed else ''}{seeds - result.opposed} of {counted(seeds, 'seed')}"


def _median_ms(found: Migration, *, plain: bool = False) -> float:
    return median(cost.unavailable_partition_ms for cost in (found.plain if plain else found.costs))


def _once(found: Migration) -> str:
    what = "the roll" if found.form == ROLLING else "the stop of all members"
    more = _median_ms(found) - _median_ms(found, plain=True)
    beside = f"{seconds(abs(more))} {'more' if more >= 0 else 'less'} than without another protocol"
    return f"{what} costs {seconds(_median_ms(found))} once, {beside}"


def _pays(saved_ms: float, found: Migration) -> str:
    """After how many such incidents the change has cost nothing; empty where it does not cost more than a restart."""
    more = _median_ms(found) - _median_ms(found, plain=True)
    times = math.ceil(more / saved_ms) if more > 0 else 0
    return f", which {times} such {'incident makes' if times == 1 else 'incidents make'} up for" if times else ""
