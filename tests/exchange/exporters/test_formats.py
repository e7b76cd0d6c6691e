"""What other programs read back is what was exported."""

from __future__ import annotations

import html
import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import networkx
import pydot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from core.contract import registry
from core.contract.setting import Setting
from core.contract.view import Graph, Role
from core.exchange.exporters.colours import DARK, LIGHT, colours
from core.exchange.exporters.document import Document, ExportError, document_of
from core.exchange.exporters.dot import quoted
from core.exchange.exporters.formats import FORMATS, export, warning
from core.exchange.exporters.graph_of_view import graph_of_view
from core.exchange.exporters.looks import LOOKS
from core.exchange.exporters.markdown import escaped
from core.exchange.exporters.mermaid import entities
from core.layout.rows import SIGNS
from core.text.errors import NotFoundError
from core.text.escaping import escape_control_characters
from core.text.language import speak
from tests.exchange.exporters.documents import HOSTILE, causal, hostile, large, table

GRAPHS = ("graphml", "dot", "mermaid", "svg")
ANY_TEXT = st.text(max_size=60) | st.sampled_from(HOSTILE).map(lambda text: text[:300])


def graph_of(document: Document) -> Graph:
    graph = graph_of_view(document.first.view)
    assert graph is not None
    return graph


def text_of(name: str, document: Document) -> str:
    return export(name, document).decode("utf-8")


def whole(text: str) -> str:
    """All of a text, with signs for what would act."""
    return escape_control_characters(text, limit=len(text))


def shown(text: str) -> str:
    """A text as XML can hold it and nothing in it acts."""
    return whole(text).replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")


@pytest.mark.parametrize("make", [causal, hostile])
def test_graphml_read_back_is_the_graph(make: Any) -> None:
    document = make()
    graph = graph_of(document)
    read = networkx.read_graphml(io.BytesIO(export("graphml", document)), force_multigraph=True)
    assert read.is_directed()
    assert dict(read.nodes(data=True)) == {
        shown(node.id): {
            "label": shown(node.text),
            "role": node.role.value,
            "sign": shown(node.sign),
            "note": shown(node.note),
            "gloss": shown(node.gloss),
        }
        for node in graph.nodes
    }
    edges = sorted((s, t, d["label"], d["role"], d["note"]) for s, t, d in read.edges(data=True))
    assert edges == sorted(
        (shown(k.source), shown(k.target), shown(k.label), k.role.value, shown(k.note))
        for k in graph.links
    )
    assert read.graph["licence"] == shown(document.about.licence)


def unquoted(value: str) -> str:
    """What Graphviz makes of a quoted string: lexer, then escapes and entities of labels."""
    assert value[0] == value[-1] == '"'
    inner = value[1:-1].replace('\\"', '"')
    return html.unescape(inner.replace("\\\\", "\\"))


@pytest.mark.filterwarnings("ignore:.*deprecated")
@pytest.mark.parametrize("make", [causal, hostile])
def test_parsed_dot_is_the_graph(make: Any) -> None:
    document = make()
    graph = graph_of(document)
    [parsed] = pydot.graph_from_dot_data(text_of("dot", document))
    nodes = {n.get_name(): n.get_attributes() for n in parsed.get_nodes()}
    nodes = {name: found for name, found in nodes.items() if re.fullmatch(r"n\d+", name)}
    assert len(nodes) == len(graph.nodes)
    for i, node in enumerate(graph.nodes):
        assert unquoted(nodes[f"n{i}"]["ref"]) == whole(node.id)
        assert unquoted(nodes[f"n{i}"]["label"]).endswith(whole(node.text))
        assert nodes[f"n{i}"]["role"] == f'"{node.role}"'
    order = [node.id for node in graph.nodes]
    edges = [(e.get_source(), e.get_destination()) for e in parsed.get_edges()]
    assert edges == [
        (f"n{order.index(k.source)}", f"n{order.index(k.target)}") for k in graph.links
    ]
    for edge, link in zip(parsed.get_edges(), graph.links, strict=True):
        label = unquoted(edge.get_attributes()["label"])
        assert label.endswith(whole(link.label.strip(" ")))
        dashed = bool(LOOKS[link.role].dash)
        assert label.startswith(SIGNS[link.role].strip() if dashed else label)


@given(ANY_TEXT)
def test_a_dot_string_never_ends_early(text: str) -> None:
    made = quoted(text)
    assert re.fullmatch(r'"(?:[^"\\]|\\["\\])*"', made)
    assert "\n" not in made


