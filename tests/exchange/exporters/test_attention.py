"""What a head attends to, in exported files: the figures at links and texts, in every format."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import networkx
import pydot
import pytest
from markdown_it import MarkdownIt

from core.blocks.attention import attention_over_spans, with_attention
from core.blocks.spans import PromptSpan, SpanKind
from core.contract import registry
from core.contract.setting import Setting
from core.contract.view import Graph, Statement, Statements, View
from core.exchange.exporters.document import Document, document_of, notes_above
from core.exchange.exporters.formats import FORMATS, export
from core.exchange.exporters.looks import HEAVIER
from core.models.blocks import AttentionReading
from tests.exchange.exporters.chromium import Page, quiet
from tests.exchange.exporters.documents import HOSTILE, causal, hostile, table

Opens = Callable[..., Page]

ALONG = {("rain", "street"): 0.30, ("rain", "river"): 0.14, ("street", "walk"): 0.002}
"""Heavy, because it is the most; lighter than half of that; next to nothing."""
SHOWN = {("rain", "street"): "30\u202f%", ("rain", "river"): "causes:\u202f14\u202f%"} | {
    ("street", "walk"): "causes:\u202f<1\u202f%"
}
SAID = "the share of attention that head 0 of block 3 of a model gives it"

KEEP_TEXTS = """
window.drawnTexts = []; window.drawnLines = [];
const write = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
  window.drawnTexts.push(text);
  return write.call(this, text, ...rest);
};
const stroke = CanvasRenderingContext2D.prototype.stroke;
CanvasRenderingContext2D.prototype.stroke = function (...rest) {
  window.drawnLines.push(this.lineWidth);
  return stroke.call(this, ...rest);
};
"""


def weighed(view: View, model: str = "a model") -> View:
    """A view with the weights of a head that gives the rain 41 % and looks along three links."""
    reading = AttentionReading(3, ((0.59, 0.41),), (tuple(ALONG.values()),))
    spans = (
        PromptSpan(SpanKind.BEFORE, "Read this.", (0, 1)),
        PromptSpan(SpanKind.EVENT, "It rains all day.", (1, 2)),
    )
    return with_attention(view, attention_over_spans(reading, spans, tuple(ALONG)), 0, model)


def looked_at(document: Document, model: str = "a model") -> Document:
    """The document with those weights on the state that was asked for."""
    first, *others = document.sheets
    return replace(document, sheets=(replace(first, view=weighed(first.view, model)), *others))


def text_of(name: str, document: Document) -> str:
    return export(name, document).decode("utf-8")


def data_of(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*)</script>', page)
    assert found is not None
    return json.loads(found[1])


# -- what is exported ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["com2", "accord", "gita"])
def test_attention_is_drawn_on_the_exported_state(name: str) -> None:
    benchmark = registry.load(name)
    collection = benchmark.open(benchmark.samples())
    item, about = collection.item(0), collection.about
    plain = document_of(benchmark, item, Setting(), about)
    drawn = document_of(benchmark, item, Setting(), about, drawn=weighed)
    assert notes_above(plain.first.view) == ()
    assert SAID in notes_above(drawn.first.view)[0].text
    assert len(plain.sheets) > 1
    assert drawn.sheets[1:] == plain.sheets[1:]
    # Where nothing is drawn, every file is as if nobody had asked.
    nothing = document_of(benchmark, item, Setting(), about, drawn=lambda view: view)
    for form in FORMATS:
        assert export(form, nothing) == export(form, plain)


def test_every_format_names_the_model_of_the_attention() -> None:
    for name in FORMATS:
        assert SAID not in text_of(name, causal())
        written = " ".join(text_of(name, looked_at(causal())).split())
        # A picture breaks the sentence into lines.
        bare = re.sub(r"\s*</text> <text[^>]*>|\\n", " ", written)
        assert SAID in bare, name


def test_data_formats_have_the_exact_weights() -> None:
    document = looked_at(causal())
    graph = json.loads(text_of("json", document))["sheets"][0]["graph"]
    told = {(k["source"], k["target"]): k["weight"] for k in graph["links"]}
    assert told == dict.fromkeys(told) | ALONG
    read = networkx.read_graphml(io.BytesIO(export("graphml", document)), force_multigraph=True)
    edges = {(s, t): d["weight"] for s, t, d in read.edges(data=True) if "weight" in d}
    assert edges == ALONG
    assert read.nodes["rain"]["sign"] == "see · 41 %"
    assert SAID in read.graph["note"]


def test_a_page_has_the_figures_at_the_links_and_in_its_tables(opens: Opens) -> None:
    first, *others = data_of(text_of("html", looked_at(causal())))["states"]
    plain = data_of(text_of("html", causal()))["states"]
    labels = [SHOWN.get((k.source, k.target), k.label) for k in _graph(causal()).links]
    assert [edge["label"] for edge in first["edges"]] == labels
    assert [edge.get("heavier") for edge in first["edges"]] == [HEAVIER, *[None] * 4]
    assert first["nodes"][0]["rows"][0] == "◉ see · 41 %"
    assert others == plain[1:]
    page = opens(looked_at(causal()))
    text = page.js("document.querySelector('main').innerText")
    assert SAID in text
    assert "strength 0.8, attention 30 %" in text
    assert "see · 41 %" in text
    # What it is stands above the picture, and only with the state that it is about.
    said = "[...document.querySelectorAll('p')].find(p => p.innerText.includes('share of'))"
    assert (
        page.js(f"{said}.compareDocumentPosition(document.getElementById('net'))") == 4
    )  # it follows
    page.js("document.querySelectorAll('#states button')[1].click()")
    assert not page.js(f"({said})?.checkVisibility() ?? false")
    assert quiet(page)


def _graph(document: Document) -> Graph:
    graph = document.first.view.sections[0]
    assert isinstance(graph, Graph)
    return graph


def test_the_figures_are_drawn_without_pointing_at_anything(page: Page, opens: Opens) -> None:
    page.send("Page.addScriptToEvaluateOnNewDocument", source=KEEP_TEXTS)
    page.prefer(prefers_reduced_motion="reduce")
    opens(looked_at(causal()))
    page.until("window.drawnTexts.includes('30\u202f%')")
    assert set(SHOWN.values()) | {"◉ see · 41 %"} <= set(page.js("window.drawnTexts"))
    assert {2.5, 2.5 + HEAVIER} <= set(page.js("window.drawnLines"))
    # Another state has none of it, from the moment at which it is chosen.
    page.js(
        "window.drawnTexts = []; window.drawnLines = [];"
        "document.querySelectorAll('#states button')[2].click()"
    )
    page.until("window.drawnTexts.includes('Nobody goes for a walk')")
    assert not [text for text in page.js("window.drawnTexts") if "%" in text]
    assert 2.5 + HEAVIER not in page.js("window.drawnLines")
    assert quiet(page)


def test_a_picture_has_the_figures_and_the_heavy_line() -> None:
    written = text_of("svg", looked_at(causal()))
    for shown in SHOWN.values():
        assert f">{shown.replace('<', '&lt;')}</text>" in written
    assert ">◉ see · 41 %</text>" in written
    assert f'stroke-width="{2.5 + HEAVIER:g}"' in written
    assert f'stroke-width="{2.5 + HEAVIER:g}"' not in text_of("svg", causal())


@pytest.mark.filterwarnings("ignore:.*deprecated")
def test_graphviz_and_mermaid_have_the_figures_and_the_heavy_line() -> None:
    [parsed] = pydot.graph_from_dot_data(text_of("dot", looked_at(causal())))
    edges = [edge.get_attributes() for edge in parsed.get_edges()]
    assert [edge["label"].strip('"') for edge in edges[:3]] == list(SHOWN.values())
    assert ["penwidth" in edge for edge in edges] == [True, False, False, False, False]
    assert SAID in parsed.get_attributes()["label"].replace("\\n", " ")
    drawn = text_of("mermaid", looked_at(causal()))
    assert 'n0 ==>|"30\u202f#37;"| n1' in drawn
    assert "==>" not in text_of("mermaid", causal())


def test_markdown_and_text_have_the_figures() -> None:
    written = text_of("md", looked_at(causal()))
    html = MarkdownIt("commonmark").enable("table").render(written)
    assert "<td>strength 0.8, attention 30 %</td>" in html
    assert "<td>see · 41 %</td>" in html
    text = " ".join(text_of("text", looked_at(causal())).split())
    assert "It rains all day → The street gets wet 30 %" in text
    assert "41 %" in text


def test_a_story_has_the_figures_beside_its_sentences_and_in_its_picture(opens: Opens) -> None:
    story = Statements("Story", (Statement("rain", "It rains all day."), Statement("b", "So?")))
    sheet = replace(table().first, view=View("A story", sections=(story,)))
    document = looked_at(replace(table(), sheets=(sheet,)))
    assert "41 %" in text_of("md", document)
    assert ">41 %</text>" in text_of("svg", document)
    page = opens(document)
    said = page.js("[...document.querySelectorAll('.sentences li')].map(li => li.innerText)")
    assert said[0].endswith("41 %)")
    assert "%" not in said[1]


# -- texts that would act --------------------------------------------------------------------------


def test_hostile_model_names_and_texts_run_no_script(opens: Opens) -> None:
    page = opens(looked_at(hostile(), " ".join(HOSTILE)))
    page.js("new Promise(r => setTimeout(r, 200))")
    assert page.js("window.__ran") is None
    assert page.js("document.scripts.length") == 3
    assert page.js("document.querySelectorAll('img,iframe,a,form,base,[onload]').length") == 0
    assert quiet(page), page.said + page.requests


@cache
def lines_of_mermaid() -> int:
    return len(text_of("mermaid", causal()).splitlines())


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_model_names_do_not_change_the_graph(text: str) -> None:
    document = looked_at(causal(), text)
    [parsed] = pydot.graph_from_dot_data(text_of("dot", document))
    assert len(parsed.get_edges()) == len(_graph(causal()).links)
    drawn = text_of("mermaid", document).splitlines()
    assert len(drawn) == lines_of_mermaid() + 1
    assert re.fullmatch(r'  told\["[^"\[\]{}<>|%]*"\]', drawn[-1])
    read = networkx.read_graphml(io.BytesIO(export("graphml", document)))
    assert len(read) == len(_graph(causal()).nodes)
