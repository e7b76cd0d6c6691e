"""A dialogue to choose the model to load."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input, Static
from textual.worker import get_current_worker

from core.contract.view import Role
from core.files import paths
from core.files.config import Config
from core.models.model_files import find_models
from core.text.errors import CommonsenseError
from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from tui.browse.model_list import ModelList
from tui.shell.dialogue import Dialogue
from tui.shell.model_choices import (
    Entry,
    Kind,
    demo_entry,
    file_entry,
    folders,
    recorded_runs,
    typed_entry,
    typing_entry,
)
from tui.shell.model_holder import ModelPhase, ModelState
from tui.shell.program import program_of
from tui.shell.prompts import AskText
from tui.widgets.rows_view import RowsView

_NOTE_PERIOD = 0.1
"""Seconds between two notes on the progress of the search."""


class ModelsScreen(Dialogue[str | None]):
    """Lists models and recorded runs; dismisses with "demo", a path, "replay:RUN", or None."""

    HELP = N_("""
    ## Models

    The bundled model, the GGUF files in your folders, and recorded runs, which answer as they did.
    **enter** loads what is under the cursor; the last line takes a path, a server's URL or
    **person:NAME**. A model that does not fit into memory says so. More folders are searched if
    `model_folders` in your configuration names them.
    """)

    DEFAULT_CSS = """
    ModelsScreen {
        align: center middle;
        background: $background 60%;
        & > Vertical {
            width: 92;
            max-width: 96%;
            height: 92%;
            max-height: 44;
            border: round $primary;
            border-title-color: $cs-key;
            border-subtitle-color: $cs-muted;
            background: $surface;
        }
        & #now { color: $cs-muted; padding: 0 1; height: auto; margin-bottom: 1; }
        & #filter {
            height: 1;
            border: none;
            padding: 0 1;
            background: $panel;
            display: none;
            &.-open { display: block; }
        }
        & ModelList { height: 1fr; background: $surface; }
        & #detail {
            height: auto;
            max-height: 4;
            padding: 0 1;
            color: $cs-muted;
            &.-bad { color: $cs-bad; }
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", N_("leave"), tooltip=N_("Close the filter, or leave.")),
        Binding(
            "q,m",
            "cancel",
            N_("leave"),
            show=False,
            tooltip=N_("Leave without loading a model."),
        ),
        Binding(
            "slash", "filter", N_("filter"), tooltip=N_("List only what contains what you type.")
        ),
    ]

    @dataclass
    class Found(Message):
        """The search found another entry."""

        entry: Entry

    @dataclass
    class Noted(Message):
        """A note below one part of the list; an empty text removes it."""

        kind: Kind
        text: str
        role: Role = Role.MUTED

    def __init__(self, config: Config, state: ModelState) -> None:
        super().__init__()
        self._config = config
        self._state = state
        self.entries: list[Entry] = [demo_entry()]
        self.notes: dict[Kind, tuple[str, Role]] = {}
        self._text = ""

    def compose(self) -> ComposeResult:
        """Which model is loaded, the list, and what is known of the entry under the cursor."""
        with Vertical() as box:
            box.border_title = _("Models")
            box.border_subtitle = _("enter loads · / filters · esc leaves")
            yield Static(escape_control_characters(_now(self._state)), id="now", markup=False)
            yield Input(placeholder=_("filter"), id="filter", compact=True)
            yield ModelList()
            yield Static("", id="detail", markup=False)

    def on_mount(self) -> None:
        """Begin to look for models."""
        self._show()
        self.query_one(ModelList).focus()
        self.search()

    # -- finding models ------------------------------------------------------------------------

    @work(thread=True, exclusive=True, group="models", exit_on_error=False)
    def search(self) -> None:
        """Look for model files and runs in a thread; post each as it is found."""
        worker = get_current_worker()
        searched = folders(self._config.model_folders)
        last_shown = -_NOTE_PERIOD

        def looking_in(folder: Path) -> None:
            nonlocal last_shown
            if time.monotonic() - last_shown >= _NOTE_PERIOD:
                last_shown = time.monotonic()
                message = _("looking in {folder} …", folder=paths.shortened(folder))
                self.post_message(self.Noted(Kind.FILE, message))

        try:
            recorded = recorded_runs(paths.runs())
            for entry in recorded:
                self.post_message(self.Found(entry))
            if not recorded:
                run_all = program_of(self.app).key("browse.funnel")
                none = _(
                    "No run is recorded yet. Press {key} in the list of items to make one.",
                    key=run_all,
                )
                self.post_message(self.Noted(Kind.RUN, none))
        except CommonsenseError as error:
            self.post_message(self.Noted(Kind.RUN, str(error), Role.BAD))
        files = 0
        for file in find_models(searched, looking_in):
            if worker.is_cancelled:
                return
            files += 1
            self.post_message(self.Found(file_entry(file)))
        none = _(
            "No GGUF file in {folders}. Go to the last line and press enter to type a path.",
            folders=", ".join(paths.shortened(folder) for folder in searched),
        )
        self.post_message(self.Noted(Kind.FILE, "" if files else none))

    @on(Found)
    def add_entry(self, event: Found) -> None:
        """Add an entry to the list."""
        self.entries.append(event.entry)
        self._show()

    @on(Noted)
    def note(self, event: Noted) -> None:
        """Show or remove a note."""
        if event.text:
            self.notes[event.kind] = (event.text, event.role)
        else:
            self.notes.pop(event.kind, None)
        self._show()

    def _show(self) -> None:
        listed = [entry for entry in self.entries if entry.matches(self._text)]
        notes = dict(self.notes)
        if self._text and not listed:
            none = _("Nothing here contains this. Press esc to see all.")
            notes[Kind.DEMO] = (none, Role.MUTED)
        model = self._state.model
        loaded = self._state.name if self._state.ready and model is not None else ""
        self.query_one(ModelList).show([*listed, typing_entry()], notes, loaded)

    # -- filtering -----------------------------------------------------------------------------

    def action_filter(self) -> None:
        """Ask for a text that the listed models must contain."""
        line = self.query_one("#filter", Input)
        line.add_class("-open")
        line.focus()

    @on(Input.Changed, "#filter")
    def filter_changed(self, event: Input.Changed) -> None:
        """List only what contains the text."""
        self._text = event.value
        self._show()

    @on(Input.Submitted, "#filter")
    def filter_done(self) -> None:
        """Go to the list that was found."""
        self.query_one(ModelList).focus()

    # -- picking -------------------------------------------------------------------------------

    @on(RowsView.CursorMoved)
    def show_detail(self) -> None:
        """Show the path of the entry under the cursor, or why it cannot be loaded."""
        entry = self.query_one(ModelList).entry()
        if entry is not None:
            self._detail(entry.trouble or _source(entry), bad=bool(entry.trouble))

    def _detail(self, text: str, *, bad: bool = False) -> None:
        line = self.query_one("#detail", Static)
        line.update(escape_control_characters(text))
        line.set_class(bad, "-bad")

    @on(ModelList.Picked)
    def pick(self, event: ModelList.Picked) -> None:
        """Load the entry, or say why that cannot be."""
        if event.entry.kind is not Kind.PATH:
            self._load(event.entry)
        elif self.app.screen is self:
            self._type_path()

    def _load(self, entry: Entry) -> None:
        if entry.trouble:
            self._detail(_("Not loaded. {problem}", problem=entry.trouble), bad=True)
        else:
            self.dismiss(entry.source)

    def _type_path(self) -> None:
        """Ask for a path, a run or "demo", and load it."""
        question = AskText(
            _("Load a model"),
            _("The path of a GGUF file; or “demo”, or “replay:” and the name of a run."),
            "",
            typed_entry,
        )
        self.app.push_screen(question, lambda entry: self._load(entry) if entry else None)

    # -- leaving -------------------------------------------------------------------------------

    def action_leave(self) -> None:
        """Close the filter and list everything again; without a filter, leave."""
        line = self.query_one("#filter", Input)
        if line.has_class("-open"):
            line.value = ""
            line.remove_class("-open")
            self.query_one(ModelList).focus()
        else:
            self.dismiss(None)

    def action_cancel(self) -> None:
        """Leave without picking."""
        self.dismiss(None)


def _now(state: ModelState) -> str:
    """Which model is loaded, in a line."""
    match state.phase:
        case ModelPhase.LOADING:
            return _("Loading {model}: {progress:.0%}", model=state.name, progress=state.progress)
        case ModelPhase.FAILED:
            return _(
                "No model is loaded. {error} Choose another and press enter.", error=state.error
            )
        case ModelPhase.READY if state.model is not None:
            info = state.model.info
            words = (info.name, info.quantisation, _("(demonstration)") if info.demo else "")
            model = " ".join(word for word in words if word)
            return _("Loaded now: {model}", model=model)
        case _:
            return _("No model is loaded. Choose one and press enter.")


def _source(entry: Entry) -> str:
    """The path of a file; for other entries, what they are."""
    match entry.kind:
        case Kind.FILE:
            return paths.shortened(Path(entry.source))
        case Kind.RUN:
            return _("Shows the recorded answers again; nothing is computed.")
        case Kind.DEMO:
            return _("Small, shipped with the program, good for trying things out.")
        case _:
            return _("A file that is not in the list.")