@given(ANY_TEXT)
def test_mermaid_text_is_escaped_and_reads_back(text: str) -> None:
    made = entities(text)
    assert re.fullmatch(r"(?:[^\W_]|[ ,!?'\u0080-\U0010ffff]|#\d+;)*", made)
    back = re.sub(r"#(\d+);", lambda found: chr(int(found[1])), made)
    assert back == whole(text)


def test_mermaid_has_every_node_and_link() -> None:
    lines = text_of("mermaid", causal()).splitlines()
    assert lines[0] == "flowchart TB"
    assert len(lines) == 1 + 5 + 5
    assert '  n2("○ 0#46;18 The river rises")' in lines
    assert '  n0 -.->|"≁ directly"| n3' in lines
    assert "  n0 --> n1" in lines
    for line in text_of("mermaid", hostile()).splitlines()[1:]:
        assert re.fullmatch(
            r'  n\d+(?:[\[({/]+"[^"]*"[\])}/]+| -\.?->(?:\|"[^"]*"\|)? n\d+)', line
        ), line[:200]


@given(ANY_TEXT)
@settings(max_examples=300)
def test_markdown_text_is_escaped(text: str) -> None:
    for before, after in (("", ""), ("- ", ""), ("# ", ""), ("| ", " |\n| --- |")):
        made = escaped(text)
        if not made:
            continue
        tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(before + made + after)
        inline = [token for token in tokens if token.type == "inline"]
        assert len(inline) == 1, made
        kinds = {child.type for child in inline[0].children or ()}
        assert kinds <= {"text", "text_special"}, (kinds, made)
        read = "".join(child.content for child in inline[0].children or ())
        assert read.split() == whole(text).split()


def test_markdown_has_every_state_with_its_setting_and_the_source() -> None:
    made = text_of("md", causal())
    assert [line for line in made.splitlines() if line.startswith("## ")] == [
        "## see",
        "## do",
        "## imagine",
        "## Source",
    ]
    for words in ("Setting: It rains: observed.", "| It rains all day | Nobody goes for a walk |"):
        assert words in made
    assert "Licence: CC0" in made
    assert "Please cite: Nobody (2026). Rainy days." in made
    rendered = MarkdownIt("gfm-like", {"linkify": False}).render(made)
    assert rendered.count("<table>") == 6


def test_json_has_every_text_exactly() -> None:
    document = hostile()
    data = export("json", document)
    for acting in ("\u202e", "\x9b", "\u2028", "\x7f", "\ufeff"):
        assert acting.encode() not in data
    read = json.loads(data)
    assert read["version"] == 1
    assert read["about"]["citation"] == list(HOSTILE)
    nodes = read["sheets"][0]["graph"]["nodes"]
    assert [(n["id"], n["text"], n["sign"]) for n in nodes] == [
        (n.id, n.text, n.sign) for n in graph_of(document).nodes
    ]
    assert [
        b["kind"] for b in json.loads(export("json", table()))["sheets"][0]["view"]["blocks"]
    ] == [
        "grid",
        "note",
    ]
    assert json.loads(export("json", table()))["sheets"][0]["graph"] is None


def test_plain_text_has_the_view_the_setting_and_the_source() -> None:
    made = text_of("text", table())
    for words in ("Tables", "torch", "A table.", "Setting: Nothing was toggled.", "Licence: CC0"):
        assert words in made
    assert not set("\x1b\x07\x9b\x00\u202e") & set(text_of("text", hostile()))


def elements(document: Document) -> Iterator[ElementTree.Element]:
    return ElementTree.fromstring(export("svg", document)).iter()


def test_svg_is_drawn_from_the_same_words() -> None:
    kinds = {element.tag.split("}")[1] for element in elements(hostile())}
    assert kinds == {"svg", "title", "desc", "style", "rect", "g", "path", "text"}
    words = " ".join(e.text or "" for e in elements(causal()) if e.tag.endswith("}text"))
    for part in (
        "It rains all day",
        "The river rises",
        "directly",
        "Licence: CC0",
        "It rains: observed.",
    ):
        assert part in words
    heads = [e for e in elements(causal()) if (e.get("class") or "").endswith(" head")]
    assert len(heads) == len(graph_of(causal()).links)


@pytest.mark.parametrize("name", GRAPHS)
def test_a_view_without_a_graph_is_refused_with_advice(name: str) -> None:
    with pytest.raises(ExportError) as refused:
        export(name, table())
    assert "md" in refused.value.hint


