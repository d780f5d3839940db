"""Known differences between Kafka 4.4 and the simulator, with their reasons; prose for the page."""

from __future__ import annotations

EXPLAINED: dict[str, str] = {}
"""By a script's name: why the simulator answers otherwise, in every recording. Empty: it never does."""

BY_CHANCE: dict[str, str] = {
    "A0.vote-tie-compatible-default": "unspecified: two assignors of one hash bucket have the same number of votes, "
    "and the hash order of random member ids decides. Of 40 plays on one broker 22 chose `default`, 18 `compatible`",
}
"""By a script's name: why a real broker does not always answer alike, so that only some recordings agree."""

FORGOTTEN = (
    "a JoinGroup with an id made the coordinator forget an empty consumer group without a record of it. Readers see "
    "that with the next record that any group in the same partition of `__consumer_offsets` writes; here another "
    "script's group had just written one, which the simulator cannot know"
)
AT_ONCE = (
    "unspecified: members that were upgraded together have sessions that end at the same instant, and Kafka's timers "
    "then fire in the order of a hash map of random ids"
)
OTHERS_TOPICS = (
    "whether topics of expressions are looked for again after ten seconds depends on whether anybody created a topic "
    "meanwhile. The simulator takes it that other scripts, which were played at the same time, did; here none had"
)
CONSUMER: dict[str, str] = {
    "R.expressions.66": OTHERS_TOPICS,
    "R.timers.52": AT_ONCE,
    **{f"R.timers.{number}": FORGOTTEN for number in (6, 12, 15, 26, 28, 36, 37, 55, 59)},
}
"""By the name of a random script of the consumer protocol: why it differs."""
LOST = "the recording shows the group Empty after its last member left, but not the records that say so"
GROUPS: dict[str, str] = {
    "B.empty.m1-hb": LOST,
    "B.empty.offsets": LOST,
    "R.topics.20261128018": "Two internal topics do not fit, and Kafka names the other one first: an order of hashes "
    "that no document tells.",
    "R.static.20261129019": "Two members of one process had the same standby, and Kafka has forgotten the process: it "
    "keeps the set of processes of each task. Not simulated.",
    "A.commit-versions": "In 4.3 records of offsets in a transaction have no topic id. Not simulated.",
    "R.native.1071105": "The assignor of 4.3 gives a task to another one of members that have as many tasks.",
}
"""By the name of a script of share or streams groups: why it differs."""
GROUPS_LIMITS = (
    "Topics that a script makes itself have ids that nobody knows: there the recorded target of a share group stands "
    "in for the computed one. When the share coordinator has initialised partitions is taken from the records, too.",
    "Fetching and acknowledging records of share groups, and which member has locked which, are not simulated.",
)
"""What these scripts cannot show, or do not."""
CONSUMER_LIMITS = (
    "Where two topic ids share a bin of Java's HashMap, `uniform` goes by the order in which they were put there. The "
    "simulator puts them there by name. The recorder creates topics until their ids lie apart, so no script shows it.",
    "Choices that go by the hash order of ids that the broker drew (its own member ids, ids of topics of one script, "
    "the leader of a classic group) are taken from the recording; everything else must be equal.",
)
"""What these scripts cannot show."""

TIMELINES: dict[str, str] = {}
"""By `scenario__way`: why no re-enactment does what real clients do every time. Empty: none."""

RECORDED_WHILE = (
    "Recorded on a machine that had little else to do, two cores, seven groups side by side; when a program's first "
    "JoinGroup reached the broker and when it called close() is taken from the recording, all else is simulated. (With "
    "these left to chance, too, as many runs go the same way, but the median error of a run is 15 %.) The "
    "simulated Java client's latencies are those of a busier machine (`simulation/latencies.py`), so eager rebalances "
    "of Java members are a little longer in the simulator, and whether a fault falls just before or after a heartbeat "
    "is chance on both sides: it moves an eager group's figure by up to a heartbeat interval for every partition. "
    "One difference is not chance: in `poll-interval` librdkafka's returning member joins the follow-up rebalance "
    "after 0.5 s, ours at its next heartbeat after 1 s. Its first heartbeat already finds that rebalance, because 4.4 "
    "answers without lingering, and its next JoinGroup then seems to wait for a limit of one a second, checked every "
    "500 ms; this is not simulated."
)
"""Under what circumstances the timelines came about."""

PREDICTIONS: dict[str, str] = {}
"""By scenario: why a real Kafka refutes the prediction. Empty: none."""

SINCE_OCTOBER_2024 = (
    "Static members: the former id of a member that is replaced in a Stable group still has to send SyncGroup. Where "
    "it had not synced, the sync timeout starts a rebalance (seen with real clients, in "
    "`static_away_leaves_orphans`). The simulator does the same.",
    "Failover: a group is on record from its first JoinGroup on, not only from its first assignment. After a failover "
    "it is Empty, not unknown (`F.never-stable`). The simulator does the same.",
    "Latency: an answer that wrote a record no longer waits for the append linger of 10 ms. Answers to the leader's "
    "SyncGroup come {sync} ms (median) after it, where the snapshot took 12 ms; "
    "`group.coordinator.append.linger.ms` is adaptive now. The simulator has both; its default is 10 ms.",
    "API versions: JoinGroup and SyncGroup of version 0 are still answered; OffsetCommit begins at version 2 and ends "
    "at 10.",
)
"""Where the release differs from the snapshot."""
