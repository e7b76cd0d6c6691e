"""Documents to export: a small causal graph in three states, tables, and hostile texts."""

from __future__ import annotations

import math
from dataclasses import replace

from core.contract.collection import About
from core.contract.view import (
    Cell,
    Graph,
    Grid,
    Link,
    Node,
    Note,
    Role,
    Statement,
    Statements,
    View,
)
from core.exchange.exporters.document import Document, Sheet
from core.layout.heatmap import HeatMap, HeatRow

ABOUT = About("Rainy days", "made for a test", "CC0", ("Nobody (2026). Rainy days.",), "A note.")


def rain(*, cut: bool = False, imagined: bool = False) -> Graph:
    """Rain makes the street wet and the river rise; both make a walk unpleasant; 雨 is unlinked."""
    street = Role.FORCED if cut else Role.IMAGINED if imagined else Role.PLAIN
    return Graph(
        "Rain",
        (
            Node("rain", "It rains all day", Role.OBSERVED, "see", "It was observed."),
            Node("street", "The street gets wet", street, "do" if cut else "", gloss="bagnata"),
            Node("river", "The river rises", Role.ABSENT, "0.18", "happens: any of It rains"),
            Node("walk", "Nobody goes for a walk", Role.BAD),
            Node("alone", "下雨了", Role.DISTRACTOR),
        ),
        (
            Link("rain", "street", "", Role.CUT if cut else Role.CAUSE, "strength 0.8"),
            Link("rain", "river", "causes"),
            Link("street", "walk", "causes"),
            Link("river", "walk", "causes"),
            Link("rain", "walk", "directly", Role.DISTRACTOR),
        ),
        "A small graph, true of no place.",
    )


def causal() -> Document:
    """Three states of one graph."""

    def sheet(label: str, *words: tuple[str, str], **more: bool) -> Sheet:
        blocks = (rain(**more), Note("It is only an example."))
        return Sheet(label, words, View("Rain", "a small graph", (Cell(label),), blocks))

    return Document(
        "Causal graphs",
        "g1",
        ABOUT,
        (
            sheet("see", ("It rains", "observed")),
            sheet("do", ("The street gets wet", "prevented"), cut=True),
            sheet("imagine", ("The street gets wet", "imagined"), imagined=True),
        ),
    )


def table() -> Document:
    """A view without a graph."""
    grid = Grid("States", ("thing", "0"), ((Cell("torch"), Cell("on", Role.EVIDENCE)),), "A table.")
    sheet = Sheet("as it is", (), View("Tables", sections=(grid, Note("Only a table."))))
    return Document("Tables", "t1", ABOUT, (sheet,))


def large(nodes: int) -> Document:
    """A chain of many nodes."""
    named = tuple(Node(f"e{i}", f"event {i}") for i in range(nodes))
    links = tuple(Link(f"e{i}", f"e{i + 1}") for i in range(nodes - 1))
    view = View("Large", sections=(Graph("Large", named, links),))
    return Document("Large", "l1", ABOUT, (Sheet("as it is", (), view),))


SINKS = (
    "img,iframe,object,embed,a,form,link,base,video,audio,input:not(#find),math,textarea,"
    "[onload],[onerror],[autofocus]"
)
"""Elements that load or run something; a page has none but its own."""
_RUN = "window.__ran=(window.__ran||0)+1"
HOSTILE = (
    f"<script>{_RUN}</script>",
    f"</script><script>{_RUN}</script>",
    f"</ScRiPt ><script>{_RUN}//",
    f"<!--<script>{_RUN}</script>-->",
    f"<img src=x onerror={_RUN}>",
    f'"><img src=x onerror="{_RUN}">',
    f"'><img src=x onerror='{_RUN}'>",
    f"<svg onload={_RUN}>",
    f"<svg><script>{_RUN}</script></svg>",
    f"</svg></style><script>{_RUN}</script>",
    f"</style><script>{_RUN}</script>",
    f"</title><script>{_RUN}</script>",
    f"</textarea></noscript><script>{_RUN}</script>",
    f"]]><script>{_RUN}</script>",
    f"<body onload={_RUN}>",
    f"<details open ontoggle={_RUN}>",
    f"<input autofocus onfocus={_RUN}>",
    f"<video><source onerror={_RUN}></video>",
    f'<a href="javascript:{_RUN}">href</a>',
    f"javascript:{_RUN}",
    f'<iframe src="javascript:{_RUN}"></iframe>',
    f'<iframe srcdoc="<script>parent.{_RUN}</script>"></iframe>',
    f'<object data="data:text/html,<script>{_RUN}</script>"></object>',
    f"data:text/html,<script>{_RUN}</script>",
    f'<embed src="data:image/svg+xml,<svg onload={_RUN}>">',
    "<link rel=stylesheet href=http://tracker.invalid/a.css>",
    "<style>@import 'http://tracker.invalid/b.css';</style>",
    "<style>*{background:url(http://tracker.invalid/c.png)}</style>",
    f'<div style="width:expression({_RUN})">',
    '<meta http-equiv=refresh content="0;url=http://tracker.invalid/">',
    "<base href=http://tracker.invalid/>",
    "<form action=http://tracker.invalid/><button>",
    "<img src=http://tracker.invalid/d.png>",
    f"<math><mtext><table><mglyph><style><img src=x onerror={_RUN}>",
    "{{ 7*7 }} {% raw %} {# comment #} ${7*7} #{7*7}",
    f"{{{{constructor.constructor('{_RUN}')()}}}}",
    f"\\u003cscript\\u003e{_RUN}\\u003c/script\\u003e",
    f"&lt;script&gt;{_RUN}&lt;/script&gt; &#60;img src=x onerror={_RUN}&#62;",
    f'"; {_RUN}; "',
    f"'; {_RUN}; //",
    f"`${{{_RUN}}}`",
    f"\u2028{_RUN}\u2029",
    f"\x00<scr\x00ipt>{_RUN}</script>",
    "\u202etxt.exe \u2066\u2069\u200f\u061c right to left",
    "\x1b[31mred\x1b]0;title\x07 \x9b2J \x08\x7f\r\n\t",
    "\ufeff\ufffe\uffff\ud800 \U000e0041 noncharacters",
    "%%{init: {'theme':'dark'}}%% end graph TD; a-->b; click a href \"http://tracker.invalid\"",
    '\\" ]; evil [label="x\\N\\G\\',
    "| a | b |\n|---|---|\n# heading\n- list `code` [link](javascript:1) ![i](http://tracker.invalid)",
    "1. 2) + - * _ ~ > www.tracker.invalid https://tracker.invalid a@tracker.invalid &copy;",
    "__proto__",
    "constructor",
    "x" * 20_000,
    "日本語 😀 e\u0301 ﷽ " * 40,
    "",
    " ",
)
"""Texts that would act in a page, a script, a style sheet, a template, a graph or a terminal."""


