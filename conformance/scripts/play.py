"""Play a recorded script against our coordinator, in virtual time and without latency."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import simpy

from groupsim.conformance.scripts import script
from groupsim.coordinator.classic.commands import JoinAnswer
from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.classic.votes import elect_by_hash
from groupsim.coordinator.commands import Load, Unload
from groupsim.coordinator.config import ClassicGroupConfig, Configs
from groupsim.coordinator.outcome import Error, Reply
from groupsim.events.base import Event
from groupsim.events.classic import MemberAdded, MemberReplaced
from groupsim.events.errors import GroupSimError
from groupsim.events.types import MemberId
from groupsim.simulation.host import GroupHost

CONFIGS = {
    "d0": ClassicGroupConfig(group_min_session_timeout_ms=300, group_initial_rebalance_delay_ms=0),
    "d300": ClassicGroupConfig(group_min_session_timeout_ms=300, group_initial_rebalance_delay_ms=300),
    "d3000": ClassicGroupConfig(group_min_session_timeout_ms=300, group_initial_rebalance_delay_ms=3_000),
    "max3": ClassicGroupConfig(group_min_session_timeout_ms=300, group_initial_rebalance_delay_ms=0, group_max_size=3),
}
"""The broker configurations the recordings name."""


class BadScript(GroupSimError):
    """A script that can't be played."""


def _check(record: dict[str, Any]) -> None:
    """Raises BadScript for steps that are no list, or whose times are no numbers or go back."""
    where = f"script {record.get('name')!r}"
    if record.get("config") not in CONFIGS:
        raise BadScript(f"{where}: unknown config {record.get('config')!r}")
    if not isinstance(record["steps"], list) or not isinstance(record["end_ms"], int):
        raise BadScript(f"{where}: steps must be a list and end_ms a whole number of milliseconds")
    before = 0
    for step in record["steps"]:
        if not isinstance(step["at"], int) or step["at"] < before:
            raise BadScript(
                f"{where}, step {step['i']}: at ({step['at']!r}) must be a number of ms, not before {before}"
            )
        before = step["at"]


class _Ids:
    """Our member ids and the labels the recording gives them, in the order in which they were told."""

    def __init__(self) -> None:
        self._told: dict[str, list[MemberId]] = {}
        self._heard: list[tuple[int, str, MemberId]] = []
        self._fresh = 0
        self.labels: dict[MemberId, str] = {}

    def fresh(self, client: str) -> MemberId:
        self._fresh += 1
        return f"{client}-{self._fresh:04d}"

    def tell(self, step: int, client: str, member: MemberId) -> None:
        self._heard.append((step, client, member))

    def settle(self) -> None:
        """Another request is sent. What was told since the last one is numbered in the order of the steps."""
        for _, client, member in sorted(self._heard):
            if member and member not in self.labels and member.rpartition("-")[0] == client:
                told = self._told.setdefault(client, [])
                told.append(member)
                self.labels[member] = f"{client}#{len(told)}"
        self._heard.clear()

    def resolve(self, label: str) -> MemberId:
        client, hash_, number = label.rpartition("#")
        told = self._told.get(client, [])
        if hash_ and number.isdigit() and 0 < int(number) <= len(told):
            return told[int(number) - 1]
        return label


def _tells(record: dict[str, Any]) -> dict[str, int]:
    """By label: the step whose recorded answer tells a member that this is its id."""
    found: dict[str, int] = {}
    for step in record["steps"]:
        answer = step.get("response")
        if step.get("op") == "join" and answer and answer["error"] in ("NONE", "MEMBER_ID_REQUIRED"):
            found.setdefault(answer.get("member_id", ""), step["i"])
    return found