def test_a_graph_that_is_too_large_for_a_picture_is_refused_with_advice() -> None:
    for name in ("html", "svg"):
        with pytest.raises(ExportError, match="5,001 nodes") as refused:
            export(name, large(5_001))
        assert "graphml" in refused.value.hint
        assert "2,001" in warning(name, large(2_001))
        assert warning(name, large(2_000)) == ""
    assert len(export("dot", large(5_001)).splitlines()) > 10_000
    assert warning("dot", large(5_001)) == ""


def test_an_unknown_format_lists_the_known_ones() -> None:
    with pytest.raises(NotFoundError, match="pdf"):
        export("pdf", causal())


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("make", [causal, hostile])
def test_bytes_are_utf8_with_line_feeds_and_always_the_same(name: str, make: Any) -> None:
    data = export(name, make())
    assert data == export(name, make())
    text = data.decode("utf-8")
    assert "\r" not in text
    assert text.endswith("\n")
    assert "\x00" not in text


def test_every_format_takes_every_bundled_story() -> None:
    gita = registry.load("gita")
    stories = gita.open(gita.samples())
    for i in range(0, len(stories), 7):
        document = document_of(gita, stories.item(i), Setting(), stories.about)
        for name in FORMATS:
            assert len(export(name, document)) > 200


@pytest.mark.parametrize("name", ["html", "svg", "dot", "mermaid", "graphml", "json", "md", "text"])
def test_a_reasoning_tree_has_the_skill_of_every_link(name: str) -> None:
    accord = registry.load("accord")
    questions = accord.open(accord.samples())
    document = document_of(accord, questions.item(0), Setting(), questions.about)
    skills = Counter(link.label for link in graph_of(document).links)
    assert len(skills) > 1
    written = text_of(name, document)
    for skill, count in skills.items():
        assert written.count(skill) >= count


@pytest.mark.parametrize("bench", ["accord", "abspyramid"])
@pytest.mark.parametrize("name", ["html", "svg"])
def test_a_legend_says_what_the_signs_mean_in_its_benchmark(bench: str, name: str) -> None:
    benchmark = registry.load(bench)
    collection = benchmark.open(benchmark.samples())
    document = document_of(benchmark, collection.item(0), Setting(), collection.about)
    graph = graph_of(document)
    written = " ".join(re.sub("<[^>]*>", " ", text_of(name, document)).split())
    used = {part.role for part in (*graph.nodes, *graph.links)}
    assert {Role.FORCED, Role.CAUSE} <= used
    for role in used & set(graph.meanings):
        assert graph.meanings[role] in written
    for role in used & {Role.FORCED, Role.OBSERVED, Role.CUT}:
        assert LOOKS[role].word not in written


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_lines_and_letters_stand_out_from_their_ground(theme: str) -> None:
    known = colours(theme)
    for ground in ("background", "surface"):
        for token in (*(f"cs-{role}" for role in Role), "cs-track", "primary", "cs-plain"):
            light, dark = sorted((luminance(known[token]), luminance(known[ground])), reverse=True)
            needed = 4.5 if token == "cs-plain" else 3.0
            assert (light + 0.05) / (dark + 0.05) >= needed, (token, ground)


def test_no_two_roles_differ_in_colour_alone() -> None:
    drawn = [
        (SIGNS[role], look.outline, look.dash, look.weight, look.double)
        for role, look in LOOKS.items()
    ]
    assert set(LOOKS) == set(Role)
    assert len(set(drawn)) == len(drawn)
    assert len({look.word for look in LOOKS.values()}) == len(LOOKS)


def test_the_packaged_page_is_beside_its_code() -> None:
    folder = Path(__file__).parents[3] / "core" / "exchange" / "exporters"
    packaged = ("page.css", "page.html.j2", "page.js", "picture.js", "states.css", "drawing.css")
    assert all((folder / name).is_file() for name in packaged)


def test_pages_are_in_the_language_of_the_program_and_other_formats_are_english() -> None:
    gita = registry.load("gita")
    stories = gita.open(gita.samples())

    def document() -> Document:
        return document_of(gita, stories.item(1), Setting(), stories.about)

    english = document()
    before = {name: export(name, english) for name in FORMATS if name not in {"graphml"}}
    speak("it")
    try:
        page = export("html", document()).decode()
        others = {name: export(name, english) for name in before if name != "html"}
    finally:
        speak("en")
    assert '<html lang="it">' in page
    assert "Cento famiglie di storie" in page
    # The English of an Italian story is left to English pages.
    assert 'class="gloss"' in before["html"].decode()
    assert 'class="gloss"' not in page
    assert others == {name: text for name, text in before.items() if name != "html"}
