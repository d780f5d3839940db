"""Recorded scripts played once more on a broker: is every answer, everything seen and every record as it was?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from groupsim.conformance.scripts.script import Script, Step
from recorders.scripts.plans.plan import NO_TIMERS_MS, Plan
from recorders.scripts.plans.record import KEPT

LITERAL = {"streams_heartbeat": "streams", "share_heartbeat": "share"}
"""Operations whose requests are sent as they are recorded, and the kind of client that sends them."""
CONSUMER_FIELDS = {
    "member_id": "id",
    "member_epoch": "epoch",
    "instance_id": "instance",
    "group_instance_id": "instance",
    "rack_id": "rack",
    "rebalance_timeout_ms": "R",
    "subscribed_topic_names": "names",
    "subscribed_topic_regex": "regex",
    "server_assignor": "assignor",
    "topic_partitions": "parts",
    "generation": "gen",
    "protocol_name": "pname",
}
"""Fields of recorded requests, and the keys of a plan's step."""
COMPARED = ("response", "after", "seen", "records")
Shape = Callable[[str, Any], Any]
"""What of a step is compared: one of COMPARED and its content -> what has to be equal."""


def plan_of(script: Script) -> Plan:
    """A plan that asks exactly what was asked in a recorded script."""
    kinds: dict[str, dict[str, Any]] = {}
    for step in script["steps"]:
        if step["as"] and (step["as"] not in kinds or step["op"] in LITERAL):
            kinds[step["as"]] = {"kind": LITERAL.get(step["op"], "consumer"), **_configured(step)}
    steps = [{**{key: step[key] for key in ("i", "at", "as", "op", "v")}, **_asked(step)} for step in script["steps"]]
    return {**{key: script[key] for key in KEPT if key in script}, "members": kinds, "steps": steps}


def _configured(step: Step) -> dict[str, Any]:
    asked = step["request"]
    times = {"S": asked.get("session_timeout_ms", NO_TIMERS_MS), "R": asked.get("rebalance_timeout_ms", NO_TIMERS_MS)}
    protocols = [name for name, _ in asked.get("protocols", [["range", {}]])]
    names: list[str] = next((metadata["topics"] for _, metadata in asked.get("protocols", ())), [])
    return {**times, "protocols": protocols, "names": names, "instance": None, "rack": None}


def _asked(step: Step) -> Step:
    request: Step = step["request"]
    if step["op"] in LITERAL:
        return {"request": request}
    if step["op"] == "leave":
        request = {"member_id": None, "group_instance_id": None, **(request["members"] or [{}])[0]}
    renamed = {CONSUMER_FIELDS.get(key, key): value for key, value in request.items()}
    return {key: value for key, value in renamed.items() if key != "protocols"}


def differences(was: Script, now: Script, shape: Shape) -> Iterator[str]:
    """What differs, step by step."""
    shown: dict[str, Any] = {"was": None, "now": None}
    for old, new in zip(was["steps"], now["steps"], strict=True):
        shown = {"was": old.get("seen", shown["was"]), "now": new.get("seen", shown["now"])}
        for what in COMPARED:
            before = shown["was"] if what == "seen" else old.get(what)
            after = shown["now"] if what == "seen" else new.get(what)
            if shape(what, before) != shape(what, after):
                yield f"{was['name']} step {old['i']} {old['op']} {what}: {before} -> {after}"


def exact(what: str, content: Any) -> Any:
    """Everything, but for the order of lists inside a record: that of hash sets of ids that the broker draws."""
    if what == "records":
        return [[kind, key, _in_order(value)] for kind, key, value in content or ()]
    return content


def _in_order(content: Any) -> Any:
    if isinstance(content, list):
        return sorted((_in_order(item) for item in content), key=repr)
    return {key: _in_order(value) for key, value in content.items()} if isinstance(content, dict) else content


def sizes(what: str, content: Any) -> Any:
    """Of lists of partitions only how many there are: which ones may go by the hash order of topic ids."""
    if isinstance(content, list) and content and all(isinstance(item, int) for item in content):
        return len(content)
    if isinstance(content, list):
        return sorted((sizes(what, item) for item in content), key=repr)
    return {key: sizes(what, value) for key, value in content.items()} if isinstance(content, dict) else content


def report(scripts: Sequence[Script], played: Sequence[Script]) -> Iterator[str]:
    """How many are equal, how many but for the choice of partitions, and the first difference of the others."""
    again = {script["name"]: script for script in played}
    both = [(script, again[script["name"]]) for script in scripts if script["name"] in again]
    unequal = [pair for pair in both if next(differences(*pair, exact), None) is not None]
    wrong = [found for pair in unequal if (found := next(differences(*pair, sizes), None)) is not None]
    yield (
        f"{len(both) - len(unequal)} of {len(both)} scripts are equal, {len(unequal) - len(wrong)} more but for which "
        f"partitions of equal ones members have; {len(scripts) - len(both)} never agreed"
    )
    yield from wrong
