"""A step of a script as the fields of a Kafka request, and a broker's answer in the form of a recording.

There members have labels, errors have names, and metadata and assignments are tags.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from groupsim.conformance.scripts.script import Step
from groupsim.coordinator.outcome import Error

NAMES = {error.value: error.name for error in Error}
SUBSCRIBED = b"\x00\x00\x00\x00\x00\x01\x00\x01t"
"""A consumer's subscription to the topic `t`, version 0; the tag follows as its user data."""
GIVES_AN_ID = ("NONE", "MEMBER_ID_REQUIRED")
"""With these answers a member gets its id; the id in the answer to a fenced member is not its own."""


def error_name(code: int) -> str:
    """Kafka's name of an error code, as far as a coordinator answers it."""
    return NAMES.get(code, f"ERROR_{code}")


def tag_of(raw: bytes | None) -> str:
    """The tag in metadata or in an assignment."""
    raw = raw or b""
    if raw[:2] == SUBSCRIBED[:2] and raw[len(SUBSCRIBED) - 1 : len(SUBSCRIBED)] == b"t":
        raw = raw[len(SUBSCRIBED) + 4 :]
    return raw.decode(errors="replace")


def member_given(step: Step, answer: Mapping[str, Any]) -> str | None:
    """The member id that the answer gives to the client that asked, if any."""
    if step["op"] != "join" or error_name(answer["error"]) not in GIVES_AN_ID:
        return None
    member: str = answer["member_id"]
    return member


def request(step: Step, group: str, resolve: Callable[[str], str], transaction: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a step's request. `transaction`: the id and producer of transactional commits."""
    asked = step["request"]
    body = {**asked, "group": group, "member_id": resolve(asked.get("member_id") or "")}
    match step["op"]:
        case "join":
            kind = asked["protocol_type"]
            body["protocols"] = [{"name": n, "metadata": metadata(tag, kind)} for n, tag in asked["protocols"]]
        case "sync":
            body["assignments"] = [
                {"member_id": resolve(m), "assignment": tag.encode()} for m, tag in asked["assignments"]
            ]
        case "leave":
            body["members"] = [{**entry, "member_id": resolve(entry["member_id"])} for entry in asked["members"]]
            body["member_id"] = body["members"][0]["member_id"] if body["members"] else ""
        case "commit" | "txn_commit":
            committed = {"partition": asked.get("partition", 0), "offset": asked.get("offset", 0)}
            body["topics"] = [{"name": "t", "partitions": [{**committed, "leader_epoch": -1, "metadata": ""}]}]
            body |= transaction
        case "describe":
            body["groups"] = [group]
    return body


def metadata(tag: str, protocol_type: str) -> bytes:
    """A tag as metadata; a consumer's must parse, because the broker reads them."""
    raw = tag.encode()
    return SUBSCRIBED + len(raw).to_bytes(4, "big") + raw if protocol_type == "consumer" else raw


def response(step: Step, answer: dict[str, Any], label: Callable[[str | None], str]) -> dict[str, Any]:
    """A decoded answer in the form of a recording."""
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
