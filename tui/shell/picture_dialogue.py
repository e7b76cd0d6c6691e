"""Asks how and where to write what was on the screen, and writes it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from textual import on
from textual.widgets import Input, OptionList

from core.text.language import N_
from tui.shell.picture import Picture
from tui.shell.write_dialogue import WritingScreen


@dataclass(frozen=True, slots=True)
class _Kind:
    name: str
    suffix: str
    about: str


_KINDS = (
    _Kind("svg", ".svg", N_("a picture, with its colours")),
    _Kind("text", ".txt", N_("its letters as plain text")),
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

    def made(self, name: str) -> bytes:
        """The screen as a picture, or as text."""
        if name == "svg":
            return self._picture.svg(self.app.title).encode("utf-8")
        return self._picture.text().encode("utf-8")

    @on(OptionList.OptionHighlighted)
    def end_otherwise(self, event: OptionList.OptionHighlighted) -> None:
        """Let the file's name end as the kind does."""
        if self.app.is_web:
            return
        line, chosen = self.query_one(Input), self.kinds[event.option_index]
        for other in self.kinds:
            if other is not chosen and line.value.endswith(other.suffix):
                line.value = line.value.removesuffix(other.suffix) + chosen.suffix

    @on(Input.Changed)
    def go_by_ending(self, event: Input.Changed) -> None:
        """Take the kind by which the typed name ends."""
        ending = Path(event.value.strip()).suffix.lower()
        for place, kind in enumerate(self.kinds):
            if kind.suffix == ending:
                self.query_one(OptionList).highlighted = place
