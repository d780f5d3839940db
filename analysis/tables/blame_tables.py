"""Tables that say why: `run.blame()` and `run.critical_paths()`, their columns, dtypes and units."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from groupsim.analysis.blame.blame import Blame
from groupsim.analysis.blame.steps import Step
from groupsim.analysis.tables.frames import table

BLAME = {
    "group": "category",
    "topic": "category",
    "partition": "int64",
    "label": "string",
    "phase": "string",
    "member": "category",
    "configuration": "string",
    "cause": "string",
    "chain": "string",
    "rebalance": "Int64",
    "from_ms": "int64",
    "to_ms": "int64",
    "duration_ms": "int64",
}
"""One row a piece of an unavailable interval; their `duration_ms` add up to the run's unavailable time, exactly.

- `label`, `cause`: the interval's (`run.unavailable()`).
- `phase`: what the partition waited for; docs/reference/labels.md has their meanings.
- `member`: the process waited for (its member id where no process is known); missing where no member is waited for (an
  empty group, the initial delay) or unknown.
- `configuration`: what the length depends on: a Kafka setting by its name (`session.timeout.ms`,
  `heartbeat.interval.ms`, `max.poll.interval.ms`, `group.initial.rebalance.delay.ms`, `retry.backoff.ms`,
  `group.instance.id`), or `poll gap`, `callback`, `commit`, `assignor`, `restore`, `pause`, `freeze`, `network`;
  missing where no setting decides it or the log does not say.
- `chain`: the cause and all that followed from it, joined by ` > `.
- `rebalance`: the generation of the rebalance concerned; while a failure is being detected, of the one it led to.
"""

CRITICAL_PATHS = {
    "group": "category",
    "generation": "Int64",
    "round": "int64",
    "member": "category",
    "step": "string",
    "kind": "string",
    "from_ms": "int64",
    "to_ms": "int64",
    "duration_ms": "int64",
    "critical": "bool",
    "saved_ms": "Int64",
}
"""One row a step of a member in a rebalance, by group, rebalance, member, time.

`generation`: the one the rebalance led to, missing where it led to none; `round` counts the group's rebalances from 0,
in the order of `run.rebalances()`. `member`: a process id, or the member id where no process is known; missing for the
initial delay. `step`: see docs/reference/labels.md. `kind`: in a `callback`, which one (`revoked`, `lost`,
`assigned`). `critical`: the rebalance could not end before this step had. `saved_ms`, on the last critical step of a
member in the join phase and of the leader in the sync phase: how much sooner the rebalance would have ended if this
member had been only as slow as the second-slowest; missing where no other member could have led.
"""


def blame_frame(pieces: Iterable[Blame]) -> pd.DataFrame:
    """Columns `BLAME`, by group, topic, partition, time."""
    return table(({name: getattr(piece, name) for name in BLAME} for piece in pieces), BLAME)


def paths_frame(steps: Iterable[Step]) -> pd.DataFrame:
    """Columns `CRITICAL_PATHS`."""
    rows = ({**{n: getattr(s, n, None) for n in CRITICAL_PATHS}, "duration_ms": s.to_ms - s.from_ms} for s in steps)
    return table(rows, CRITICAL_PATHS)
