"""Markdown, for notes and papers."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.contract.view import Graph, Grid, Link, Note, Role, Section, Statements
from core.exchange.exporters.document import Document, Sheet, setting_line, source_lines
from core.exchange.exporters.heat_html import heat_figures, heat_legend
from core.exchange.exporters.labels import node_sign
from core.exchange.exporters.looks import legend_word
from core.layout.heatmap import HeatMap
from core.layout.rows import SIGNS
from core.text.escaping import escape_control_characters

_ALWAYS = re.compile(r"[\\`*_{}\[\]<>|~&@$]")
_AT_THE_START = re.compile(r"^[-+#=:!()]|^(?=\d+[.)])")
_ADDRESS = re.compile(r":(?=//)|(?<=www)\.", re.IGNORECASE)


def markdown(document: Document) -> str:
    """Every sheet: its setting in words, its sentences, nodes, links and tables, and the source.

    Heat maps of a model's blocks follow the first sheet, to which they belong.
    """
    view = document.first.view
    parts = [f"# {escaped(view.title)}"]
    if view.subtitle:
        parts.append(escaped(view.subtitle))
    for number, sheet in enumerate(document.sheets):
        if len(document.sheets) > 1:
            parts.append(f"## {escaped(sheet.label)}")
        parts += _sheet(sheet)
        for heat in document.readings if number == 0 else ():
            parts += _heat_map(heat)
    parts.append("## Source" if len(document.sheets) > 1 else "---")
    parts.append(
        "\n".join(f"- {name}: {escaped(value)}" for name, value in source_lines(document.about))
    )
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """A text of one line in which nothing is markup, and no address becomes a link."""
    safe = _ADDRESS.sub(
        r"\\\g<0>",
        _ALWAYS.sub(r"\\\g<0>", escape_control_characters(text, limit=len(text)).strip()),
    )
    number = re.match(r"\d+(?=[.)])", safe)
    if number:
        return f"{number[0]}\\{safe[number.end() :]}"
    return _AT_THE_START.sub(r"\\\g<0>", safe)


def _sheet(sheet: Sheet) -> list[str]:
    parts = [f"Setting: {escaped(setting_line(sheet))}"]
    if sheet.view.badges:
        badges = (_marked(badge.text, badge.role) for badge in sheet.view.badges)
        parts.append(" · ".join(badges))
    for section in sheet.view.sections:
        parts += _section(section)
    return parts


def _section(section: Section) -> list[str]:
    match section:
        case Statements():
            names = {s.id: s.number or s.text for s in section.statements}
            lines = [
                "- "
                + (f"({escaped(s.number)}) " if s.number.strip() else "")
                + _marked(s.text, s.role, s.note)
                + (f"  \n  {escaped(s.gloss)}" if s.gloss.strip() else "")
                for s in section.statements
            ]
            return [
                f"**{escaped(section.title)}**",
                "\n".join(lines),
                *_links(section.links, names),
            ]
        case Graph():
            rows = [
                (node.id, _marked(node.text, node.role), node_sign(node), node.note)
                for node in section.nodes
            ]
            cells = [
                (escaped(i), text, escaped(sign), escaped(note)) for i, text, sign, note in rows
            ]
            parts = [f"**{escaped(section.title)}**", _table(("id", "node", "sign", "why"), cells)]
            if section.note:
                parts.append(escaped(section.note))
            names = {node.id: node.text for node in section.nodes}
            return [*parts, *_links(section.links, names, section)]
        case Grid():
            grid = [[_marked(cell.text, cell.role) for cell in row] for row in section.rows]
            parts = [f"**{escaped(section.title)}**"]
            parts.append(_table([escaped(column) for column in section.columns], grid))
            return [*parts, escaped(section.note)] if section.note else parts
        case Note():
            return [_marked(section.text, section.role)]


def _heat_map(heat: HeatMap) -> list[str]:
    parts = [f"**{escaped(heat.title)}**", *(escaped(note) for note in heat.notes[:1])]
    flips = (f"{name} △" if n in heat.flips else name for n, name in enumerate(heat.columns))
    lines = []
    for index, row in enumerate(heat.rows):
        cells = [row.note] if row.note else heat_figures(heat, index)
        missing = [""] * (len(heat.columns) - len(cells))
        lines.append([_marked(row.label, row.role), *map(escaped, cells), *missing])
    if heat.column_texts:
        lines.append([escaped(heat.column_texts_name), *map(escaped, heat.column_texts)])
    parts.append(_table(["", *map(escaped, flips)], lines))
    return [*parts, *(escaped(text) for text in (heat_legend(heat), *heat.notes[1:]) if text)]


def _links(links: Iterable[Link], names: dict[str, str], *graphs: Graph) -> list[str]:
    rows = [
        (
            escaped(names.get(link.source, link.source)),
            escaped(names.get(link.target, link.target)),
            escaped(link.label),
            legend_word(link.role, graphs),
            escaped(link.note),
        )
        for link in links
    ]
    return [_table(("from", "to", "link", "kind", "note"), rows)] if rows else []


def _table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = list(columns)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _marked(text: str, role: Role, note: str = "") -> str:
    """A text with the sign of its role before it and a note after it."""
    sign = SIGNS[role].strip()
    after = f" ({escaped(note)})" if note.strip() else ""
    return f"{sign} {escaped(text)}{after}".strip() if sign else f"{escaped(text)}{after}"
