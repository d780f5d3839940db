"""What every store promises, on each kind of store."""

from __future__ import annotations

import gc
import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groupsim.events.base import Event, Recorded
from groupsim.events.catalogue import CATALOGUE
from groupsim.events.errors import GroupsimError
from groupsim.events.group import GroupCreated
from groupsim.events.world import TopicCreated
from groupsim.storage import EventStore, open_store
from groupsim.storage.errors import StoreError, StreamConflict, UnknownFact, UnknownRun
from groupsim.storage.store import RunStatus, Snapshot
from groupsim.storage.writer import BATCH
from tests.storage.facts import any_fact, info, of_type, plain, write
from tests.thinned import examples

_names = (f"run-{number}" for number in itertools.count())
ANY = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@ANY
@given(facts=st.lists(st.tuples(st.integers(0, 2**40), st.sampled_from("abc"), any_fact()), max_size=8))
def test_facts_come_back_as_they_were_appended(store: EventStore, facts: list[tuple[int, str, Event]]) -> None:
    run, versions = next(_names), dict.fromkeys("abc", 0)
    expected = []
    writer = store.begin(info(run))
    for seq, (at_ms, stream, event) in enumerate(facts):
        writer.append(at_ms, stream, [event], source=f"broker.log:{seq}" if seq % 2 else None)
        source = f"broker.log:{seq}" if seq % 2 else None
        expected.append(Recorded(run, seq, at_ms, stream, versions[stream], event, source))
        versions[stream] += 1
    ended = writer.finish(RunStatus.FINISHED, 5)
    assert list(store.read(run)) == expected
    assert store.find(run) == ended
    assert ended.facts == len(facts)
    assert ended.digest == store.digest(run)


