"""Large exports: what concerns groups is found wherever it is, and what does not is passed over."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

import pytest

from groupsim.incidents.exports import large_json
from groupsim.incidents.exports.document import Kind, raw_records
from groupsim.incidents.exports.relevant import FIRST, LONGEST, NEAR, relevant, without_groups
from groupsim.incidents.logs.reading import read_files

JOIN = "[Consumer clientId=c1, groupId=billing] (Re-)joining group (org.apache.kafka.clients.consumer.Coordinator)"


def records(number: int, joins: set[int]) -> Iterator[dict[str, Any]]:
    for n in range(number):
        text = JOIN if n in joins else f"GET /basket/{n} answered"
        yield {"timestamp": f"2024-03-01T10:{n // 600 % 60:02d}:{n // 10 % 60:02d}.{n % 10}00Z", "message": text}


def test_a_document_on_one_long_line_is_read_to_its_end(tmp_path: Path) -> None:
    export = tmp_path / "one-line.json"
    long = {"timestamp": "2024-03-01T10:00:00Z", "message": "GET " + "x" * 1_000_000}
    export.write_text(json.dumps({"hits": [long] * 17 + list(records(3, {1}))}))
    reading = read_files([export])
    assert [(row.kind, row.line) for row in reading.rows] == [("joining", 19)]
    assert reading.damage == []


@pytest.mark.parametrize("kind", [Kind.JSON, Kind.CSV])
def test_a_record_among_many_keeps_its_number(kind: Kind) -> None:
    last = FIRST + 4 * NEAR
    every = list(records(last + NEAR, {3, last}))
    lines = [json.dumps(each) for each in every]
    texts = ["\n".join(lines), '{"data": [' + ",".join(lines) + "]}"]
    if kind is Kind.CSV:
        texts = ["timestamp,message\n" + "".join(f'{each["timestamp"]},"{each["message"]}"\n' for each in every)]
    for text in texts:
        found = list(raw_records(kind, io.BytesIO(text.encode()), pytest.fail))
        assert [number for number, fields in found if fields["message"] == JOIN] == [4, last + 1]
        assert len(found) < FIRST + 4 * NEAR


def test_an_export_without_groups_is_passed_over_and_its_lines_counted(tmp_path: Path) -> None:
    export = tmp_path / "shop.ndjson"
    export.write_text("".join(json.dumps(each) + "\n" for each in records(2_000, set())))
    passed = without_groups(export)
    assert passed is not None
    assert (passed.lines, len(passed.tail)) == (2_000, 64 << 10)
    reading = read_files([export])
    assert (reading.counts.lines, reading.rows) == (2_000, [])
    assert list(reading.ends.values()) == ["2024-03-01T10:03:19.900Z"]


@pytest.mark.parametrize("text", [JOIN.replace("g", "\\u0067"), "x" * 5_000 + JOIN, "user group"])
def test_only_what_may_concern_groups_stops_a_file_from_being_passed_over(tmp_path: Path, text: str) -> None:
    export = tmp_path / "export.json"
    export.write_text('{"message": "' + "y" * 3_000_000 + text + " " * 9_000 + '"}')
    assert (without_groups(export) is None) == ("user group" not in text)


def test_bytes_that_spell_a_line_are_found(tmp_path: Path) -> None:
    export = tmp_path / "journal.json"
    lines = [{"__REALTIME_TIMESTAMP": "1709287200000000", "MESSAGE": list(JOIN.encode()), "_HOSTNAME": "a"}]
    export.write_text("\n".join(map(json.dumps, lines * 3)))
    assert without_groups(export) is None


def test_of_many_records_those_near_one_that_concerns_groups_are_kept() -> None:
    kept = list(relevant(range(FIRST + 20_000), lambda n: n == FIRST + 7_777))
    assert set(range(FIRST + 7_777 - NEAR, FIRST + 7_777 + NEAR + 1)) <= set(kept)
    assert kept[-1] == FIRST + 19_999
    assert len(kept) < FIRST + 2 * NEAR + 10
    assert kept == sorted(set(kept))


class Blocks:
    """A document that comes in small blocks, however many are asked for."""

    def __init__(self, text: str | bytes, size: int) -> None:
        self._data, self._size, self._at = text.encode() if isinstance(text, str) else text, size, 0

    def read(self, _: int) -> bytes:
        self._at += self._size
        return self._data[self._at - self._size : self._at]


@pytest.mark.parametrize("size", [1, 2, 7, 64])
def test_blocks_may_end_anywhere(size: int) -> None:
    every = [{"timestamp": 1709287200 + n, "message": f'{JOIN} é \\ " {n}', "n": [1, n]} for n in range(9)]
    text = json.dumps({"labels": {"pod": "p"}, "values": every}, ensure_ascii=False)
    found = list(large_json.records(Blocks(text, size)))
    assert [each.record()["message"] for each in found] == [each["message"] for each in every]
    assert all(each.concerns_groups() for each in found)


@pytest.mark.parametrize("value", ["9" * 5_000, '"' + "x" * 6_000_000 + '\\\\\\""', "NaN", "1e999"])
def test_a_strange_value_does_not_end_the_reading(value: str) -> None:
    text = '[{"message": "a", "time": 1}, {"message": "b", "time": 2, "v": ' + value + '}, {"message": "c", "time": 3}]'
    found = [each.record().get("message") for each in large_json.records(Blocks(text, 1 << 20))]
    assert found[0] == "a"
    assert found[-1] == "c"


def test_many_small_documents_take_time_in_proportion_to_their_number() -> None:
    """The line of each is counted from that of the one before."""
    text = '{\n"message": "a",\n"time": 1}\n' * 3_000
    assert [each.line for each in large_json.records(Blocks(text, 1 << 20))] == [3 * n + 1 for n in range(3_000)]


def journal(texts: list[str]) -> bytes:
    """An export of a journal: a text with a line break is counted, another stands behind its key."""
    entries = []
    for n, text in enumerate(texts):
        said = text.encode()
        message = b"MESSAGE=" + said
        if b"\n" in said:
            message = b"MESSAGE\n" + len(said).to_bytes(8, "little") + said
        entries.append(b"__REALTIME_TIMESTAMP=%d\n_HOSTNAME=a\n%s\n" % (1709287200000000 + n, message))
    return b"\n".join(entries)


@pytest.mark.parametrize("size", [1, 7, 1 << 16])
def test_a_journal_is_read_in_blocks(size: int) -> None:
    texts = [JOIN, f"two\n{JOIN}", "a\n\n=b", "é"]
    blocks = Blocks(journal(texts), size)
    found = list(raw_records(Kind.JOURNAL, cast(IO[bytes], blocks), pytest.fail))
    assert [fields["MESSAGE"] for _, fields in found] == texts


def test_of_a_long_journal_the_entries_near_those_of_groups_are_kept() -> None:
    last = FIRST + 4 * NEAR
    texts = [JOIN if n in (3, last) else "GET /basket" for n in range(last + NEAR)]
    found = list(raw_records(Kind.JOURNAL, io.BytesIO(journal(texts)), pytest.fail))
    assert [number for number, fields in found if fields["MESSAGE"] == JOIN] == [4, last + 1]
    assert len(found) < FIRST + 4 * NEAR


def test_a_journal_that_breaks_off_is_said_and_what_came_before_is_read() -> None:
    said: list[str] = []
    whole = journal([JOIN, "two\nlines"])
    found = list(raw_records(Kind.JOURNAL, io.BytesIO(whole[:-4]), said.append))
    assert [fields.get("MESSAGE") for _, fields in found] == [JOIN, None]
    assert said == ["the journal export breaks off; what came before was read"]


def test_a_field_that_claims_to_be_huge_is_not_waited_for_in_memory() -> None:
    """Its length is untrusted: of the longest field a beginning is kept, and the entries behind it are read."""
    long = "x" * (LONGEST + 5) + "\ny"
    found = list(raw_records(Kind.JOURNAL, io.BytesIO(journal([long, "x" * (LONGEST + 5), JOIN])), pytest.fail))
    assert [len(fields["MESSAGE"]) <= LONGEST for _, fields in found] == [True] * 3
    assert found[-1][1]["MESSAGE"] == JOIN
    lie = b"__A=1\n_B=2\nMESSAGE\n" + b"\xff" * 8 + b"abc"
    said: list[str] = []
    assert len(list(raw_records(Kind.JOURNAL, io.BytesIO(lie), said.append))) == 1
    assert said
