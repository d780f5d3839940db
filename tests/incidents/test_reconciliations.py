"""When callbacks of Java members of the consumer protocol returned, by the lines around them."""

from __future__ import annotations

import pytest

from groupsim.incidents.facts.client_partitions import revoked_until
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.unnamed_clients import PlacedRow
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Row

BEGINS, FENCED = "client_reconciling", "client_heartbeat_refused"


def rows(*found: tuple[int, str]) -> list[PlacedRow]:
    return [
        (
            line,
            TimedRow(
                at, Row(file="m", line=line, at=None, kind=RowKind(kind), group="g", member=None, client="m", detail={})
            ),
        )
        for line, (at, kind) in enumerate(found)
    ]


@pytest.mark.parametrize(
    ("found", "now", "until"),
    [
        # a listener that returns at once: the next callback is one poll away, as this one was
        ([(0, BEGINS), (1, "revoked"), (101, "revoked"), (203, "assigned")], 2, (1, 101)),
        # a listener that works for two seconds
        ([(0, BEGINS), (1, "revoked"), (101, "revoked"), (2_202, "assigned")], 2, (1, 101)),
        # a program that polls every three seconds; its library's thread hears of a fence meanwhile
        ([(0, BEGINS), (3_011, "revoked"), (5_405, FENCED), (6_040, "lost")], 1, (2, 3_011)),
        # the next poll comes sooner than this one did
        ([(0, BEGINS), (150, "revoked"), (250, "assigned")], 1, (1, 100)),
        # the lines do not show when the reconciliation began
        ([(0, "assigned"), (150, "revoked"), (250, "assigned")], 1, None),
        ([(150, "revoked"), (250, "assigned")], 0, None),
        # or what came next
        ([(0, BEGINS), (150, "revoked"), (160, FENCED)], 1, (0, 0)),
        ([(150, "revoked"), (160, "revoked"), (170, "state_change"), (200, "lost")], 1, (0, 0)),
        # the log begins in the middle of a reconciliation; what follows later is another one
        ([(150, "revoked"), (160, "revoked"), (250, "assigned"), (300, BEGINS)], 1, None),
        ([(150, "revoked"), (160, "revoked"), (170, "revoked")], 2, None),
    ],
)
def test_a_revoked_callback_returns_a_poll_before_the_next_callback(
    found: list[tuple[int, str]], now: int, until: tuple[int, int] | None
) -> None:
    assert revoked_until(rows(*found), now) == until
