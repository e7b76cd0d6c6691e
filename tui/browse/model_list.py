"""The list of models to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.message import Message

from core.contract.view import Role
from core.layout.rows import SIGNS, Ink, Row, Span, pad, wrap
from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from tui.shell.model_choices import Entry, Kind
from tui.widgets.rows_view import RowsView

_HEADINGS = {
    Kind.DEMO: "",
    Kind.FILE: N_("Model files"),
    Kind.RUN: N_("Recorded runs"),
    Kind.PUBLISHED: N_("To download it: commonsense-tui get model …"),
    Kind.PATH: "",
}


class ModelList(RowsView):
    """Two rows for each entry: its name, and what it is and needs."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "step(1)", "next", show=False),
        Binding("k,up", "step(-1)", "previous", show=False),
        Binding("pagedown", "step(5)", "page down", show=False),
        Binding("pageup", "step(-5)", "page up", show=False),
        Binding("home", "step(-1000000)", "first", show=False),
        Binding("end,G", "step(1000000)", "last", show=False),
        Binding("enter,space", "pick", "load", show=False),
    ]

    @dataclass
    class Picked(Message):
        """The person picked this entry."""

        entry: Entry

    def __init__(self) -> None:
        super().__init__()
        self.entries: Sequence[Entry] = ()
        self.notes: dict[Kind, tuple[str, Role]] = {}
        self.loaded = ""

    def show(
        self, entries: Sequence[Entry], notes: dict[Kind, tuple[str, Role]], loaded: str
    ) -> None:
        """List the entries; a note stands below its part; `loaded` is the source of the model."""
        self.entries = entries
        self.notes = notes
        self.loaded = loaded
        self.redraw()

    def draw(self, width: int) -> list[Row]:
        """The parts of the list under their headings."""
        rows: list[Row] = []
        for kind in Kind:
            listed = [entry for entry in self.entries if entry.kind is kind]
            note = self.notes.get(kind)
            if not listed and note is None:
                continue
            if rows:
                rows.append(())
            if _HEADINGS[kind]:
                rows.append((Span(f" {_(_HEADINGS[kind])}", Ink.HEADING),))
            for entry in listed:
                rows.extend(self._entry(entry, width))
            if note is not None:
                lines = wrap(escape_control_characters(note[0]), max(8, width - 4), cell_len)
                rows.extend((Span(f"   {line}", note[1]),) for line in lines)
        return rows

    def _entry(self, entry: Entry, width: int) -> list[Row]:
        ref = f"{entry.kind}:{entry.source}"
        mark = _("loaded") if entry.source and entry.source == self.loaded else ""
        room = width - 3 - cell_len(mark)
        ink = Ink.KEY if entry.kind is Kind.PATH else Role.PLAIN
        sign = "✓" if mark else " "
        rows: list[Row] = [
            (
                Span(f" {sign} ", Role.GOOD, ref),
                Span(
                    pad(escape_control_characters(entry.name, limit=400), room, cell_len), ink, ref
                ),
                Span(mark, Role.GOOD, ref),
            )
        ]
        facts = escape_control_characters(" · ".join(entry.facts), limit=400)
        verdict, role = entry.fit, Role.GOOD
        if entry.trouble:
            verdict, role = f"{SIGNS[Role.BAD]} {entry.fit or _('cannot be loaded')}", Role.BAD
        elif verdict:
            verdict = f"{SIGNS[Role.GOOD]} {verdict}"
        if facts or verdict:
            room = max(0, width - 4 - cell_len(verdict))
            rows.append(
                (
                    Span("   ", Role.PLAIN, ref),
                    Span(pad(facts, room, cell_len) + " ", Role.MUTED, ref),
                    Span(verdict, role, ref),
                )
            )
        return rows

    def entry(self) -> Entry | None:
        """The entry under the cursor."""
        return next((e for e in self.entries if f"{e.kind}:{e.source}" == self.cursor), None)

    def action_step(self, by: int) -> None:
        """Move the cursor."""
        self.move_cursor(by)

    def action_pick(self) -> None:
        """Pick the entry under the cursor."""
        entry = self.entry()
        if entry is not None:
            self.post_message(self.Picked(entry))

    def clicked_again(self) -> None:
        """Pick the entry under the cursor."""
        self.action_pick()
