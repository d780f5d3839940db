"""Program: how one member's application works between its polls, as far as the record shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from groupsim.replay.reconstruct.applications.callbacks import Listener
from groupsim.replay.reconstruct.applications.commit_style import UNKNOWN
from groupsim.replay.reconstruct.applications.poll_gap import Gaps


@dataclass(frozen=True, slots=True)
class Program:
    """An application. The default: it is seldom busy, or nothing is known of it.

    `gaps_ms`: poll gaps that fit the record, each as likely as the others; 0: seldom busy, so only its recorded slow
    batches are replayed. `commits_sync`: how likely it waits for a commit after each batch, so does not commit
    automatically. `listeners`: how long its rebalance callbacks take, by kind.
    """

    gaps_ms: Gaps = (0,)
    commits_sync: float = UNKNOWN
    listeners: Mapping[str, Listener] = field(default_factory=dict)

    def drawn(self, draw: Callable[[], float]) -> Program:
        """One of the programs that it may be; `draw` gives numbers from 0 to 1, for each open question one."""
        if not any(self.gaps_ms):
            return self
        gap, sync = self.gaps_ms[0], self.commits_sync
        if len(set(self.gaps_ms)) > 1:
            gap = self.gaps_ms[int(draw() * len(self.gaps_ms))]
        if 0 < sync < 1:
            sync = float(draw() < sync)
        return replace(self, gaps_ms=(gap,), commits_sync=sync)

    @property
    def gap_ms(self) -> int:
        """The poll gap that half of the others are below."""
        return self.gaps_ms[len(self.gaps_ms) // 2]
