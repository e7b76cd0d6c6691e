"""The documents as a site: complete, true to the program, and reading it asks for nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import yaml

from tools import commands_page

ROOT = Path(__file__).parents[2]


class Asked(HTMLParser):
    """What a browser loads to show a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("script", "img", "iframe"):
            self.found.append(given.get("src") or "")
        if tag == "link" and given.get("rel") in ("stylesheet", "icon", "preconnect", "preload"):
            self.found.append(given.get("href") or "")


def test_the_site_builds_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    pages = list(tmp_path.glob("**/index.html"))
    assert len(pages) > 10
    for page in pages:
        asked = Asked()
        asked.feed(page.read_text(encoding="utf-8"))
        assert [source for source in asked.found if re.match(r"(https?:)?//", source)] == []


def test_every_page_is_in_the_navigation() -> None:
    listed = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    nav = str(yaml.safe_load(listed)["nav"])
    for page in (ROOT / "docs").glob("**/*.md"):
        assert f"'{page.relative_to(ROOT / 'docs')}'" in nav, page


def test_the_page_of_commands_is_what_the_program_says() -> None:
    shown = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert shown == commands_page.page(), "python tools/commands_page.py docs/commands.md"
