"""Blame: its parts add up to the unavailable time exactly, on any log and on every built-in scenario."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings

from groupsim import analysis
from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import Interval
from groupsim.analysis.blame.blame import Blame, blame
from groupsim.analysis.blame.critical_path import critical_paths
from groupsim.analysis.blame.phases import PHASES
from groupsim.scenarios.catalogue import find, names
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore
from tests.analysis.log import Log
from tests.analysis.test_properties import logs
from tests.scenarios.shorter import every_scenario
from tests.thinned import examples, some


def whole(pieces: list[Blame], found: Sequence[Interval]) -> None:
    """The pieces of each unavailable interval cover it once, in order."""
    rest = iter(pieces)
    for i in (i for i in found if i.unavailable):
        at = i.from_ms
        while at < i.to_ms:
            piece = next(rest)
            assert (piece.group, piece.topic, piece.partition) == (i.group, i.topic, i.partition)
            assert (piece.label, piece.cause, piece.from_ms) == (i.label, i.cause, at)
            assert piece.phase in PHASES
            assert piece.duration_ms > 0
            at = piece.to_ms
        assert at == i.to_ms
    assert list(rest) == []


@given(logs())
@settings(max_examples=examples(50, 150), deadline=None)
def test_pieces_cover_every_unavailable_interval_of_any_log_once(log: Log) -> None:
    found = intervals(log.facts)
    whole(blame(log.facts, found), found)


@given(logs())
@settings(max_examples=examples(40, 100), deadline=None)
def test_critical_paths_of_any_log_have_steps_that_last_and_never_save_less_than_nothing(log: Log) -> None:
    for step in critical_paths(log.facts, log.facts[-1].at_ms):
        assert step.from_ms < step.to_ms
        assert step.saved_ms is None or step.saved_ms >= 0


@pytest.mark.parametrize(("name", "own"), some(every_scenario(), 3, 1), ids=some(names(), 3, 1))
def test_the_parts_of_every_built_in_scenario_add_up(name: str, own: dict[str, str]) -> None:
    store = MemoryStore()
    run(find(name), store, settings=own, record="facts")
    loaded = analysis.load(store)
    whole(loaded.reasons, loaded.intervals)
    total = loaded.summary()["unavailable"]["partition_ms"]
    for part in ("label", "phase", "configuration", "member", "cause"):
        sums: Counter[str | None] = Counter()
        for piece in loaded.reasons:
            sums[getattr(piece, part)] += piece.duration_ms
        assert sum(sums.values()) == total
    assert "unknown" not in {piece.phase for piece in loaded.reasons}
    assert all(step.saved_ms is None or step.saved_ms >= 0 for step in loaded.steps)
