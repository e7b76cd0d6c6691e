"""Asks for a format and a file, and writes it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import ClassVar, NamedTuple

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option
from textual.worker import Worker, get_current_worker

from core.exchange.exporters import files
from core.exchange.exporters.document import FileExistsAlreadyError
from core.files import paths
from core.text.errors import CommonsenseError
from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from tui.shell.background_errors import report_worker_error
from tui.shell.dialogue import STEP_BINDINGS, Dialogue
from tui.shell.typed_text import WithoutControls


class FileKind(NamedTuple):
    """A format that is offered."""

    name: str
    suffix: str
    """The ending of its files, with the dot."""
    about: str
    """What it is good for, in a few words."""


def export_folder() -> Path:
    """The folder of exports unless the person names one: the working folder, else the data folder.

    The data folder serves where the working folder cannot be written to or was removed.
    """
    here = paths.working_folder()
    if here is None or not os.access(here, os.W_OK):
        return paths.data() / "exports"
    return here


class WritingScreen(Dialogue[Path | None]):
    """Asks for a format and a file; dismisses with the path of the written file."""

    HEADING: ClassVar[str]
    """The title of the dialogue."""
    DEFAULT_CSS = """
    WritingScreen {
        & > Vertical { width: 84; }
        & OptionList { max-height: 10; margin-bottom: 1; }
        & #said { height: auto; color: $cs-muted; margin-top: 1; &.-bad { color: $cs-bad; } }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *STEP_BINDINGS,
        Binding("escape", "cancel", N_("cancel"), tooltip=N_("Leave; nothing is written.")),
    ]

    def __init__(self, kinds: Sequence[FileKind], start: Callable[[str], Path]) -> None:
        """`start` gives the file to begin with, by the suffix of a format."""
        super().__init__()
        self.kinds = kinds
        self._start = start
        self.suggested = ""
        """The file that was suggested last; the person may have typed another."""
        self._refused: tuple[str, str] | None = None
        """Format and file that exist already; accepting the same again overwrites the file."""

    def content(self, name: str) -> bytes:
        """The content of the file in the format with this name; called in a thread.

        Raises `CommonsenseError` if it cannot be made.
        """
        raise NotImplementedError

    def warning(self, name: str) -> str:
        """A warning about the written file; empty where there is none."""
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
                yield Input(highlighter=WithoutControls(), select_on_focus=False)
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
        """Make the file in a thread, and hand it to the browser."""
        worker = get_current_worker()
        try:
            data = self.content(name)
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
        """Write the file in a thread."""
        worker = get_current_worker()
        try:
            data = self.content(name)
            if worker.is_cancelled:
                return
            written = files.write(Path(path), data, force=self._refused == (name, path))
        except CommonsenseError as error:
            if not worker.is_cancelled:
                self.app.call_from_thread(self._fail, name, path, error)
            return
        if not worker.is_cancelled:
            self.app.call_from_thread(self._done, name, written)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report a worker that failed, as a reason why nothing was written."""
        if (defect := report_worker_error(self.app, event)) is not None:
            self._say(str(defect), bad=True)

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
