"""The table of broker versions: complete, sourced, and right at both ends."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from groupsim.assignors import ASSIGNORS
from groupsim.assignors.assignor import SERVER
from groupsim.coordinator.broker_versions import (
    DIFFERENCES,
    Behaviour,
    BrokerVersion,
    Difference,
    behaviour,
    default_settings,
    server_assignors,
)


def test_the_rows_without_dots_are_the_fields_of_behaviour() -> None:
    names = [row.name for row in DIFFERENCES]
    assert len(set(names)) == len(names)
    assert [name for name in names if "." not in name] == [field.name for field in fields(Behaviour)]


@pytest.mark.parametrize("row", DIFFERENCES, ids=lambda row: row.name)
def test_every_row_is_a_difference_with_a_source(row: Difference) -> None:
    assert row.before != row.after
    assert type(row.before) is type(row.after)
    assert re.search(r"KAFKA-\d+|KIP-\d+|recorded scripts", row.source)
    assert re.match(r"[A-Z]\w+", row.where)
    assert row.value(BrokerVersion.V4_0) == row.before
    assert row.value(BrokerVersion.V4_4) == row.after


def test_rows_are_in_the_order_of_releases() -> None:
    for dots in (False, True):
        releases = [float(row.since) for row in DIFFERENCES if ("." in row.name) == dots]
        assert releases == sorted(releases)
        assert min(releases) > 4.0
        assert max(releases) <= 4.4


def test_behaviour_has_the_types_it_says() -> None:
    for version in BrokerVersion:
        found = behaviour(version)
        for field in fields(found):
            assert type(getattr(found, field.name)).__name__ == field.type, field.name


def test_default_settings_follow_the_version() -> None:
    linger = "group.coordinator.append.linger.ms"
    intervals = [f"group.{of}.assignment.interval.ms" for of in ("consumer", "share", "streams")]
    assert default_settings(BrokerVersion.V4_0) == {linger: 5, **dict.fromkeys(intervals, 0)}
    assert default_settings(BrokerVersion("4.2")) == {linger: -1, **dict.fromkeys(intervals, 0)}
    assert default_settings(BrokerVersion("4.4")) == {linger: -1, **dict.fromkeys(intervals, 1000)}


def test_the_assignors_of_a_version_exist() -> None:
    assert server_assignors(BrokerVersion.V4_0)["uniform"] != server_assignors(BrokerVersion.V4_4)["uniform"]
    for version in BrokerVersion:
        for name in server_assignors(version).values():
            assert ASSIGNORS[name].side == SERVER
