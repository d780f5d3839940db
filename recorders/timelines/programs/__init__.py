"""Consumers of other libraries as programs: fetched from their registries and built, into a folder of this user."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from recorders.broker.fetch import folder, run

HERE = Path(__file__).parent
KAFKAJS, SARAMA, AIOKAFKA = "kafkajs", "sarama", "aiokafka"
RELEASES = {KAFKAJS: "2.2.4", SARAMA: "1.61.1", AIOKAFKA: "0.14.0"}
"""The newest of 2026-11-29."""
NAMES = {library: f"{library} {release}" for library, release in RELEASES.items()}
STRATEGIES = {KAFKAJS: ("RoundRobinAssigner",), SARAMA: ("range", "roundrobin"), AIOKAFKA: ("range", "roundrobin")}
"""Those that give the same members the same partitions; Sarama's `sticky` goes through a Go map, in any order."""
NEVER_STATIC = (KAFKAJS,)
"""KafkaJS sends no group.instance.id."""
MODULE = f"""module member

go 1.22

require github.com/IBM/sarama v{RELEASES[SARAMA]}
"""


def _folder(library: str) -> Path:
    return folder().parent / "clients" / f"{library}-{RELEASES[library]}"


def _built(library: str, build: Callable[[Path], None]) -> Path:
    """The folder of a library, after it was built there once. Raises Unavailable."""
    root = _folder(library)
    if not (root / "complete").exists():
        root.mkdir(parents=True, exist_ok=True)
        build(root)
        (root / "complete").touch()
    return root


def _kafkajs(root: Path) -> None:
    run("npm", "install", "--no-fund", "--no-audit", "--prefix", str(root), f"kafkajs@{RELEASES[KAFKAJS]}")


def _sarama(root: Path) -> None:
    (root / "go.mod").write_text(MODULE)
    shutil.copy(HERE / "sarama_member.go", root / "main.go")
    run("go", "-C", str(root), "mod", "tidy")
    run("go", "-C", str(root), "build", "-o", "member", ".")


def _aiokafka(root: Path) -> None:
    run(sys.executable, "-m", "venv", str(root))
    run(str(root / "bin" / "pip"), "install", "--quiet", f"aiokafka=={RELEASES[AIOKAFKA]}")


def _given(settings: Mapping[str, str]) -> list[str]:
    return [f"{k}={v}" for k, v in settings.items()]


def kafkajs_member(settings: Mapping[str, str]) -> list[str]:
    """The command of a consumer of KafkaJS."""
    root = _built(KAFKAJS, _kafkajs)
    program = str(HERE / "kafkajs_member.js")
    return ["env", f"NODE_PATH={root / 'node_modules'}", "node", program, *_given(settings)]


def sarama_member(settings: Mapping[str, str]) -> list[str]:
    """The command of a consumer of Sarama."""
    return [str(_built(SARAMA, _sarama) / "member"), *_given(settings)]


def aiokafka_member(settings: Mapping[str, str]) -> list[str]:
    """The command of a consumer of aiokafka, in an environment of its own."""
    root = _built(AIOKAFKA, _aiokafka)
    return [str(root / "bin" / "python"), str(HERE / "aiokafka_member.py"), *_given(settings)]


COMMANDS = {KAFKAJS: kafkajs_member, SARAMA: sarama_member, AIOKAFKA: aiokafka_member}
