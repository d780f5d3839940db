"""What is known of the clocks behind a reading: corrections of those that are off, and how exact all times are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from groupsim.incidents.facts.clocks import stepped_back_ms
from groupsim.incidents.facts.skew import estimate_skews, left_ms, unbounded_clocks
from groupsim.incidents.logs.rows import Reading
from groupsim.storage.log_gaps import Precision


class ClockCheck(NamedTuple):
    """`corrections`: milliseconds to add, by file. `precision`: of all times when that is done.

    Sentences: `off` on the clocks that are off, `fitting` on the others (not of coarse times, which tell little);
    `unbounded`, why no total has bounds.
    """

    corrections: Mapping[str, int]
    off: list[str]
    fitting: list[str]
    unbounded: list[str]
    precision: Precision


def check_clocks(reading: Reading) -> ClockCheck:
    """Hold the clients' clocks against their brokers', and each against itself."""
    skews = estimate_skews(reading)
    return ClockCheck(
        corrections={skew.file: skew.ms for skew in skews if skew.ms},
        off=[str(skew) for skew in skews if skew.off],
        fitting=[] if reading.resolution_ms else [str(skew) for skew in skews if skew.support and not skew.off],
        unbounded=unbounded_clocks(skews),
        precision=Precision(
            reading.resolution_ms, reading.placed_ms, max(left_ms(skews, reading), stepped_back_ms(reading))
        ),
    )