def hostile() -> Document:
    """Hostile texts in every place that a text has, in two states."""
    texts = HOSTILE
    roles = list(Role)

    def text(i: int) -> str:
        return texts[i % len(texts)]

    count = len(texts)
    nodes = tuple(
        Node(
            f"{i} {text(i)}",
            text(i),
            roles[i % len(roles)],
            text(i + 1)[:500],
            text(i + 2),
            text(i + 3),
        )
        for i in range(count)
    )
    links = tuple(
        Link(nodes[i].id, nodes[i // 3].id, text(i + 4), roles[i % len(roles)], text(i + 5))
        for i in range(1, count)
    )
    statements = tuple(
        Statement(
            f"s{i}", text(i), roles[i % len(roles)], text(i + 1)[:9], text(i + 2), text(i + 3)
        )
        for i in range(count)
    )
    cells = tuple(tuple(Cell(text(i + j), roles[j]) for j in range(3)) for i in range(count))

    def view(turn: int) -> View:
        return View(
            text(turn) + text(turn + 1),
            text(turn + 2),
            tuple(Cell(one) for one in texts),
            (
                Graph(text(turn + 3), nodes, links, text(turn + 4)),
                Statements(text(turn + 5), statements, (Link("s0", "s1", text(0)),)),
                Grid(text(turn + 6), (text(0), text(1), text(2)), cells, text(3)),
                *(Note(one, Role.BAD) for one in texts),
            ),
        )

    return Document(
        text(1),
        text(2),
        About(text(0), text(1), text(2), texts, text(4)),
        (
            Sheet(text(0), tuple((one, one) for one in texts), view(0)),
            Sheet(text(1), tuple((one, one) for one in texts), view(9)),
        ),
    )


def layers_heat() -> HeatMap:
    """Two options after four blocks; the lead changes once, and one figure is no number."""
    return HeatMap(
        title="t1 · answer · options after every block",
        rows=(
            HeatRow("true", (0.6, 0.3, 0.12, 1.0), role=Role.FORCED),
            HeatRow("false", (0.4, 0.7, 0.88, math.nan)),
        ),
        columns=("0", "1", "2", "3"),
        leading=(0, 1, 1, 0),
        figure="share among the options",
        notes=("Settles at block 3, right.", "A projection, not a belief.", "Blocks count from 0."),
        column_texts=("so", "it", "is", "."),
        column_texts_name="says next",
    )


def trace_heat() -> HeatMap:
    """Three spans, one of which cannot be compared; one cell restores too much, one too little."""
    return HeatMap(
        title="t1 · answer · beside do=0",
        rows=(
            HeatRow("0 The torch is on.", (0.0, 1.4, -0.3, None), role=Role.CHANGED),
            HeatRow("1 It is dark.", (None,) * 4, note="not comparable: other tokens there"),
            HeatRow("2 Is it plausible?", (0.2, 0.45, 0.7, 0.996)),
        ),
        columns=("0", "1", "2", "3"),
        figure="share of the margin restored",
        notes=("One pair of prompts, and no more.",),
    )


def with_readings(document: Document) -> Document:
    """A document with both heat maps."""
    return replace(document, readings=(layers_heat(), trace_heat()))


def hostile_heat() -> HeatMap:
    """Hostile texts in every place that a text has in a heat map."""
    count = len(HOSTILE)
    roles = list(Role)
    return HeatMap(
        title=HOSTILE[0],
        rows=tuple(
            HeatRow(
                text,
                (0.1,) * count,
                role=roles[i % len(roles)],
                note=HOSTILE[-i] if i % 5 == 0 else "",
            )
            for i, text in enumerate(HOSTILE)
        ),
        columns=HOSTILE,
        leading=(0, 1) * (count // 2),
        figure=HOSTILE[1],
        notes=HOSTILE,
        column_texts=HOSTILE,
        column_texts_name=HOSTILE[5],
    )
