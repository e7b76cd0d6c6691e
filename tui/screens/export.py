"""Asks how and where to write what is on the desk, and writes it."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option
from textual.worker import get_current_worker

from core.errors import CommonsenseError
from core.exchange.export import files, formats
from core.exchange.export.document import Document, FileExistsAlreadyError
from core.exchange.export.formats import FORMATS
from core.visible import visible
from tui.screens.dialogue import Dialogue


class ExportScreen(Dialogue[Path | None]):
    """A format, a file, and what went wrong; dismisses with the file that was written."""

    HELP = """
    ## Export

    Choose a format with **j** and **k**, go to the file and back with **tab**, and write it with
    **enter**. A file that is there already is asked about first. What is written is the item as
    you see it, with your changes.
    """

    DEFAULT_CSS = """
    ExportScreen {
        align: center middle;
        background: $background 60%;
        & > Vertical {
            width: 84;
            max-width: 96%;
            height: auto;
            max-height: 90%;
            border: round $primary;
            border-title-color: $cs-key;
            background: $surface;
            padding: 1 2;
        }
        & OptionList {
            height: auto;
            max-height: 10;
            border: none;
            background: $surface;
            margin-bottom: 1;
            &:focus { border: none; }
        }
        & Input { border: tall $cs-track; background: $panel; &:focus { border: tall $primary; } }
        & #said { height: auto; color: $cs-muted; margin-top: 1; &.-bad { color: $cs-bad; } }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "cancel", tooltip="Leave; nothing is written."),
        Binding("j", "move(1)", "next", show=False),
        Binding("k", "move(-1)", "previous", show=False),
    ]

    def __init__(self, document: Document, start: Callable[[str], Path]) -> None:
        """`start` gives the file to begin with, by the suffix of a format."""
        super().__init__()
        self._document = document
        self._start = start
        self._formats = list(FORMATS.values())
        self._suggested = ""
        self._refused: tuple[str, str] | None = None
        """Format and file that were not written over another; the same again will be."""

    def compose(self) -> ComposeResult:
        """The formats, the line for the file, and what is to be said."""
        with Vertical() as box:
            box.border_title = "Export"
            box.border_subtitle = (
                "enter downloads · esc leaves"
                if self.app.is_web
                else "enter writes · tab to the file and back · esc leaves"
            )
            yield OptionList(*(Option(Content(f"{f.name:<8} {f.about}")) for f in self._formats))
            if not self.app.is_web:
                yield Input(select_on_focus=False)
            yield Static("", id="said", markup=False)

    def on_mount(self) -> None:
        """Begin with the first format."""
        self.query_one(OptionList).highlighted = 0

    @on(OptionList.OptionHighlighted)
    def suggest(self, event: OptionList.OptionHighlighted) -> None:
        """Suggest a file for the format, unless the person typed one."""
        if self.app.is_web:
            return
        line = self.query_one(Input)
        if line.value == self._suggested:
            self._suggested = str(self._start(self._formats[event.option_index].suffix))
            line.value = self._suggested
            line.cursor_position = len(line.value)

    @on(OptionList.OptionSelected)
    @on(Input.Submitted)
    def accept(self) -> None:
        """Write the file; in a browser, let it be downloaded."""
        chosen = self._formats[self.query_one(OptionList).highlighted or 0]
        self._say("Writing…")
        if self.app.is_web:
            self.download(chosen.name, self._start(chosen.suffix).name)
        else:
            self.write(chosen.name, self.query_one(Input).value.strip())

    @work(thread=True, exclusive=True, group="export", exit_on_error=False)
    def download(self, name: str, file: str) -> None:
        """Make the file away from the screen, and hand it to the browser."""
        worker = get_current_worker()
        try:
            data = formats.export(name, self._document)
        except CommonsenseError as error:
            if not worker.is_cancelled:
                self.app.call_from_thread(self._say, f"{error} esc leaves.", bad=True)
            return
        if not worker.is_cancelled:
            self.app.call_from_thread(self._deliver, data, file)

    def _deliver(self, data: bytes, file: str) -> None:
        self.app.deliver_binary(BytesIO(data), save_filename=file)
        self.dismiss(None)

    @work(thread=True, exclusive=True, group="export", exit_on_error=False)
    def write(self, name: str, path: str) -> None:
        """Write the file away from the screen."""
        worker = get_current_worker()
        try:
            data = formats.export(name, self._document)
            written = files.write(Path(path), data, force=self._refused == (name, path))
        except CommonsenseError as error:
            if not worker.is_cancelled:
                self.app.call_from_thread(self._fail, name, path, error)
            return
        if not worker.is_cancelled:
            self.app.call_from_thread(self._done, name, written)

    def _done(self, name: str, path: Path) -> None:
        warning = formats.warning(name, self._document)
        self.notify(visible(f"Written: {path} {warning}".strip()), timeout=8, markup=False)
        self.dismiss(path)

    def _fail(self, name: str, path: str, error: CommonsenseError) -> None:
        self._refused = None
        if isinstance(error, FileExistsAlreadyError):
            self._refused = name, path
            self._say(f"{error.what} Press enter again to overwrite it.", bad=True)
        else:
            self._say(f"{error} Change the file and press enter, or leave with esc.", bad=True)

    def _say(self, text: str, *, bad: bool = False) -> None:
        said = self.query_one("#said", Static)
        said.update(visible(text))
        said.set_class(bad, "-bad")

    def action_move(self, by: int) -> None:
        """Step through the formats."""
        options = self.query_one(OptionList)
        if by > 0:
            options.action_cursor_down()
        else:
            options.action_cursor_up()

    def action_cancel(self) -> None:
        """Leave; what was not written yet is not written."""
        self.dismiss(None)
