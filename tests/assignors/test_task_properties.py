"""What assignors of tasks and of share groups promise for any group: one active owner, standbys elsewhere, balance."""

from __future__ import annotations

from collections import Counter
from math import ceil

from hypothesis import given, settings
from hypothesis import strategies as st

from groupsim.assignors.java.priority_queue import again, filled, offer, poll, whole_round
from groupsim.assignors.kafka.client_tasks import NO_LIMIT
from groupsim.assignors.kafka.connect import ConnectMemory, ConnectProblem, Load, connect_eager, connect_incremental
from groupsim.assignors.kafka.share_simple import share_simple
from groupsim.assignors.kafka.streams_sticky import StreamsMember, StreamsProblem, Subtopology, streams_sticky
from groupsim.assignors.spec import Member, Spec
from recorders.assignors.random_tasks import line
from recorders.assignors.task_problems import STREAMS, client_problem
from tests.thinned import examples

few = settings(max_examples=examples(40, 2_000), deadline=None)
SUBTOPOLOGIES = st.dictionaries(
    st.sampled_from("abc"), st.builds(Subtopology, st.integers(0, 9), st.booleans()), min_size=1
)
NUMBERS = st.frozensets(st.integers(0, 10), max_size=4)
HELD = st.dictionaries(st.sampled_from("abcd"), NUMBERS, max_size=3)
OFFSETS = st.dictionaries(st.sampled_from("abc"), st.dictionaries(st.integers(0, 10), st.integers(0, 9)), max_size=2)


@st.composite
def streams_problems(draw: st.DrawFn) -> StreamsProblem:
    names = draw(st.lists(st.integers(0, 999), min_size=1, max_size=9, unique=True))
    members = tuple(
        StreamsMember(f"m{i}", f"p{draw(st.integers(0, 4))}", draw(HELD), draw(HELD), draw(OFFSETS)) for i in names
    )
    return StreamsProblem(members, draw(SUBTOPOLOGIES), draw(st.integers(0, 3)))


@few
@given(streams_problems())
def test_a_streams_groups_tasks_have_one_active_owner_and_standbys_on_other_processes(problem: StreamsProblem) -> None:
    answer = streams_sticky(problem)
    process = {member.id: member.process for member in problem.members}
    every = {(name, n) for name, one in problem.subtopologies.items() for n in range(one.tasks)}
    active = Counter((of, n) for mine in answer.values() for of, some in mine.active.items() for n in some)
    assert active == Counter(every)
    places: dict[tuple[str, int], list[str]] = {task: [] for task in every}
    for member, mine in answer.items():
        for held in (mine.active, mine.standby):
            for of, some in held.items():
                assert list(some) == sorted(some)
                for n in some:
                    places[of, n].append(process[member])
    for (of, n), there in places.items():
        replicas = problem.standbys if problem.subtopologies[of].stateful else 0
        assert len(set(there)) == len(there) == 1 + min(replicas, len(set(process.values())) - 1), (of, n)
    most = ceil(len(every) / len(problem.members))
    assert all(sum(map(len, mine.active.values())) <= most for mine in answer.values())


@few
@given(st.sampled_from(sorted(STREAMS)), st.integers(20_000, 90_000))
def test_a_classic_groups_tasks_have_one_active_owner_and_few_are_warmed_up(name: str, seed: int) -> None:
    problem = client_problem(line(name, seed))
    answer = STREAMS[name](problem)
    assert Counter(task for mine in answer.clients.values() for task in mine.active) == Counter(problem.tasks)
    standbys = Counter(task for mine in answer.clients.values() for task in mine.standby)
    assert all(set(mine.active).isdisjoint(mine.standby) for mine in answer.clients.values())
    assert set(standbys) <= set(problem.stateful)
    usual = min(problem.standbys, len(problem.clients) - 1)
    assert all(standbys[task] >= usual for task in problem.stateful)
    warming = sum(standbys[task] - usual for task in problem.stateful)
    assert warming <= (problem.warmups if name == "high-availability" else 0)
    if problem.acceptable_lag == NO_LIMIT:
        assert not answer.probing
        assert warming == 0


