"""Settings under which the longest scenarios take a fraction of the time: one of several groups, fewer members.

Together all still have every kind of fact, label, cause and phase.

For tests that play every scenario to look at what a run becomes, not at the story.
"""

from __future__ import annotations

from groupsim.scenarios.catalogue import names

_SHORTER: dict[str, dict[str, str]] = {
    "four_ways_to_roll": {"way": "one-by-one"},
    "node_drain": {"way": "budget"},
    "slow_assignor": {"members": "100", "partitions": "100"},
    "spot_instances": {"notice": "no-notice"},
}


def every_scenario() -> list[tuple[str, dict[str, str]]]:
    """The name of each built-in scenario, and the settings to play it with."""
    return [(name, _SHORTER.get(name, {})) for name in names()]
