"""Random assignment problems in which much is unusual, from a seed: what Kafka's Java assignors are compared on."""

from __future__ import annotations

from random import Random

from groupsim.assignors.spec import Member, Spec
from groupsim.events.types import TopicPartition

STYLES = ("t{}", "orders.{}", "topic-{:03d}", "Aa{}BB")
COUNTS = (0, 1, 1, 2, 3, 5, 8, 13, 40)
RACKS = "abcd"


def problem(seed: int) -> Spec:
    """A group with racks, old generations, partitions that do not exist or are reported twice, and colliding ids."""
    rng = Random(seed)
    counts = _topics(rng)
    racks = RACKS[: rng.randint(1, 4)] if rng.random() < 0.45 else ""
    replicas = _replicas(rng, counts, racks)
    every = [TopicPartition(topic, number) for topic in counts for number in range(counts[topic])]
    claims = rng.choice(("none", "honest", "honest", "stale", "stale", "phantom", "doubled"))
    pool = list(every)
    if claims == "phantom":
        pool += [TopicPartition(topic, count + rng.randint(0, 5)) for topic, count in counts.items()]
        pool.append(TopicPartition("gone", 0))
    rng.shuffle(pool)
    common = tuple(rng.sample(sorted(counts), rng.randint(1, len(counts)))) if rng.random() < 0.4 else ()
    size = rng.choice((1, 2, 3, 4, 5, 7, 9, 12, 13, 14, 20, 40))
    members: dict[str, Member] = {}
    for i in range(size):
        name = rng.choice((f"m{i}", f"consumer-{i}-{rng.getrandbits(40):x}", "".join(rng.choices(("Aa", "BB"), k=5))))
        owned, generation = _claim(rng, claims, every, pool, rng.choice((0, 1, 2, len(every) // size, len(every))))
        members[name] = Member(
            name,
            _subscription(rng, sorted(counts), common),
            tuple(owned),
            generation,
            rng.choice((None, None, f"i{i}")),
            rng.choice((None, *racks)),
        )
    return Spec(tuple(members.values()), counts, replicas)


def _topics(rng: Random) -> dict[str, int]:
    style = rng.choice(STYLES)
    names = [style.format(rng.choice((i, rng.randint(0, 10**6)))) for i in range(rng.choice((1, 2, 3, 5, 8, 14, 30)))]
    counts = {name: rng.choice(COUNTS) for name in names}
    if rng.random() < 0.2:
        counts = dict.fromkeys(counts, 6)  # co-partitioned
    return counts


def _replicas(rng: Random, counts: dict[str, int], racks: str) -> dict[str, list[list[str]]]:
    def of_partition() -> list[str]:
        return [rng.choice(racks) for _ in range(rng.choice((0, 1, 2, 2, 2, 3)))]

    return {t: [of_partition() for _ in range(n)] for t, n in counts.items() if racks and rng.random() < 0.9}


def _subscription(rng: Random, topics: list[str], common: tuple[str, ...]) -> tuple[str, ...]:
    mine = common or tuple(rng.sample(topics, rng.randint(1, len(topics))))
    odd = rng.random()
    if odd < 0.04:
        return ()
    if odd < 0.08:
        return (*mine, "ghost")
    return (*mine, rng.choice(mine)) if odd < 0.12 else mine


def _claim(
    rng: Random, claims: str, every: list[TopicPartition], pool: list[TopicPartition], size: int
) -> tuple[list[TopicPartition], int]:
    generation = rng.choice((5, 5, 5, 4, 3, -1)) if claims == "stale" or rng.random() < 0.1 else 5
    if claims == "none":
        return [], rng.choice((-1, -1, 3))
    if claims == "stale":
        return rng.sample(every, min(size, len(every))), generation
    if claims == "doubled":
        return [rng.choice(every) for _ in range(size) if every], generation
    return [pool.pop() for _ in range(min(size, len(pool)))], generation
