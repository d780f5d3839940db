"""Logs of drawn groups that begin late or end early: the true unavailable time is within what is said of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from groupsim.events.base import Recorded
from tests.adversary.written_runs import hold
from tests.incidents.drawn_groups import GROUP, drawn, drawn_consumer, simulated, with_logs
from tests.incidents.offsets_topic.simulated_topic import write_dump
from tests.incidents.written_consumer_logs import write_consumer_logs
from tests.incidents.written_logs import coarsened, write_logs


class Cut(NamedTuple):
    """A group by its seed, and which lines of which log are left.

    `assignor`: of a classic group; None: a consumer group. `without`: the logs that are not given, `coarse`: those
    in whole seconds.
    """

    assignor: str | None
    seed: int
    log: str
    lines: slice
    session_ms: int | None = None
    without: tuple[str, ...] = ()
    topic: bool = False
    leaders: bool = False
    slow: bool = False
    coarse: tuple[str, ...] = ()


CUTS = {
    "a cooperative member owns more than it adds": Cut(
        "cooperative-sticky", 716_501, "m1.0", slice(43, None), leaders=True
    ),
    "a static member was in the group before": Cut("cooperative-sticky", 262_867, "m1.0", slice(20, None)),
    "the first join in a log is not the first one": Cut("cooperative-sticky", 414_281, "m2.0", slice(8, None)),
    "nor beside the topic": Cut(
        "cooperative-sticky", 455_733, "m0.0", slice(13, None), without=("m1.0", "m2.0", "m2.1"), topic=True
    ),
    "no broker says that it was in the group": Cut(
        "cooperative-sticky", 698_347, "m3.0", slice(15, None), without=("broker", "m2.1"), leaders=True
    ),
    "it gives up first": Cut("cooperative-sticky", 178_108, "m0.1", slice(6, None), 25_490, ("broker",), leaders=True),
    "a static member comes back": Cut("range", 845_903, "m0.1", slice(17, None), 10_000, ("broker",), leaders=True),
    "it owns more than it gives up first": Cut(None, 851_735, "m0.0", slice(21, None), topic=True, without=("m0.1",)),
    "it left for a time": Cut(None, 774_026, "m1.1", slice(55), 40_000, topic=True, slow=True),
    "it is fenced, and joins again": Cut(None, 360_268, "m1.1", slice(29), 10_000),
    "it is stale, and joins again": Cut(None, 889_092, "m1.0", slice(44), 45_000, slow=True),
    "it has yet to reconcile, by the topic": Cut(
        None, 371_618, "m0.1", slice(11), 9_000, ("broker", "m0.0", "m1.1"), topic=True
    ),
    "a removed member serves on": Cut(None, 291_790, "m2.1", slice(61), 10_000, slow=True),
    "it joins": Cut("range", 701_342, "m2.1", slice(3), without=("broker",), leaders=True),
    "it has joined": Cut("cooperative-sticky", 591_911, "m1.2", slice(9)),
    "it is given its part": Cut("range", 18_235, "m2.1", slice(5), 30_291),
    "it has yet to revoke, by the topic": Cut("range", 324_803, "m0.0", slice(7), 23_461, topic=True),
    "it leaves soon": Cut("cooperative-sticky", 638_849, "m0.1", slice(11)),
    "it ends with what it gives up after a coarse generation": Cut(
        "range", 543_172, "m0.0", slice(14), coarse=("m2.0", "m1.0", "broker")
    ),
    "the next generation comes soon": Cut("cooperative-sticky", 50_332, "m0.1", slice(6)),
}


def _written(cut: Cut, folder: Path) -> tuple[Sequence[Recorded], list[Path]]:
    if cut.assignor is None:
        consumer = drawn_consumer(cut.seed, slow=cut.slow)
        facts = simulated(consumer)
        printed = [fact for fact in facts if not fact.event.noise]
        return facts, write_consumer_logs(printed, GROUP, folder, consumer.heartbeat_ms)
    return with_logs(replace(drawn(cut.seed), assignor=cut.assignor), folder, leaders=cut.leaders)


@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
def test_what_is_said_of_a_cut_log_holds_the_truth(cut: Cut, tmp_path: Path) -> None:
    facts, logs = _written(cut, tmp_path)
    log = tmp_path / f"{cut.log}.log"
    log.write_text("".join(log.read_text().splitlines(keepends=True)[cut.lines]))
    for name in cut.coarse:
        coarsened(tmp_path / f"{name}.log", 0, 3)
    given = [path for path in logs if path.stem not in cut.without]
    if cut.topic:
        given.append(write_dump(facts, GROUP, tmp_path / "dump.txt"))
    which = "no broker's log" if "broker" in cut.without else "logs"
    hold(Random(0), facts, given, which, cut.session_ms, "a cut log")


def test_a_member_that_left_for_a_time_hears_of_no_target(tmp_path: Path) -> None:
    """It read as serving by right for 38 s: the target of an epoch that came meanwhile left its partitions to it."""
    group = drawn_consumer(590_465, slow=True)
    facts = simulated(group)
    logs = write_consumer_logs([f for f in facts if not f.event.noise], GROUP, tmp_path, group.heartbeat_ms)
    for log in ("m1.0", "m2.1"):
        coarsened(tmp_path / f"{log}.log", 0, 3)
    hold(Random(0), facts, logs, "logs", None, "whole logs")


def test_a_static_member_that_waits_for_a_join_may_be_gone_for_longer_than_a_session(tmp_path: Path) -> None:
    """It was killed 10.6 s before it came back, with a session of 8.7 s: the coordinator waited for the others."""
    group = replace(drawn(152_520), assignor="cooperative-sticky")
    facts = simulated(group)
    logs = write_logs([f for f in facts if not f.event.noise], GROUP, tmp_path, group.true, leaders=True)
    hold(Random(0), facts, logs, "logs", None, "whole logs")
