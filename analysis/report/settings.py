"""What a run was configured with: the request, and the settings of its processes; equal ones are listed once."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from groupsim.analysis.blame.blame import Blame
from groupsim.analysis.plots.palette import natural
from groupsim.events.base import Recorded, group_of
from groupsim.events.client import ProcessStarted
from groupsim.storage.run_info import scenario_command
from groupsim.storage.store import RunInfo
from groupsim.wording.names import shown

_LOG, _SKEW, _TOPIC = "log.", "skew.", "topic."


def repeat_command(info: RunInfo) -> str:
    """The command that repeats the run."""
    if info.source == "recorded":
        logs = [str(value) for name, value in info.params.items() if name.startswith(_LOG)]
        return shlex.join(["groupsim", "import", *(logs or ["LOG..."]), "--name", info.name])
    return scenario_command("run", info.scenario_path or info.name, info.params, info.seed)


def next_commands(info: RunInfo, pieces: Iterable[Blame], questions: Iterable[tuple[str, str]]) -> list[list[str]]:
    """`[command, what it shows]`: where to look next. The member is the one that was waited for longest.

    `questions`: the what-ifs of the diagnosis, each with what it shows.
    """
    waited: Counter[str] = Counter()
    for piece in pieces:
        if piece.member is not None:
            waited[piece.member] += piece.duration_ms
    commands = [[f"groupsim blame {info.id}", "which members and settings the partitions waited for, in the terminal"]]
    if waited:
        longest = max(sorted(waited, key=natural), key=lambda name: waited[name])
        command = shlex.join(["groupsim", "show", info.id, "--member", shown(longest)])
        commands.append([command, "every fact about this member"])
    commands += map(list, questions)
    return commands


def requested(info: RunInfo) -> list[list[str]]:
    """The parameters and settings of the request, `[name, value]`; the logs of an incident are listed elsewhere."""
    return [[shown(k), shown(v)] for k, v in info.params.items() if not k.startswith(_LOG)]


def client_settings(facts: Iterable[Recorded]) -> list[dict[str, Any]]:
    """Per group: `common`, the settings all its processes share, and `differing`, `[name, [[value, processes], …]]`."""
    configs: dict[str, dict[str, Mapping[str, Any]]] = {}
    for fact in facts:
        if isinstance(fact.event, ProcessStarted):
            group = group_of(fact.stream) or ""
            configs.setdefault(group, {})[fact.event.process] = fact.event.config
    return [_of_group(group, configs[group]) for group in sorted(configs, key=natural)]


def _of_group(group: str, processes: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    common, differing = [], []
    for name in sorted({key for config in processes.values() for key in config}):
        values = Counter(shown(config.get(name, "unknown")) for config in processes.values())
        if len(values) == 1:
            common.append([shown(name), next(iter(values))])
        else:
            differing.append([shown(name), [[value, _who(value, name, processes)] for value in sorted(values)]])
    return {"group": shown(group), "processes": len(processes), "common": common, "differing": differing}


def _who(value: str, name: str, processes: Mapping[str, Mapping[str, Any]]) -> str:
    names = [p for p, config in processes.items() if shown(config.get(name, "unknown")) == value]
    names.sort(key=natural)
    rest = f" and {len(names) - 6:,} more" if len(names) > 6 else ""
    return ", ".join(shown(p) for p in names[:6]) + rest
