"""Asks for a format and a file, and writes the open item."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core.exchange.exporters import formats
from core.exchange.exporters.document import Document
from core.exchange.exporters.formats import FORMATS
from core.text.language import N_
from tui.shell.write_dialogue import FileKind, WritingScreen


class ExportScreen(WritingScreen):
    """Writes an item as it is shown."""

    HEADING = N_("Export")
    HELP = N_("""
    ## Export

    Choose a format with **j** and **k**, go to the file and back with **tab**, and write it with
    **enter**. A file that is there already is asked about first. What is written is the item as
    you see it, with your changes.
    """)

    def __init__(self, document: Document, english: Document, start: Callable[[str], Path]) -> None:
        """`start` gives the file to begin with, by the suffix of a format.

        Pages are written of the document, which is in the language of the program, and all other
        formats of the English one.
        """
        super().__init__([FileKind(f.name, f.suffix, f.about) for f in FORMATS.values()], start)
        self._document, self._english = document, english

    def _document_for(self, name: str) -> Document:
        return self._document if FORMATS[name].translated else self._english

    def content(self, name: str) -> bytes:
        """The item in a format."""
        return formats.export(name, self._document_for(name))

    def warning(self, name: str) -> str:
        """What the format leaves out, or that it is slow to draw."""
        return formats.warning(name, self._document_for(name))
