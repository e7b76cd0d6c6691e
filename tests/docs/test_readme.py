"""What the documents point to is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("**/*.md"))]
_TARGET = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)|(?:src|href)=[\"']([^\"']+)[\"']")
_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def targets(page: Path) -> list[str]:
    """Where the links and pictures of a page lead, those in quoted code left out."""
    text = _FENCED.sub("", page.read_text(encoding="utf-8"))
    return [link or source for link, source in _TARGET.findall(text)]


def anchors(page: Path) -> set[str]:
    """The names by which headings are linked to, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-") for text in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_and_picture_leads_somewhere(page: Path) -> None:
    for target in targets(page):
        if re.match(r"[a-z]+:", target):
            assert target.startswith(("https://", "mailto:")), target
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        assert file.exists(), f"{page.name} points to {target}"
        assert file.is_relative_to(ROOT), target
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file), target


def test_the_readme_shows_a_picture_and_links_its_documents() -> None:
    found = targets(ROOT / "README.md")
    pictures = [name for name in found if name.endswith((".svg", ".png"))]
    assert pictures
    for picture in pictures:
        assert (ROOT / picture).stat().st_size > 1000
    linked = {name.partition("#")[0] for name in found}
    assert any(name.endswith(".md") for name in linked)
