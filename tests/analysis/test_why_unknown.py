"""Why a total is unknown, in a sentence that can be read: few of each kind, and a reason wherever one is known."""

from __future__ import annotations

import pytest

from groupsim.analysis.availability.causes import START
from groupsim.analysis.availability.labels import Interval, Label, SubLabel
from groupsim.analysis.tables.bounds import support
from groupsim.analysis.tables.why_unknown import few_of_each, in_one_sentence
from groupsim.storage.log_gaps import Doubt, log_gaps


def interval(label: Label, ms: int, sub_label: SubLabel | None = None, member: str | None = None) -> Interval:
    return Interval("billing", "orders", 0, label, sub_label, member, None, 5, 5 + ms)


def removed(number: int) -> str:
    return f"the broker removed c-{number:08} at 10:{number:02}, and no log of it is given; export that too"


def test_of_reasons_that_are_alike_three_are_shown_and_the_others_counted() -> None:
    other = "a.log: its records are in no order"
    shown = few_of_each([*map(removed, range(2_000)), other])
    assert shown == [removed(0), removed(1), removed(2), "and 1,997 more like this one", other]
    assert few_of_each([*map(removed, range(3)), other]) == [*map(removed, range(3)), other]


def test_reasons_that_name_groups_are_alike_whatever_the_groups_are_called() -> None:
    shown = few_of_each([f"group {name} has a member without a log ({name}-x)" for name in ("a", "b", "c", "d", "e")])
    assert shown[2:] == ["group c has a member without a log (c-x)", "and 2 more like this one"]


def test_reasons_of_many_kinds_are_not_all_shown() -> None:
    kinds = [f"{chr(97 + n)} fell silent" for n in range(26)]
    assert few_of_each(kinds) == [*kinds[:12], "and 14 other reasons"]


def test_what_several_reasons_ask_for_is_asked_once() -> None:
    whole, more = "export such logs whole", "export such logs whole (with callbacks)"
    reasons = [f"a.log ends; {whole}", "b.log is coarse", f"c.log begins; {whole}", f"d.log has lost lines; {more}"]
    assert in_one_sentence(reasons) == f"a.log ends; b.log is coarse; c.log begins; d.log has lost lines; {more}"
    assert in_one_sentence(reasons[:3]) == f"a.log ends; b.log is coarse; c.log begins; {whole}"
    assert (
        in_one_sentence([reasons[0], "e is gone; export its log"]) == f"a.log ends; {whole}; e is gone; export its log"
    )
    assert in_one_sentence([]) == ""


def test_the_sentence_of_a_total_stays_short_however_many_doubts_there_are() -> None:
    many = [Doubt("billing", n, n + 1, None, removed(n)) for n in range(2_000)]
    unknown = support(log_gaps([], many, []), [interval(Label.WITHHELD, 5_000)]).unknown
    assert unknown is not None
    assert "and 1,997 more like this one" in unknown
    assert len(unknown) < 1_000


@pytest.mark.parametrize(
    ("sub_label", "why"),
    [
        (SubLabel.ONLY_CLIENTS, "without a log may have had the partitions; export the broker's log"),
        (SubLabel.NOTHING_YET, "the broker's log begins later; export its lines from before"),
        (SubLabel.NO_LOG, "export the missing logs of members and of the broker"),
    ],
)
@pytest.mark.parametrize("known_ms", [100, 2_000])
def test_time_that_is_unknown_has_a_reason_where_no_doubt_has_one(sub_label: SubLabel, why: str, known_ms: int) -> None:
    unknown = support({}, [interval(Label.WITHHELD, known_ms), interval(Label.UNKNOWN, 1_000, sub_label)]).unknown
    assert unknown is not None
    assert unknown.endswith(why)


@pytest.mark.parametrize(("cause", "from_ms"), [(START, 100), ("unknown", 0)])
def test_time_before_the_first_assignment_in_the_logs_is_unknown_for_that_reason(cause: str, from_ms: int) -> None:
    before = Interval("billing", "orders", 0, Label.UNKNOWN, SubLabel.NO_LOG, None, cause, from_ms, 1_000)
    unknown = support({}, [before, interval(Label.WITHHELD, 100)]).unknown or ""
    assert unknown.endswith(
        "unknown: who had the partitions before the logs begin is not in them; export from before the incident"
    )


def without_log(ms: int, member: str) -> Interval:
    return interval(Label.OK, ms, SubLabel.COORDINATOR_ONLY, member)


def test_a_total_without_an_upper_bound_says_so_and_why() -> None:
    served = [without_log(ms, member) for ms, member in ((800, "m1"), (900, "m2"), (700, "m3"), (1, "m4"))]
    found = support({}, [*served, interval(Label.WITHHELD, 2_000), interval(Label.UNKNOWN, 1_000, SubLabel.NO_LOG)])
    caveat = found.caveat() or ""
    assert caveat.startswith("the total is unknown, at least 2.0 partition-seconds, with no upper bound: ")
    assert "no log shows whether m2, m1 and 1 more served their partitions all the time; export their logs" in caveat
    assert "export the missing logs" not in caveat


def test_one_member_without_a_log_is_one_also_if_it_is_static_and_no_line_has_its_id_at_first() -> None:
    served = [without_log(1_000, "i2-?"), without_log(900, "i2-f1d0")]
    unknown = support({}, [*served, interval(Label.UNKNOWN, 2_500, SubLabel.NO_LOG)]).unknown
    assert "no log shows whether i2-f1d0 served its partitions all the time; export its log" in str(unknown)
