"""The pages read off the program are current, and the documentation site builds without a warning."""

import subprocess
import sys
from pathlib import Path

import pytest

from recorders.page import causes_page
from recorders.page.reference import FOLDER, PAGES

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("name", PAGES)
def test_a_reference_page_says_what_the_program_says(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GROUPSIM_STORE", raising=False)
    assert (FOLDER / name).read_text("utf-8") == PAGES[name](), "run: make docs"


def test_the_pages_of_causes_say_what_the_program_says() -> None:
    written = {path.name: path.read_text("utf-8") for path in causes_page.FOLDER.glob("*.md")}
    assert written == causes_page.pages(), "run: make docs"


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    assert (tmp_path / "reference" / "cli" / "index.html").is_file()
