"""What the recorder itself asks a broker: topics, the group as an administrator sees it, and to leave all clean."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from groupsim.assignors.java.hash_order import CAPACITY
from groupsim.assignors.java.topic_ids import bits, hash_code
from groupsim.coordinator.outcome import Error
from recorders.broker.connections import Pool
from recorders.broker.definitions import NO_ID, Definitions, Message
from recorders.scripts.plans.answers import Reader, error_name
from recorders.scripts.plans.operations import APIS, DESCRIBE, READERS
from recorders.scripts.plans.requests import PATIENCE_MS, group_configs

OFFSETS_PARTITIONS = 4
"""As `recorders.broker.kafka` starts a broker; a coordinator of its own answers for each."""
WARM_UPS = 60
TRIES, PAUSE_S = 100, 0.1


@dataclass(frozen=True, slots=True)
class Asker:
    """Requests to one broker by Kafka's names."""

    pool: Pool
    definitions: Definitions

    async def ask(self, api: tuple[str, int], body: Message, client: str = "admin") -> Message:
        """One request, one answer. Raises OSError where the broker hangs up."""
        name, version = api
        request = self.definitions.request(name, version, client, body)
        return self.definitions.answer(name, version, await self.pool.exchange(request, f"version {version} of {name}"))

    async def until_ready(self) -> None:
        """Wait until every partition of the offsets topic is loaded."""
        for number in range(WARM_UPS):
            for _ in range(TRIES):
                with contextlib.suppress(OSError):  # a broker that has just started hangs up now and then
                    answer = await self.ask(APIS["consumer_describe"], {"GroupIds": [f"warm{number}"]})
                    if answer["Groups"][0]["ErrorCode"] == Error.GROUP_ID_NOT_FOUND.value:
                        break
                await asyncio.sleep(PAUSE_S)

    async def create(self, name: str, partitions: int) -> str:
        """Create a topic and return its id. Raises ConnectionError if the broker refuses."""
        row = {"Name": name, "NumPartitions": partitions, "ReplicationFactor": 1, "Assignments": [], "Configs": []}
        answer = await self.ask(APIS["create_topic"], {"Topics": [row], "timeoutMs": PATIENCE_MS})
        if answer["Topics"][0]["ErrorCode"]:
            raise ConnectionError(f"topic {name}: {error_name(answer['Topics'][0]['ErrorCode'])}")
        return str(answer["Topics"][0]["TopicId"])

    async def delete(self, name: str) -> None:
        """Delete a topic, if it is there."""
        row = {"Name": name, "TopicId": NO_ID}
        await self.ask(APIS["delete_topic"], {"Topics": [row], "TimeoutMs": PATIENCE_MS})

    async def create_apart(self, topics: Mapping[str, int]) -> dict[str, str]:
        """Create topics, and again until no two ids share a bin of a HashMap: there the order of insertion would count.

        Kafka's assignors iterate over such maps; what was inserted first is no part of a script.
        """
        ids: dict[str, str] = {}
        bins: set[int] = set()
        for name, partitions in topics.items():
            while name not in ids:
                topic_id = await self.create(name, partitions)
                found = hash_code(bits(topic_id))
                place = (found ^ found >> 16) & (CAPACITY - 1)
                if place in bins:
                    await self.delete(name)
                    await self.until_known(name, 0, "apart")
                    continue
                bins.add(place)
                ids[name] = topic_id
        return ids

    async def until_known(self, name: str, partitions: int, group: str) -> None:
        """Wait until the coordinator of the group sees so many partitions: a group beside it joins and leaves."""
        place = coordinator_of(group)
        beside = next(f"{group}~{n}" for n in range(1000) if coordinator_of(f"{group}~{n}") == place)
        join = {"MemberId": "p", "MemberEpoch": 0, "RebalanceTimeoutMs": PATIENCE_MS, "TopicPartitions": []}
        for _ in range(TRIES):
            answer = await self.ask(
                APIS["consumer_heartbeat"], {"GroupId": beside, **join, "SubscribedTopicNames": [name]}
            )
            given = answer["Assignment"] or {"TopicPartitions": ()}
            await self.ask(APIS["consumer_heartbeat"], {"GroupId": beside, "MemberId": "p", "MemberEpoch": -1})
            if sum(len(row["Partitions"]) for row in given["TopicPartitions"]) == partitions:
                break
            await asyncio.sleep(PAUSE_S)
        await self.ask(APIS["delete_group"], {"GroupsNames": [beside]})

    async def seen(self, reader: Reader, first: str) -> Message | None:
        """The group as it is shown now; None where it is absent. `first`: the type that it had last."""
        for kind in sorted(DESCRIBE, key=lambda kind: kind != first):
            found = READERS[DESCRIBE[kind]](reader, await self._described(kind, reader.group))
            if found.pop("error") == "NONE":
                return {"type": kind, **found}
        return None

    async def _described(self, kind: str, group: str) -> Message:
        return await self.ask(APIS[DESCRIBE[kind]], {"GroupIds": [group], "Groups": [group]})

    async def clean(self, group: str) -> None:
        """Everybody out, group deleted: nothing happens there while other scripts are played."""
        for _ in range(2):
            for kind in DESCRIBE:
                members = (await self._described(kind, group))["Groups"][0]["Members"]
                if kind == "classic" and members:
                    gone = [{"MemberId": r["MemberId"], "GroupInstanceId": r["GroupInstanceId"]} for r in members]
                    await self.ask(APIS["leave"], {"GroupId": group, "Members": [r | {"Reason": None} for r in gone]})
                elif kind != "classic":
                    for row in members:
                        who = {"MemberId": row["MemberId"], "MemberEpoch": -1, "InstanceId": row.get("InstanceId")}
                        await self.ask(APIS[f"{kind}_heartbeat"], {"GroupId": group, **who})
            await self.ask(APIS["delete_group"], {"GroupsNames": [group]})

    async def without_configs(self, group: str, names: Iterable[str]) -> None:
        """Remove settings of a group: they would outlive it."""
        for name in names:  # one by one: an unknown name refuses all that stand beside it
            await self.ask(APIS["group_config"], group_configs(group, {name: None}))

    async def without_topics(self, prefix: str) -> None:
        """Delete the topics whose names begin so, also those that the broker made by itself."""
        known = (await self.ask(APIS["topic"], {"Topics": None, "AllowAutoTopicCreation": False}))["Topics"]
        for row in known:
            if str(row["Name"]).startswith(prefix):
                await self.delete(row["Name"])


def coordinator_of(group: str) -> int:
    """The partition of the offsets topic that a group belongs to (Kafka: Utils.abs of String.hashCode)."""
    value = 0
    for character in group:
        value = (31 * value + ord(character)) & 0xFFFFFFFF
    return (value & 0x7FFFFFFF) % OFFSETS_PARTITIONS
