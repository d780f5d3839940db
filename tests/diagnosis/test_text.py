"""An explanation in text: the lines that it rests on stand in it as they stand in the log."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from groupsim.diagnosis.explain import explain_reading
from groupsim.diagnosis.to_text import as_text
from groupsim.incidents.logs.reading import read_files

EXAMPLE = Path(__file__).parents[2] / "examples" / "incidents" / "max-poll-range" / "m2.0.log.gz"
LOG = gzip.decompress(EXAMPLE.read_bytes()).decode()


def shown(path: Path, width: int | None = None) -> list[str]:
    """The lines of the log in the answer."""
    explanation = explain_reading(read_files([path]))
    assert explanation is not None
    return [line for line in as_text(explanation, width=width) if line.startswith(f"    {path.name}:")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "gzip"])
def test_lines_stand_as_in_the_log_however_it_is_stored(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "m2.log"
    path.write_bytes(gzip.compress(LOG.encode()) if encoding == "gzip" else LOG.encode(encoding))
    lines = LOG.splitlines()
    assert shown(path) == [f"    m2.log:{number}  {lines[number - 1]}" for number in (18, 19)]


def test_the_last_line_needs_no_end_and_none_is_cut_but_for_a_width(tmp_path: Path) -> None:
    path = tmp_path / "m2.log"
    path.write_text("\n".join(LOG.splitlines()[:19]), encoding="utf-8")
    assert shown(path)[1].endswith("(org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)")
    assert {len(line) for line in shown(path, width=80)} == {80}
    assert all(line.endswith("…") for line in shown(path, width=80))


def test_colours_are_left_out_and_what_a_terminal_obeys_is_written_as_an_escape(tmp_path: Path) -> None:
    path = tmp_path / "m2.log"
    lines = LOG.splitlines()
    lines[17] = f"\x1b[33m{lines[17]}\x1b[0m\x07"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert shown(path)[0].endswith("ConsumerCoordinator)\\x07")
    assert "\x1b" not in shown(path)[0]
    assert "[33m" not in shown(path)[0]
