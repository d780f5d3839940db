"""Records of a member that does not poll wait, though it serves its partitions."""

from __future__ import annotations

from pathlib import Path

import pytest

import groupsim
from groupsim.analysis.tables.known_delays import in_words
from groupsim.analysis.tables.late_polls import late_polls
from groupsim.events import client
from groupsim.events.base import Event, Recorded
from groupsim.events.types import RunId

LATE = Path(__file__).parents[2] / "examples" / "incidents" / "max-poll-range"


def _facts(*events: tuple[int, Event]) -> list[Recorded]:
    return [
        Recorded(RunId("r"), number, at_ms, "client:g/m", number, event) for number, (at_ms, event) in enumerate(events)
    ]


@pytest.mark.parametrize(
    ("config", "surely", "perhaps"), [({"max.poll.interval.ms": 5_000}, 7_000, 7_000), ({}, 12_000, 1_000)]
)
def test_it_did_not_poll_from_its_limit_before_until_it_does_something(
    config: dict[str, int | str | bool], surely: int, perhaps: int
) -> None:
    started = client.ProcessStarted(process="m", client_id="m", config=config)
    facts = _facts(
        (0, started),
        (1_000, client.CallbackEnd(process="m", kind="assigned")),
        (12_000, client.PollExpired(process="m")),
        (15_000, client.JoinSent(process="m", member="")),
    )
    found = late_polls(facts)
    assert found.surely == {"m": [(surely, 15_000)]}
    assert found.perhaps == {"m": [(perhaps, 15_000)]}


def test_one_that_never_comes_back_is_late_to_the_end() -> None:
    started = client.ProcessStarted(process="m", client_id="m", config={"max.poll.interval.ms": 5_000})
    facts = _facts((0, started), (12_000, client.PollExpired(process="m")), (20_000, client.Thawed(process="other")))
    assert late_polls(facts).surely == {"m": [(7_000, 20_000)]}


def test_records_of_slow_batches_wait_as_long_as_the_batches() -> None:
    """Batches of 18 s, 10 s allowed: a record that comes at the beginning of one waits at least for the rest."""
    (row,) = groupsim.run("everybody_too_slow").delays(slo="8 s").to_dict("records")
    assert row["longest"].total_seconds() > 10
    assert row["late"] > row["records"] / 4


def test_where_logs_do_not_show_the_limit_the_bounds_are_wide_and_said() -> None:
    run = groupsim.import_logs(LATE)
    (row,) = run.delays(rates={"orders": 20}).to_dict("records")
    assert row["at_least_p99"].total_seconds() < 1 < 10 < row["at_most_p99"].total_seconds()
    said = in_words([{"group": "g", "p99_ms": 111, "longest_ms": 438, "at_most_p99_ms": 16_523}], None)
    assert said == "1 % of the records waited longer than 111 ms (by the logs 16.5 s at most), the longest 438 ms."
