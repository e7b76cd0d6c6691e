"""A passage with its marked span, and a line of progress."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.content import Content
from textual.strip import Strip
from textual.widget import Widget

from core.annotation.session import Progress
from core.annotation.tasks import Passage
from core.text.escaping import LIMIT, escape_control_characters


def passage(shown: Passage, limit: int | None = None) -> Content:
    """A passage below its caption, the marked span underlined."""
    caption = Content.styled(
        f"{escape_control_characters(shown.caption)}\n" if shown.caption else "", "$cs-muted"
    )
    text, start, end = shown.text, shown.start, shown.end
    if start >= end:
        return caption + Content(escape_control_characters(text, lines=True, limit=limit or LIMIT))
    before, marked, after = (
        escape_control_characters(part, lines=True)
        for part in (text[:start], text[start:end], text[end:])
    )
    return Content.assemble(caption, before, (marked, "bold underline $cs-changed"), after)


class ProgressLine(Widget):
    """A line across the screen, filled by the share of questions before this one."""

    DEFAULT_CSS = """
    ProgressLine {
        height: 1;
        background: $background;
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._share = 0.0

    def show(self, progress: Progress | None) -> None:
        """Fill it as far as the questions before this one reach."""
        self._share = (progress.at - 1) / progress.of if progress is not None else 0.0
        self.display = progress is not None
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """The line."""
        colours, ground = self.app.theme_variables, self.rich_style
        done = round(self._share * self.size.width)
        left = self.size.width - done
        return Strip(
            [
                Segment("━" * done, ground + Style(color=colours["cs-key"])),
                Segment("─" * left, ground + Style(color=colours["cs-track"])),
            ]
        )
