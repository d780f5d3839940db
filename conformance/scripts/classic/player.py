"""Play a script against the simulated classic coordinator, in virtual time and without latency."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import simpy

from groupsim.conformance.scripts.classic import commands
from groupsim.conformance.scripts.configs import config_of
from groupsim.conformance.scripts.labels import MemberLabels
from groupsim.conformance.scripts.script import NO_ANSWER, BadScript, Script, Step, check_shape, request_of
from groupsim.coordinator.classic.commands import JoinAnswer
from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.classic.votes import elect_by_hash
from groupsim.coordinator.commands import Load, Unload
from groupsim.coordinator.outcome import Error, Reply
from groupsim.events.base import Event
from groupsim.events.classic import MemberAdded, MemberReplaced
from groupsim.events.types import MemberId
from groupsim.simulation.group_host import GroupHost

GIVES_AN_ID = (Error.NONE, Error.MEMBER_ID_REQUIRED)
"""With these answers a member gets its id; the id in the answer to a fenced member is not its own."""


def _steps_that_give_ids(script: Script) -> dict[str, int]:
    """By label: the step whose recorded answer gives a member this id."""
    steps: dict[str, int] = {}
    for step in script["steps"]:
        answer = step.get("response")
        if step.get("op") == "join" and answer and answer["error"] in {error.name for error in GIVES_AN_ID}:
            steps.setdefault(answer.get("member_id", ""), step["i"])
    return steps


class Player:
    """Plays one script. Each step gets `response`, `after` and `t` as the simulator gives them."""

    def __init__(self, script: Script) -> None:
        configs = config_of(script).configs
        check_shape(script)
        self._script = script
        self._group = script.get("group", "g")
        self._env = simpy.Environment()
        self._ids = MemberLabels()
        self._answers: dict[int, tuple[object, int, int | float]] = {}
        self._names: dict[MemberId, str] = {}
        self._new_ids: dict[int, MemberId] = {}
        self._steps_that_give_ids = _steps_that_give_ids(script)
        self._sent = -1
        self._host = GroupHost(
            self._env,
            record=lambda group, events: self._note_names(events),
            answer=self._answered,
            initial=lambda group: ClassicGroup(id=group, configs=configs, elect=self._elect),
        )

    def run(self) -> Script:
        """The script with the simulated answers in every step."""
        self._env.process(self._send())
        self._env.run(until=self._script["end_ms"] + 1)
        self._ids.settle()
        return {**self._script, "steps": [self._step(step) for step in self._script["steps"]]}

    def _send(self) -> Generator[simpy.Event, None, None]:
        for step in self._script["steps"]:
            yield self._env.timeout(step["at"] - self._env.now)
            self._sent = step["i"]
            self._ids.settle()
            if step["op"] == "describe":
                self._answers[step["i"]] = (self._host.group(self._group), step["i"], self._env.now)
                continue
            if step["op"] == "failover":
                for move in (Unload(), Load()):
                    self._host.handle(self._group, move)
                continue
            try:
                self._new_ids[step["i"]] = f"{step['as']}-{len(self._new_ids) + 1:04d}"
                command = commands.command(step, new_member=self._new_ids[step["i"]], resolve=self._ids.resolve)
            except (KeyError, ValueError, TypeError) as error:
                raise BadScript(f"script {self._script['name']!r}, step {step['i']}: {error}") from error
            self._host.handle(self._group, command)

    def _note_names(self, events: Sequence[Event]) -> None:
        """The instance or client of an id, for members that never get to know their id."""
        for event in events:
            if isinstance(event, MemberAdded | MemberReplaced) and event.member is not None:
                self._names[event.member] = event.instance_id or event.client_id or ""

    def _answered(self, group: str, reply: Reply, wrote: bool) -> None:
        self._answers[reply.request] = (reply.answer, self._sent, self._env.now)
        if isinstance(reply.answer, JoinAnswer) and reply.answer.error in GIVES_AN_ID:
            client, member = self._script["steps"][reply.request]["as"], reply.answer.member
            if _client(member) == client:
                self._ids.given(reply.request, client, member)

    def _elect(self, generation: int, candidates: tuple[MemberId, ...]) -> MemberId:
        """The leader the recording shows at the next generation that names one; else Kafka's kind of choice."""
        choices = self._script.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if choice["generation"] <= generation:
                continue
            leader = self._ids.resolve(choice["leader"])
            if leader in candidates:
                return leader
            new_id = self._new_ids.get(self._steps_that_give_ids.get(choice["leader"], -1))
            if new_id in candidates:
                return new_id
            # It was a static member's former id: the client's name decides.
            client = choice["leader"].rpartition("#")[0]
            same_client = [m for m in candidates if _client(m) == client]
            unlabelled = [m for m in same_client if m not in self._ids.labels]
            if same_client:
                return (unlabelled or same_client)[0]
        return elect_by_hash(generation, candidates)

    def _label(self, member: MemberId) -> str:
        if not member or member in self._ids.labels:
            return self._ids.labels.get(member, "")
        name = self._names.get(member)
        return "?" + name if name else member

    def _step(self, step: Step) -> Step:
        if step["i"] not in self._answers:
            return request_of(step) | NO_ANSWER
        answer, after, at = self._answers[step["i"]]
        if isinstance(answer, ClassicGroup):
            response = commands.describe(answer, self._label)
        else:
            response = commands.response(step, answer, self._label)
        return {**request_of(step), "response": response, "after": after, "t": at}


def _client(member: MemberId) -> str:
    """The label of the client that an id was made for."""
    return member.rpartition("-")[0]


def play(script: Script) -> Script:
    """The script with the simulated answers. Raises BadScript."""
    try:
        return Player(script).run()
    except KeyError as error:
        raise BadScript(f"script {script.get('name')!r}: {error} is missing") from error
