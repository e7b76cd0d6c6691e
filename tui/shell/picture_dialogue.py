"""Asks for a format and a file, and writes a picture of the screen."""

from __future__ import annotations

from pathlib import Path

from textual import on
from textual.widgets import Input, OptionList

from core.text.language import N_
from tui.shell.picture import Picture
from tui.shell.write_dialogue import FileKind, WritingScreen

_KINDS = (
    FileKind("svg", ".svg", N_("a picture, with its colours")),
    FileKind("text", ".txt", N_("its letters as plain text")),
)


class PictureScreen(WritingScreen):
    """Writes a screen as it was before this one came."""

    HEADING = N_("Picture of the screen")
    HELP = N_("""
    ## Picture of the screen

    The screen as it was before this came is written to a file: as a picture (SVG), or as plain
    text. Choose with **j** and **k**, or by how the file's name ends: `.svg` or `.txt`. **tab**
    goes to the file and back, **enter** writes it. A file that is there already is asked about
    first.
    """)

    def __init__(self, picture: Picture, folder: Path, name: str) -> None:
        """`name` is how the file is called, without an ending."""
        super().__init__(_KINDS, lambda suffix: folder / f"{name}{suffix}")
        self._picture = picture

    def content(self, name: str) -> bytes:
        """The screen as a picture, or as text."""
        if name == "svg":
            return self._picture.svg(self.app.title).encode("utf-8")
        return self._picture.text().encode("utf-8")

    @on(OptionList.OptionHighlighted)
    def change_suffix(self, event: OptionList.OptionHighlighted) -> None:
        """Give the file's name the suffix of the chosen format."""
        if self.app.is_web:
            return
        line, chosen = self.query_one(Input), self.kinds[event.option_index]
        for other in self.kinds:
            if other is not chosen and line.value.endswith(other.suffix):
                line.value = line.value.removesuffix(other.suffix) + chosen.suffix

    @on(Input.Changed)
    def choose_by_suffix(self, event: Input.Changed) -> None:
        """Choose the format of the typed suffix."""
        suffix = Path(event.value.strip()).suffix.lower()
        for index, kind in enumerate(self.kinds):
            if kind.suffix == suffix:
                self.query_one(OptionList).highlighted = index
