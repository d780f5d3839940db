"""What is proposed fits who is asked: the client's library, and whether it lives."""

from __future__ import annotations

from pathlib import Path

from groupsim.diagnosis.explain import Explanation, explain_reading
from groupsim.incidents.logs.reading import read_files

_JAVA = "2024-03-04 10:00:{s:02d},000 {level} [Consumer clientId=web-1, groupId=orders] {text}\n"


def _explained(folder: Path, text: str) -> Explanation:
    path = folder / "app.log"
    path.write_text(text, encoding="utf-8")
    explanation = explain_reading(read_files([path]))
    assert explanation is not None
    return explanation


def test_librdkafka_has_no_batches_to_make_smaller(tmp_path: Path) -> None:
    said = (
        "Application maximum poll interval (300000ms) exceeded by 162ms (adjust max.poll.interval.ms for long-running"
        " message processing): leaving group"
    )
    answer = _explained(tmp_path, f"%4|1709546400.000|MAXPOLL|web#consumer-1| [thrd:main]: {said}\n").answer
    assert "max.poll.records" not in answer
    assert answer.endswith("process outside the poll loop or raise max.poll.interval.ms.")


def test_a_client_whose_log_goes_on_did_not_die(tmp_path: Path) -> None:
    refused = "Resetting generation and member id due to: encountered UNKNOWN_MEMBER_ID from OFFSET_COMMIT response"
    explanation = _explained(
        tmp_path,
        _JAVA.format(s=1, level="INFO", text="Adding newly assigned partitions: [orders-0]")
        + _JAVA.format(s=2, level="INFO", text=refused)
        + _JAVA.format(s=2, level="INFO", text="(Re-)joining group"),
    )
    assert explanation.answer == (
        "The coordinator no longer knew web-1: its session had ended, or a batch took too long; look for a pause, the"
        " network, or a long batch."
    )
    assert "max.poll.interval.ms" in explanation.groups[0].findings[0].do[0].settings
