"""The pictures of the README, made anew: `python -m tests.analysis.report.pictures` writes them into docs/images/.

`report.png` is the top of the report of a recorded incident as Chromium shows it, `timeline.png` what `groupsim plot
timeline` draws. They are kept small by a palette of 256 colours, and looked at by a person whenever the design changes.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image

from groupsim.analysis import plots
from groupsim.analysis.report import report
from groupsim.analysis.runs import Run
from groupsim.api.importing import import_logs
from groupsim.api.reporting import assessment
from tests.analysis.report.browser import HOW, chromium
from tests.analysis.report.conftest import EXAMPLE, simulated

FOLDER = Path(__file__).resolve().parent.parent.parent.parent / "docs" / "images"
WIDE, HIGH, SHARPNESS = 1_240, 996, 1.5
DRAWN = "eager_vs_cooperative"


def screenshot(run: Run, chromium_path: str) -> bytes:
    """The first screen of the run's report, light, as PNG."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "report.html"
        file.write_text(report([run], assessment), "utf-8")
        browser = playwright.chromium.launch(executable_path=chromium_path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDE, "height": HIGH}, device_scale_factor=SHARPNESS)
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-ready]")
        page.wait_for_timeout(300)  # a frame or two: the canvases draw themselves then
        taken = page.screenshot()
        browser.close()
    return taken


def small(png: bytes, to: Path) -> None:
    """The picture with 256 colours."""
    Image.open(io.BytesIO(png)).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(to, optimize=True)


def main() -> None:
    """Write both pictures."""
    found = chromium()
    if found is None:
        sys.exit(HOW)
    FOLDER.mkdir(parents=True, exist_ok=True)
    small(screenshot(import_logs([EXAMPLE], name=EXAMPLE.name), found), FOLDER / "report.png")
    drawn = io.BytesIO()
    plots.timeline(simulated(DRAWN).timeline(), title=f"{DRAWN}: who had which partition").savefig(drawn, dpi=110)
    small(drawn.getvalue(), FOLDER / "timeline.png")
    for name in ("report.png", "timeline.png"):
        print(f"docs/images/{name}  {(FOLDER / name).stat().st_size / 1_000:.0f} kB")


if __name__ == "__main__":
    main()