LOADS = st.dictionaries(st.sampled_from("abcdefg"), st.integers(0, 6), min_size=1)


@few
@given(LOADS, st.lists(st.sampled_from("uvwxyz"), min_size=1, unique=True))
def test_connects_eager_assignor_gives_everything_once_and_evenly(configured: dict[str, int], names: list[str]) -> None:
    answer = connect_eager(ConnectProblem(configured, dict.fromkeys(names, Load())))
    sizes = [len(one.all.connectors) + len(one.all.tasks) for one in answer.workers.values()]
    assert sum(sizes) == len(configured) + sum(configured.values())
    assert max(sizes) - min(sizes) <= 1


@few
@given(LOADS, st.lists(st.lists(st.sampled_from("uvwxyz"), min_size=1, unique=True), min_size=1, max_size=4))
def test_connect_comes_to_rest_even_after_workers_came_and_went(
    configured: dict[str, int], present: list[list[str]]
) -> None:
    """Without a delay, nothing runs twice in any round, and a few quiet rounds later everything runs, evenly."""
    memory, had, running = ConnectMemory(), dict[str, Load](), Counter[object]()
    for generation, names in enumerate([*present, *[present[-1]] * 4]):
        workers = {name: had.get(name, Load()) for name in names}
        problem = ConnectProblem(
            configured, workers, max_delay_ms=0, generation=generation, last_generation=generation - 1
        )
        answer, memory = connect_incremental(problem, memory)
        had = {name: one.all for name, one in answer.workers.items()}
        running = Counter[object](item for load in had.values() for item in (*load.connectors, *load.tasks))
        assert set(running.values()) <= {1}
    assert len(running) == len(configured) + sum(configured.values())
    for sizes in ([len(load.connectors) for load in had.values()], [len(load.tasks) for load in had.values()]):
        assert max(sizes) - min(sizes) <= 1


@few
@given(st.lists(st.sets(st.sampled_from("abc"), min_size=1), min_size=1, max_size=9), st.integers(1, 7))
def test_a_share_group_leaves_no_partition_without_a_member_and_stays_as_it_is(
    named: list[set[str]], size: int
) -> None:
    members = tuple(Member(f"m{i}", tuple(sorted(topics))) for i, topics in enumerate(named))
    counts = dict.fromkeys("abc", size)
    first = share_simple(Spec(members, counts))
    wanted = {(topic, n) for topics in named for topic in topics for n in range(size)}
    assert {tuple(partition) for mine in first.values() for partition in mine} == wanted
    for member in members:
        assert {topic for topic, _ in first[member.id]} <= set(member.topics)
    again_asked = tuple(Member(member.id, member.topics, tuple(first[member.id])) for member in members)
    second = share_simple(Spec(again_asked, counts))
    assert {name: list(mine) for name, mine in second.items()} == {name: list(mine) for name, mine in first.items()}


@few
@given(st.lists(st.integers(0, 3), min_size=1, max_size=40), st.integers(1, 30))
def test_the_short_ways_of_a_priority_queue_are_the_long_way(keys: list[int], times: int) -> None:
    short, long, mine = filled(range(len(keys)), keys), filled(range(len(keys)), keys), list(keys)
    for _ in range(times):
        keys[short[0]] += 1
        again(short, keys)
        first = poll(long, mine)
        mine[first] += 1
        offer(long, mine, first)
        assert (short, keys) == (long, mine)
    even, zeros, order = list(range(len(keys))), [0] * len(keys), []
    for _ in keys:
        order.append(even[0])
        zeros[even[0]] += 1
        again(even, zeros)
    assert whole_round(len(keys)) == (tuple(order), tuple(even))
