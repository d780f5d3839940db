"""`when` reaches from the first occurrence to the end of the last; who was frozen read nothing meanwhile."""

from __future__ import annotations

from pathlib import Path

from groupsim.diagnosis.codes import Code
from groupsim.diagnosis.finding import Evidence
from tests.diagnosis.small_logs import explained
from tests.diagnosis.test_answers import assigned
from tests.diagnosis.test_at_night import dies, found, joins
from tests.diagnosis.test_coordinator_back import BACK, outage, worker
from tests.diagnosis.test_sentences import SLEEPS, python


def lasted(evidence: Evidence) -> int | None:
    """From its first line to its last, in seconds."""
    return (evidence.last_ms or 0) // 1_000 - (evidence.first_ms or 0) // 1_000


def test_a_loop_lasts_until_its_client_is_back_for_the_last_time(tmp_path: Path) -> None:
    again = [line for n in (1, 2, 3) for line in (dies(n, 100 * n), joins(n + 1, 100 * n + 70))]
    evidence = found(explained(tmp_path, *again), Code.CRASH_LOOP).evidence
    assert lasted(evidence) == 270
    stays_away = found(explained(tmp_path, *again[:-1]), Code.CRASH_LOOP).evidence
    assert lasted(stays_away) == 200


def test_a_lost_session_lasts_until_its_client_is_back(tmp_path: Path) -> None:
    evidence = found(explained(tmp_path, dies(1, 100), joins(2, 130)), Code.SESSION_EXPIRED).evidence
    assert lasted(evidence) == 30


def test_a_connector_waits_until_it_is_given_to_a_worker(tmp_path: Path) -> None:
    again = worker(371, assigned(6, "files", "files-0", 0))
    evidence = found(explained(tmp_path, *outage(*BACK, again)), Code.CONNECT_DELAY).evidence
    assert lasted(evidence) == 300
    assert [place.line for place in evidence.places] == [6, 7]


def test_a_machine_slept_from_the_begin_of_the_silence_and_read_nothing_in_it(tmp_path: Path) -> None:
    explanation = explained(
        tmp_path, *SLEEPS, python(9_100, "Heartbeat failed for group night because it is rebalancing")
    )
    finding = found(explanation, Code.SESSION_EXPIRED)
    assert lasted(finding.evidence) == 7_260
    assert finding.evidence.places[0].line == 4  # the line that says for how long
    assert explanation.groups[0].stopped_ms == (0, 7_263_102)