class Play:
    """One script being played. `steps` gets `response`, `after` and `t` as the simulator gives them."""

    def __init__(self, record: dict[str, Any]) -> None:
        _check(record)
        self._record = record
        self._group = record.get("group", "g")
        self._env = simpy.Environment()
        self._ids = _Ids()
        self._answers: dict[int, tuple[object, int, int | float]] = {}
        self._known: dict[MemberId, str] = {}
        self._made: dict[int, MemberId] = {}
        self._tells = _tells(record)
        self._sent = -1
        config = CONFIGS[record["config"]]
        self._host = GroupHost(
            self._env,
            record=lambda group, events: self._note(events),
            answer=self._answered,
            initial=lambda group: ClassicGroup(id=group, configs=Configs(classic=config), elect=self._elect),
        )

    def run(self) -> dict[str, Any]:
        """The record again, with our answers in every step."""
        self._env.process(self._send())
        self._env.run(until=self._record["end_ms"] + 1)
        self._ids.settle()
        return {**self._record, "steps": [self._step(step) for step in self._record["steps"]]}

    def _send(self) -> Generator[simpy.Event, None, None]:
        for step in self._record["steps"]:
            yield self._env.timeout(step["at"] - self._env.now)
            self._sent = step["i"]
            self._ids.settle()
            if step["op"] == "describe":
                self._answers[step["i"]] = (self._host.group(self._group), step["i"], self._env.now)
                continue
            if step["op"] == "failover":
                for takeover in (Unload(), Load()):
                    self._host.handle(self._group, takeover)
                continue
            try:
                self._made[step["i"]] = self._ids.fresh(step["as"])
                command = script.command(step, new_member=self._made[step["i"]], resolve=self._ids.resolve)
            except (KeyError, ValueError, TypeError) as error:
                raise BadScript(f"script {self._record['name']!r}, step {step['i']}: {error}") from error
            self._host.handle(self._group, command)

    def _note(self, events: Sequence[Event]) -> None:
        """Who an id belongs to, for those that are never told theirs."""
        for event in events:
            if isinstance(event, MemberAdded | MemberReplaced) and event.member is not None:
                self._known[event.member] = event.instance_id or event.client_id or ""

    def _answered(self, group: str, reply: Reply, wrote: bool) -> None:
        self._answers[reply.request] = (reply.answer, self._sent, self._env.now)
        # An id is told with MEMBER_ID_REQUIRED or a success; the fenced id in an error is nobody's news.
        given = (Error.NONE, Error.MEMBER_ID_REQUIRED)
        if isinstance(reply.answer, JoinAnswer) and reply.answer.error in given:
            self._ids.tell(reply.request, self._record["steps"][reply.request]["as"], reply.answer.member)

    def _elect(self, generation: int, candidates: tuple[MemberId, ...]) -> MemberId:
        """The leader the recording shows at the next generation that names one; else Kafka's kind of choice."""
        for choice in self._record.get("choices", ()):
            if choice["generation"] <= generation:
                continue
            leader = self._ids.resolve(choice["leader"])
            if leader in candidates:
                return leader
            made = self._made.get(self._tells.get(choice["leader"], -1))
            if made in candidates:
                return made
            # It was a static member's former id: the client's name decides.
            client = choice["leader"].rpartition("#")[0]
            namesakes = [m for m in candidates if m.rpartition("-")[0] == client]
            untold = [m for m in namesakes if m not in self._ids.labels]
            if namesakes:
                return (untold or namesakes)[0]
        return elect_by_hash(generation, candidates)

    def _label(self) -> script.Resolve:
        def label(member: MemberId) -> str:
            if not member or member in self._ids.labels:
                return self._ids.labels.get(member, "")
            known = self._known.get(member)
            return "?" + known if known else member

        return label

    def _step(self, step: dict[str, Any]) -> dict[str, Any]:
        played = {k: v for k, v in step.items() if k not in ("response", "after", "t", "t_range")}
        if step["i"] not in self._answers:
            return {**played, "response": None, "after": None, "t": None}
        answer, after, at = self._answers[step["i"]]
        if isinstance(answer, ClassicGroup):
            response = script.describe(answer, self._label())
        else:
            response = script.response(step, answer, self._label())
        return {**played, "response": response, "after": after, "t": at}


def play(record: dict[str, Any]) -> dict[str, Any]:
    """One line of a recording, played again. Raises BadScript."""
    try:
        return Play(record).run()
    except KeyError as error:
        raise BadScript(f"script {record.get('name')!r}: {error} is missing") from error
