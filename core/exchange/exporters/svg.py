"""SVG: the picture of a view as one file that any browser or word processor opens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import ceil
from xml.sax.saxutils import escape

from core.contract.view import Graph, Link, Node, Role
from core.exchange.exporters.arrangement import Arrangement, arrange
from core.exchange.exporters.colours import DARK, LIGHT, colours
from core.exchange.exporters.document import Document, notes_above, setting_line, source_lines
from core.exchange.exporters.graph_of_view import needed_graph
from core.exchange.exporters.graphml import xml_text
from core.exchange.exporters.labels import FONT, LINE, label_of, link_words
from core.exchange.exporters.looks import HEAVIER, LOOKS, legend_word
from core.exchange.exporters.paths import Key, arrow_head, curve_path, outline_paths, with_keys
from core.layout.graph.weights import heavy_links
from core.layout.plain_text import cells
from core.layout.rows import SIGNS, wrap
from core.text.quantities import counted

_MARGIN = 28.0
_TITLE = 20
_SMALL = 12
_NARROWEST = 480.0


def svg(document: Document) -> str:
    """The graph of the first sheet with its title, setting, legend and source; no script.

    Raises `ExportError` for a view without a graph and for more nodes than a picture can show.
    """
    graph = needed_graph(document.first.view, "SVG")
    return "\n".join(_lines(document, graph)) + "\n"


def _lines(document: Document, graph: Graph) -> Iterator[str]:
    """The lines of the file, from top to bottom."""
    view, setting = document.first.view, setting_line(document.first)
    arrangement = arrange([graph])
    left, top, right, bottom = bounds(arrangement)
    width = max(right - left + 2 * _MARGIN, _NARROWEST)
    fitting = int((width - 2 * _MARGIN) / 7)
    above = [view.title, view.subtitle, setting]
    head = [line for text in above if text for line in wrap(xml_text(text), fitting, cells)]
    used = {*(node.role for node in graph.nodes), *(link.role for link in graph.links)}
    legend = " · ".join(
        f"{SIGNS[role]} {legend_word(role, [graph])}".strip() for role in Role if role in used
    )
    source = [f"{name}: {value}" for name, value in source_lines(document.about)]
    below = [graph.note, legend, *(note.text for note in notes_above(view)), *source]
    foot = [line for text in below if text for line in wrap(xml_text(text), fitting, cells)]
    graph_top = _MARGIN + len(head) * LINE + _MARGIN
    foot_top = graph_top + (bottom - top) + _MARGIN
    height = ceil(foot_top + len(foot) * LINE + _MARGIN)
    width = ceil(width)
    described = (
        f"{counted(len(graph.nodes), 'node')}, {counted(len(graph.links), 'link')}. {setting}"
    )
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-labelledby="title described">'
    )
    yield f'<title id="title">{_text(view.title)}</title>'
    yield f'<desc id="described">{_text(described)}</desc>'
    yield f"<style>{_style()}</style>"
    yield f'<rect class="ground" width="{width}" height="{height}"/>'
    for i, line in enumerate(head):
        kind = "words" if i else "title"
        yield _line(line, _MARGIN, _MARGIN + (i + 0.8) * LINE, kind)
    yield f'<g transform="translate({_MARGIN - left:g} {-top + graph_top:g})">'
    yield from graph_elements(graph, arrangement)
    yield "</g>"
    for i, line in enumerate(foot):
        yield _line(line, _MARGIN, foot_top + (i + 0.8) * LINE, "words")
    yield "</svg>"


def graph_elements(
    graph: Graph, arrangement: Arrangement, numbers: Mapping[str, int] | None = None
) -> Iterator[str]:
    """The links of a graph and over them its nodes, as elements of SVG.

    They use the classes `line`, `head`, `label`, `box`, `inner`, `sign` and `text`, and those of
    the roles; `after` is a label that begins at its place. A node has its number of `numbers`, by
    which a script can find it.
    """
    heavy = heavy_links(graph.links)
    for index, (key, link) in enumerate(with_keys(graph.links)):
        yield from _link(link, arrangement, key, HEAVIER if index in heavy else 0.0)
    for node in graph.nodes:
        number = "" if numbers is None else f' data-node="{numbers[node.id]}"'
        yield from _node(node, arrangement, number)


def _link(link: Link, arrangement: Arrangement, key: Key, heavier: float) -> Iterator[str]:
    look, path = LOOKS[link.role], arrangement.paths[key]
    dash = f' stroke-dasharray="{" ".join(map(str, look.dash))}"' if look.dash else ""
    wide = look.weight + heavier
    yield f'<path class="{link.role} line" d="{curve_path(path)}" stroke-width="{wide:g}"{dash}/>'
    head = arrow_head(path)
    yield f'<path class="{link.role} head" d="{head}"/>'
    if heavier:
        yield f'<path class="{link.role} line" d="{head}" stroke-width="{heavier:g}"/>'
    shown = link_words(link)
    if shown:
        x, y = arrangement.label(key)
        yield _line(shown, x, y + 4, "label after" if arrangement.labels else "label")


def _node(node: Node, arrangement: Arrangement, number: str) -> Iterator[str]:
    look, box = LOOKS[node.role], arrangement.boxes[node.id]
    dash = f' stroke-dasharray="{" ".join(map(str, look.dash))}"' if look.dash else ""
    yield f'<g class="{node.role}"{number}>'
    if node.note:
        yield f"<title>{_text(node.note)}</title>"
    for kind, path in zip(("box", "inner"), outline_paths(look, box), strict=False):
        yield f'<path class="{kind}" d="{path}" stroke-width="{look.weight:g}"{dash}/>'
    label = label_of(node, arrangement.line_cells)
    first = box.y - (len(label.rows) - 1) * LINE / 2 + FONT * 0.35
    for i, row in enumerate(label.rows):
        kind = "sign" if label.head and i == 0 else "text"
        yield _line(xml_text(row), box.x, first + i * LINE, kind)
    yield "</g>"


def bounds(arrangement: Arrangement) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of everything that is drawn."""
    boxes = arrangement.boxes.values()
    xs = [b.x + s * b.width / 2 for b in boxes for s in (-1, 1)]
    ys = [b.y + s * b.height / 2 for b in boxes for s in (-1, 1)]
    for path in arrangement.paths.values():
        xs += [x for x, _ in path]
        ys += [y for _, y in path]
    return min(xs, default=0.0), min(ys, default=0.0), max(xs, default=0.0), max(ys, default=0.0)


