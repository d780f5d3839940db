"""What is known of the difference between Kafka 4.4, the specification and the simulator; prose for the page."""

from __future__ import annotations

EXPLAINED: dict[str, str] = {}
"""By a script's name: why our machine answers otherwise, in every recording. Empty: it never does."""

BY_CHANCE: dict[str, str] = {
    "A0.vote-tie-compatible-default": "unspecified: two assignors of one hash bucket have the same number of votes, "
    "and the hash order of random member ids decides. Of 40 plays on one broker 22 chose `default`, 18 `compatible`",
}
"""By a script's name: why a real broker answers now so and now otherwise, so that one recording agrees and one not."""

TIMELINES: dict[str, str] = {}
"""By `plot__way`: why no re-enactment goes the way that real clients go again and again. Empty: none."""

RECORDED_WHILE = (
    "Recorded on a machine that had little else to do, two cores, seven groups side by side; when a program's first "
    "JoinGroup reached the broker and when it called close() is taken from the recording, all else is simulated. (With "
    "these left to chance, too, as many runs go the same way, but the median error of a run is 15 %.) The "
    "simulated Java client's latencies are those of a busier machine (`simulation/latencies.py`), so eager rebalances "
    "of Java members are a little longer here than there, and whether a fault falls just before or after a heartbeat "
    "is chance on both sides: it moves an eager group's figure by up to a heartbeat interval for every partition. "
    "One difference is not chance: in `poll-interval` librdkafka's returning member joins the follow-up rebalance "
    "after 0.5 s, ours at its next heartbeat after 1 s. Its first heartbeat already finds that rebalance, because 4.4 "
    "answers without lingering, and its next JoinGroup then seems to wait for a limit of one a second, looked at every "
    "500 ms; not simulated."
)
"""Under what circumstances the timelines came about."""

UNRECORDED = {
    "T18": "a failing write cannot be provoked from outside; the unit tests have it",
}
"""Transitions without a script, and why."""

STORIES: dict[str, str] = {}
"""By scenario: why a real Kafka refutes a story. Empty: none."""

SINCE_THE_SPECIFICATION = (
    (
        "1.3, T23 and T28",
        "A static member's former id stays in pendingSync when it is replaced in a Stable group: where it had not "
        "synced, the sync timer starts a rebalance (seen with real clients, in `static_away_leaves_orphans`). The "
        "simulator did otherwise and was mended.",
    ),
    (
        "1.3, T32",
        "A group is on record from its first JoinGroup on, not only from its first assignment: after a failover it is "
        "Empty, not unknown (`F.never-stable`). The simulator did otherwise and was mended.",
    ),
    (
        "0, and the latencies of the recordings",
        "An answer that wrote a record is no longer held for the append linger of 10 ms: answers to the leader's "
        "SyncGroup come {sync} ms (median) after it, where the 4.0 snapshot took 12 ms. Within the tolerance; "
        "`group.coordinator.append.linger.ms` is adaptive now.",
    ),
    (
        "3.1 and appendix B",
        "JoinGroup and SyncGroup of version 0 are still answered; OffsetCommit begins at version 2 and ends at 10.",
    ),
)
"""Where the release differs from the text: its section, and what was seen."""
