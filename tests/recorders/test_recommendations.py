"""Recommendations that were played on a real Kafka."""

from __future__ import annotations

import pytest

from recorders.families.family import choice
from recorders.recommendations import page, played
from recorders.recommendations.recommended import INCIDENTS, REPETITIONS, TOP, AskedIncident


def test_the_page_is_that_of_the_recordings() -> None:
    assert page.PAGE.read_text("utf-8") == page.page()
    assert "The direction is right for 10 of 10 recommendations." in page.page()


@pytest.mark.parametrize("incident", INCIDENTS, ids=lambda each: each.family.name)
def test_every_recommendation_was_played_with_its_settings(incident: AskedIncident) -> None:
    top, real = played.advice(incident).top, played.real(incident)
    assert len(top) == TOP
    for each in top:
        assert len(real[each.name]) == REPETITIONS
        for run in real[each.name]:
            assert run.recorded.assignors == (each.settings["assignor"],)
            statics = {program.instance is not None for program in run.recorded.programs.values()}
            assert statics == {each.settings["static"] == "true"}
            for key in each.settings.keys() & {"heartbeat.interval.ms", "session.timeout.ms"}:
                assert str(run.recorded.consumer[key]) == each.settings[key]


def test_a_choice_is_named_by_what_differs() -> None:
    found = choice("cooperative-sticky-static-hb250-s6000")
    assert (found.assignor, found.static, found.heartbeat_ms, found.session_ms) == (
        "cooperative-sticky",
        True,
        250,
        6000,
    )
    with pytest.raises(ValueError, match="is no choice"):
        choice("range-s")
