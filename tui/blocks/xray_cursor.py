"""Where the cursor of the X-ray is: the face that is shown, and its cell."""

from __future__ import annotations

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
