"""Shows a collection's licence, origin and citation, and its defects."""

from __future__ import annotations

from core.contract.collection import Collection
from core.text.language import _, ngettext
from tui.browse.feature import Feature
from tui.shell.text_screen import TextScreen

_SHOWN = 40
"""Most repairs, and most unreadable items, that are listed."""


class About(Feature):
    """Shows what is known of the collection."""

    NAME = "about"

    def about(self) -> None:
        """Show licence, origin, citation and defects of the collection."""
        if self.host.state is not None:
            text = about_text(self.host.state.collection)
            self.host.app.push_screen(TextScreen(_("About this collection"), text=text))


def about_text(collection: Collection) -> str:
    """The collection's licence and citation, then its repairs and unreadable items."""
    about = collection.about.shown
    parts = [
        about.title,
        "",
        _("Licence   {licence}", licence=about.licence),
        _("Origin    {origin}", origin=about.origin or _("unknown")),
    ]
    if about.citation:
        parts += ["", _("Please cite"), *(f"  {line}" for line in about.citation)]
    if about.note:
        parts += ["", about.note]
    for title, lines in (
        (
            _("Read with a repair"),
            [f"{repair.where}: {repair.what}" for repair in collection.repairs],
        ),
        (_("Could not be read"), [str(error) for error in collection.errors]),
    ):
        if lines:
            parts += ["", f"{title} ({len(lines):,})", *(f"  {line}" for line in lines[:_SHOWN])]
            if len(lines) > _SHOWN:
                rest = len(lines) - _SHOWN
                parts.append(ngettext("  … and {n:,} more", "  … and {n:,} more", rest, n=rest))
    return "\n".join(parts)
