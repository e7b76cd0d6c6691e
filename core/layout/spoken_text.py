"""A view and a ladder as lines to be read aloud: no drawings, one fact a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.contract.rungs import Phase, Rung
from core.contract.view import Graph, Grid, Note, Role, Section, Statements, View
from core.layout.options import option_labels
from core.text.escaping import escape_control_characters
from core.text.language import N_, _

_SAID = {
    Role.CHANGED: N_("changed"),
    Role.CAUSE: N_("cause"),
    Role.BREAK: N_("break"),
    Role.EVIDENCE: N_("evidence"),
    Role.FORCED: N_("set"),
    Role.OBSERVED: N_("observed"),
    Role.IMAGINED: N_("imagined"),
    Role.ABSENT: N_("does not happen"),
    Role.CUT: N_("cut"),
    Role.DISTRACTOR: N_("distractor"),
    Role.HINDERS: N_("prevents"),
}
"""The roles that are said; the others say nothing."""


def spoken_view(view: View) -> list[str]:
    """A view as lines: title, badges, then each section."""
    lines = [view.title, view.subtitle, ". ".join(badge.text for badge in view.badges)]
    for section in view.sections:
        lines += ["", *_section(section)]
    return [escape_control_characters(line) for line in lines]


def spoken_ladder(rungs: Sequence[Rung]) -> list[str]:
    """The answers of a ladder as lines."""
    lines = []
    for number, rung in enumerate(rungs, 1):
        head = f"{number}. {rung.layer.shown}: "
        verdict = rung.verdict
        if verdict is None or rung.question is None:
            known = {Phase.FAILED: rung.error}
            lines.append(
                head + (known.get(rung.phase) or rung.skip_reason or _("nothing is asked"))
            )
            continue
        labels = option_labels(rung.question)
        answered = ", ".join(labels[index] for index in verdict.picked_options) or verdict.text
        judged = {True: _("right"), False: _("wrong"), None: _("nobody knows")}[verdict.right]
        lines.append(head + _("answered {answer}, {judged}", answer=answered, judged=judged))
    return [escape_control_characters(line) for line in lines]


def _section(section: Section) -> Iterator[str]:
    match section:
        case Note(text=text):
            yield text
        case Grid(title=title, columns=columns, rows=rows):
            yield title
            for row in rows:
                pairs = zip(columns, row, strict=True)
                yield "; ".join(f"{column}: {cell.text}" for column, cell in pairs if cell.text)
        case Statements(title=title, statements=statements, links=links):
            yield title
            names = {each.id: each.number or each.text for each in statements}
            for each in statements:
                yield _line(each.number, each.text, _role(each.role), each.note, each.gloss)
            for link in links:
                yield _link(names, link.source, link.target, link.label)
        case Graph(title=title, nodes=nodes, links=links):
            yield title
            names = {node.id: node.text for node in nodes}
            for node in nodes:
                # The note of what does not happen says so itself.
                silent = node.role is Role.ABSENT and node.note
                word = _(section.meanings.get(node.role, "")) or _role(node.role)
                role = "" if silent or word == node.sign else word
                yield _line("", node.text, role, node.sign, node.note)
            for link in links:
                yield _link(names, link.source, link.target, link.label)


def _role(role: Role) -> str:
    # The empty text is not to be translated: gettext answers it with the catalogue's head.
    return _(_SAID[role]) if role in _SAID else ""


def _line(number: str, text: str, *more: str) -> str:
    parts = [part for part in more if part]
    return f"{number} {text}".strip() + (f" ({'; '.join(parts)})" if parts else "")


def _link(names: dict[str, str], source: str, target: str, label: str) -> str:
    ends = _("from {one} to {other}", one=names.get(source, ""), other=names.get(target, ""))
    return f"{ends}: {label}" if label else ends
