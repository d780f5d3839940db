"""Mutated logs: no crash, no hang, nothing lost silently."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groupsim.incidents.errors import LogError
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.formats import clean, parse
from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.recognition import recognise
from groupsim.storage.memory import MemoryStore
from tests.incidents.layout_examples import PREFIXED, STRUCTURED
from tests.incidents.layouts import plain
from tests.incidents.lines import CLASS, CLIENT
from tests.incidents.test_formats import LAYOUTS
from tests.incidents.test_wordings import BROKERS, CLIENTS, OTHERS
from tests.thinned import examples, some

LINES = (
    [b[0] for b in BROKERS] + [CLIENT + c[0] + CLASS for c in CLIENTS] + [o[0] for o in OTHERS] + list(LAYOUTS.values())
)
CUT = (
    "Kibana CSV",
    "JSON printed on many lines",
    "slog text",
    "CRI, long lines in parts",
    "wrapped at 80",
    "docker json-file",
)
PIECES = [line for name in CUT for said in plain()[19:21] for line in {**STRUCTURED, **PREFIXED}[name](said)]
JUNK = st.sampled_from(
    ["\x00", "\x1b[31m", "\ufffd", "[", "]", "{", "}", "(", '"', "'", ":", "\t", " ", "%s", "<b>", "\\"]
)
_PART = re.compile(rb"std(?:out|err) P ")
SLOW = settings(
    max_examples=examples(25, 60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A real line with pieces cut out, doubled or put in."""
    line = draw(st.sampled_from(LINES + PIECES))
    for _ in range(draw(st.integers(0, 4))):
        a, b = sorted(draw(st.tuples(st.integers(0, len(line)), st.integers(0, len(line)))))
        piece = draw(st.one_of(st.just(""), JUNK, st.just(line[a:b] * 2), st.text(max_size=5)))
        line = line[:a] + piece + line[b:]
    return line


@SLOW
@given(lines=st.lists(mutated(), max_size=30), end=st.sampled_from(["\n", "\r\n"]))
def test_a_mutated_log_is_read_and_imported_without_a_crash(tmp_path: Path, lines: list[str], end: str) -> None:
    path = tmp_path / "fuzz.log"
    path.write_bytes(end.join(lines).encode("utf-8", "surrogatepass"))
    reading = read_files([path])
    written = path.read_bytes().removesuffix(b"\n").split(b"\n") if path.stat().st_size else []
    # What an export delivers twice counts once, and so do the parts of a line that goes on in the next record; an
    # empty line between its records is none of them.
    once = {line.removesuffix(b"\r") for line in written if not _PART.search(line)} - {b""}
    assert reading.counts.lines <= len(written)
    assert len(once) <= reading.counts.lines or reading.damage  # which says from where on nothing could be read
    assert all(1 <= row.line <= len(written) for row in (*reading.rows, *reading.context))
    assert reading.counts.unrecognised == len(reading.unrecognised)
    try:
        store = MemoryStore()
        run = import_run(reading, store, name=None, topics={}).run
    except LogError:
        return
    times = [fact.at_ms for fact in store.read(run.id)]
    assert times == sorted(times)


@SLOW
@given(data=st.binary(max_size=3000), line=st.sampled_from(LINES))
def test_any_bytes_around_a_line_leave_the_line(tmp_path: Path, data: bytes, line: str) -> None:
    path = tmp_path / "fuzz.log"
    path.write_bytes(b"x" + data + b"\n" + line.encode() + b"\n")
    alone = tmp_path / "alone.log"
    alone.write_bytes(line.encode() + b"\n")
    assert [row.kind for row in read_files([alone]).rows] == [row.kind for row in read_files([path]).rows][
        -len(read_files([alone]).rows) :
    ]


@pytest.mark.parametrize("line", some(sorted(set(LINES)), 4, 1), ids=some(range(len(set(LINES))), 4, 1))
def test_no_line_takes_long_however_its_pieces_repeat(line: str) -> None:
    """Words repeated thousands of times are what a backtracking pattern would choke on."""
    words = line.split(" ")
    began = time.process_time()
    for at in range(0, len(words), max(1, len(words) // 6)):
        piece = " ".join(words[at : at + 4]) + " "
        huge = " ".join(words[:at]) + " " + piece * (200_000 // len(piece)) + " ".join(words[at + 4 :])
        recognise(parse(1, clean(huge.encode())))
    assert time.process_time() - began < 5
