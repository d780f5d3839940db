"""Dumps of `__consumer_offsets` are read as kafka-dump-log printed them, by old and new tools."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupsim.incidents.offsets_topic.dump import DumpReader, is_dump
from groupsim.incidents.offsets_topic.record import GroupRecord

GOLDEN = Path(__file__).parents[2] / "golden" / "offsets-topic" / "dev-classic-3.dump.txt.gz"
_HEAD = "CreateTime: 1795329491687 keySize: 29 valueSize: 24 sequence: {} headerKeys: []"
_NEW = "\n".join(
    [
        "Dumping __consumer_offsets-0/00000000000000000000.log",
        "Log starting offset: 0",
        "baseOffset: 7 lastOffset: 8 count: 2 baseSequence: 0 lastSequence: 1 producerId: -1 CreateTime: 1795329491687",
        f'| offset: 7 {_HEAD.format(0)} key: {{"type":"3","data":{{"groupId":"a payload: {{}}"}}}}'
        ' payload: {"version":"0","data":{"epoch":4,"metadataHash":1}}',
        f'| offset: 8 {_HEAD.format(1)} key: {{"type":"8","data":{{"groupId":"g","memberId":"m"}}}} payload: <DELETE>',
        f"| offset: 9 {_HEAD.format(0)} key: Unknown record type 99 at offset 9, skipping.",
        f'| offset: 11 {_HEAD.format(1)} key: {{"type":"11","data":{{}}}} payload: {{"version":"0","data":{{}}}}',
    ]
)
_OLD = "\n".join(
    [
        f"| offset: 3 {_HEAD.format(0)} key: offset_commit::group=g,partition=my-topic-12 "
        "payload: offset=55,metadata=x",
        f"| offset: 4 {_HEAD.format(0)} key: group_metadata::group=g payload: "
        '{"protocolType":"consumer","protocol":"range","generationId":2,'
        '"assignment":"{m-1=[t-0, t-1],m-2=[],m-3=[other-topic-0]:00ff}"}',
        f"| offset: 5 {_HEAD.format(0)} key: group_metadata::group=g payload: <DELETE>",
    ]
)


def _read(path: Path, text: str) -> tuple[list[GroupRecord], DumpReader]:
    path.write_text(text)
    reader = DumpReader(path)
    return list(reader), reader


def test_a_dump_gives_records_with_their_batch_and_what_is_unknown_by_name(tmp_path: Path) -> None:
    records, reader = _read(tmp_path / "d.txt", _NEW)
    assert [(each.offset, each.batch, each.kind, each.key_version) for each in records] == [
        (7, 7, "ConsumerGroupMetadata", 3),
        (8, 7, "ConsumerGroupCurrentMemberAssignment", 8),
    ]
    assert records[0].key == {"groupId": "a payload: {}"}
    assert records[0].value == {"epoch": 4, "metadataHash": 1}
    assert records[1].value is None
    assert records[1].place.endswith("d.txt:5")
    assert reader.unknown == {"record type 99": 1, "record type 11": 1}


def _batch(offset: int, producer: int, *, control: bool = False) -> str:
    is_control = str(control).lower()
    return (
        f"baseOffset: {offset} lastOffset: {offset} count: 1 baseSequence: 0 lastSequence: 0 producerId: {producer}"
        f" producerEpoch: 0 partitionLeaderEpoch: 0 isTransactional: {str(producer >= 0).lower()} isControl:"
        f" {is_control} deleteHorizonMs: OptionalLong.empty position: 0 CreateTime: 1795329491687 size: 1 magic: 2"
    )


def _commit(offset: int, producer: int) -> list[str]:
    key = f'{{"type":"1","data":{{"group":"g","topic":"t","partition":{offset}}}}}'
    payload = '{"version":"3","data":{"offset":1}}'
    return [_batch(offset, producer), f"| offset: {offset} {_HEAD.format(0)} key: {key} payload: {payload}"]


def _marker(offset: int, producer: int, kind: str) -> list[str]:
    return [_batch(offset, producer, control=True), f"| offset: {offset} {_HEAD.format(0)} endTxnMarker: {kind}"]


def test_commits_of_a_transaction_count_once_it_is_committed(tmp_path: Path) -> None:
    lines = [*_commit(0, 1), *_commit(1, 2), *_commit(2, -1), *_marker(3, 1, "COMMIT"), *_marker(4, 2, "ABORT")]
    records, reader = _read(tmp_path / "d.txt", "\n".join([*lines, *_commit(5, 3)]))
    assert [each.offset for each in records] == [2, 0]
    assert reader.aborted == 1
    assert "1 commit of transactions that were still open at the end" in reader.damage[0]


def test_commits_of_a_transaction_whose_marker_was_cut_out_count_and_this_is_said(tmp_path: Path) -> None:
    lines = [*_commit(0, 1), *_marker(1, 1, "ABORT")[:1], *_commit(2, -1)]
    records, reader = _read(tmp_path / "d.txt", "\n".join(lines))
    assert [each.offset for each in records] == [0, 2]
    assert len(reader.damage) == 1
    assert "1 commit of them count, although some may have been aborted" in reader.damage[0]


def test_a_record_whose_batch_was_cut_out_of_the_dump_counts_back_by_its_sequence(tmp_path: Path) -> None:
    records, _ = _read(tmp_path / "d.txt", _NEW.replace("baseOffset: 7", "base"))
    assert [each.batch for each in records] == [7, 7]


def test_the_text_of_older_tools_gives_the_same_fields(tmp_path: Path) -> None:
    records, _ = _read(tmp_path / "d.txt", _OLD)
    commit, generation, tombstone = records
    assert commit.key == {"group": "g", "topic": "my-topic", "partition": 12}
    assert commit.value == {"offset": 55, "metadata": "x"}
    assert generation.value is not None
    assert generation.value["generation"] == 2
    assert generation.value["members"] == [
        {"memberId": "m-1", "assignment": {"assignedPartitions": [{"topic": "t", "partitions": [0, 1]}]}},
        {"memberId": "m-2", "assignment": {"assignedPartitions": []}},
        {"memberId": "m-3", "assignment": {"assignedPartitions": [{"topic": "other-topic", "partitions": [0]}]}},
    ]
    assert tombstone.value is None


@pytest.mark.parametrize(
    "line",
    [f"| offset: 3 {_HEAD.format(0)} key: \x00\x01garbage payload: \x00", "baseOffset: 0 lastOffset: 4 count: 5 "],
)
def test_of_a_dump_without_the_decoder_the_name_of_the_option_is_said(tmp_path: Path, line: str) -> None:
    (tmp_path / "d.txt").write_text(line, encoding="utf-8")
    reader = DumpReader(tmp_path / "d.txt")
    assert list(reader) == []
    assert "print it again with --offsets-decoder" in reader.without[str(tmp_path / "d.txt")]


def test_dumps_and_logs_are_distinguished() -> None:
    assert is_dump(_NEW.encode())
    assert is_dump(_OLD.encode())
    assert not is_dump(b"[2024-01-01 10:00:00,000] INFO Setting offset: 5 for partition t-0\n")


@given(st.text(alphabet='{}":, payload=<DELETE>\n[]0offset_commit::group|key', max_size=200))
def test_no_damage_is_a_traceback(tmp_path_factory: pytest.TempPathFactory, noise: str) -> None:
    path = tmp_path_factory.mktemp("dumps") / "d.txt"
    records, reader = _read(path, f"{_NEW}\n| offset: 5 {_HEAD.format(0)} key: {noise}\n")
    assert len(records) >= 2
    assert reader.lines >= 8


_LINES = [line + "\n" for line in gzip.decompress(GOLDEN.read_bytes()).decode().splitlines()]


@pytest.mark.parametrize("lines", [40, 41, 60])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_dump_that_is_cut_in_a_line_is_said_to_be(lines: int, share: float, tmp_path: Path) -> None:
    last = _LINES[lines][: max(1, round(share * (len(_LINES[lines]) - 2)))]
    _, reader = _read(tmp_path / "d.txt", "".join(_LINES[:lines]) + last)
    assert reader.damage == [f"{tmp_path}/d.txt:{lines + 1}: the dump was cut off in this line, its last one"]


def test_a_dump_that_is_cut_between_the_records_of_a_batch_is_said_to_be(tmp_path: Path) -> None:
    batches = [n for n, line in enumerate(_LINES) if line.startswith("baseOffset") and " count: 1 " not in line]
    end = batches[3] + 2
    _, reader = _read(tmp_path / "d.txt", "".join(_LINES[:end]))
    assert len(reader.damage) == 1
    assert "of its last batch: it was cut off" in reader.damage[0]
    chosen = [line for line in _LINES if line.startswith("baseOffset") or "s03-one-closes.range" in line]
    for text in ("".join(_LINES), "".join(_LINES)[:-1], "".join(chosen)):
        _, reader = _read(tmp_path / "d.txt", text)
        assert reader.damage == [], "a whole one, without its last line end, and one of which lines were chosen"
