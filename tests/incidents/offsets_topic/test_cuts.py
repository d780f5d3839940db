"""Clients' logs that end before the topic does, and a topic that ends before the logs: the total stays in the bounds.

A sample on simulated groups of what `python -m tests.incidents.offsets_topic.cuts` tries on all recordings.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from groupsim.events import classic as c
from tests.incidents.drawn_groups import GROUP, drawn, simulated
from tests.incidents.offsets_topic.cuts import log_until, topic_until, within
from tests.incidents.offsets_topic.simulated_topic import write_dump
from tests.incidents.offsets_topic.truth import measure
from tests.incidents.written_logs import BEGINS_MS, write_logs


@pytest.mark.parametrize("what", ["clients", "topic"])
@pytest.mark.parametrize("seed", [2, 4, 5, 7])
def test_what_whole_logs_tell_is_in_the_bounds_whatever_ends_early(seed: int, what: str, tmp_path: Path) -> None:
    group, draw = drawn(seed), Random(seed)
    seen = tuple(each for each in group.faults if each.kind != "freeze" or each.lasts_ms > group.session_ms)
    facts = simulated(replace(group, faults=seen))
    first, end = next(fact.at_ms for fact in facts if isinstance(fact.event, c.AssignmentStored)), facts[-1].at_ms
    window, until = (BEGINS_MS + first, BEGINS_MS + end), BEGINS_MS + end
    dump, logs = write_dump(facts, GROUP, tmp_path / "dump.txt"), write_logs(facts, GROUP, tmp_path)
    clients = [log for log in logs if log.name != "broker.log"]
    folder = tmp_path / "cut"
    folder.mkdir()
    if what == "topic":
        files = [topic_until(dump, draw.randint(*window), folder), *clients]
    else:
        files = [dump, *(log_until(log, draw.randint(*window), folder) for log in clients)]
    whole, _ = measure(logs, GROUP, until, window)
    found, _ = measure(files, GROUP, until, window)
    assert within(whole.labelled_ms, found.rests_on)
