"""A report in a real browser: what people see, click, type and print."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from groupsim.analysis.runs import Run
from groupsim.wording.times import duration
from tests.analysis.in_ms import ms
from tests.analysis.report.browser import needs_browser
from tests.analysis.report.conftest import Opened, simulated

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow, needs_browser]
WHOLE = "0.000 s – 5:00.000"


def stretch(page: Page) -> str:
    """The stretch that the timeline shows, as the page says it."""
    return page.inner_text(".stretch")


def drag(page: Page, selector: str, start: float, end: float, y: float = 0.5) -> None:
    """Drag across an element, from one share of its width to another."""
    page.locator(selector).first.scroll_into_view_if_needed()
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + start * box["width"], box["y"] + y * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + (start + end) / 2 * box["width"], box["y"] + y * box["height"])
    page.mouse.move(box["x"] + end * box["width"], box["y"] + y * box["height"])
    page.mouse.up()


def test_it_opens_and_says_first_how_long_what_stood_still_and_why(opened: Opened, slow: Run) -> None:
    page = opened(slow)
    assert page.title() == "one_slow_member — groupsim report"
    assert page.inner_text("h1") == "one_slow_member"
    depends = "98 % of this time depends on the time between two polls;"
    assert page.inner_text(".lead").startswith(f"Unavailable: {slow.headline}. {depends}")
    assert "waiting for eager-m1.0, whose application did not poll for up to 57." in page.inner_text("main")
    colours = page.evaluate(
        """() => { const c = document.querySelector("canvas.timeline"), d = c.getContext("2d")
        .getImageData(0, 0, c.width, c.height).data, seen = new Set();
        for (let i = 0; i < d.length; i += 4) if (d[i + 3]) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);
        return seen.size; }"""
    )
    assert colours > 50
    assert "null" not in page.inner_text("main")
    assert "undefined" not in page.inner_text("main")


def test_the_timeline_zooms_by_button_drag_wheel_and_brush(opened: Opened, slow: Run) -> None:
    page = opened(slow)
    assert stretch(page) == WHOLE
    page.click("button[aria-label='Zoom in']")
    assert stretch(page) == "1:15.000 – 3:45.000"
    page.click("button[aria-label='Show the whole run']")
    assert stretch(page) == WHOLE
    drag(page, "canvas.timeline", 0.3, 0.5)
    dragged = stretch(page)
    assert dragged.startswith("1:")
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    assert stretch(page) not in (WHOLE, dragged)
    page.dblclick("canvas.overview")
    assert stretch(page) == WHOLE
    drag(page, "canvas.overview", 0.4, 0.6)
    brushed = stretch(page)
    drag(page, "canvas.overview", 0.5, 0.7)
    assert stretch(page) not in (WHOLE, brushed)
    page.focus("canvas.overview")
    page.keyboard.press("Escape")
    assert stretch(page) == WHOLE


def test_hovering_tells_partition_state_cause_and_time(opened: Opened, slow: Run) -> None:
    page = opened(slow)
    assert page.is_hidden(".tip")
    box = page.locator("canvas.timeline").bounding_box()
    assert box is not None
    canvas = page.locator("canvas.timeline")
    canvas.hover(position={"x": 0.2 * box["width"], "y": 60})
    assert "owned by cooperative-m1.0" in page.inner_text(".tip")
    assert "orders-0" in page.inner_text(".tip")
    canvas.hover(position={"x": 0.2 * box["width"], "y": box["height"] - 6})
    tip = page.inner_text(".tip")
    assert "WITHHELD: no member owns it" in tip
    assert "after member-joined" in tip
    assert re.search(r"57\.\d s, from 9\.\d{3} s to 1:06\.\d{3}", tip)
    page.mouse.move(0, 0)
    assert page.is_hidden(".tip")


def test_the_bars_are_walked_by_arrow_keys_and_read_aloud(opened: Opened, slow: Run) -> None:
    page = opened(slow)
    page.focus("canvas.timeline")
    assert "Arrow keys go" in page.inner_text(".readout")
    page.keyboard.press("ArrowRight")
    first = page.inner_text(".readout")
    assert first.startswith("orders-0 of cooperative: available, owned by")
    page.keyboard.press("ArrowLeft")
    assert page.inner_text(".readout") != first
    page.keyboard.press("ArrowDown")
    assert page.inner_text(".readout").startswith("orders-1 of cooperative")
    page.keyboard.press("ArrowLeft")  # a short bar of its start: the one after it lasts nearly as long as the run
    page.keyboard.press("Enter")
    assert stretch(page) != WHOLE
    page.keyboard.press("Escape")
    assert stretch(page) == WHOLE
    assert page.get_attribute(".readout", "aria-live") == "polite"


def column(page: Page, title: str) -> list[str]:
    """The texts of a column of the table of rebalances."""
    return page.locator(f"#run-0-rebalances td[data-title='{title}']").all_inner_texts()


def test_the_rebalances_are_sorted_by_click_and_by_key(opened: Opened, slow: Run) -> None:
    page = opened(slow)
    lasted = ms(slow.rebalances()["duration"])
    assert column(page, "Duration") == [duration(ms) for ms in lasted]
    heading = page.locator("#run-0-rebalances th", has_text="Duration")
    heading.locator("button").click()
    assert column(page, "Duration") == [duration(ms) for ms in sorted(lasted, reverse=True)]
    assert heading.get_attribute("aria-sort") == "descending"
    heading.locator("button").press("Enter")
    assert column(page, "Duration") == [duration(ms) for ms in sorted(lasted)]
    assert heading.get_attribute("aria-sort") == "ascending"
    page.locator("#run-0-rebalances th", has_text="Group").locator("button").press("Enter")
    assert column(page, "Group") == ["cooperative"] * 3 + ["eager"] * 2


def test_a_rebalance_opens_as_a_swim_lane_with_its_critical_path(opened: Opened, slow: Run) -> None:
    page = opened(slow)
    page.click("tr[data-rebalance='4']")
    panel = page.locator(".panel")
    assert "Rebalance 5, to generation 2 of eager" in panel.inner_text()
    assert panel.locator("svg.lanes .lane-name").all_text_contents()[0] == "eager-m1.0"
    assert panel.locator("rect.critical").count() >= 3
    assert re.search(r"57\.\d s eager-m1\.0: poll", panel.locator(".path").inner_text())
    assert re.search(r"would have ended 57\.\d s sooner", panel.locator(".path").inner_text())
    panel.get_by_text("Show in the timeline").click()
    assert stretch(page) != WHOLE
    page.keyboard.press("Escape")
    assert panel.is_hidden()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    assert "Rebalance 4" in panel.inner_text()
    assert page.locator("button.open[aria-expanded='true']").inner_text() == "4"


def test_a_click_on_the_line_of_rebalances_opens_one_too(opened: Opened, slow: Run) -> None:
    page = opened(slow)
    box = page.locator("canvas.timeline").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 0.2 * box["width"], box["y"] + 20 + 19)
    assert "to generation 2 of cooperative" in page.inner_text(".panel")


def test_a_member_is_lit_up(opened: Opened, slow: Run) -> None:
    page = opened(slow)
    before = page.locator("canvas.timeline").screenshot()
    chip = page.locator(".chip", has_text="eager-m2.0")
    chip.click()
    assert chip.get_attribute("aria-pressed") == "true"
    page.wait_for_timeout(50)
    assert page.locator("canvas.timeline").screenshot() != before


def test_a_recorded_incident_names_its_lines_and_the_time_of_day(opened: Opened, kill9: Run) -> None:
    page = opened(kill9)
    assert "m2.0, which was gone for up to about 6.0 s before its session timed out" in page.inner_text("main")
    assert re.search(r"6\.0 s OWNER_DEAD .*, from 2026-11-20 11:27:21\.539 UTC on", page.inner_text(".sentences"))
    assert column(page, "Start (UTC)")[-1] == "11:27:27.539"
    assert stretch(page) == "11:27:14.260 – 11:27:28.583 UTC"
    page.click("tr[data-rebalance='3']")
    page.click(".panel summary")
    assert "broker.log.gz:" in page.inner_text(".panel table.lines")
    assert "2026-11-20 11:27:27" in page.inner_text(".panel")
    assert "m2.0 fell silent holding 4 partitions" in page.inner_text("#run-0-origin")
    assert page.inner_text(".command").startswith("groupsim import ")
    assert f"groupsim show {kill9.info.id} --member m2.0" in page.inner_text(".onward")


def test_what_follows_a_short_rebalance_is_shown_when_asked_for(opened: Opened, kill9: Run) -> None:
    page = opened(kill9)
    page.click("tr[data-rebalance='0']")
    lanes = page.locator(".panel svg.lanes .lane-name")
    assert lanes.all_text_contents() == ["m1.0"]
    page.get_by_text("Show what follows").click()
    assert lanes.all_text_contents() == ["m1.0", "m2.0"]
    page.get_by_text("Hide what follows").click()
    assert lanes.count() == 1


def test_the_partitions_that_were_unavailable_longest_come_first_when_asked_for(opened: Opened, kill9: Run) -> None:
    page = opened(kill9)
    lost = kill9.unavailable(between=(0, None)).groupby("partition")["duration"].sum()
    worst = lost.sort_values(ascending=False, kind="stable").index
    page.get_by_role("button", name="Partitions that were unavailable longest").click()
    page.focus("canvas.timeline")
    page.keyboard.press("ArrowRight")
    said = []
    for _ in range(3):
        said.append(page.inner_text(".readout").split(" ")[0])
        page.keyboard.press("ArrowDown")
    assert said == [f"orders-{partition}" for partition in worst[:3]]


def test_several_runs_stand_side_by_side_and_zoom_together(opened: Opened, slow: Run, kill9: Run) -> None:
    page = opened(slow, kill9)
    assert page.inner_text("h1") == "2 runs compared"
    assert page.locator(".compare thead th").all_inner_texts() == ["one_slow_member", "kill9"]
    total = slow.summary()["unavailable"]["after_start_ms"] / 1_000
    assert f"{total:,.1f} partition-s" in page.inner_text(".compare")
    assert page.locator("canvas.course").count() == 2
    page.check("#together")
    page.locator("button[aria-label='Zoom in']").first.click()
    first, second = page.locator(".stretch").all_inner_texts()
    assert first == "1:15.000 – 3:45.000"
    assert second == "11:27:14.260 – 11:27:28.583 UTC"  # the other run is shorter than the stretch


@pytest.mark.parametrize("width", [390, 768])
def test_nothing_sticks_out_on_a_small_screen(opened: Opened, kill9: Run, width: int) -> None:
    page = opened(kill9, viewport={"width": width, "height": 844}, is_mobile=True, has_touch=True)
    page.tap("tr[data-rebalance='3'] button")
    assert page.is_visible(".panel svg")
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width


def test_it_is_dark_where_the_system_is_and_white_on_paper(opened: Opened, slow: Run) -> None:
    page = opened(slow, color_scheme="dark")
    background = "getComputedStyle(document.body).backgroundColor"
    corner = """() => { const c = document.querySelector("canvas.timeline");
        const d = new OffscreenCanvas(1, 1).getContext("2d");
        d.drawImage(c, c.width >> 1, c.height - 12, 1, 1, 0, 0, 1, 1);
        return [...d.getImageData(0, 0, 1, 1).data].slice(0, 3); }"""
    assert page.evaluate(background) == "rgb(12, 14, 17)"
    dark = page.evaluate(corner)
    page.emulate_media(media="print")
    for _ in range(100):  # until it is painted anew
        page.wait_for_timeout(50)
        if sum(page.evaluate(corner)) > sum(dark):
            break
    assert page.evaluate(background) == "rgb(255, 255, 255)"
    assert sum(page.evaluate(corner)) > sum(dark)
    assert page.is_hidden(".tools button")
    assert len(page.pdf()) > 50_000


@pytest.mark.parametrize("width", [390, 1300])
def test_no_table_of_a_run_is_cut_or_scrolls_on_its_own(opened: Opened, slow: Run, kill9: Run, width: int) -> None:
    for run in (slow, kill9):
        page = opened(run, viewport={"width": width, "height": 844})
        boxes = page.locator(".table-box:visible")
        assert boxes.count() >= 4
        cut = "boxes => boxes.filter(b => b.scrollHeight > b.clientHeight + 1 || b.scrollWidth > b.clientWidth + 1)"
        assert boxes.evaluate_all(f"boxes => ({cut})(boxes).map(b => b.innerText)") == []


def test_a_long_table_shows_twenty_rows_and_the_others_when_asked_for(opened: Opened) -> None:
    page = opened(simulated("eager_vs_cooperative"))
    rows, more = page.locator("#run-0-rebalances tbody tr"), page.locator("#run-0-rebalances .more")
    assert (rows.count(), more.inner_text()) == (20, "Show all 22")
    more.click()
    assert (rows.count(), more.is_hidden()) == (22, True)


def test_a_rebalance_has_an_address_that_opens_it(opened: Opened, kill9: Run) -> None:
    page = opened(kill9)
    page.click("tr[data-rebalance='3']")
    link = page.locator(".panel a", has_text="Link to it").get_attribute("href")
    assert link == "#run-0-rebalance-4"
    page.reload()
    assert page.is_hidden(".panel")
    page.goto(f"{page.url.partition('#')[0]}{link}")
    page.wait_for_selector(".panel:visible")
    assert "Rebalance 4, to generation 4 of" in page.inner_text(".panel")
    assert "2 members, 4 partitions moved, 4 revoked" in page.inner_text(".panel")


def test_everything_is_open_on_paper_and_closed_again_after_it(opened: Opened, kill9: Run) -> None:
    page = opened(kill9)
    closed = page.locator("details:not([open])")
    before = closed.count()
    assert before > 3
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert closed.count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert closed.count() == before


def test_the_tiles_say_how_long_something_was_down_before_the_sum(opened: Opened, slow: Run) -> None:
    page = opened(slow)
    numbers = slow.summary()["unavailable"]["after_start"]
    tiles = dict(
        zip(page.locator(".tiles dt").all_inner_texts(), page.locator(".tiles dd").all_inner_texts(), strict=True)
    )
    assert next(iter(tiles)) == "one or more partitions unavailable"
    assert tiles["one or more partitions unavailable"] == duration(numbers["outage_ms"])
    assert tiles["longest outage of one partition"] == duration(numbers["longest_partition_ms"])
