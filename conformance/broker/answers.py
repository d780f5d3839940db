"""A real broker's answers in the recordings' form: members by their labels, errors by their names, tags unpacked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from groupsim.coordinator.outcome import Error

NAMES = {error.value: error.name for error in Error}
UUID_LENGTH = 36
SUBSCRIBED_LENGTH = 9
"""The bytes of a subscription to the topic `t` before the length of its user data."""
TOLD = ("NONE", "MEMBER_ID_REQUIRED")
"""With these answers a member learns its id; the fenced id in another error is nobody's news."""


class Ids:
    """The ids that the broker gave, and their labels, in the order in which they were told.

    What is told between two requests has no order of its own: there the earlier request's id comes first.
    """

    def __init__(self) -> None:
        self._told: dict[str, list[str]] = {}
        self._heard: list[tuple[int, str, str]] = []
        self._labels: dict[str, str] = {}

    def hear(self, step: int, client: str, answer: dict[str, Any]) -> None:
        """The JoinGroup answer to a step."""
        if error_name(answer["error"]) in TOLD:
            self._heard.append((step, client, answer["member_id"]))

    @property
    def labels(self) -> dict[str, str]:
        """By id."""
        for _, client, member in sorted(self._heard):
            if member and member not in self._labels:
                told = self._told.setdefault(client, [])
                told.append(member)
                self._labels[member] = f"{client}#{len(told)}"
        self._heard.clear()
        return self._labels

    def settle(self) -> None:
        """Another request is sent: what was told is told."""
        _ = self.labels

    def resolve(self, label: str) -> str:
        """`m1#2` as the broker's id; anything else stays what it is."""
        client, hash_, number = label.rpartition("#")
        told = self._told.get(client, [])
        if hash_ and number.isdigit() and 0 < int(number) <= len(told):
            return told[int(number) - 1]
        return label

    def label(self, member: str | None) -> str:
        """The label of an id; `?` and the client's or the instance's name where it was never told."""
        if not member:
            return ""
        if member in self.labels:
            return self.labels[member]
        return "?" + member[: -UUID_LENGTH - 1] if len(member) > UUID_LENGTH + 1 else member


def error_name(code: int) -> str:
    """Kafka's name of an error code, as far as a coordinator answers it."""
    return NAMES.get(code, f"ERROR_{code}")


def tag_of(raw: bytes | None) -> str:
    """The tag in metadata or in an assignment."""
    raw = raw or b""
    if raw[:2] == b"\0\0" and raw[SUBSCRIBED_LENGTH - 1 : SUBSCRIBED_LENGTH] == b"t":
        raw = raw[SUBSCRIBED_LENGTH + 4 :]
    return raw.decode(errors="replace")


def told(step: dict[str, Any], answer: dict[str, Any], label: Callable[[str | None], str]) -> dict[str, Any]:
    """A decoded answer as a recording has it."""
    match step["op"]:
        case "join":
            return _join(answer, label)
        case "sync":
            named: dict[str, Any] = {k: answer[k] for k in ("protocol_type", "protocol") if k in answer}
            return {"error": error_name(answer["error"]), **named, "assignment": tag_of(answer["assignment"])}
        case "heartbeat":
            return {"error": error_name(answer["error"])}
        case "leave":
            return _leave(answer, label)
        case "commit" | "txn_commit":
            return {"error": error_name(answer["topics"][0]["partitions"][0]["error"])}
    return _describe(answer["groups"][0], label)


def _join(answer: dict[str, Any], label: Callable[[str | None], str]) -> dict[str, Any]:
    optional: dict[str, Any] = {k: answer[k] for k in ("protocol_type", "skip_assignment") if k in answer}
    members = [
        {
            "member_id": label(m["member_id"]),
            "group_instance_id": m.get("group_instance_id"),
            "metadata": tag_of(m["metadata"]),
        }
        for m in answer["members"]
    ]
    return {
        "error": error_name(answer["error"]),
        "generation": answer["generation"],
        **optional,
        "protocol": answer["protocol"],
        "leader": label(answer["leader"]),
        "member_id": label(answer["member_id"]),
        "members": sorted(members, key=lambda m: str(m["member_id"])),
    }


def _leave(answer: dict[str, Any], label: Callable[[str | None], str]) -> dict[str, Any]:
    members = [
        {
            "member_id": label(m["member_id"]),
            "group_instance_id": m["group_instance_id"],
            "error": error_name(m["error"]),
        }
        for m in answer.get("members", ())
    ]
    return {"error": error_name(answer["error"]), "members": members}


def _describe(group: dict[str, Any], label: Callable[[str | None], str]) -> dict[str, Any]:
    members = [
        {
            "member_id": label(m["member_id"]),
            "group_instance_id": m["group_instance_id"],
            "client_id": m["client_id"],
            "metadata": tag_of(m["metadata"]),
            "assignment": tag_of(m["assignment"]),
        }
        for m in group["members"]
    ]
    return {
        "error": error_name(group["error"]),
        "state": group["state"],
        "protocol_type": group["protocol_type"],
        "protocol": group["protocol"],
        "members": sorted(members, key=lambda m: str(m["member_id"])),
    }
