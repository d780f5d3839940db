"""What `groupsim whatif` says of the examples: open sessions, what the record has, the truth."""

from __future__ import annotations

import re

from tests.cli.conftest import Call
from tests.cli.test_whatif import KILL9, imported

SESSION = re.compile(
    r"\nthe logs do not show session\.timeout\.ms \((drawn from \d+ to \d+|\d+ is assumed)\)[^;]*"
    r": --assume session\.timeout\.ms=\.\.\. [^;]*narrows the answer\n"
)


def test_a_session_that_no_log_shows_is_named_where_the_answer_depends_on_it(call: Call) -> None:
    ask = ("incident", "whatif", "latest", "--seeds", "0:2")
    imported(call)
    assert SESSION.search(call(*ask, "--assignor", "cooperative-sticky").out)
    known = call(*ask, "--assignor", "cooperative-sticky", "--assume", "session.timeout.ms=6000")
    assert "the logs do not show session.timeout.ms" not in known.out
    imported(call, KILL9.parent / "rolling-restart-range")
    assert SESSION.search(call(*ask, "--set", "membership=static").out)
    assert "the logs do not show session" not in call(*ask, "--set", "heartbeat.interval.ms=300").out


def test_a_choice_that_the_record_has_is_said_to_be_so_and_costs_the_same(call: Call) -> None:
    imported(call, KILL9.parent / "static-restart-range")
    ask = ("incident", "whatif", "latest", "--seeds", "0:2", "--format", "json")
    choices = ("--assignor", "range", "--assignor", "sticky", "--set", "membership=static", "--set", "restart.ms=900")
    called = call(*ask, *choices)
    assert called.status == 0
    recorded, *rows = called.json
    same = {row["choice"]: row["as_recorded"] for row in rows}
    assert same == {"range": True, "sticky": False, "membership=static": True, "restart.ms=900": False}
    assert rows[0]["answer"] == "assignor=range is what the record has, so it changes nothing."
    assert rows[0]["ranges"] == recorded["ranges"]
    classic = call(*ask, "--protocol", "classic").json[1]
    assert classic["as_recorded"]


def test_three_answers_about_the_examples_are_what_recordings_of_the_other_choice_show(call: Call) -> None:
    """`../shared/recordings`, range and cooperative-sticky, in partition-seconds from when the group first worked.

    S06 2.5 to 2.7 and 11.9 to 12.0; S08 38.2 to 38.3 and 48.9 to 49.3; S07 6.3 to 7.0 and 23.5 to 23.7.
    """
    found = {}
    for name in ("max-poll-range", "static-restart-range", "rolling-restart-range"):
        imported(call, KILL9.parent / name)
        ask = ("incident", "whatif", "latest", "--assignor", "cooperative-sticky", "--seeds", "0:10")
        base, other = call(*ask, "--format", "json").json
        found[name] = other["verdict"], base["answer"].startswith("assignor=cooperative-sticky "), other
    assert {name: each[:2] for name, each in found.items()} == {
        "max-poll-range": ("worse", True),
        "static-restart-range": ("worse", True),
        "rolling-restart-range": ("worse", True),
    }
    real = {"max-poll-range": 11_975, "static-restart-range": 49_079, "rolling-restart-range": 23_586}
    for name, ms in real.items():
        low, high = found[name][2]["ranges"]["unavailable_partition_ms"]
        assert low * 0.9 <= ms <= high * 1.1, name


def test_a_batch_that_may_take_longer_is_no_gain_its_owner_holds_and_does_not_poll(call: Call) -> None:
    """`../shared/recordings`, S06: the batch takes 14 s, the interval is 10 s. Both choices read "-88 to -100 %"."""
    imported(call, KILL9.parent / "max-poll-range")
    choices = ("--set", "max.poll.interval.ms=30000", "--set", "membership=static")
    all_in = ("--between", "2000", "23000")  # after the joins, which differ from seed to seed
    ask = ("incident", "whatif", "latest", *choices, *all_in, "--seeds", "0:5")
    recorded, *rows = call(*ask, "--format", "json").json
    assert [row["verdict"] for row in rows] == ["held, but not polled"] * 2
    assert 40_000 <= recorded["unpolled_partition_ms"] <= 43_000  # 4 partitions for 10 s, until it is noticed
    for row in rows:
        assert 55_000 <= row["unpolled_partition_ms"] <= 58_000  # 4 partitions for 14 s
        assert row["ranges"]["unpolled_partition_ms"][0] <= row["unpolled_partition_ms"]
    out = call(*ask).out
    assert out.startswith("None of the 2 choices would have helped: they only move time to owners that do not poll.")
    assert "unpolled_partition_ms" in out


