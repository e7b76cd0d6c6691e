"""Rows in somebody else's page: nothing in them acts, and every text stays readable."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.contract.view import Role
from core.exchange.exporters.rows_html import rows_html
from core.exchange.exporters.svg import svg
from core.layout.plain_text import cells
from core.layout.rows import Ink, Span, plain
from core.layout.sections import draw_view
from tests.exchange.exporters.chromium import quiet
from tests.exchange.exporters.documents import HOSTILE, hostile
from tests.exchange.exporters.lesson_pages import Shows

HEAD = "<!doctype html><meta charset=utf-8><title>A notebook</title><p class=cs-good>mine</p>"


def saved(folder: Path, part: str) -> Path:
    file = folder / "notebook.html"
    file.write_text(HEAD + part, encoding="utf-8", errors="replace")
    return file


def test_hostile_texts_run_no_script_and_load_nothing(shows: Shows, tmp_path: Path) -> None:
    document = hostile()
    rows = [row for sheet in document.sheets for row in draw_view(sheet.view, 100, cells)]
    rows += [(Span(text, ink),) for text in HOSTILE for ink in (Role.BAD, Ink.GLOSS)]
    page = shows(saved(tmp_path, rows_html(rows, svg(document), HOSTILE[5])))
    page.js("document.querySelector('details').open = true")
    page.js("new Promise(r => setTimeout(r, 200))")
    assert page.js("window.__ran") is None
    kinds = page.js("[...new Set([...document.body.querySelectorAll('*')].map(e => e.tagName))]")
    assert set(kinds) == {"P", "DIV", "STYLE", "IMG", "DETAILS", "SUMMARY", "PRE", "SPAN"}
    assert page.js("document.querySelectorAll('img').length") == 1
    assert page.js("document.querySelector('img').naturalWidth") > 100
    names = page.js(
        "[...document.querySelectorAll('div,div *')].flatMap(e => e.getAttributeNames())"
    )
    assert set(names) == {"class", "src", "alt", "lang", "open"}
    assert page.said == []
    assert all(url.startswith(("file:", "data:image/svg+xml")) for url in page.requests)


def test_the_text_is_that_of_the_rows(shows: Shows, tmp_path: Path) -> None:
    rows = draw_view(hostile().first.view, 100, cells)
    page = shows(saved(tmp_path, rows_html(rows)))
    shown = page.js("document.querySelector('pre').textContent")
    lines = [line.rstrip() for line in shown.removesuffix("\n").split("\n")]
    assert lines == plain(rows).split("\n")
    assert quiet(page), page.said + page.requests


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_styles_reach_nothing_outside(shows: Shows, tmp_path: Path, scheme: str) -> None:
    rows = [(Span("right ", Role.GOOD), Span("x", Ink.TRACK), Span("y", Ink.HEADING))]
    page = shows(saved(tmp_path, rows_html(rows)))
    page.prefer(prefers_color_scheme=scheme)
    colour = "getComputedStyle(document.querySelector('{}')).color"
    mine, theirs = (page.js(colour.format(each)) for each in ("p.cs-good", "span.cs-good"))
    assert mine == "rgb(0, 0, 0)"
    assert theirs != mine
