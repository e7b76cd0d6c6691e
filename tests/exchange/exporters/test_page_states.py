"""The states of a page in a real browser: search, address, sliders, side by side, phones, paper."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.contract import registry
from core.contract.setting import Setting
from core.contract.view import Cell, Graph, Grid, Link, Node, Role, View
from core.exchange.exporters.document import Document, Sheet, Slider, document_of
from core.exchange.exporters.formats import export
from tests.cli.support import ok, run
from tests.exchange.exporters.chromium import Page, quiet
from tests.exchange.exporters.documents import HOSTILE, causal, hostile, table

Opens = Callable[..., Page]

TOLD = "document.getElementById('told').textContent"
LABELS = (
    "[...document.querySelectorAll('section.head')].filter(s => s.checkVisibility())"
    ".map(s => s.querySelector('h2').textContent)"
)
CHOOSE = """((id, value) => {
  const control = typeof id === 'string' ? document.getElementById(id)
    : document.querySelectorAll('input[type=range]')[id];
  control.value = value;
  control.dispatchEvent(new Event('input', { bubbles: true }));
  control.dispatchEvent(new Event('change', { bubbles: true }));
})"""


def choose(page: Page, control: str | int, value: str | int) -> None:
    """Use a control of the page, by its id or by the number of a slider."""
    page.js(f"{CHOOSE}({control!r}, {value!r})")


def sliding() -> Document:
    """The causal states, and a slider over chains of one to four events."""

    def chain(count: int) -> Sheet:
        nodes = tuple(Node(f"n{i}", f"event {i}") for i in range(count))
        links = tuple(Link(f"n{i}", f"n{i + 1}", f"step {i}") for i in range(count - 1))
        words = (("Events", str(count)),)
        return Sheet(f"Events: {count}", words, View("", sections=(Graph("", nodes, links),)))

    document = causal()
    others = tuple(chain(count) for count in (2, 3, 4))
    return replace(
        document, sliders=(Slider("Events", ("1", "2", "3", "4"), (document.first, *others)),)
    )


def narrow(page: Page) -> None:
    page.send(
        "Emulation.setDeviceMetricsOverride",
        width=390,
        height=844,
        deviceScaleFactor=1,
        mobile=False,
    )
    page.settle()


def test_a_search_finds_nodes_notes_and_links_and_goes_through_them(opens: Opens) -> None:
    page = opens(causal())
    hits = "document.getElementById('hits').textContent"
    rows = "[...document.querySelectorAll('section:not([hidden]) tr.found')].map(r => r.innerText)"
    page.js("document.getElementById('find').focus()")
    choose(page, "find", "THE ")
    assert page.js(hits) == "2 found"
    assert len(page.js(rows)) == 2
    page.press("Enter")
    assert page.js(hits) == "1 of 2 found"
    assert "The street gets wet" in page.js(TOLD)
    page.press("Enter")
    assert "The river rises" in page.js(TOLD)
    page.press("Enter")
    assert page.js(hits) == "1 of 2 found"
    # The label of a link finds its ends, the note of a node the node.
    choose(page, "find", "directly")
    assert page.js(hits) == "2 found"
    choose(page, "find", "was observed")
    assert page.js(hits) == "1 found"
    choose(page, "find", "volcano")
    assert page.js(hits) == "not found in this state"
    page.press("Escape")
    assert page.js(hits) == ""
    assert page.js(rows) == []
    assert quiet(page)


def test_the_address_keeps_what_is_shown(opens: Opens) -> None:
    page = opens(sliding())
    assert page.js("location.hash") == ""
    page.js("document.querySelectorAll('#states button')[1].click()")
    page.js("document.querySelector('section:not([hidden]) tr[data-node=\"1\"]').click()")
    choose(page, "find", "wet & cold")
    choose(page, "theme", "dark")
    choose(page, "beside", "2")
    address = page.js("location.href")
    assert address.endswith("#state=2&beside=3&node=2&find=wet+%26+cold&colours=dark")
    seen = [page.js(LABELS), page.js(TOLD), page.js("document.body.innerText")]
    page.send("Page.navigate", url="about:blank")
    page.open(address)
    assert [page.js(LABELS), page.js(TOLD), page.js("document.body.innerText")] == seen
    assert seen[0] == ["do", "imagine"]
    assert page.js("getComputedStyle(document.body).backgroundColor") == "rgb(20, 25, 36)"
    # An address that is typed into the open page is followed too.
    page.js("location.hash = '#state=6'")
    page.until("document.querySelector('output').textContent === '4'")
    assert quiet(page)


@pytest.mark.parametrize(
    "address",
    ["#state=99&beside=0&node=1e3", "#state=__proto__&colours=x", "#%", f"#find={HOSTILE[5]}&=&&"],
)
def test_a_wrong_address_shows_the_first_state(opens: Opens, address: str) -> None:
    page = opens(causal())
    url = page.js("location.href")
    page.open("about:blank")
    page.open(url + address)
    assert page.js("[...document.querySelectorAll('section.head:not([hidden])')].length") == 1
    assert page.js("document.querySelector('section.head:not([hidden])').dataset.state") == "0"
    assert page.js("window.__ran") is None
    assert quiet(page)


def test_the_reader_chooses_the_colours(opens: Opens) -> None:
    page = opens(causal())
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.js(ground)
    choose(page, "theme", "dark")
    assert page.js(ground) == "rgb(20, 25, 36)"
    page.prefer(prefers_color_scheme="dark")
    choose(page, "theme", "light")
    assert page.js(ground) == light
    choose(page, "theme", "")
    assert page.js(ground) == "rgb(20, 25, 36)"
    # Paper is light whatever was chosen.
    choose(page, "theme", "dark")
    page.send("Emulation.setEmulatedMedia", media="print")
    assert page.js(ground) == light


def test_a_slider_shows_the_state_of_its_number(opens: Opens) -> None:
    page = opens(sliding())
    assert page.js("document.querySelector('output').textContent") == "1"
    choose(page, 0, 2)
    assert page.js("document.querySelector('output').textContent") == "3"
    assert page.js("document.querySelectorAll('section:not([hidden]) tr[data-node]').length") == 3
    assert "Events: 3" in page.js("document.querySelector('main').innerText")
    # None of the states to compare is the one that is shown, until a button is pressed.
    pressed = "[...document.querySelectorAll('#states button')].map(b => b.ariaPressed)"
    assert "true" not in page.js(pressed)
    page.js("document.querySelectorAll('#states button')[1].click()")
    assert page.js("document.querySelector('output').textContent") == "1"
    assert quiet(page)


def test_a_change_of_state_is_animated_unless_less_motion_is_preferred(opens: Opens) -> None:
    page = opens(sliding())
    url = "document.querySelector('#net canvas').toDataURL()"
    later = "new Promise(r => setTimeout(r, 900))"
    after = f"new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r({url}))))"
    page.js(later)
    start = page.js(url)
    choose(page, 0, 3)
    during = page.js(after)
    page.js(later)
    end = page.js(url)
    assert len({start, during, end}) == 3
    page.prefer(prefers_reduced_motion="reduce")
    page.js("document.querySelectorAll('#states button')[0].click()")
    now = page.js(after)
    page.js(later)
    assert page.js(url) == now
    assert quiet(page)


def test_two_states_stand_side_by_side_with_what_differs(opens: Opens) -> None:
    page = opens(causal())
    choose(page, "beside", "1")
    assert page.js(LABELS) == ["see", "do"]
    places = page.js(
        "[...document.querySelectorAll('section.parts:not([hidden])')]"
        ".map(s => s.getBoundingClientRect()).map(b => [b.left, b.right, b.top])"
    )
    assert places[0][1] <= places[1][0]
    assert places[0][2] == places[1][2]
    drawings = "[...document.querySelectorAll('.drawing')].filter(d => d.checkVisibility())"
    assert page.js(f"{drawings}.map(d => d.querySelectorAll('g.differs').length)") == [1, 1]
    street = "The street gets wet"
    assert page.js(TOLD) == f"Differs: plain “{street}” / set from outside: do “◆ do {street}”."
    # The right one may come before the left one.
    page.js("document.querySelectorAll('#states button')[2].click()")
    left, right = page.js(
        "['left', 'right'].map(c => document.querySelector('section.head.' + c)"
        ".getBoundingClientRect().left)"
    )
    assert left < right
    choose(page, "beside", "")
    assert page.js(LABELS) == ["imagine"]
    assert page.js("document.getElementById('net').checkVisibility()")
    assert quiet(page)


SMALLEST = """Math.min(...[...document.querySelectorAll('.drawing svg')]
  .filter(svg => svg.checkVisibility()).flatMap(svg => [...svg.querySelectorAll('text')].map(text =>
    parseFloat(getComputedStyle(text).fontSize) * svg.getScreenCTM().a)))"""


@pytest.mark.parametrize("bench", ["accord", "gita"])
def test_a_phone_shows_the_state_with_letters_that_can_be_read(opens: Opens, bench: str) -> None:
    benchmark = registry.load(bench)
    collection = benchmark.open(benchmark.samples())
    document = document_of(benchmark, collection.item(1), Setting(), collection.about)
    page = opens(document)
    narrow(page)
    assert not page.js("document.getElementById('net').checkVisibility()")
    for number in range(2):
        if number:
            page.js("document.querySelectorAll('#states button')[1].click()")
        assert page.js(SMALLEST) >= 11
        assert page.js(
            "[...document.querySelectorAll('.drawing')].filter(d => d.checkVisibility())"
            ".map(d => [d.querySelectorAll('[data-node]').length, d.scrollWidth <= d.clientWidth])"
        ) == [
            [
                page.js("document.querySelectorAll('section:not([hidden]) tr[data-node]').length"),
                True,
            ]
        ]
    assert page.js("document.documentElement.scrollWidth") <= 390
    assert quiet(page)


def test_outlines_in_a_narrow_window_are_whole(opens: Opens) -> None:
    page = opens(causal())
    narrow(page)
    cut = (
        "[...document.querySelectorAll('.drawing.narrow svg')]"
        ".filter(svg => svg.checkVisibility()).flatMap(svg =>"
        " [...svg.querySelectorAll('.box')].filter(box => {"
        " const a = box.getBBox(), b = svg.viewBox.baseVal;"
        " return a.x < b.x + 1 || a.x + a.width > b.x + b.width - 1; }))"
    )
    assert page.js("document.querySelectorAll('.drawing.narrow .box').length") > 0
    assert page.js(f"{cut}.length") == 0


def test_columns_that_are_empty_take_no_room_on_a_phone(opens: Opens) -> None:
    gita = registry.load("gita")
    stories = gita.open(gita.samples())
    document = document_of(gita, stories.item(stories.find("0")), Setting(), stories.about)
    page = opens(document)
    narrow(page)
    tables = "[...document.querySelectorAll('section.parts:not([hidden]) table')]"
    heads = f"{tables}.map(t => [...t.querySelectorAll('th[scope=col]')].map(c => c.innerText))"
    assert page.js(heads) == [["node"], ["from", "to"]]
    assert page.js(f"{tables}.every(t => t.clientWidth <= t.parentElement.clientWidth)")
    page.js("document.querySelectorAll('#states button')[1].click()")
    assert page.js(heads) == [
        ["node", "what it is", "why"],
        ["from", "to", "link", "what it is"],
    ]
    cells = f"{tables}.flatMap(t => [...t.rows].map(r => r.cells.length))"
    assert set(page.js(cells)) == {3, 4}


BROKEN = """(() => {
  const broken = [];
  for (const cell of document.querySelectorAll('td, th')) {
    if (!cell.checkVisibility()) continue;
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let text; (text = walker.nextNode());) {
      for (const { 0: word, index } of text.data.matchAll(/[^\\s-]+/gu)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
        if (lines.size > 1) broken.push(word);
      }
    }
  }
  return broken;
})()"""


def test_no_word_in_a_table_is_broken(opens: Opens) -> None:
    words = ("antidisestablishmentarianism", "counterfactually", "goalkeeper")
    cells = tuple(tuple(Cell(word) for word in words * 2) for _ in range(2))
    grid = Grid("Words", words * 2, cells)
    sheet = causal().first
    view = replace(sheet.view, sections=(*sheet.view.sections, grid))
    page = opens(replace(causal(), sheets=(replace(sheet, view=view),)))
    assert page.js(BROKEN) == []
    narrow(page)
    assert page.js(BROKEN) == []
    assert page.js("document.documentElement.scrollWidth") <= 390


def test_paper_has_a_drawing_of_every_state_to_compare(opens: Opens) -> None:
    page = opens(sliding())
    page.send("Emulation.setEmulatedMedia", media="print")
    assert page.js(LABELS) == ["see", "do", "imagine"]
    shown = "[...document.querySelectorAll('.drawing')].filter(d => d.checkVisibility())"
    assert page.js(f"{shown}.map(d => d.querySelectorAll('[data-node]').length)") == [5, 5, 5]
    assert not page.js("document.getElementById('net').checkVisibility()")


def test_without_scripts_every_state_is_drawn(opens: Opens) -> None:
    def bare(text: str) -> str:
        return text[: text.index('<script type="application/json"')] + "</body></html>"

    page = opens(causal(), change=bare)
    assert page.js(LABELS) == ["see", "do", "imagine"]
    shown = "[...document.querySelectorAll('.drawing')].filter(d => d.checkVisibility()).length"
    assert page.js(shown) == 3


def test_states_without_graphs_have_buttons_too(opens: Opens) -> None:
    first = table().first
    second = replace(first, label="other", view=View("Other", sections=(Grid("Two", ("a",), ()),)))
    page = opens(replace(table(), sheets=(first, second)))
    page.js("document.querySelectorAll('#states button')[1].click()")
    text = page.js("document.querySelector('main').innerText")
    assert "Two" in text
    assert "torch" not in text
    assert quiet(page)


def test_hostile_texts_run_no_script_when_compared_and_searched(opens: Opens) -> None:
    document = hostile()
    first, second = document.sheets
    other = replace(second, label=HOSTILE[5])
    slider = Slider(HOSTILE[0], (HOSTILE[1], HOSTILE[2]), (first, other))
    page = opens(replace(document, sliders=(slider,)))
    choose(page, "beside", "1")
    choose(page, "find", HOSTILE[4])
    choose(page, 0, 1)
    page.js("new Promise(r => setTimeout(r, 200))")
    assert page.js("window.__ran") is None
    assert page.js("document.querySelectorAll('img,iframe,a,form,script[src]').length") == 0
    assert quiet(page), page.said + page.requests


# -- what a page is made of ------------------------------------------------------------------------


def test_numbers_of_an_item_become_sliders() -> None:
    accord = registry.load("accord")
    questions = accord.open(accord.samples())
    document = document_of(accord, questions.item(0), Setting(), questions.about)
    sliders = {slider.label: slider for slider in document.sliders}
    assert sliders["Hops"].values == tuple(map(str, range(1, 9)))
    assert sliders["Hops"].sheets[1] is document.first
    assert sliders["Distractors"].values == tuple(map(str, range(9)))
    # Two hops are folded in one step; the next one is as the first.
    assert sliders["Steps folded"].values == ("0", "1")
    for slider in document.sliders:
        assert len({sheet.view for sheet in slider.sheets}) == len(slider.sheets)
    pyramids = registry.load("abspyramid")
    concepts = pyramids.open(pyramids.samples())
    climbed = document_of(pyramids, concepts.item(0), Setting(), concepts.about)
    [slider] = climbed.sliders
    assert set(slider.sheets) == set(climbed.sheets)


def test_a_slider_ends_after_24_values(tmp_path: Path) -> None:
    event = "PersonX peels <an apple>"
    rows = [{"event": event, "concept": f"c{n}", "label": 1, "type": "noun"} for n in range(40)]
    file = tmp_path / "Detection" / "merged_dataset" / "test.json"
    file.parent.mkdir(parents=True)
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    pyramids = registry.load("abspyramid")
    concepts = pyramids.open(tmp_path)
    [slider] = document_of(pyramids, concepts.item(0), Setting(), concepts.about).sliders
    assert slider.values == tuple(map(str, range(24)))


def test_answers_stand_in_every_state_that_was_asked() -> None:
    accord = registry.load("accord")
    questions = accord.open(accord.samples())
    item = questions.item(0)
    asked = Setting().with_value(
        next(switch for switch in accord.switches(item) if switch.key == "hops"), "3"
    )

    def answers(state: Setting) -> Grid | None:
        return Grid("Answers", ("a",), ((Cell("so", Role.GOOD),),)) if state == asked else None

    document = document_of(accord, item, Setting(), questions.about, answers=answers)
    hops = next(slider for slider in document.sliders if slider.label == "Hops")
    having = [
        sheet.label
        for sheet in {*document.sheets, *hops.sheets}
        if any(isinstance(s, Grid) and s.title == "Answers" for s in sheet.view.sections)
    ]
    assert having == ["Hops: 3"]


def test_the_command_asks_a_model_in_every_state(tmp_path: Path) -> None:
    file = tmp_path / "a.html"
    ok("export", "html", "com2", "away-goal:intervention", "--to", file, "--model", "demo")
    text = file.read_text(encoding="utf-8")
    assert text.count("The model&#39;s answers") == 3
    assert text.count("Demonstration model: not a result.") == 3
    refused = run("export", "svg", "com2", "away-goal", "--to", tmp_path / "b", "--model", "demo")
    assert refused.code == 2
    assert "html" in refused.err


def test_the_same_document_gives_the_same_page() -> None:
    assert export("html", sliding()) == export("html", sliding())