def test_a_choice_outside_the_brokers_limits_is_answered_and_names_the_limit_and_its_default(call: Call) -> None:
    """It was refused, or recommended without a word of what the brokers must allow."""
    imported(call)
    both = "session.timeout.ms=3000,group.min.session.timeout.ms=6000"
    choices = ("session.timeout.ms=3000", "session.timeout.ms=9000", both, "session.timeout.ms=1900000")
    asked = [word for choice in choices for word in ("--set", choice)]
    _, short, usual, refused, long = call(
        "incident", "whatif", "latest", *asked, "--seeds", "0:2", "--format", "json"
    ).json
    assert short["needs"] == ["group.min.session.timeout.ms=3000 or less on the brokers (6000 by default)"]
    assert f"it needs {short['needs'][0]}" in short["answer"]
    assert usual["needs"] == []
    assert refused["verdict"] == "not possible"
    assert long["needs"] == ["group.max.session.timeout.ms=1900000 or more on the brokers (1800000 by default)"]
    advised = call("advise", "latest", "--vary", "session.timeout.ms=3000,9000").out
    assert "Take session.timeout.ms=3000" in advised
    assert "It needs group.min.session.timeout.ms=3000 or less on the brokers (6000 by default)." in advised


def test_the_limits_of_groups_of_the_consumer_protocol_are_named_too(call: Call) -> None:
    imported(call, KILL9.parents[1] / "consumer-groups" / "kill9-uniform")
    session, heartbeat = "group.consumer.session.timeout.ms=3000", "group.consumer.heartbeat.interval.ms=500"
    asked = ("incident", "whatif", "latest", "--set", session, "--set", heartbeat, "--seeds", "0:2", "--format", "json")
    _, shorter, faster = call(*asked, "--assume", "session.timeout.ms=6000").json
    need = "group.consumer.min.session.timeout.ms=3000 or less on the brokers (45000 by default)"
    assert need in shorter["needs"]
    assert need in shorter["answer"]
    assert "group.consumer.min.heartbeat.interval.ms=500 or less on the brokers (5000 by default)" in faster["needs"]


BASELINE = re.compile(
    r"note: baseline \(the incident simulated as recorded, (\d+) times\): median ([\d.]+), mean ([\d.]+) "
)


def test_what_if_and_advice_say_their_baseline_in_the_same_words_and_agree_on_the_same_seeds(call: Call) -> None:
    """One showed the median of its seeds, the other the mean of others, without a word."""
    imported(call, KILL9.parent / "rolling-restart-range")
    advised = call("advise", "latest", "--vary", "heartbeat.interval.ms=300,900")
    said = BASELINE.search(advised.err)
    assert said is not None
    asked = call("incident", "whatif", "latest", "--set", "heartbeat.interval.ms=300", "--seeds", f"0:{said[1]}")
    assert f"instead of {said[2]}" in asked.out.splitlines()[0]
    again = BASELINE.search(asked.err)
    assert again is not None
    assert again.groups() == said.groups()
    assert f" partition-seconds; with the present settings {said[3]}." in advised.out.splitlines()[0]


def test_a_known_session_makes_a_long_heartbeat_impossible_and_batches_of_another_size_are_refused(call: Call) -> None:
    """One asked for the session that was named, the other was "no difference": replays keep recorded batches."""
    imported(call)
    known = ("--assume", "session.timeout.ms=6000", "--set", "max.poll.records=50")
    asked = ("incident", "whatif", "latest", "--seeds", "0:1", "--format", "json")
    _, slow, batch = call(*asked, "--set", "heartbeat.interval.ms=7000", *known).json
    assert slow["verdict"] == "not possible"
    assert slow["refused"] == "heartbeat.interval.ms (7000) must be less than session.timeout.ms (6000)"
    assert batch["verdict"] == "can't be answered"
    assert "do not show how long a batch of another size takes" in batch["refused"]


def test_several_assignors_in_one_option_are_said_to_be_one_choice(call: Call) -> None:
    imported(call)
    called = call("incident", "whatif", "latest", "--assignor", "cooperative-sticky,range", "--seeds", "0:1")
    assert "note: --assignor cooperative-sticky,range is one choice: members offer all of these; " in called.err
