"""Problems and answers of the assignors of tasks (Kafka Streams, Connect) as JSON, one object a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from groupsim.assignors.kafka.client_sticky import client_sticky
from groupsim.assignors.kafka.client_tasks import Client, ClientAnswer, ClientProblem, TaskId
from groupsim.assignors.kafka.connect import (
    ConnectAnswer,
    ConnectMemory,
    ConnectorTask,
    ConnectProblem,
    Load,
    connect_eager,
    connect_incremental,
)
from groupsim.assignors.kafka.high_availability import high_availability

STREAMS = {"high-availability": high_availability, "sticky": client_sticky}
CONNECT = ("eager", "incremental")
Json = dict[str, Any]


def task(text: str) -> TaskId:
    subtopology, partition = text.split("_")
    return TaskId(int(subtopology), int(partition))


def client_problem(said: Mapping[str, Any]) -> ClientProblem:
    """The problem of Kafka Streams that a line holds."""

    def tasks(names: Iterable[str]) -> tuple[TaskId, ...]:
        return tuple(map(task, names))

    clients = tuple(
        Client(
            one["id"],
            one["threads"],
            tasks(one["active"]),
            tasks(one["standby"]),
            {task(name): lag for name, lag in one["lags"].items()},
            one["tags"],
        )
        for one in said["clients"]
    )
    return ClientProblem(
        clients,
        tasks(said["tasks"]),
        tasks(said["stateful"]),
        said["standbys"],
        said["warmups"],
        said["acceptable_lag"],
        tuple(said["tags"]),
    )


def client_problem_line(problem: ClientProblem) -> Json:
    """The problem as a line has it."""
    return {
        "clients": [
            {
                "id": one.id,
                "threads": one.threads,
                "active": list(map(str, one.active)),
                "standby": list(map(str, one.standby)),
                "lags": {str(of): lag for of, lag in one.lags.items()},
                "tags": dict(one.tags),
            }
            for one in problem.clients
        ],
        "tasks": list(map(str, problem.tasks)),
        "stateful": list(map(str, problem.stateful)),
        "standbys": problem.standbys,
        "warmups": problem.warmups,
        "acceptable_lag": problem.acceptable_lag,
        "tags": list(problem.tags),
    }


def client_answer_line(answer: ClientAnswer) -> Json:
    clients = {
        name: {"active": list(map(str, mine.active)), "standby": list(map(str, mine.standby))}
        for name, mine in answer.clients.items()
    }
    return {"probing": answer.probing, "clients": clients}


def load(said: Mapping[str, Any]) -> Load:
    pairs = (name.rsplit("-", 1) for name in said["tasks"])
    return Load(tuple(said["connectors"]), tuple(ConnectorTask(connector, int(n)) for connector, n in pairs))


def load_line(of: Load) -> Json:
    return {"connectors": list(of.connectors), "tasks": list(map(str, of.tasks))}


def connect_problem(said: Mapping[str, Any], max_delay_ms: int) -> ConnectProblem:
    """One round of a history of Connect."""
    workers = {name: load(had) for name, had in said["workers"].items()}
    generations = said["generation"], said["last_generation"]
    return ConnectProblem(said["connectors"], workers, said["now_ms"], max_delay_ms, *generations)


def connect_problem_line(problem: ConnectProblem) -> Json:
    return {
        "connectors": dict(problem.connectors),
        "workers": {name: load_line(had) for name, had in problem.workers.items()},
        "now_ms": problem.now_ms,
        "generation": problem.generation,
        "last_generation": problem.last_generation,
    }


def connect_answer_line(answer: ConnectAnswer) -> Json:
    return {
        "delay_ms": answer.delay_ms,
        "workers": {
            name: {"assigned": load_line(one.assigned), "revoked": load_line(one.revoked), "all": load_line(one.all)}
            for name, one in answer.workers.items()
        },
    }


def ours(line: Mapping[str, Any]) -> Json:
    """What our assignor answers to a line, in the form in which Java's answer is written."""
    if line["assignor"] in STREAMS:
        return {"id": line["id"], **client_answer_line(STREAMS[line["assignor"]](client_problem(line)))}
    answers = []
    memory = ConnectMemory()
    for said in line["rounds"]:
        problem = connect_problem(said, line["max_delay_ms"])
        if line["assignor"] == "eager":
            answers.append(connect_eager(problem))
        else:
            answer, memory = connect_incremental(problem, memory)
            answers.append(answer)
    return {"id": line["id"], "answers": list(map(connect_answer_line, answers))}
