"""Names in a script and on the broker: topics, their ids, and member ids that the broker gave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from recorders.broker.definitions import NO_ID, Message

UNKNOWN_TOPIC = "11111111-2222-3333-4444-555555555555"
CLASSIC_ID, NATIVE_ID = 37, 22
"""A classic id ends with `-` and a UUID; one of the consumer protocol is a UUID in base64."""
Listed = dict[str, list[int]]
"""Topic -> numbers of its partitions, both sorted; no topic without partitions."""


def sorted_partitions(listed: Mapping[str, Iterable[int]]) -> Listed:
    """Partitions as a script has them."""
    return {topic: sorted(numbers) for topic, numbers in sorted(listed.items()) if numbers}


@dataclass
class Names:
    """The names of one play. `prefix` stands for `p` in the names of the script's own topics.

    `shared` are the ids of the topics that every script uses. A topic is labelled `p_a`, the second one of that name
    `p_a#2`; a member id that client `c1` was given `c1#1`, the next one `c1#2`.
    """

    prefix: str
    shared: Mapping[str, str]
    topics: dict[str, str] = field(default_factory=dict)
    members: dict[str, str] = field(default_factory=dict)
    _counts: dict[str, int] = field(default_factory=dict)

    def on_broker(self, topic: str) -> str:
        """A topic's name, or an expression, on the broker."""
        return topic.replace("p_", f"{self.prefix}_")

    def in_script(self, text: str) -> str:
        """The same in the script."""
        return text.replace(f"{self.prefix}_", "p_")

    def created(self, topic: str, topic_id: str) -> None:
        """The broker created a topic of the script."""
        label, number = topic, 1
        while label in self.topics:
            number += 1
            label = f"{topic}#{number}"
        self.topics[label] = topic_id

    def topic_id(self, label: str) -> str:
        """The id of the topic with this label."""
        return self.topics.get(label) or self.shared.get(label, UNKNOWN_TOPIC)

    def topic(self, topic_id: str) -> str:
        """The label of a topic id."""
        known = {known_id: label for label, known_id in (*self.shared.items(), *self.topics.items())}
        return known.get(topic_id, "none" if topic_id == NO_ID else "?")

    def rows(self, listed: Mapping[str, Iterable[int]] | None) -> list[Message] | None:
        """Partitions as rows of a request."""
        if listed is None:
            return None
        return [{"TopicId": self.topic_id(topic), "Partitions": list(numbers)} for topic, numbers in listed.items()]

    def listed(self, rows: Iterable[Message]) -> Listed:
        """Rows of an answer as partitions."""
        by_topic: dict[str, list[int]] = {}
        for row in rows:
            by_topic.setdefault(self.topic(row["TopicId"]), []).extend(row["Partitions"])
        return sorted_partitions(by_topic)

    def given(self, client: str, member: str) -> None:
        """An answer shows a client an id; those that it brought itself stand for themselves."""
        if member not in self.members and is_given(member):
            number = self._counts[client] = self._counts.get(client, 0) + 1
            self.members[member] = f"{client}#{number}"

    def label(self, member: str | None) -> str | None:
        """The label of a member id; `?`, and a classic id's client or instance, where no answer has shown it yet."""
        if member is None or not is_given(member):
            return member
        return self.members.get(member) or f"?{member[:-CLASSIC_ID]}"

    def member(self, label: str) -> str:
        """The member id of a label."""
        if "#" not in label:
            return label
        return next((member for member, known_label in self.members.items() if known_label == label), "no-such-id")


def is_given(member: str) -> bool:
    """Whether the broker made this id: clients of a script have short ones."""
    return len(member) == NATIVE_ID or (len(member) >= CLASSIC_ID and member[-CLASSIC_ID] == "-")
