"""Random problems for the assignors of tasks, from a seed: groups of Kafka Streams, histories of Connect's workers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from random import Random

from groupsim.assignors.kafka.client_tasks import NO_LIMIT, RUNNING, UNKNOWN, Client, ClientProblem, TaskId
from groupsim.assignors.kafka.connect import ConnectMemory, ConnectorTask, ConnectProblem, Load, connect_incremental
from recorders.assignors.task_problems import STREAMS, Json, client_problem_line, connect_problem_line

LAGS = (0, 0, 3, 99, 100, 101, 9_999, 10_000, 10_001, 500_000)
FULL_LAG = 800_000
ZONES = "abc"


def line(assignor: str, seed: int) -> Json:
    """The problem of this seed for one of the assignors."""
    rng = Random(f"{assignor} {seed}")
    head = {"id": f"{assignor}-{seed}", "assignor": assignor}
    if assignor in STREAMS:
        return {**head, **client_problem_line(_streams(rng, assignor))}
    delay = rng.choice((0, 1, 1_000, 300_000, 300_000))
    rounds = list(_history(rng, delay))
    return {**head, "max_delay_ms": delay, "rounds": list(map(connect_problem_line, rounds))}


def _streams(rng: Random, assignor: str) -> ClientProblem:
    """Fresh, with any claims, or after one or two rebalances of the same group."""
    tasks: list[TaskId] = []
    stateful: list[TaskId] = []
    for subtopology in range(rng.choice((1, 1, 2, 3, 5))):
        some = [TaskId(subtopology, partition) for partition in range(rng.choice((1, 2, 3, 4, 6, 8, 12, 17)))]
        tasks += some
        stateful += some if rng.random() < 0.7 else []
    count = rng.choice((1, 2, 2, 3, 3, 4, 5, 7, 9, 13, 20))
    threads = rng.choice((1, 1, 2, 4, 0))
    keys = rng.choice(((), (), (), ("zone",), ("zone", "cluster")))
    clients = [_newcomer(rng, threads, keys) for _ in range(count)]
    problem = ClientProblem(
        tuple(clients),
        tuple(tasks),
        tuple(stateful),
        rng.choice((0, 0, 1, 1, 2, 3)),
        rng.choice((1, 2, 2, 5, 1_000)),
        rng.choice((0, 100, 10_000, 10_000, NO_LIMIT)),
        keys if rng.random() < 0.7 else (),
    )
    style = rng.choice(("fresh", "claims", "claims", "follows", "follows", "follows"))
    if style == "fresh":
        return replace(problem, clients=tuple(_with(rng, problem, c, (), ()) for c in clients))
    if style == "claims":
        return _claims(rng, problem)
    problem = replace(problem, clients=tuple(_with(rng, problem, c, (), ()) for c in clients))
    for _ in range(rng.choice((1, 1, 2, 3))):
        problem = _follows(rng, problem, assignor, threads, keys)
    return problem


def _newcomer(rng: Random, threads: int, keys: Iterable[str]) -> Client:
    few = rng.getrandbits(6) << 64 | rng.getrandbits(24)  # hash codes of such ids fall into the same bins more often
    bits = rng.choice((rng.getrandbits(128), rng.getrandbits(128), few))
    text = f"{bits:032x}"
    name = "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
    return Client(
        name, threads or rng.randint(1, 4), tags={key: rng.choice(ZONES) for key in keys if rng.random() < 0.9}
    )


def _with(
    rng: Random, problem: ClientProblem, client: Client, active: Iterable[TaskId], standby: Iterable[TaskId]
) -> Client:
    """The client with what it had, and lags that go with it."""
    active, standby = tuple(active), tuple(standby)
    lags = {}
    for task in problem.stateful:
        if task in active:
            lags[task] = RUNNING
        elif task in standby:
            lags[task] = rng.choice(LAGS)
        else:
            lags[task] = rng.choice((FULL_LAG, FULL_LAG, FULL_LAG, FULL_LAG, rng.choice(LAGS), UNKNOWN))
    return replace(client, active=active, standby=standby, lags=lags)


def _claims(rng: Random, problem: ClientProblem) -> ClientProblem:
    """Each task had any one client, or two, or none; tasks that do not exist any more among them."""
    pool = [*problem.tasks, *(TaskId(7, n) for n in range(rng.choice((0, 0, 2))))]
    active: list[list[TaskId]] = [[] for _ in problem.clients]
    standby: list[list[TaskId]] = [[] for _ in problem.clients]
    skew = rng.random() < 0.4
    for task in pool:
        for _ in range(rng.choice((0, 1, 1, 1, 1, 2)) if rng.random() < 0.2 else 1):
            owner = 0 if skew and rng.random() < 0.5 else rng.randrange(len(active))
            if task not in active[owner]:
                active[owner].append(task)
        for _ in range(rng.choice((0, 0, 1, 1, 2))):
            holder = rng.randrange(len(active))
            if task not in active[holder] and task not in standby[holder]:
                standby[holder].append(task)
    clients = zip(problem.clients, active, standby, strict=True)
    return replace(problem, clients=tuple(_with(rng, problem, *one) for one in clients))


def _follows(rng: Random, problem: ClientProblem, assignor: str, threads: int, keys: Iterable[str]) -> ClientProblem:
    """The next rebalance: what was answered is what clients have; some left, some came, some order was lost."""
    answer = STREAMS[assignor](problem).clients
    clients = [_with(rng, problem, c, answer[c.id].active, answer[c.id].standby) for c in problem.clients]
    for _ in range(rng.choice((0, 1, 1, 2))):
        if len(clients) > 1:
            clients.pop(rng.randrange(len(clients)))
    clients += [_with(rng, problem, _newcomer(rng, threads, keys), (), ()) for _ in range(rng.choice((0, 0, 1, 2)))]
    if rng.random() < 0.2:
        rng.shuffle(clients)
    return replace(problem, clients=tuple(clients))


def _history(rng: Random, delay: int) -> Iterable[ConnectProblem]:
    """Rounds of one cluster: workers come, go and return, connectors are made, resized, deleted, answers get lost."""
    prefix = rng.choice(("c", "sink-", "källa.", "Aa"))
    connectors = {f"{prefix}{i}": rng.choice((0, 1, 1, 2, 3, 6)) for i in range(rng.choice((0, 1, 2, 3, 5, 9)))}
    workers = {_worker(rng, i): Load() for i in range(rng.choice((1, 2, 3, 3, 4, 6)))}
    now = rng.choice((0, 1_000_000))
    generation, memory = 0, ConnectMemory()
    for i in range(rng.choice((2, 3, 4, 6, 8))):
        last = generation if rng.random() < 0.93 else generation - 1
        generation += rng.choice((1, 1, 1, 2))
        problem = ConnectProblem(dict(connectors), dict(workers), now, delay, generation, last)
        yield problem
        answer, memory = connect_incremental(problem, memory)
        workers = _after(rng, workers, {name: one.all for name, one in answer.workers.items()}, connectors)
        now += rng.choice((0, 5, 900, 1_000, 150_000, 300_000, 700_000, max(memory.delay_ms, 1)))
        if rng.random() < 0.35 and len(workers) > 1:
            del workers[rng.choice(sorted(workers))]
        if rng.random() < 0.35:
            workers[_worker(rng, 100 + i)] = Load()
        if rng.random() < 0.25:
            connectors[f"{prefix}new{i}"] = rng.choice((1, 2, 5))
        if rng.random() < 0.15 and connectors:
            del connectors[rng.choice(sorted(connectors))]
        if rng.random() < 0.15 and connectors:
            connectors[rng.choice(sorted(connectors))] = rng.choice((0, 1, 4))


def _worker(rng: Random, i: int) -> str:
    return rng.choice((f"w{i}", f"connect-1-{rng.getrandbits(64):016x}", f"worker-{i:04d}"))


def _after(rng: Random, before: dict[str, Load], given: dict[str, Load], connectors: dict[str, int]) -> dict[str, Load]:
    """What the workers report next: mostly what they were given; some never heard of it, or say too much."""
    result = {}
    for name, load in given.items():
        luck = rng.random()
        if luck < 0.05:
            load = before[name]
        elif luck < 0.07 and connectors:
            some = rng.choice(sorted(connectors))
            extra = {ConnectorTask(some, 0): None} if connectors[some] else {}
            load = Load(tuple(dict.fromkeys((*load.connectors, some))), tuple({**dict.fromkeys(load.tasks), **extra}))
        result[name] = load
    return result
