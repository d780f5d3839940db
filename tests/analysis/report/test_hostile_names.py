"""Names from somebody's log stay text: nothing of them runs, becomes an element, or turns the writing round."""

from __future__ import annotations

import json

import pytest

from groupsim.analysis.report import report
from groupsim.analysis.report.page import embedded
from groupsim.analysis.runs import Run
from groupsim.events.base import WORLD_STREAM, Event, group_stream, process_stream
from groupsim.events.classic import AssignmentStored, JoinPhaseCompleted, MemberAdded, RebalanceStarted
from groupsim.events.client import JoinSent, PositionReady, ProcessStarted, SyncOk, ViewChanged
from groupsim.events.group import GroupCreated
from groupsim.events.types import TopicPartition
from groupsim.events.world import GroupDeclared, RunEnded, TopicCreated
from groupsim.storage.memory import MemoryStore
from groupsim.storage.store import RunInfo, RunSource, RunStatus
from groupsim.wording.names import shown
from tests.analysis.report.browser import needs_browser
from tests.analysis.report.conftest import Opened

MARKUP = [
    "<script>window.hit = 1</script>",
    "</script><script>window.hit = 2</script>",
    "<!--<script>",
    "]]><svg onload='window.hit = 3'>",
    "<img src=x onerror=window.hit=4>",
    '" onmouseover="window.hit = 5',
    "' autofocus onfocus='window.hit = 6",
    "javascript:window.hit=7",
    "{{data}}{{script}}${window.hit = 8}",
    "&lt;b&gt; &#60;i&#62; \\u003cscript\\u003e",
    "</title></style></textarea></noscript><script>window.hit = 9</script>",
    "</style><style>body{display:none}</style>",
]
"""Names that would be elements, scripts or handlers if anything took them for markup."""
HOSTILE = [
    *MARKUP,
    "name\u202egnp.exe\u2066\u200f",
    "line\u2028separator\nbreak\rreturn\ttab\0nul\x1b[31m",
    "__proto__",
    "constructor",
    "toString",
    "",
    " ",
    "é" * 5_000,
    "<b>" * 3_000,
    "קבוצה",
    "消費者組",
    "😀👩‍👩‍👧",
    "%3Cscript%3E",
    "-" * 300,
]


def run_named(evil: str) -> Run:
    """A small run in which every name is this one, as an importer of logs might tell it."""
    store = MemoryStore()
    origin = "2026-11-20T11:27:14.260Z"
    params: dict[str, int | float | str | bool] = {"log.0": evil, evil: evil}
    info = RunInfo(id="evil", name=evil, source=RunSource.RECORDED, origin=origin, params=params)
    writer = store.begin(info)
    client, group = process_stream(evil, evil), group_stream(evil)
    held = (TopicPartition(evil, 0),)
    facts: list[tuple[int, str, Event]] = [
        (0, WORLD_STREAM, TopicCreated(topic=evil, partitions=2)),
        (0, WORLD_STREAM, GroupDeclared(group=evil, protocol=evil, topics=(evil,))),
        (1, client, ProcessStarted(process=evil, client_id=evil, topics=(evil,), config={evil: evil})),
        (2, client, JoinSent(process=evil, member=evil)),
        (3, group, GroupCreated()),
        (3, group, MemberAdded(member=evil, client_id=evil, client_host=evil)),
        (3, group, RebalanceStarted(generation=0, cause=evil, reason=evil, initial=True, member=evil)),
        (50, group, JoinPhaseCompleted(generation=1, protocol=evil, leader=evil, members=(evil,), size=1)),
        (60, group, AssignmentStored(generation=1, leader=evil, protocol=evil, assignment={evil: held})),
        (70, client, SyncOk(process=evil, member=evil, generation=1, assignment=held)),
        (71, client, ViewChanged(process=evil, partitions=held)),
        (90, client, PositionReady(process=evil, offsets=((evil, 0, 5),))),
        (500, WORLD_STREAM, RunEnded(status="finished")),
    ]
    for at_ms, stream, event in facts:
        writer.append(at_ms, stream, [event], source=None if stream == WORLD_STREAM else f"{evil}:1")
    return Run(store, writer.finish(RunStatus.FINISHED, 500, {"notes": [evil]}))


@pytest.mark.parametrize("evil", HOSTILE, ids=range(len(HOSTILE)))
def test_the_page_has_as_many_elements_whatever_the_names(evil: str) -> None:
    text = report([run_named(evil)])
    plain = report([run_named("plain")])
    assert [text.count(c) for c in ("<script", "</script", "<!--", "</style")] == [
        plain.count(c) for c in ("<script", "</script", "<!--", "</style")
    ]
    assert text.encode("utf-8").decode() == text


def test_embedded_json_reads_back_and_holds_nothing_that_ends_an_element() -> None:
    value = [*HOSTILE, "lone\ud800surrogate", {name: name for name in HOSTILE}]
    text = embedded(value)
    assert json.loads(text) == value
    assert text.isascii()
    assert not set("<>&") & set(text)


@pytest.mark.browser
@pytest.mark.slow
@needs_browser
def test_no_name_runs_or_becomes_an_element(opened: Opened) -> None:
    names = [*MARKUP, *HOSTILE[len(MARKUP) : len(MARKUP) + 2]]
    page = opened(*map(run_named, names))
    assert page.locator("section.run").count() == len(names)
    for place, evil in enumerate(names):
        section = page.locator(f"#run-{place}")
        section.locator("button.open").evaluate("button => button.click()")
        section.locator("summary").evaluate_all("all => all.forEach(each => each.click())")
        section.locator("canvas.timeline").hover(position={"x": 400, "y": 60})
        assert shown(evil).strip() in (section.locator("h2").text_content() or "")
        assert shown(evil).strip() in (section.locator(".tip").text_content() or "")
    assert page.evaluate("window.hit") is None
    assert page.locator("main :is(img, iframe, object, embed, script, style, form, link, b b)").count() == 0
    assert page.locator("[onerror], [onload], [onmouseover], [onfocus], [autofocus]").count() == 0
    assert page.locator("a:not([href^='#'])").count() == 0
    assert page.locator("body").evaluate("body => getComputedStyle(body).display") == "block"


@pytest.mark.browser
@pytest.mark.slow
@needs_browser
def test_the_policy_of_the_page_stops_what_would_still_get_in(opened: Opened) -> None:
    page = opened(run_named("plain"))
    policy = page.get_attribute("meta[http-equiv='Content-Security-Policy']", "content") or ""
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert policy.count("sha256-") == 2
