"""Deaths, stops and growths that no log shows: read from the written logs of drawn groups, and replayed."""

from __future__ import annotations

from functools import cache

import pytest

from groupsim.replay.choice import AS_RECORDED
from groupsim.replay.fidelity import fidelity
from groupsim.replay.player import replay_incident
from groupsim.replay.reconstruct.incident import reconstruct
from groupsim.replay.reconstruct.inferred_settings.evidence import METADATA_AGE
from tests.incidents.unseen_events import GROUP, ReadStory, drawn, read

UNSEEN = ("kill-return", "kill", "freeze", "short-stop", "grow")
STORIES = range(3)
MANY = range(100)
LINES_MS = 60
"""A line may come so long after what it describes."""


@cache
def read_story(kind: str, seed: int) -> ReadStory:
    """The story, read from its logs."""
    return read(drawn(seed, kind))


@pytest.mark.parametrize("seed", STORIES)
@pytest.mark.parametrize("kind", UNSEEN)
def test_what_no_log_shows_happened_within_the_time_that_seeds_draw_from(kind: str, seed: int) -> None:
    found = read_story(kind, seed)
    times = found.drawn_ms(MANY)
    assert min(times) - LINES_MS <= found.true_ms() <= max(times) + LINES_MS


@pytest.mark.parametrize("kind", ["kill-return", "kill", "freeze", "close", "bounce", "grow"])
def test_nobody_is_said_to_have_been_frozen_for_less_than_a_session_who_did_not(kind: str) -> None:
    incidents = [read_story(kind, seed).incident for seed in STORIES]
    assert not [note for incident in incidents for note in incident.notes if "been frozen from" in note]
    assert not [name for incident in incidents for name in incident.stopped]


def test_few_seeds_enclose_most_of_what_happened() -> None:
    found = [read_story(kind, seed) for kind in UNSEEN for seed in STORIES]
    enclosed = [each for each in found if min(each.drawn_ms()) <= each.true_ms() <= max(each.drawn_ms())]
    assert len(enclosed) >= 0.75 * len(found)


@pytest.mark.parametrize("seed", STORIES)
@pytest.mark.parametrize("kind", ["kill-return", "grow"])
def test_the_records_total_is_unknown_with_bounds_that_hold(kind: str, seed: int) -> None:
    found = read_story(kind, seed)
    support = found.support
    assert support.unknown is not None
    assert support.at_most_ms is not None
    assert support.at_least_ms <= found.unavailable_ms(0)
    assert found.unavailable_ms(found.true_ms() - 100) <= support.at_most_ms


@pytest.mark.parametrize("printed", [False, True])
def test_a_topic_grew_within_the_age_of_metadata_by_its_updates_or_as_printed(printed: bool) -> None:
    story = drawn(3, "grow")
    found = read(story, {METADATA_AGE: story.age_ms} if printed else {})
    (growth,) = found.incident.growths
    since, until = growth.happened
    assert since - LINES_MS <= found.true_ms() <= until + LINES_MS
    assert until - since <= (1.0 if printed else 1.5) * story.age_ms


def test_a_user_who_knows_the_age_of_metadata_narrows_the_time() -> None:
    found = read_story("grow", 3)
    (growth,) = found.incident.growths
    given = {METADATA_AGE: 700}
    (narrowed,) = reconstruct(found.record, GROUP, given=given).growths
    assert narrowed.happened.until_ms == growth.happened.until_ms
    assert narrowed.happened.until_ms - narrowed.happened.since_ms == 700


@pytest.mark.parametrize("seed", STORIES)
@pytest.mark.parametrize("kind", ["close", "bounce", "kill-return"])
def test_members_that_come_back_late_or_one_after_the_other_are_replayed_as_they_were(kind: str, seed: int) -> None:
    incident = read_story(kind, seed).incident
    found = fidelity(incident.generations, [replay_incident(incident, AS_RECORDED, 0, exact=True)])
    assert found.matched == found.recorded == found.played
