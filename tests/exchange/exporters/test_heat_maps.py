"""Heat maps in exported files: figures that are read, seen and heard; nothing in them acts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import pytest
from markdown_it import MarkdownIt

from core.contract import registry
from core.contract.setting import Setting
from core.exchange.exporters.colours import DARK, LIGHT, STEPS, colours, heat_variables
from core.exchange.exporters.document import document_of
from core.exchange.exporters.formats import FORMATS, export, warning
from core.exchange.exporters.heat_html import heat_map_section
from core.text.language import speak
from tests.exchange.exporters.chromium import Page
from tests.exchange.exporters.documents import (
    HOSTILE,
    causal,
    hostile_heat,
    layers_heat,
    table,
    trace_heat,
    with_readings,
)

Opens = Callable[..., Page]

TABLE = {"table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"}
ATTRIBUTES = {"", "class", "id", "lang", "role", "scope", "colspan", "tabindex"} | {
    "aria-labelledby",
    "aria-hidden",
}
CELLS = """[...document.querySelectorAll('.heat')].map(section =>
  [...section.querySelectorAll('tr')].map(row =>
    [...row.cells].map(cell => cell.innerText.replace(/\\s+/g, ' ').trim())))"""
GROUNDS = """[...document.querySelectorAll('.heat tbody td')].map(cell => {
  const style = getComputedStyle(cell);
  return [style.backgroundColor, style.color, getComputedStyle(cell.closest('table')).fontSize];
})"""


def text_of(name: str, document: Any) -> str:
    return export(name, document).decode("utf-8")


# -- colours ---------------------------------------------------------------------------------------


def luminance(colour: str | tuple[float, ...]) -> float:
    """Relative luminance (WCAG 2.2)."""
    if isinstance(colour, str):
        colour = tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))
    parts = [part / 255 for part in colour[:3]]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Any, other: Any) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_figures_can_be_read_on_every_ground(theme: str) -> None:
    known = heat_variables(colours(theme))
    grounds = [known[f"heat-{step}"] for step in range(STEPS)]
    for step, ground in enumerate(grounds):
        assert contrast(ground, known[f"heat-ink-{step}"]) >= 4.5
    # More is always further from nothing, by enough to be seen.
    apart = [contrast(grounds[0], ground) for ground in grounds]
    assert all(more > 1.1 * less for less, more in pairwise(apart))


# -- the page --------------------------------------------------------------------------------------


def test_every_figure_is_a_cell_with_its_row_and_column(opens: Opens) -> None:
    page = opens(with_readings(table()))
    layers, trace = page.js(CELLS)
    assert layers == [
        [
            "",
            "0",
            "1 △ another option leads from here on",
            "2",
            "3 △ another option leads from here on",
        ],
        ["◆ true", "▸ .60 leads", ".30", ".12", "▸ 1 leads"],
        ["false", ".40", "▸ .70 leads", "▸ .88 leads", "? not a number"],
        ["says next", "so", "it", "is", "."],
    ]
    assert trace[1:] == [
        [
            "△ 0 The torch is on.",
            "0",
            "▲ 1.40 a quarter or more above all",
            "▽ -.30 a quarter or more below nothing",
            "– nothing to say",
        ],
        ["1 It is dark.", "not comparable: other tokens there"],
        ["2 Is it plausible?", ".20", ".45", ".70", ">.99"],
    ]
    scopes = page.js(
        "[...document.querySelectorAll('.heat th')].map(th => th.scope)"
        ".filter(scope => scope !== 'col' && scope !== 'row').length"
    )
    assert scopes == 0
    text = page.js("document.querySelector('main').innerText")
    for words in (
        "Settles at block 3, right.", "A projection, not a belief.", "Blocks count from 0.",
        "share among the options, from 0, none, to 1, all", "One pair of prompts, and no more.",
    ):  # fmt: skip
        assert words in text, words
    # It needs no script, has none, and asks for nothing.
    assert page.js("document.scripts.length") == 0
    assert page.said == []
    assert len(page.requests) == 1


def test_cells_have_names_for_screen_readers(opens: Opens) -> None:
    """The names that a browser gives the cells for those who listen."""
    page = opens(with_readings(table()))
    page.send("Accessibility.enable")
    nodes = page.send("Accessibility.getFullAXTree")["nodes"]
    named = {(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes}
    assert ("region", "t1 · answer · options after every block") in named
    cells = [name for role, name in named if role in {"cell", "gridcell"}]
    assert any(" ".join(name.split()) == ".60 leads" for name in cells), cells
    assert any("not a number" in name for name in cells)
    heads = {name for role, name in named if role == "rowheader"}
    assert "◆ true" in heads


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_text_of_a_heat_map_has_enough_contrast(opens: Opens, scheme: str) -> None:
    page = opens(with_readings(causal()))
    page.prefer(prefers_color_scheme=scheme)
    page.settle()
    seen = set()
    for ground, ink, _ in page.js(GROUNDS):
        shown, drawn = (tuple(map(float, re.findall(r"[\d.]+", text))) for text in (ground, ink))
        if len(shown) == 3:
            assert contrast(shown, drawn) >= 4.5
            seen.add(shown)
    assert len(seen) == STEPS
    assert page.said == []


def test_heat_maps_are_of_the_exported_state(opens: Opens) -> None:
    page = opens(with_readings(causal()))
    shown = "[...document.querySelectorAll('.heat')].map(one => one.checkVisibility())"
    assert page.js(shown) == [True, True]
    page.js("document.querySelectorAll('#states button')[1].click()")
    assert page.js(shown) == [False, False]
    page.js("document.querySelectorAll('#states button')[0].click()")
    assert page.js(shown) == [True, True]
    # They stand under the picture, before the words about it.
    order = (
        "document.querySelector('#net').compareDocumentPosition(document.querySelector('.heat'))"
    )
    assert page.js(order) == 4
    assert page.said == []


def test_wide_heat_maps_scroll_in_their_own_box(opens: Opens) -> None:
    wide = layers_heat()
    wide = replace(
        wide,
        columns=tuple(map(str, range(80))),
        rows=tuple(replace(row, values=row.values * 20) for row in wide.rows),
        leading=(0,) * 80,
        column_texts=(),
    )
    page = opens(replace(table(), readings=(wide,)))
    assert page.js("document.documentElement.scrollWidth <= innerWidth")
    assert page.js("(b => b.scrollWidth > b.clientWidth)(document.querySelector('.heat .scroll'))")
    assert page.js("document.querySelector('.heat .scroll').tabIndex") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_hostile_texts_run_no_script_and_load_nothing(opens: Opens, scheme: str) -> None:
    page = opens(replace(table(), readings=(hostile_heat(), layers_heat())))
    page.prefer(prefers_color_scheme=scheme)
    page.js("new Promise(r => setTimeout(r, 200))")
    assert page.js("window.__ran") is None
    assert page.js("document.scripts.length") == 0
    sinks = "img,iframe,object,embed,a,form,link,base,video,input,math,svg,[onload],[onerror]"
    assert page.js(f"document.querySelectorAll('{sinks}').length") == 0
    assert page.js("document.querySelectorAll('style').length") == 1
    assert page.said == []
    assert len(page.requests) == 1
    # All of it is in its place: nothing has ended a cell, a row or the table before its time.
    sizes = page.js(
        "[...document.querySelectorAll('.heat')].map(s => s.querySelectorAll('tbody tr').length)"
    )
    assert sizes == [len(HOSTILE), 2]
    labels = page.js(
        "[...document.querySelectorAll('.heat:first-of-type tbody th bdi')]"
        ".map(cell => cell.textContent)"
    )
    for text, label in zip(HOSTILE, labels, strict=False):
        words = [word for word in text.split() if word.isalnum() and len(word) < 50]
        assert all(word in label for word in words), text[:80]


def test_a_section_can_stand_in_a_page_of_somebody_else() -> None:
    used: set[tuple[str, str]] = set()

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            used.update((tag, name) for name, _ in attrs or [("", None)])

    Tags().feed(heat_map_section(hostile_heat()))
    tags = {tag for tag, _ in used}
    assert tags <= {"section", "h2", "p", "div", "bdi", "b", "span"} | TABLE
    assert {name for _, name in used} <= ATTRIBUTES


# -- the other formats -----------------------------------------------------------------------------


def test_markdown_has_the_figures_in_tables() -> None:
    html = MarkdownIt("commonmark").enable("table").render(text_of("md", with_readings(table())))
    assert "<td>▸ .60</td>" in html
    assert "<th>1 △</th>" in html
    assert "<td>▽ -.30</td>" in html
    assert "<td>not comparable: other tokens there</td>" in html
    assert "A projection, not a belief." in html


def test_hostile_text_in_heat_maps_is_escaped() -> None:
    html = (
        MarkdownIt("commonmark", {"html": True})
        .enable("table")
        .render(text_of("md", replace(table(), readings=(hostile_heat(),))))
    )
    assert not re.search(r"<(script|img|iframe|a|svg|style|form|h1>\s*heading)", html)
    assert html.count("<tr>") >= len(HOSTILE)


def test_plain_text_has_what_a_terminal_shows() -> None:
    text = text_of("text", with_readings(table()))
    assert "Settles at block 3, right." in text
    assert "share of the margin restored" in text
    assert "not comparable: other tokens there" in text
    assert "\x1b" not in text_of("text", replace(table(), readings=(hostile_heat(),)))


def test_signs_are_explained_in_the_language_of_the_page() -> None:
    words = ("Each figure:", "more below nothing", "another option leads from here on")
    maps = (layers_heat(), trace_heat())
    english = "".join(map(heat_map_section, maps))
    speak("it")
    italian = "".join(map(heat_map_section, maps))
    assert all(word in english and word not in italian for word in words)
    assert not re.search(r">\s*(leads|above all|nothing to say)", italian)
    assert "in testa" in italian


def test_json_has_the_figures_as_they_are() -> None:
    first, second = json.loads(text_of("json", with_readings(table())))["readings"]
    assert first["leading"] == [0, 1, 1, 0]
    assert first["rows"][1]["values"] == [0.4, 0.7, 0.88, None]
    assert second["rows"][0]["values"] == [0.0, 1.4, -0.3, None]
    assert second["notes"] == ["One pair of prompts, and no more."]
    assert json.loads(text_of("json", table()))["readings"] == []


def test_formats_without_heat_maps_say_so() -> None:
    for name, known in FORMATS.items():
        told = warning(name, with_readings(causal()))
        assert (told == "") == known.readings
        assert known.readings or f"{name} has no place for it" in told
        assert warning(name, causal()) == ""


@pytest.mark.parametrize("name", ["gita", "com2", "accord", "abspyramid"])
def test_every_bundled_item_can_be_exported_with_heat_maps(name: str) -> None:
    """Also those that have no graph, such as stories."""
    benchmark = registry.load(name)
    collection = benchmark.open(benchmark.samples())
    for place in range(0, len(collection), max(1, len(collection) // 5)):
        document = document_of(
            benchmark, collection.item(place), Setting(), collection.about, (trace_heat(),)
        )
        assert text_of("html", document).count('<section class="heat"') == 1
