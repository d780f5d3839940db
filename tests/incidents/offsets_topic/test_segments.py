"""Segment files of `__consumer_offsets`: what a real broker wrote, and what it could have written."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import pytest

from groupsim.incidents.offsets_topic.dump import DumpReader
from groupsim.incidents.offsets_topic.entries import MOST
from groupsim.incidents.offsets_topic.reader import Form, TopicReader, form_of, sort_out
from groupsim.incidents.offsets_topic.record import GroupRecord
from groupsim.incidents.offsets_topic.segments import SegmentReader
from tests.incidents.offsets_topic.segment_files import (
    CODECS,
    NOW_MS,
    Entry,
    batch,
    commit,
    fields,
    old_messages,
    packed,
    sealed,
)

GOLDEN = Path(__file__).parents[2] / "golden" / "offsets-topic"
BATCHES = ("dev-classic-3", "dev-migration-1", "dev-more-1")
NAME = "00000000000000000000.log"


def _read(path: Path, *parts: bytes) -> tuple[list[GroupRecord], SegmentReader]:
    path.write_bytes(b"".join(parts))
    reader = SegmentReader([path])
    return list(reader), reader


def _offsets(found: list[GroupRecord]) -> list[int]:
    return [record.offset for record in found]


def _all(folder: Path) -> tuple[list[GroupRecord], TopicReader]:
    found = sort_out(path for path in sorted(folder.rglob("*")) if path.is_file())
    assert not found.others
    reader = TopicReader(found.topic)
    return list(reader), reader


@pytest.mark.parametrize("name", BATCHES)
def test_a_segment_says_what_kafka_dump_log_prints_of_it(name: str) -> None:
    segment = SegmentReader([GOLDEN / f"{name}__{NAME}.gz"])
    dump = DumpReader(GOLDEN / f"{name}.dump.txt.gz")
    assert [fields(record) for record in segment] == [fields(record) for record in dump]
    assert (segment.damage, segment.unknown, dump.damage, dump.unknown) == ([], {}, [], {})


@pytest.mark.parametrize("codec", CODECS)
def test_any_compression_is_unpacked(tmp_path: Path, codec: str) -> None:
    entries = [commit(5 + n, partition=n) for n in range(40)]
    found, reader = _read(tmp_path / NAME, batch(entries, codec))
    assert [(record.offset, record.batch, record.key["partition"]) for record in found] == [
        (5 + n, 5, n) for n in range(40)
    ]
    assert reader.damage == []


def test_snappy_without_blocks_is_unpacked(tmp_path: Path) -> None:
    import pyarrow

    raw = bytearray(batch([commit(0)], "snappy"))
    raw[61:] = pyarrow.compress(batch([commit(0)])[61:], "snappy", asbytes=True)
    struct.pack_into(">i", raw, 8, len(raw) - 12)
    found, _ = _read(tmp_path / NAME, sealed(raw))
    assert _offsets(found) == [0]


@pytest.mark.parametrize("codec", ["gzip", "zstd", "lz4", "snappy"])
def test_a_batch_that_unpacks_to_too_much_is_left_out(tmp_path: Path, codec: str) -> None:
    raw = bytearray(batch([commit(0)], codec))
    raw[61:] = packed(bytes(MOST + 1), codec) if codec != "snappy" else b"\xff\xff\xff\xff\x0fab"
    struct.pack_into(">i", raw, 8, len(raw) - 12)
    found, reader = _read(tmp_path / NAME, sealed(raw), batch([commit(1)]))
    assert _offsets(found) == [1]
    assert "64 MB" in reader.damage[0]
    assert reader.unknown == {"a batch that can't be read": 1}


@pytest.mark.parametrize("magic", [0, 1])
def test_messages_of_kafka_before_0_11_are_read(tmp_path: Path, magic: int) -> None:
    found, reader = _read(tmp_path / NAME, old_messages([commit(3), commit(4, partition=1)], magic), batch([commit(5)]))
    assert [(record.offset, record.at_ms) for record in found] == [(3, NOW_MS), (4, NOW_MS), (5, NOW_MS)]
    assert reader.damage == []


def test_a_compressed_set_of_format_1_counts_from_its_last_message(tmp_path: Path) -> None:
    inner = old_messages([commit(0), commit(1), commit(4)], 1)
    outer = bytearray(old_messages([Entry(104, None, packed(inner, "gzip"))], 1))
    outer[17] = 1
    import zlib

    struct.pack_into(">I", outer, 12, zlib.crc32(outer[16:]))
    assert _offsets(_read(tmp_path / NAME, bytes(outer))[0]) == [100, 101, 104]


def test_commits_of_a_transaction_count_once_it_is_committed(tmp_path: Path) -> None:
    def marker(offset: int, kind: int, producer: int) -> bytes:
        entry = Entry(offset, struct.pack(">hh", 0, kind), struct.pack(">hi", 0, 0))
        return batch([entry], producer=producer, transactional=True, control=True)

    found, reader = _read(
        tmp_path / NAME,
        batch([commit(0)], producer=1, transactional=True),
        batch([commit(1)], producer=2, transactional=True),
        batch([commit(2)]),
        marker(3, 1, 1),
        marker(4, 0, 2),
        batch([commit(5)], producer=3, transactional=True),
    )
    assert _offsets(found) == [2, 0]
    assert reader.aborted == 1
    assert len(reader.damage) == 1
    assert "1 commit of transactions that were still open" in reader.damage[0]


def test_holes_of_compaction_are_no_damage(tmp_path: Path) -> None:
    found, reader = _read(tmp_path / NAME, batch([commit(3), commit(7)], base=1), batch([commit(20)], base=12))
    assert [(record.offset, record.batch) for record in found] == [(3, 1), (7, 1), (20, 12)]
    assert reader.damage == []


def test_a_batch_with_a_flipped_bit_is_left_out_and_named(tmp_path: Path) -> None:
    whole = [batch([commit(n)]) for n in range(4)]
    for at in (3, 9, 11, 16, 18, 40, 80):  # offset, length, format, checksum, head, record
        broken = bytearray(whole[1])
        broken[at] ^= 0x10
        found, reader = _read(tmp_path / NAME, whole[0], bytes(broken), whole[2], whole[3])
        if at < 8:  # the checksum does not cover the offset
            assert len(found) == 4
            continue
        assert _offsets(found) == [0, 2, 3]
        size = len(whole[1])
        place = f"position {len(whole[0]):,}: {size:,} bytes are left out"
        assert reader.damage == [f"{tmp_path / NAME} is damaged at {place}"]


def test_bytes_that_look_like_the_beginning_of_batches_take_no_time(tmp_path: Path) -> None:
    one = batch([commit(0)])
    false = bytes(8) + b"\x00\x10\x00\x00" + bytes(4) + b"\x02"
    long = bytes(8) + b"\x03\xff\xff\xff" + bytes(4) + b"\x02"
    found, reader = _read(tmp_path / NAME, one, long * 20_000, one[:-5], long * 20_000, batch([commit(1)]))
    assert _offsets(found) == [0, 1]
    assert len(reader.damage) == 1
    found, reader = _read(tmp_path / NAME, one, false * 200_000, batch([commit(1)]))
    assert _offsets(found) == [0]
    assert "the rest was not read" in reader.damage[0]


def test_a_truncated_tail_is_named_and_reserved_room_is_not(tmp_path: Path) -> None:
    one, two = batch([commit(0)]), batch([commit(1)])
    found, reader = _read(tmp_path / NAME, one, two[:-1])
    assert _offsets(found) == [0]
    assert reader.damage == [
        f"{tmp_path / NAME} is damaged from position {len(one)} on: it ends in the middle of a batch"
    ]
    found, reader = _read(tmp_path / NAME, one, two, bytes(5_000_000))
    assert (_offsets(found), reader.damage) == ([0, 1], [])


def test_unknown_types_and_versions_are_counted_by_name(tmp_path: Path) -> None:
    known = commit(0)
    assert known.key is not None
    others = [
        Entry(1, struct.pack(">h", 3) + b"\x00\x01g", struct.pack(">h", 9) + b"later"),
        Entry(2, struct.pack(">h", 17) + b"\x00\x01g", b""),
        Entry(3, struct.pack(">h", 99) + b"\x00\x01g", b""),
        Entry(4, None, b"x"),
        Entry(5, known.key[:-1], b"x"),
        Entry(6, known.key, struct.pack(">hq", 3, 1)),
    ]
    found, reader = _read(tmp_path / NAME, batch([known, *others]))
    assert _offsets(found) == [0]
    assert reader.unknown == {
        "version 9 of the value of type 3": 1,
        "StreamsGroupMetadata records": 1,
        "record type 99": 1,
        "a record without a key": 1,
        "a damaged key of type 1": 1,
        "a damaged value of type 1": 1,
    }


def test_segments_of_several_partitions_are_read_in_the_order_of_each(tmp_path: Path) -> None:
    for partition, first, last in ((2, 0, 3), (2, 4, 6), (10, 0, 2)):
        folder = tmp_path / f"__consumer_offsets-{partition}"
        folder.mkdir(exist_ok=True)
        segment = b"".join(batch([commit(n, partition=partition)]) for n in range(first, last + 1))
        (folder / f"{first:020}.log").write_bytes(segment)
        (folder / f"{first:020}.index").write_bytes(bytes(80))
        (folder / "leader-epoch-checkpoint").write_text("0\n1\n0 0\n")
        (folder / "partition.metadata").write_text("version: 0\n")
    found, reader = _all(tmp_path)
    assert [(record.key["partition"], record.offset) for record in found] == [
        *((10, n) for n in range(3)),
        *((2, n) for n in range(7)),
    ]
    assert reader.damage == []


def test_copies_of_several_brokers_fill_each_others_holes(tmp_path: Path) -> None:
    whole = [batch([commit(n, committed=n)]) for n in range(5)]
    broken = whole[1][:70] + b"\xff" + whole[1][71:]
    for broker, parts in (("a", [whole[0], broken, *whole[2:4]]), ("b", whole[1:])):
        folder = tmp_path / broker / "__consumer_offsets-0"
        folder.mkdir(parents=True)
        (folder / NAME).write_bytes(b"".join(parts))
    found, reader = _all(tmp_path)
    assert _offsets(found) == [0, 1, 2, 3, 4]
    assert len(reader.damage) == 1


def test_what_compaction_has_replaced_is_read_while_it_is_there(tmp_path: Path) -> None:
    folder = tmp_path / "__consumer_offsets-0"
    folder.mkdir()
    (folder / NAME).write_bytes(batch([commit(2)], base=0) + batch([commit(3)]))
    (folder / f"{NAME}.deleted").write_bytes(batch([commit(0), commit(1), commit(2)]))
    assert _offsets(_all(tmp_path)[0]) == [0, 1, 2, 3]


def test_segments_of_another_topic_are_no_group_records(tmp_path: Path) -> None:
    for topic in ("orders-0", "__consumer_offsets-0"):
        (tmp_path / topic).mkdir()
        (tmp_path / topic / NAME).write_bytes(batch([commit(0)]))
    found = sort_out([tmp_path / "orders-0" / NAME, tmp_path / "__consumer_offsets-0" / NAME])
    assert found.other_topics == (tmp_path / "orders-0" / NAME,)
    assert [path.parent.name for path, _ in found.topic] == ["__consumer_offsets-0"]


def test_segments_are_known_by_their_first_batch_and_by_their_name(tmp_path: Path) -> None:
    whole = batch([commit(0)])
    broken = whole[:70] + b"\xff" + whole[71:]
    noise = bytes(range(256))
    for name, begin, form in (
        ("copied.bin", whole, Form.SEGMENT),
        ("copied.bin", broken, Form.SEGMENT),
        ("copied.bin", old_messages([commit(0)], 1), Form.SEGMENT),
        ("copied.bin", noise, None),
        (NAME, noise, Form.SEGMENT),
        (NAME, b"", Form.SEGMENT),
        (NAME, b"2024-03-01 10:00:00,000 INFO [GroupCoordinator 1] Preparing to rebalance\n", None),
    ):
        (tmp_path / name).write_bytes(begin)
        assert form_of(tmp_path / name) is form, (name, begin[:20])


def test_a_packed_segment_that_is_cut_off_gives_what_it_holds(tmp_path: Path) -> None:
    raw = (GOLDEN / f"dev-classic-3__{NAME}.gz").read_bytes()
    cut = tmp_path / f"{NAME}.gz"
    cut.write_bytes(raw[: len(raw) // 2])
    whole = list(SegmentReader([GOLDEN / f"dev-classic-3__{NAME}.gz"]))
    reader = SegmentReader([cut])
    found = list(reader)
    assert 0 < len(found) < len(whole)
    assert [fields(record) for record in found] == [fields(record) for record in whole[: len(found)]]
    assert "gzip" in reader.damage[0]
    assert len(gzip.decompress(raw)) == 104192


def test_only_the_groups_wanted_are_decoded(tmp_path: Path) -> None:
    path = tmp_path / NAME
    path.write_bytes(batch([commit(0, group="a"), commit(1, group="b")]))
    assert _offsets(list(SegmentReader([path], groups=frozenset(["b"])))) == [1]
