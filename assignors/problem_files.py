"""Problems in the golden JSON format: one line in, one answer out; malformed lines are named, never guessed at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from groupsim.assignors import ASSIGNORS
from groupsim.assignors.assignor import Assignor
from groupsim.assignors.errors import AssignorError, BadSpec, Refused
from groupsim.assignors.extra.optimal_sticky import against_optimum, solve
from groupsim.assignors.history import STATELESS, Round, play
from groupsim.assignors.metrics import metrics, violations
from groupsim.assignors.spec import Answer, Member, Spec
from groupsim.events.errors import GroupsimError
from groupsim.events.types import NO_GENERATION, TopicPartition


class _Member(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    topics: tuple[str, ...]
    owned: tuple[tuple[str, int], ...] = ()
    generation: int = NO_GENERATION
    group_instance_id: str | None = None
    rack: str | None = None
    stale: bool = False


class _Problem(msgspec.Struct, forbid_unknown_fields=True):
    topics: dict[str, int]
    members: tuple[_Member, ...]
    partition_racks: dict[str, tuple[tuple[str, ...], ...]] = {}
    generation_source: str = "metadata"


class Line(msgspec.Struct):
    """One line: a single `problem` or the `rounds` of a chain; all other keys are ignored."""

    id: str
    problem: _Problem | None = None
    rounds: tuple[_Problem, ...] | None = None


class BadLine(GroupsimError):
    """A line that is no problem; the sentence names its number (from 1)."""


def read(text: str | bytes, number: int = 1) -> Line:
    """Parse one line. BadLine names the line and what is wrong with it."""
    try:
        line = msgspec.json.decode(text, type=Line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadLine(f"line {number}: {error}") from None
    if (line.problem is None) == (line.rounds is None):
        raise BadLine(f"line {number}: exactly one of `problem` and `rounds` is wanted, in {line.id!r}")
    return line


def _spec(problem: _Problem) -> Spec:
    members = tuple(
        Member(
            m.id,
            m.topics,
            tuple(TopicPartition(*partition) for partition in m.owned),
            m.generation,
            m.group_instance_id,
            m.rack,
        )
        for m in problem.members
    )
    return Spec(members, problem.topics, problem.partition_racks, problem.generation_source == "userdata")


def specs_of(line: Line) -> tuple[Spec, ...]:
    """The problem of a line, or the group of each of its rounds."""
    problems = (line.problem,) if line.problem is not None else line.rounds or ()
    return tuple(_spec(problem) for problem in problems)


def answer(
    line: Line, names: Sequence[str], assignors: Mapping[str, Assignor] = ASSIGNORS, *, explain: bool = False
) -> dict[str, Any]:
    """What `groupsim assign` prints for one line, ready for JSON; `names` are keys of `assignors`. BadSpec as it is.

    `explain` adds, for a single problem, how far each answer is from the optimum, and the optimum's proof.
    """
    if line.rounds is not None:
        return {"id": line.id, "trace": {name: trace(line, assignors[name]) for name in names}}
    (spec,) = specs_of(line)
    result: dict[str, Any] = {"id": line.id, "assignments": {}, "metrics": {}}
    errors: dict[str, str] = {}
    for name in names:
        try:
            assignment = assignors[name].assign(spec)
        except (AssignorError, Refused) as error:
            errors[name] = str(error)
            result["assignments"][name] = None
        else:
            result["assignments"][name] = as_json(assignment, spec)
            result["metrics"][name] = metrics(spec, assignment)
            if explain:
                result.setdefault("explain", {})[name] = why = explained(spec, name, assignment)
                result["metrics"][name] |= {key: why[key] for key in ("balance_gap", "excess_moves")}
    if errors:
        result["errors"] = errors
    return result


def explained(spec: Spec, name: str, assignment: Answer) -> dict[str, Any]:
    """balance_gap and excess_moves against the optimum, violations; for optimal-sticky the certificate as well."""
    best, certificate = solve(spec)
    result: dict[str, Any] = against_optimum(spec, assignment, best)
    if wrong := [str(violation) for violation in violations(spec, assignment)]:
        result["defects"] = wrong
    if name == "optimal-sticky":
        result["certificate"] = msgspec.to_builtins(certificate) | {
            "proved": certificate.proved,
            "sentence": str(certificate),
        }
    return result


def catalogue(assignors: Mapping[str, Assignor] = ASSIGNORS) -> list[dict[str, Any]]:
    """What `groupsim assignors` lists: name, protocols, side, source and drawback of each, in order."""
    return [
        {
            "name": assignor.name,
            "protocols": list(assignor.protocols),
            "side": assignor.side,
            "source": assignor.source,
            "drawback": assignor.drawback,
        }
        for assignor in assignors.values()
    ]


def trace(line: Line, assignor: Assignor) -> list[dict[str, Any]]:
    """Every call of a chain in the golden form: round, followup, generation, inputs, assignments, metrics or error."""
    rounds = [
        Round(_spec(problem), frozenset(m.id for m in problem.members if m.stale)) for problem in line.rounds or ()
    ]
    result = []
    for call in play(assignor, rounds):
        entry: dict[str, Any] = {"round": call.round, "followup": call.followup, "generation": call.generation}
        if assignor.name not in STATELESS:
            entry["inputs"] = {
                m.id: {"owned": [list(p) for p in m.owned], "generation": m.generation} for m in call.spec.members
            }
        entry["assignments"] = None if call.answer is None else as_json(call.answer, call.spec)
        if call.answer is None:
            entry["error"] = call.error
        else:
            entry["metrics"] = metrics(call.spec, call.answer)
        result.append(entry)
    return result


def as_json(assignment: Answer, spec: Spec) -> dict[str, list[list[Any]]]:
    """An answer as lists, members in the problem's order."""
    return {m.id: [list(partition) for partition in assignment[m.id]] for m in spec.members}


def answers(
    lines: Iterable[str | bytes],
    names: Sequence[str],
    assignors: Mapping[str, Assignor] = ASSIGNORS,
    *,
    explain: bool = False,
) -> Iterator[dict[str, Any] | BadLine]:
    """Each line's answer in order; a line that can't be answered gives the BadLine instead, blank lines nothing."""
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            yield answer(read(text, number), names, assignors, explain=explain)
        except BadLine as error:
            yield error
        except BadSpec as error:
            yield BadLine(f"line {number}: {error}")
