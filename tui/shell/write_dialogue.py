"""Asks in which format and where something is written, and writes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import ClassVar, Protocol

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option
from textual.worker import get_current_worker

from core.exchange.exporters import files
from core.exchange.exporters.document import FileExistsAlreadyError
from core.text.errors import CommonsenseError
from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from tui.shell.dialogue import STEP_BINDINGS, Dialogue


class Kind(Protocol):
    """A format that is offered."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def suffix(self) -> str:
        """How its files end, with the dot."""
        ...

    @property
    def about(self) -> str:
        """What it is good for, in a few words."""
        ...


class WritingScreen(Dialogue[Path | None]):
    """A format, a file, and what went wrong; dismisses with the file that was written."""

    HEADING: ClassVar[str]
    """What is done here, above the dialogue."""
    DEFAULT_CSS = """
    WritingScreen {
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
        *STEP_BINDINGS,
        Binding("escape", "cancel", N_("cancel"), tooltip=N_("Leave; nothing is written.")),
    ]

    def __init__(self, kinds: Sequence[Kind], start: Callable[[str], Path]) -> None:
        """`start` gives the file to begin with, by the suffix of a format."""
        super().__init__()
        self.kinds = kinds
        self._start = start
        self.suggested = ""
        """The file that stands in the line as long as the person typed none."""
        self._refused: tuple[str, str] | None = None
        """Format and file that were not written over another; the same again will be."""

    def made(self, name: str) -> bytes:
        """What is written in the format of that name, away from the screen.

        Raises `CommonsenseError` where it cannot be.
        """
        raise NotImplementedError

    def warning(self, name: str) -> str:
        """What a person should know before opening what was written; empty when it is nothing."""
        return ""

    def compose(self) -> ComposeResult:
        """The formats, the line for the file, and a message."""
        with Vertical() as box:
            box.border_title = _(self.HEADING)
            box.border_subtitle = (
                _("enter downloads · esc leaves")
                if self.app.is_web
                else _("enter writes · tab to the file and back · esc leaves")
            )
            yield OptionList(*(Option(Content(f"{_(k.name):<8} {_(k.about)}")) for k in self.kinds))
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
        if line.value == self.suggested:
            self.suggested = str(self._start(self.kinds[event.option_index].suffix))
            line.value = self.suggested
            line.cursor_position = len(line.value)

    @on(OptionList.OptionSelected)
    @on(Input.Submitted)
    def accept(self) -> None:
        """Write the file; in a browser, let it be downloaded."""
        chosen = self.kinds[self.query_one(OptionList).highlighted or 0]
        self._say(_("Writing…"))
        if self.app.is_web:
            self.download(chosen.name, self._start(chosen.suffix).name)
        else:
            self.write(chosen.name, self.query_one(Input).value.strip())

    @work(thread=True, exclusive=True, group="export", exit_on_error=False)
    def download(self, name: str, file: str) -> None:
        """Make the file away from the screen, and hand it to the browser."""
        worker = get_current_worker()
        try:
            data = self.made(name)
        except CommonsenseError as error:
            if not worker.is_cancelled:
                message = _("{error} esc leaves.", error=error)
                self.app.call_from_thread(self._say, message, bad=True)
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
            data = self.made(name)
            if worker.is_cancelled:
                return
            written = files.write(Path(path), data, force=self._refused == (name, path))
        except CommonsenseError as error:
            if not worker.is_cancelled:
                self.app.call_from_thread(self._fail, name, path, error)
            return
        if not worker.is_cancelled:
            self.app.call_from_thread(self._done, name, written)

    def _done(self, name: str, path: Path) -> None:
        warning = self.warning(name)
        message = _("Written: {path} {warning}", path=path, warning=warning).strip()
        self.notify(escape_control_characters(message), timeout=8, markup=False)
        self.dismiss(path)

    def _fail(self, name: str, path: str, error: CommonsenseError) -> None:
        self._refused = None
        if isinstance(error, FileExistsAlreadyError):
            self._refused = name, path
            message = _("{problem} Press enter again to overwrite it.", problem=error.what)
        else:
            message = _("{error} Change the file and press enter, or leave with esc.", error=error)
        self._say(message, bad=True)

    def _say(self, text: str, *, bad: bool = False) -> None:
        line = self.query_one("#said", Static)
        line.update(escape_control_characters(text))
        line.set_class(bad, "-bad")

    def action_cancel(self) -> None:
        """Leave; what was not written yet is not written."""
        self.dismiss(None)