def _style() -> str:
    """CSS with the light colours, and with the dark ones for readers who prefer these."""
    fixed = (
        f"text{{font:{FONT}px system-ui,sans-serif;text-anchor:middle}}"
        f".title{{font-size:{_TITLE}px;font-weight:600;text-anchor:start}}"
        f".words{{font-size:{_SMALL + 1}px;text-anchor:start}}"
        f".label{{font-size:{_SMALL}px;paint-order:stroke;stroke-width:5px;stroke-linejoin:round}}"
        ".sign{font-weight:600}.line,.inner{fill:none}"
    )
    return f"{fixed}{_coloured(LIGHT)}@media(prefers-color-scheme:dark){{{_coloured(DARK)}}}"


def role_rules(ink: Callable[[Role], str], within: str = "") -> str:
    """CSS rules that colour the classes of `graph_elements`, inside elements of class `within`."""
    return "".join(
        f"{within}.{role}.line,{within}.{role} .box,{within}.{role} .inner{{stroke:{ink(role)}}}"
        f"{within}.{role}.head,{within}.{role} .sign{{fill:{ink(role)}}}"
        for role in Role
    )


def _coloured(theme: str) -> str:
    known = colours(theme)
    return (
        f".ground{{fill:{known['background']}}}.box{{fill:{known['surface']}}}"
        f"text{{fill:{known['cs-plain']}}}.words{{fill:{known['cs-muted']}}}"
        f".label{{stroke:{known['background']}}}"
    ) + role_rules(lambda role: known[f"cs-{role}"])


def _line(text: str, x: float, y: float, kind: str) -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{_text(text)}</text>'


def _text(text: str) -> str:
    return escape(xml_text(text))
