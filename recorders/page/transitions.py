"""The transitions of a classic group in words; the numbers are part of the recorded scripts' names (`A0.T26`)."""

from __future__ import annotations

TRANSITIONS: dict[int, str] = {
    1: "no group: JoinGroup without a member id creates it",
    2: "no group: JoinGroup with a member id is refused",
    3: "JoinGroup without a member id: MEMBER_ID_REQUIRED, and the id is pending until it is used or expires",
    4: "Empty: the first member starts the initial rebalance delay",
    5: "Empty: JoinGroup with a former member id is refused",
    6: "initial rebalance delay: another member joins",
    7: "initial rebalance delay ends: members joined meanwhile, it is extended",
    8: "initial rebalance delay ends: the join phase completes",
    9: "PreparingRebalance: the last member rejoins, the join phase completes",
    10: "PreparingRebalance: a member rejoins, others are missing",
    11: "PreparingRebalance: the rebalance timeout ends, missing dynamic members are removed",
    12: "PreparingRebalance: the rebalance timeout ends and only static members are left, none of which has rejoined",
    13: "PreparingRebalance: the last missing member leaves",
    14: "PreparingRebalance: the session of the last missing member ends",
    15: "PreparingRebalance: SyncGroup is answered REBALANCE_IN_PROGRESS",
    16: "CompletingRebalance: a follower's SyncGroup waits",
    17: "CompletingRebalance: the leader's SyncGroup, the group becomes Stable",
    18: "CompletingRebalance: the assignment cannot be written, a new rebalance starts",
    19: "CompletingRebalance: JoinGroup of a member without a change is answered at once",
    20: "CompletingRebalance: JoinGroup of a changed or a new member starts a new rebalance",
    21: "CompletingRebalance: a static member is replaced, a new rebalance starts",
    22: "CompletingRebalance or Stable: a member leaves or its session ends",
    23: "the sync timeout ends: members without a SyncGroup are removed",
    24: "Stable: JoinGroup of the leader starts a rebalance",
    25: "Stable: JoinGroup of a changed follower starts a rebalance",
    26: "Stable: JoinGroup of a follower without a change is answered at once",
    27: "Stable: JoinGroup of a new member starts a rebalance",
    28: "Stable: a static member is replaced without a rebalance",
    29: "Stable: a static member is replaced and the assignor changes with it: a rebalance starts",
    30: "Stable: SyncGroup is answered with the stored assignment",
    31: "failover: the coordinator gives up the group",
    32: "failover: another coordinator loads the group",
}

OF_THE_INITIAL_DELAY = (6, 7, 8)
"""Their scripts are named `A0.delay-…`."""
OF_A_FAILOVER = (31, 32)

UNRECORDED: dict[int, str] = {
    18: "no script: a write that fails cannot be caused from outside, and in the simulator no write fails "
    "([0004](adr/0004-one-command-at-a-time.md))",
}
"""Transitions without a script, and the reason."""
