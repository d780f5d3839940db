"""Simulated and recorded answers: equal, or the first difference in a sentence."""

from __future__ import annotations

from groupsim.conformance.scripts.script import Script

EARLIEST_MS, LATEST_MS = -90, 150
"""How far a recorded time may differ from the simulated one: the noise of the recordings."""


def difference(recorded: Script, played: Script) -> str | None:
    """None if every step has the recorded answer at the recorded place; else what differs first."""
    for was, now in zip(recorded["steps"], played["steps"], strict=True):
        where = f"step {was['i']} ({was['as'] or 'describe'} {was['op']} at {was['at']} ms)"
        if was["response"] != now["response"]:
            return f"{where}: recorded {was['response']}, simulated {now['response']}"
        if was["response"] is None:
            continue
        if was["after"] != now["after"]:
            return f"{where}: recorded after step {was['after']}, simulated after step {now['after']}"
        if recorded["steps"][was["after"]]["op"] == "failover":
            continue  # how long a coordinator takes to move depends on the machine
        if not EARLIEST_MS <= was["t"] - now["t"] <= LATEST_MS:
            return f"{where}: recorded at {was['t']} ms, simulated at {now['t']} ms"
    return None
