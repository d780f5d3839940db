"""When callbacks of Java members of the consumer protocol returned, by the lines around them."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.incidents.facts.client_partitions import revoked_until
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.unnamed_clients import PlacedRow
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Row
from groupsim.storage.log_gaps import doubts
from tests.incidents.imported import C1, adding, import_logs, revoking, supported
from tests.incidents.lines import CLASS, stamped, write

BEGINS, FENCED = "client_reconciling", "client_heartbeat_refused"


def rows(*found: tuple[int, str]) -> list[PlacedRow]:
    """Rows of these kinds; a state stands for its row."""
    return [(line, TimedRow(at, _row(line, said))) for line, (at, said) in enumerate(found)]


def _row(line: int, said: str) -> Row:
    kind, detail = (RowKind.STATE_CHANGE, {"to": said}) if said.isupper() else (RowKind(said), dict[str, object]())
    return Row(file="m", line=line, at=None, kind=kind, group="g", member=None, client="m", detail={**detail})


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
        # the line of the next callback is lost, and the member goes on all the same
        ([(0, BEGINS), (1, "revoked"), (101, "revoked"), (203, "ACKNOWLEDGING"), (9_000, "assigned")], 2, (1, 101)),
        # it is fenced inside the callback
        ([(0, BEGINS), (101, "revoked"), (203, "FENCED"), (9_000, "lost")], 1, (2, 101)),
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


TWICE = "Revoking previously assigned partitions [orders-0, orders-1]"
OFFSET = "Setting offset for partition orders-2 to the committed offset FetchPosition{offset=5, offsetEpoch=null}"


def _turns(second: float, epoch: int, before: str, after: str) -> str:
    return stamped(second, C1 + f"Member mE9 with epoch {epoch} transitioned from {before} to {after}." + CLASS)


def _joins() -> list[str]:
    """A member of the consumer protocol that takes three partitions, and shows where it begins to read one of them."""
    return [
        _turns(1.0, 0, "UNSUBSCRIBED", "JOINING"),
        _turns(1.1, 3, "JOINING", "RECONCILING"),
        stamped(1.2, C1 + "Reconciling assignment with local epoch 0" + CLASS),
        adding(1.3, "orders-0", "orders-1", "orders-2"),
        _turns(1.4, 3, "RECONCILING", "ACKNOWLEDGING"),
        _turns(1.4, 3, "ACKNOWLEDGING", "STABLE"),
    ]


def _gives_up(*between: str) -> list[str]:
    return [
        *_joins(),
        _turns(5.0, 4, "STABLE", "RECONCILING"),
        stamped(5.1, C1 + "Reconciling assignment with local epoch 1" + CLASS),
        stamped(5.1, C1 + TWICE + CLASS),
        *between,
        revoking(5.2, "orders-1", "orders-0"),
        adding(5.4),
        _turns(5.4, 4, "RECONCILING", "ACKNOWLEDGING"),
        _turns(9.0, 4, "ACKNOWLEDGING", "STABLE"),
    ]


def _doubted(folder: Path, lines: list[str]) -> list[tuple[int, int, int]]:
    """From when to when, after ten o'clock, and how many partitions."""
    result, _ = import_logs(write(folder, *lines))
    found = [doubt for doubt in doubts(result.run.summary) if "inside a revoked callback" in doubt.why]
    return [(doubt.from_ms + 1_000, doubt.to_ms + 1_000, len(doubt.partitions or ())) for doubt in found]


def test_lines_of_offsets_between_the_two_lines_on_what_a_member_gives_up_change_nothing(tmp_path: Path) -> None:
    """Its background thread prints them; 1.7 partition-seconds of a recording were left open for that."""
    assert _doubted(tmp_path, _gives_up()) == [(5_200, 5_400, 1)]
    assert _doubted(tmp_path, _gives_up(stamped(5.15, OFFSET + CLASS))) == [(5_200, 5_400, 1)]


@pytest.mark.parametrize(
    ("leaves", "until"),
    [(("PREPARE_LEAVING", "LEAVING", "UNSUBSCRIBED"), 5_103), (("PREPARE_LEAVING", "LEAVING", "STALE"), 8_003)],
    ids=["closes", "its poll timer has run out"],
)
def test_a_member_that_closes_is_inside_its_callback_soon_after_its_line(
    leaves: tuple[str, ...], until: int, tmp_path: Path
) -> None:
    """It prints no line before it commits, and its library prints the leave when the callback has returned."""
    steps = zip(("STABLE", *leaves), leaves, strict=False)
    lines = [*_joins(), revoking(5.003, "orders-0", "orders-1", "orders-2")]
    lines += [_turns(8.003, -1, before, after) for before, after in steps]
    assert _doubted(tmp_path, lines) == [(5_003, until, 3)]
    assert supported([write(tmp_path, *lines)]).at_least_ms >= 3 * (8_003 - until)


def test_a_member_may_close_before_it_has_followed_its_target(tmp_path: Path) -> None:
    """Then it calls its callback once more, with all that it had when it began to follow."""
    lines = _gives_up()[:-3]
    lines += [revoking(5.503, "orders-2", "orders-1", "orders-0"), _turns(8.003, 4, "RECONCILING", "PREPARE_LEAVING")]
    lines += [_turns(8.003, -1, "PREPARE_LEAVING", "LEAVING"), _turns(8.003, -1, "LEAVING", "UNSUBSCRIBED")]
    assert _doubted(tmp_path, lines) == [(5_200, 5_503, 1), (5_503, 5_603, 3)]
