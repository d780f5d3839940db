"""A script: requests with their times and, where it was recorded, their answers; a line of a .jsonl.gz file."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import msgspec

from groupsim.events.errors import GroupsimError

Script = dict[str, Any]
"""`name`, `family`, `about`, `config`, `end_ms`, `choices` and `steps`; tests/golden/broker/README.md has the form."""
Step = dict[str, Any]
ANSWER_KEYS = ("response", "after", "t", "t_range")
"""What is recorded of a step, besides what is asked."""
NO_ANSWER: Step = {"response": None, "after": None, "t": None}


class BadScript(GroupsimError):
    """A script that cannot be played."""


def request_of(step: Step) -> Step:
    """A step without its recorded answer."""
    return {key: value for key, value in step.items() if key not in ANSWER_KEYS}


def read(path: Path) -> list[Script]:
    """The scripts of a .jsonl.gz file."""
    with gzip.open(path) as lines:
        return [msgspec.json.decode(line) for line in lines]


def write(path: Path, scripts: Iterable[Script]) -> None:
    """Scripts as .jsonl.gz, the same bytes for the same scripts."""
    lines = "".join(json.dumps(script, separators=(",", ":")) + "\n" for script in scripts)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(lines.encode(), 9, mtime=0))


_Number = Annotated[int, msgspec.Meta(ge=-(2**62), le=2**62)]
_Partition = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
_Count = Annotated[int, msgspec.Meta(ge=0, le=100_000)]
_By_topic = dict[str, list[_Partition]]
_Tasks = dict[str, list[_Number]]
"""Of a member of a streams group, which may list what there is not."""


class _Subscription(msgspec.Struct):
    """Of a classic member; `bytes`: its metadata are none."""

    bytes: str = ""
    topics: list[str] = []
    owned: _By_topic = {}
    generation: _Number = 0
    rack: str | None = None
    version: _Number = 0
    user_data: str | None = None


class _Subtopology(msgspec.Struct):
    id: str
    sources: list[str] = []
    regex: list[str] = []
    changelogs: list[Any] = []
    repartition_sinks: list[Any] = []
    repartition_sources: list[Any] = []
    copartition: list[Any] = []


class _Topology(msgspec.Struct):
    """Of a streams group."""

    epoch: _Number
    subtopologies: list[_Subtopology] = []


class _Asked(msgspec.Struct):
    """The fields of all requests. `partitions` is a number where a topic is created or grows.

    `topics` are those of a request about share offsets: names, or partitions, or offsets by partition.
    """

    member_id: str | msgspec.UnsetType | None = msgspec.UNSET
    member_epoch: _Number = 0
    epoch: _Number = 0
    generation: _Number = 0
    instance_id: str | None = None
    group_instance_id: str | None = None
    rack_id: str | None = None
    session_timeout_ms: _Number = 0
    rebalance_timeout_ms: _Number = 0
    subscribed_topic_names: list[str] | None = None
    subscribed_topic_regex: str | None = None
    server_assignor: str | None = None
    topic_partitions: _By_topic | None = None
    protocol_type: str | None = None
    protocol_name: str | None = None
    protocols: list[tuple[str, _Subscription | str]] = []
    assignments: list[tuple[str, _By_topic | str]] = []
    members: list[dict[str, str | None]] = []
    topic: str = ""
    partition: _Partition = 0
    partitions: list[_Partition] | _Count = []
    offset: _Number = 0
    configs: dict[str, str | None] = {}
    topics: list[str] | dict[str, list[_Partition] | dict[str, _Number]] | None = None
    endpoint_epoch: _Number = 0
    topology: _Topology | None = None
    active: _Tasks | None = None
    standby: _Tasks | None = None
    warmup: _Tasks | None = None
    process_id: str | None = None
    endpoint: tuple[str, _Number] | None = None
    tags: dict[str, str] | None = None
    offsets: dict[str, dict[str, _Number]] | None = None
    end_offsets: dict[str, dict[str, _Number]] | None = None
    shutdown: bool = False


class _Answer(msgspec.Struct):
    """What is read of a recorded answer."""

    error: str | None = None
    leader: str | None = None
    member_id: str | None = None


class _Seen(msgspec.Struct):
    """What an administrator saw of a group."""

    type: str = ""
    members: list[_SeenMember] = []


class _SeenMember(msgspec.Struct):
    member_id: str
    target: dict[str, list[_Partition] | _By_topic] = {}


class _Row(msgspec.Struct, rename="pascal"):
    topic_id: str = ""
    partitions: list[_Partition] = []
    assignment_epochs: list[_Number] | None = None

    def __post_init__(self) -> None:
        if self.assignment_epochs and len(self.assignment_epochs) != len(self.partitions):
            raise ValueError(f"{len(self.partitions)} partitions have {len(self.assignment_epochs)} epochs")


class _Assigned(msgspec.Struct):
    rows: list[_Row] = msgspec.field(default=[], name="AssignedPartitions")


class _Member(msgspec.Struct):
    member: str = msgspec.field(default="", name="memberId")
    assignment: _Assigned | None = None


class _Value(_Assigned):
    """What is read of a record's value."""

    leader: str | None = None
    timestamp: _Number = msgspec.field(default=0, name="AssignmentTimestamp")
    target: list[_Row] = msgspec.field(default=[], name="TopicPartitions")
    pending: list[_Row] = msgspec.field(default=[], name="PartitionsPendingRevocation")
    members: list[_Member] = []


class _Step(msgspec.Struct, rename={"by": "as"}):
    i: Annotated[int, msgspec.Meta(ge=0)]
    at: _Number
    by: str
    op: str
    request: _Asked
    v: _Number = 0
    after: Annotated[int, msgspec.Meta(ge=0)] | None = None
    t: Annotated[float, msgspec.Meta(ge=0, le=2**53)] | None = None
    response: _Answer | None = None
    seen: _Seen | None = None
    records: list[tuple[str, dict[str, str | _Number], _Value | None]] = []


class _Choice(msgspec.Struct):
    generation: _Number
    leader: str = ""


class _Script(msgspec.Struct):
    end_ms: Annotated[int, msgspec.Meta(ge=0, le=2**53)]
    steps: list[_Step]
    name: str = ""
    about: str = ""
    group: str = "g"
    topics: dict[str, _Count] = {}
    topic_ids: dict[str, str] = {}
    choices: list[_Choice] | bool = []
    timed: bool = False


def check_shape(script: Script) -> None:
    """Raises BadScript for a field that has another type, or is missing, and for steps that are not in order."""
    where = f"script {script.get('name')!r}"
    try:
        msgspec.json.encode(script)
        steps = msgspec.convert(script, _Script).steps
    except UnicodeEncodeError as error:
        raise BadScript(
            f"{where}: half of a pair of UTF-16 is no text ({error.object[error.start : error.end]!r})"
        ) from None
    except (msgspec.ValidationError, RecursionError) as error:
        raise BadScript(f"{where}: {error}") from None
    before = 0
    for number, step in enumerate(steps):
        if step.i != number:
            raise BadScript(f"{where}: step {number} calls itself step {step.i}")
        if step.at < before:
            raise BadScript(f"{where}, step {number}: at ({step.at}) must not be before {before}")
        if step.request.member_id is None and step.op != "fetch":
            raise BadScript(f"{where}, step {number}: {step.op} needs a member_id")
        if step.response is not None and (step.after is None or step.t is None):
            raise BadScript(f"{where}, step {number}: it has an answer, and no time (t) or place (after) of it")
        if step.after is not None and step.after >= len(steps):
            raise BadScript(f"{where}, step {number}: there is no step {step.after} (after)")
        before = step.at
