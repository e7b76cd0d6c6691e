"""The page in a real browser without a network: it renders, says nothing, loads nothing, obeys."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from core.contract import registry
from core.contract.setting import Setting
from core.contract.view import Graph
from core.exchange.exporters.colours import colours
from core.exchange.exporters.document import document_of
from core.exchange.exporters.formats import export
from tests.exchange.exporters.chromium import Page, quiet
from tests.exchange.exporters.documents import HOSTILE, SINKS, causal, hostile, large, table

Opens = Callable[..., Page]

CANVAS = "document.querySelector('#net canvas')"
COLOURS = f"""(() => {{
  const c = new OffscreenCanvas({CANVAS}.width, {CANVAS}.height);
  c.getContext('2d').drawImage({CANVAS}, 0, 0);
  const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
  const seen = new Set();
  for (let i = 0; i < d.length; i += 4) seen.add(
    '#' + [d[i], d[i+1], d[i+2]].map(x => x.toString(16).padStart(2, '0')).join('').toUpperCase());
  return [...seen];
}})()"""


def picture(page: Page) -> str:
    page.settle()
    found = page.js(f"{CANVAS}.toDataURL()")
    assert isinstance(found, str)
    return found


def told(page: Page) -> str:
    return str(page.js("document.getElementById('told').textContent"))


def test_the_page_renders_without_console_messages_or_requests(opens: Opens) -> None:
    page = opens(causal())
    assert page.js("document.compatMode") == "CSS1Compat"
    assert page.js("document.documentElement.lang") == "en"
    assert page.js("document.title") == "Rain · Causal graphs"
    colours = page.js(COLOURS)
    # The river does not happen, the walk is bad, the rain is observed: in the colours of paper.
    assert {"#4C463C", "#52132B", "#0D4C66"} <= set(colours)
    assert quiet(page)


def test_it_follows_the_readers_preference_for_dark(opens: Opens) -> None:
    page = opens(causal())
    bad = colours("dusk")["cs-bad"].upper()
    assert bad not in page.js(COLOURS)
    page.prefer(prefers_color_scheme="dark")
    page.settle()
    assert {bad, "#1A202D"} <= set(page.js(COLOURS))
    assert page.js("getComputedStyle(document.body).backgroundColor") == "rgb(20, 25, 36)"
    assert quiet(page)


def test_words_beside_the_picture_say_everything(opens: Opens) -> None:
    page = opens(causal())
    text = page.js("document.querySelector('main').innerText")
    for words in (
        *("It rains: observed.", "The river rises", "bagnata", "happens: any of It rains"),
        *("strength 0.8", "directly", "It is only an example.", "A small graph, true of no place."),
        *("Rainy days", "CC0", "Nobody (2026). Rainy days.", "made for a test", "does not happen"),
    ):
        assert words in text, words
    rows = page.js(
        "[...document.querySelectorAll('section:not([hidden]) table')].map(t => t.rows.length)"
    )
    assert rows == [1 + 5, 1 + 5]
    label = page.js("document.getElementById('net').getAttribute('aria-label')")
    assert label == "Rain: a graph: 5 nodes, 5 links"


def test_the_keyboard_alone_reaches_every_node(opens: Opens) -> None:
    page = opens(causal())
    for _ in range(9):
        if page.js("document.activeElement.id") == "net":
            break
        page.press("Tab")
    assert page.js("document.activeElement.id") == "net"
    assert told(page).startswith("◉ see It rains all day. observed: see. It was observed.")
    assert "To “" in told(page)
    reached = {page.js("document.querySelector('tr.here').dataset.node")}
    for key in ("ArrowDown", "ArrowLeft", "ArrowRight", "ArrowDown", "ArrowUp"):
        page.press(key)
        reached.add(page.js("document.querySelector('tr.here').dataset.node"))
    assert len(reached) > 2
    page.press("Home")
    for number in range(1, 5):
        page.press("PageDown")
        assert page.js("document.querySelector('tr.here').dataset.node") == str(number)
    page.press("PageDown")
    assert "下雨了" in told(page)
    page.press("PageUp")
    assert "Nobody goes for a walk" in told(page)
    page.press("End")
    assert "下雨了" in told(page)
    page.press("Escape")
    assert told(page) == ""
    page.press("Tab")
    assert page.js("document.activeElement.id") != "net"
    assert quiet(page)


def test_keys_zoom_pan_and_fit_without_moving_the_window(opens: Opens) -> None:
    page = opens(causal())
    page.prefer(prefers_reduced_motion="reduce")
    page.js("document.getElementById('net').focus()")
    start = picture(page)
    seen = {start}
    for key, shift in (("+", False), ("+", False), ("ArrowRight", True), ("ArrowUp", True)):
        page.press(key, shift=shift)
        now = picture(page)
        assert now not in seen
        seen.add(now)
        # Nothing is still on its way: the reader asked for less motion.
        page.js("new Promise(r => setTimeout(r, 250))")
        assert picture(page) == now
    page.press("0")
    assert picture(page) == start
    assert page.js("scrollY") == 0


def test_a_click_selects_and_the_window_keeps_its_own_keys(opens: Opens) -> None:
    page = opens(causal())
    page.press("ArrowDown")
    assert told(page) == ""
    box = page.js(
        "(b => [b.left + b.width / 2, b.top + b.height / 2])"
        "(document.getElementById('net').getBoundingClientRect())"
    )
    page.click(*box)
    page.js("new Promise(r => setTimeout(r, 400))")
    first = told(page)
    page.js("document.getElementById('net').focus()")
    page.press("Home")
    assert "It rains all day" in told(page)
    assert first != told(page) or "It rains" in first


def test_buttons_change_the_state_and_nothing_moves(opens: Opens) -> None:
    page = opens(causal())
    page.prefer(prefers_reduced_motion="reduce")
    pressed = "[...document.querySelectorAll('#states button')].map(b => b.ariaPressed)"
    assert page.js(pressed) == ["true", "false", "false"]
    page.js("document.getElementById('net').focus()")
    page.press("ArrowDown")
    place = page.js("document.querySelector('tr.here').dataset.node")
    pictures = [picture(page)]
    for number, words in ((1, "The street gets wet: prevented"), (2, "wet: imagined")):
        page.js(f"document.querySelectorAll('#states button')[{number}].focus()")
        page.press("Enter")
        page.press(" ")
        page.js(f"document.querySelectorAll('#states button')[{number}].click()")
        pictures.append(picture(page))
        assert page.js(pressed)[number] == "true"
        assert words in page.js("document.querySelector('main').innerText")
        # The same node is still the one that is told of.
        assert page.js("document.querySelector('tr.here').dataset.node") == place
    assert len(set(pictures)) == 3
    page.js("document.querySelectorAll('#states button')[0].click()")
    assert picture(page) == pictures[0]
    assert quiet(page)


def test_no_heading_stands_over_nothing() -> None:
    """A graph without a note has all of its words in the tables of nodes and links."""
    com2 = registry.load("com2")
    items = com2.open(com2.samples())
    document = document_of(com2, items.item(0), Setting(), items.about)
    assert any(isinstance(block, Graph) for block in document.first.view.sections)
    text = export("html", document).decode("utf-8")
    assert not re.search(r"<h2>.*</h2>\s*(<h2|</section)", text)
    noted = export("html", causal()).decode("utf-8")
    assert re.search(r"<h2>.*Rain.*</h2>\s*<p class=.muted.>.*true of no place", noted)


def test_a_view_of_tables_is_a_page_without_scripts(opens: Opens) -> None:
    page = opens(table())
    assert page.js("document.scripts.length") == 0
    assert page.js("document.querySelectorAll('table').length") == 1
    assert "on" in page.js("document.querySelector('td + td').innerText")
    assert quiet(page)


def test_the_variants_of_a_story_are_side_by_side(opens: Opens) -> None:
    gita = registry.load("gita")
    stories = gita.open(gita.samples())
    item = stories.item(stories.find("0-O0"))
    page = opens(document_of(gita, item, Setting(), stories.about))
    buttons = page.js("[...document.querySelectorAll('#states button')].map(b => b.innerText)")
    assert buttons == ["order (0-O0)", "plausible (0)", "cloze (0-C0)"]
    text = "document.querySelector('main').innerText"
    assert "breakpoint · power" in page.js(text)
    page.js("document.querySelectorAll('#states button')[1].click()")
    assert "breakpoint" not in page.js(text).split("Story")[1]
    assert "Variant: plausible" in page.js(text)
    assert quiet(page)


def test_two_thousand_nodes_are_drawn(opens: Opens) -> None:
    page = opens(large(2_000))
    assert len(page.js(COLOURS)) > 2
    assert quiet(page)


def test_hostile_texts_run_no_script_and_load_nothing(opens: Opens) -> None:
    assert len(HOSTILE) >= 40
    page = opens(hostile())
    page.js("document.getElementById('net').focus()")
    for key in ("Home", "ArrowDown", "ArrowRight", "ArrowUp", "End", "ArrowLeft"):
        page.press(key)
    for x in range(60, 1100, 60):
        page.hover(x, 420)
        page.click(x, 420)
    for number in (1, 0, 1):
        page.js(f"document.querySelectorAll('#states button')[{number}].click()")
        page.settle()
    page.js("new Promise(r => setTimeout(r, 200))")
    assert page.js("window.__ran") is None
    assert page.js("document.scripts.length") == 3
    assert page.js(f"document.querySelectorAll('{SINKS}').length") == 0
    assert page.js("document.querySelectorAll('style').length") == 1
    assert quiet(page), page.said + page.requests
    assert len(page.js(COLOURS)) > 10


def test_hostile_texts_stay_readable(opens: Opens) -> None:
    page = opens(hostile())
    shown = page.js(
        "[...document.querySelectorAll('section:not([hidden]) p')].map(p => p.textContent)"
    )
    for text in HOSTILE:
        words = [word for word in text.split() if word.isalnum() and len(word) < 50]
        assert any(all(word in line for word in words) for line in shown), text[:80]


def test_hostile_texts_run_no_script_in_a_picture(opens: Opens) -> None:
    page = opens(hostile(), "svg")
    assert page.js("document.documentElement.tagName") == "svg"
    assert page.js("document.querySelectorAll('script,image,a,use,foreignObject').length") == 0
    assert page.js("window.__ran") is None
    assert quiet(page), page.said + page.requests


INJECTED = "<script>window.__ran = 1</script>"
HANDLER = "<img src='data:,x' onerror='window.__ran = 1'>"
LOADED = "<img src='http://tracker.invalid/a.png'>"


def without_policy(text: str) -> str:
    start = text.index("<meta http-equiv")
    return text[:start] + text[text.index("\n", start) :]


@pytest.mark.parametrize("markup", [INJECTED, HANDLER], ids=["script", "handler"])
def test_the_policy_stops_a_script_that_got_in(opens: Opens, markup: str) -> None:
    page = opens(causal(), change=lambda text: text.replace("</main>", markup + "</main>"))
    page.js("new Promise(r => setTimeout(r, 200))")
    assert page.js("window.__ran") is None
    assert any("Content Security Policy" in line for line in page.said)


@pytest.mark.parametrize("markup", [INJECTED, HANDLER], ids=["script", "handler"])
def test_without_the_policy_the_harness_catches_the_script(opens: Opens, markup: str) -> None:
    page = opens(
        causal(), change=lambda text: without_policy(text).replace("</main>", markup + "</main>")
    )
    page.until("window.__ran === 1")


def test_the_policy_stops_a_request_and_the_harness_would_see_it(opens: Opens) -> None:
    def with_image(text: str) -> str:
        return text.replace("</main>", LOADED + "</main>")

    stopped = opens(causal(), change=with_image)
    assert any("Content Security Policy" in line for line in stopped.said)
    seen = opens(causal(), change=lambda text: with_image(without_policy(text)))
    assert "http://tracker.invalid/a.png" in seen.requests


def test_the_file_has_no_links_to_other_places(tmp_path: Path) -> None:
    text = export("html", causal()).decode("utf-8")
    head = text[: text.index('<script type="application/json"')]
    assert "http" not in head.replace("http-equiv", "")
    assert " src=" not in head
    assert "unsafe" not in head
    assert "\r" not in text
    assert len(re.findall("^<script", text, re.MULTILINE)) == 3