@pytest.mark.parametrize("tag", CATALOGUE)
@settings(max_examples=examples(3, 5), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_a_fact_of_each_type_comes_back(kept_store: EventStore, tag: str, data: st.DataObject) -> None:
    event, run = data.draw(of_type(CATALOGUE[tag])), next(_names)
    writer = kept_store.begin(info(run))
    writer.append(0, "world", [event])
    writer.flush()
    assert [fact.event for fact in kept_store.read(run, types=[tag])] == [event]


def test_what_was_not_flushed_is_not_in_the_store(store: EventStore) -> None:
    writer = store.begin(info("a"))
    for number in range(BATCH - 1):
        writer.append(0, "s", [plain(number)])
    assert list(store.read("a")) == []
    writer.append(0, "s", [plain(BATCH - 1)])
    assert len(list(store.read("a"))) == BATCH == store.find("a").facts
    writer.append(0, "s", [plain(BATCH)])
    writer.flush()
    assert [fact.version for fact in store.read("a", start=BATCH - 1)] == [BATCH - 1, BATCH]


def test_a_run_that_has_not_ended_is_running_and_has_no_digest(store: EventStore) -> None:
    write(store, "a", 3)
    assert (store.find("a").status, store.find("a").digest) == ("running", None)


def test_an_id_is_given_once(store: EventStore) -> None:
    store.begin(info("a"))
    with pytest.raises(StreamConflict, match="run a already exists"):
        store.begin(info("a"))


def test_the_second_of_two_writers_of_one_run_is_refused(store: EventStore) -> None:
    first = write(store, "a", 3)
    second = store.resume("a")
    second.append(99, "group:g", [plain(3)])
    second.flush()
    first.append(99, "group:other", [plain(4)])
    with pytest.raises(StreamConflict, match="another writer has already written to run a"):
        first.flush()
    with pytest.raises(StreamConflict):
        first.append(99, "group:g", [plain(5)])
    assert [fact.event for fact in store.read("a")] == [plain(number) for number in range(4)]


def test_a_run_that_another_writer_ended_takes_no_more(store: EventStore) -> None:
    writer = write(store, "a", 3)
    store.resume("a").finish(RunStatus.INTERRUPTED, 20)
    with pytest.raises(StreamConflict):
        writer.finish(RunStatus.FINISHED, 30)
    assert store.find("a").status == "interrupted"


def test_a_finished_run_takes_no_more_facts(store: EventStore) -> None:
    writer = write(store, "a", 3)
    writer.finish(RunStatus.FINISHED, 30)
    with pytest.raises(StoreError, match=r"run a has ended \(finished\)"):
        writer.append(40, "group:g", [plain(3)])
    with pytest.raises(StoreError, match=r"run a has ended \(finished\)"):
        writer.finish(RunStatus.FAILED, 40)
    with pytest.raises(StoreError, match=r"run a has ended \(finished\)"):
        store.resume("a")


def test_a_summary_is_the_same_when_it_is_given_back_and_when_it_is_read(store: EventStore) -> None:
    ended = write(store, "a", 1).finish(RunStatus.FINISHED, 1, {"z": [1, {"y": (2.5, None)}], "a": True})
    assert ended == store.find("a")
    assert ended.summary == {"a": True, "z": [1, {"y": [2.5, None]}]}
    with pytest.raises(StoreError, match="summary of run b, share: nan can't be written"):
        write(store, "b", 1).finish(RunStatus.FINISHED, 1, {"share": float("nan")})


def test_states_are_dropped_by_kind(store: EventStore) -> None:
    write(store, "a", 3)
    for kind in ("fold-1", "fold-2", "fold_3", "other"):
        store.keep_snapshots("a", kind, [Snapshot(1, 0, kind.encode()), Snapshot(2, 10, b"")])
    assert store.drop_snapshots("fold-") == 4
    assert [store.snapshot("a", kind) is None for kind in ("fold-1", "fold-2", "fold_3", "other")] == [1, 1, 0, 0]
    assert store.drop_snapshots() == 4


def test_an_interrupted_run_has_the_digest_of_what_it_left(store: EventStore) -> None:
    write(store, "a", 3)
    whole = write(store, "b", 3).finish(RunStatus.FINISHED, 20)
    interrupted = store.resume("a").finish(RunStatus.INTERRUPTED, 20)
    assert interrupted.digest == whole.digest == store.find("a").digest


def test_a_resumed_run_ends_as_an_undisturbed_one(store: EventStore) -> None:
    write(store, "cut", 1500)
    again = store.resume("cut")
    for number in range(1500, 2300):
        again.append(10 * number, "group:g", [plain(number)])
    undisturbed = write(store, "whole", 2300)
    assert again.finish(RunStatus.FINISHED, 1).digest == undisturbed.finish(RunStatus.FINISHED, 1).digest


def test_the_digest_does_not_depend_on_batches_or_on_the_run_but_on_every_column(store: EventStore) -> None:
    def digest(run: str, *, at_ms: int = 1, stream: str = "s", source: str | None = None, cut: bool = False) -> str:
        writer = store.begin(info(run))
        writer.append(at_ms, stream, [plain(1)], source)
        if cut:
            writer.flush()
        writer.append(2, "t", [plain(2)])
        return str(writer.finish(RunStatus.FINISHED, 2).digest)

    assert digest("a") == digest("b", cut=True)
    assert len({digest("c"), digest("d", at_ms=0), digest("e", stream="u"), digest("f", source="x:1")}) == 4


def test_all_stores_agree_on_the_digest(store: EventStore) -> None:
    other = open_store(":memory:")
    assert write(store, "a", 1001).finish(RunStatus.FINISHED, 1) == write(other, "a", 1001).finish(
        RunStatus.FINISHED, 1
    )


def test_reading_can_be_narrowed(store: EventStore) -> None:
    writer = write(store, "a", 6)
    writer.append(55, "group:h", [GroupCreated(), plain(7)])
    writer.flush()

    def seqs(**window: object) -> list[int]:
        return [fact.seq for fact in store.read("a", **window)]  # type: ignore[arg-type]

    assert seqs(start=2, stop=4) == [2, 3]
    assert seqs(start=-1, stop=-1) == []
    assert seqs(until_ms=30) == [0, 1, 2, 3]
    assert seqs(types=["GroupCreated"]) == [6]
    assert seqs(types=["MemberSynced"], start=5) == [5, 7]
    assert seqs(types=[]) == []


def test_a_reader_may_stop_early_and_others_go_on(store: EventStore) -> None:
    """What it leaves open on a server would be a warning, and a warning fails a test."""
    writer = write(store, "a", 2500)
    reader = store.read("a")
    assert next(reader).seq == 0
    writer.append(99_999, "group:g", [plain(2500)])
    writer.flush()
    assert next(reader).seq == 1
    del reader
    gc.collect()
    assert len(list(store.read("a"))) == 2501


def test_a_type_that_does_not_exist_is_refused_with_near_names(store: EventStore) -> None:
    write(store, "a", 1)
    with pytest.raises(UnknownFact, match=r"no fact type 'MemberSync'; did you mean .*MemberSynced"):
        store.read("a", types=["MemberSync"])


def test_a_run_is_found_by_id_unique_prefix_or_as_the_latest(store: EventStore) -> None:
    for run in ("b-1", "a-1", "a-12"):
        store.begin(info(run, seed=7, params={"session.timeout.ms": 10, "x": True}, scenario_path="s.py"))
    assert store.find("a-1").id == "a-1"
    assert store.find("b").id == "b-1"
    assert store.find("latest").id == "a-12"
    assert [run.id for run in store.runs()] == ["b-1", "a-1", "a-12"]
    assert store.find("b").params == {"session.timeout.ms": 10, "x": True}
    with pytest.raises(UnknownRun, match=r"'a' matches a-1 \(test\), a-12 \(test\)"):
        store.find("a")
    with pytest.raises(UnknownRun, match=r"no run 'a-13' in .*did you mean a-1, a-12"):
        store.find("a-13")
    with pytest.raises(UnknownRun, match=r"no run 'zz' in .*it has a-12 \(test\), a-1 \(test\), b-1 \(test\)"):
        store.find("zz")
    with pytest.raises(UnknownRun, match="no run 'a' in"):
        store.read("a")


def test_a_run_is_found_by_its_name_if_no_other_has_it(store: EventStore) -> None:
    for run, name in (("a-1", "deploy"), ("b-1", "again"), ("b-2", "again"), ("c-1", "a-1"), ("d-1", "c")):
        store.begin(info(run, name=name))
    assert store.find("deploy").id == "a-1"
    assert store.find("c").id == "d-1", "a whole name says more than the beginning of an id"
    assert store.find("a-1").id == "a-1"
    with pytest.raises(UnknownRun, match=r"2 runs in .* are named 'again': b-2, b-1; give an id"):
        store.find("again")


def test_an_empty_store_says_that_it_is_empty(store: EventStore) -> None:
    with pytest.raises(UnknownRun, match="has no runs yet"):
        store.find("latest")


@pytest.mark.parametrize("run", ["", "latest", "-a", ".a", "a b", "a/b", "..", "ü", "a\n"])
def test_an_id_must_do_as_a_folder_and_as_a_word(store: EventStore, run: str) -> None:
    with pytest.raises(StoreError, match="can't be the id of a run"):
        store.begin(info(run))


def test_what_can_not_be_written_is_refused_and_named(store: EventStore) -> None:
    class Invented(Event, frozen=True):
        """Not in the catalogue."""

    odd: list[tuple[Event, str]] = [
        (Invented(), "Invented is not in events.catalogue"),
        (TopicCreated(topic="t", partitions=1, rate=float("nan")), "TopicCreated.rate is nan"),
        (plain(1).__class__(member="\ud800"), "can't be written as JSON"),
    ]
    for number, (event, sentence) in enumerate(odd):
        writer = store.begin(info(f"r{number}"))
        writer.append(0, "s", [event])
        with pytest.raises(GroupsimError, match=sentence):
            writer.flush()
    for params, sentence in (
        ({"x": float("inf")}, "params of run big, x: inf"),
        ({"x": "\ud800"}, "params of run big"),
    ):
        with pytest.raises(StoreError, match=sentence):
            store.begin(info("big", params=params))
    with pytest.raises(StoreError, match=r"seed .* is too large"):
        store.begin(info("big", seed=2**63))
