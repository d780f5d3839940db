"""What recordings of requests leave out: bytes that are no metadata, and user data in an assignment.

A recorded request has what would have been sent without them; that there were such bytes is said by `about` alone. The
recorder sent the same bytes each time.
"""

from __future__ import annotations

from typing import Any

from groupsim.conformance.scripts.script import Script, Step

UNREADABLE = "metadata that do not parse"
USER_DATA = "assignment carries user data"
METADATA_SENT = {"bytes": "00030000"}
USER_DATA_SENT = "u"


def as_sent(script: Script) -> Script:
    """The script with all that its recorder sent."""
    about = script.get("about", "")
    if UNREADABLE in about:
        op, change = "join", _unreadable
    elif USER_DATA in about:
        op, change = "sync", _with_user_data
    else:
        return script
    return {**script, "steps": [change(step) if step["op"] == op else step for step in script["steps"]]}


def _unreadable(step: Step) -> Step:
    protocols = [[name, METADATA_SENT] for name, _ in step["request"]["protocols"]]
    return _asking(step, {"protocols": protocols})


def _with_user_data(step: Step) -> Step:
    given = [[member, USER_DATA_SENT] for member, _ in step["request"]["assignments"]]
    return _asking(step, {"user_data": given})


def _asking(step: Step, more: dict[str, Any]) -> Step:
    return {**step, "request": {**step["request"], **more}}
