"""For each defect: who joins when, with which versions the defect shows, and with which it does not."""

from __future__ import annotations

from typing import NamedTuple


class Versions(NamedTuple):
    """What runs: the release of Kafka, and the packages of the clients as pip's requirements."""

    kafka: str
    packages: tuple[str, ...]

    def __str__(self) -> str:
        return f"Kafka {self.kafka}, {', '.join(package.replace('==', ' ') for package in self.packages)}"


class Member(NamedTuple):
    """One process. `at_s`: when it starts, in s from the start of the story. `settings`: by the client's names."""

    name: str
    at_s: float
    topics: tuple[str, ...]
    settings: tuple[str, ...]


class Played(NamedTuple):
    """What is played. `defect`: its id. `client`: the program in `clients/`. `drop`: lines of clients left out."""

    defect: str
    what: str
    client: str
    members: tuple[Member, ...]
    end_s: float
    broken: Versions
    fixed: Versions
    drop: str = r"$^"

    @property
    def folder(self) -> str:
        """Where its recordings are."""
        return self.defect.replace("#", "-")

    @property
    def topics(self) -> list[str]:
        """Those of its members."""
        return sorted({topic for member in self.members for topic in member.topics})


_ORDERS = ("orders",)
_JOIN_0 = ("api_version=(0,10,0)",)
_ROUNDROBIN = ("partition.assignment.strategy=roundrobin", "session.timeout.ms=6000", "debug=cgrp")

STORIES = (
    Played(
        defect="KAFKA-8653",
        what="Three consumers start one after the other; `api_version=(0,10,0)` makes them send JoinGroup version 0.",
        client="kafka_python",
        members=tuple(Member(f"m{n + 1}", at_s, _ORDERS, _JOIN_0) for n, at_s in enumerate((0, 5, 10))),
        end_s=20,
        broken=Versions("2.3.0", ("kafka-python==1.4.7",)),
        fixed=Versions("2.3.1", ("kafka-python==1.4.7",)),
        drop=r"kafka\.(conn|cluster): ",
    ),
    Played(
        defect="confluent-kafka-dotnet#1369",
        what="Two consumers of one topic, and a third one that subscribes to a second topic, too.",
        client="confluent_kafka",
        members=tuple(
            Member(f"m{n + 1}", 3 * n, topics, _ROUNDROBIN)
            for n, topics in enumerate((_ORDERS, _ORDERS, ("orders", "payments")))
        ),
        end_s=24,
        broken=Versions("4.4.0", ("confluent-kafka==1.5.0",)),
        fixed=Versions("4.4.0", ("confluent-kafka==1.6.0",)),
        drop=r"^%7\|[\d.]+\|(?!JOIN|SYNC|LEAVE|ASSIGN|REBALANCE|GRPSYNC|SUBSCRIBE)",
    ),
    Played(
        defect="aiokafka#727",
        what="Three consumers that commit every 50 ms from a task of their own, also while they join. Their heartbeats"
        " are 0.5 to 5.3 s apart: who hears of a rebalance early waits for the others with a commit behind its join.",
        client="aiokafka",
        members=tuple(
            Member(f"m{n + 1}", 5 * n, _ORDERS, (f"heartbeat_interval_ms={500 + 2400 * n}",)) for n in range(3)
        ),
        end_s=32,
        broken=Versions("4.4.0", ("aiokafka==0.7.0", "kafka-python==2.0.2")),
        fixed=Versions("4.4.0", ("aiokafka==0.7.1", "kafka-python==2.0.2")),
    ),
)
