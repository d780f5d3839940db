"""Tolerances: how far apart lines may be that belong together, and how late they may be. All in milliseconds.

Whatever reads rows takes its tolerance from here; `tests/incidents/test_tolerances.py` holds it to that.
"""

from __future__ import annotations

THREADS_MS = 5
"""Lines of two threads of one process may be late by this, and a callback begins and ends so near to its lines.

It is as little as two clocks may differ. Measured: of the callbacks of recordings, nine of ten edges that are placed
between two lines are within it.
"""
LOGGING_MS = 50
"""A library prints a line at most this long before or after what it describes; more is the application's time.

Measured: the quickest callbacks of recordings.
"""
ONE_INSTANT_MS = 100
"""Lines of a client and a broker, or a record of the topic, that are of one step are no further apart.

So late is a timer, too: a coordinator removes a member so much later than its session ends, at most. Clocks are
corrected before. Kafka: retry.backoff.ms is the time between two looks of a Java client's heartbeat thread
(AbstractCoordinator.HeartbeatThread.run). Measured: of 4,074 generations in recordings that a client joined, its line
came 4 ms after the broker's in the median.
"""
FETCH_MS = 500
"""From an assigned callback that returned at once to the first line about an offset, at most.

Kafka: fetch.max.wait.ms, by default.
"""
REACTS_MS = 1_000
"""From what a client hears to the line that it acts on it: it takes partitions, gives them up, has lost its session.

A broker needs no longer from one line of a step to the next. Measured: of 3,826 assignments in recordings a client
took the latest after 501 ms.
"""
REBALANCE_MS = 5_000
"""All members of a group take one step of a rebalance, and the coordinator stores it, within this in most cases.

Measured: of 3,695 answers to SyncGroup in recordings, 99 of 100 had come 3,016 ms after the assignment.
"""
ONE_STEP_MS = 60_000
"""Lines that are further apart are not of one step: numbers of generations may start over.

A clock that steps back by as much is set back; by less, lines may only have been written late.
"""
HOUR_MS = 3_600_000
"""Logs that share no group and are further apart are of several incidents.

A day is a jump, and a year a silence, that no times of one incident have.
"""
NEVER_MS = 10**15
"""No tolerance: longer than any log, where nothing bounds a time."""
