"""Where the cursor of the X-ray is: the face that is shown, and its cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.blocks.heads import HeadFigure
from core.text.language import N_, _


class Face(StrEnum):
    """What the pane shows of the blocks."""

    OPTIONS = "options"
    """Options by blocks: the logit lens."""
    PARTS = "parts"
    """What attention and feed-forward add to the margin."""
    HEADS = "heads"
    """What the heads of a block attend to."""
    HEAD_MAP = "head_map"
    """Blocks by heads: what each adds, or what changing each does."""


class Axis(StrEnum):
    """What a face is drawn over: the names of the cursor's indices."""

    TOKEN = "token"
    OPTION = "option"
    BLOCK = "block"
    HEAD = "head"
    SPAN = "span"


_ROWS = {
    Face.OPTIONS: Axis.OPTION,
    Face.PARTS: Axis.BLOCK,
    Face.HEADS: Axis.SPAN,
    Face.HEAD_MAP: Axis.BLOCK,
}
_COLUMNS = {
    Face.OPTIONS: Axis.BLOCK,
    Face.PARTS: Axis.BLOCK,
    Face.HEADS: Axis.HEAD,
    Face.HEAD_MAP: Axis.HEAD,
}
_ABOVE = {Face.OPTIONS: Axis.TOKEN, Face.HEADS: Axis.BLOCK}
"""What the line above the map goes over, on the faces that have one."""
_TITLES = {
    Face.OPTIONS: N_("Blocks: options after each (logit lens)"),
    Face.PARTS: N_("Blocks: what each adds (direct logit attribution)"),
    Face.HEADS: N_("Blocks: where heads look (attention)"),
    Face.HEAD_MAP: N_("Blocks by heads"),
}


@dataclass(slots=True)
class XrayCursor:
    """Where the cursor is on each face."""

    face: Face = Face.OPTIONS
    above: bool = False
    """Whether it is on the line above the map: that of the tokens, or of the blocks."""
    token: int = 0
    option: int = 0
    block: int = 0
    head: int = 0
    span: int = 0
    shown: HeadFigure = HeadFigure.ADDED
    """Which map of heads."""

    @property
    def title(self) -> str:
        """What the present face shows, in the person's language."""
        title = _(_TITLES[self.face])
        if self.face is Face.HEAD_MAP:
            title = _("{title}: {what}", title=title, what=_(self.shown))
        return title

    @property
    def ref(self) -> str:
        """The ref of the cell under the cursor."""
        match self.face:
            case Face.OPTIONS if self.above:
                return f"t/{self.token}"
            case Face.OPTIONS:
                return f"o/{self.option}/{self.block}"
            case Face.PARTS:
                return f"b/{self.block}"
            case Face.HEADS if self.above:
                return f"k/{self.block}"
            case Face.HEADS:
                return f"s/{self.span}/{self.head}"
            case Face.HEAD_MAP:
                return f"h/{self.block}/{self.head}"

    def move(self, by: int, sizes: Mapping[Axis, int]) -> bool:
        """Go up or down, up to the line above the map; False below the last row."""
        axis = _ROWS[self.face]
        last = sizes[axis] - 1
        row = -1 if self.above else min(getattr(self, axis), last)
        if by > 0 and row == last:
            return False
        row = min(last, max(-1 if self.face in _ABOVE else 0, row + by))
        self.above = row < 0
        setattr(self, axis, max(0, row))
        return True

    def sideways(self, by: int, sizes: Mapping[Axis, int]) -> None:
        """Go along a row of the map, or along the line above it, also where a map is not read."""
        if self.face is Face.OPTIONS and not sizes[Axis.OPTION]:
            self.above = True
        axis = _ABOVE[self.face] if self.above else _COLUMNS[self.face]
        setattr(self, axis, min(max(0, sizes[axis] - 1), max(0, getattr(self, axis) + by)))

    def go(self, ref: str) -> None:
        """Move to the cell with this ref."""
        kind, *numbers = ref.split("/")
        indices = list(map(int, numbers))
        self.above = kind in ("t", "k")
        match kind:
            case "t":
                self.token = indices[0]
            case "o":
                self.option, self.block = indices
            case "b" | "k":
                self.block = indices[0]
            case "s":
                self.span, self.head = indices
            case "h":
                self.block, self.head = indices
