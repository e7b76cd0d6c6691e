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
from textual.worker import Worker, get_current_worker

from core.contract.view import Role
from core.files import paths
from core.files.config import Config
from core.hub import client
from core.hub.models import command_for
from core.models.model_files import find_models
from core.text.errors import CommonsenseError, HubError
from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from tui.browse.model_fetching import fetch_model
from tui.browse.model_list import ModelList
from tui.shell.background_errors import report_worker_error
from tui.shell.dialogue import Dialogue
from tui.shell.model_choices import (
    Entry,
    Kind,
    demo_entry,
    file_entry,
    folders,
    published_models,
    recorded_runs,
    typed_entry,
    typing_entry,
)
from tui.shell.model_holder import ModelPhase, ModelState
from tui.shell.program import program_of
from tui.shell.prompts import AskText, PickOne
from tui.shell.typed_text import FilterLine
from tui.widgets.rows_view import RowsView

_NOTE_PERIOD = 0.1
"""Seconds between two notes on the progress of the search."""


class ModelsScreen(Dialogue[str | None]):
    """Lists models and recorded runs; dismisses with "demo", a path, "replay:RUN", or None."""

    HELP = N_("""
    ## Models

    The bundled model, the GGUF files in your folders, and recorded runs, which answer as they did.
    **enter** loads what is under the cursor; the last line takes a path, a server's URL,
    **hf:OWNER/REPO** or **person:NAME**. On a published model **enter** asks, then fetches it. A
    model that does not fit into memory says so. More folders are searched if `model_folders` in
    your configuration names them.
    """)

    DEFAULT_CSS = """
    ModelsScreen {
        & > Vertical { width: 92; height: 92%; max-height: 44; padding: 0; }
        & > Vertical { border-subtitle-color: $cs-muted; }
        & #now { color: $cs-muted; padding: 0 1; height: auto; margin-bottom: 1; }
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
    class Fetched(Message):
        """A published model is now a file."""

        published: Entry
        file: Entry

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
        self._fetching = False

    def compose(self) -> ComposeResult:
        """Which model is loaded, the list, and what is known of the entry under the cursor."""
        with Vertical() as box:
            box.border_title = _("Models")
            box.border_subtitle = _("enter loads · / filters · esc leaves")
            yield Static(escape_control_characters(_now(self._state)), id="now", markup=False)
            yield FilterLine(_("filter"))
            yield ModelList()
            yield Static("", id="detail", markup=False)

    def on_mount(self) -> None:
        """Begin to look for models."""
        self._show()
        self.query_one(ModelList).focus()
        self.search()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report a worker that failed, below the models that it looked for or fetched."""
        if (defect := report_worker_error(self.app, event)) is not None:
            kind = Kind.FILE if event.worker.group == "models" else Kind.PUBLISHED
            self.post_message(self.Noted(kind, str(defect), Role.BAD))

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
                run_all = program_of(self.app).key("browse.run_all")
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
        try:
            for entry in published_models():
                self.post_message(self.Found(entry))
        except CommonsenseError as error:
            self.post_message(self.Noted(Kind.PUBLISHED, str(error), Role.BAD))

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
        self.query_one(FilterLine).open()

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
        match event.entry.kind:
            case Kind.PATH if self.app.screen is self:
                self._type_path()
            case Kind.PUBLISHED if self.app.screen is self:
                self._offer(event.entry)
            case Kind.DEMO | Kind.FILE | Kind.RUN:
                self._load(event.entry)

    def _load(self, entry: Entry) -> None:
        if entry.trouble:
            self._detail(_("Not loaded. {problem}", problem=entry.trouble), bad=True)
        else:
            self.dismiss(entry.source)

    def _type_path(self) -> None:
        """Ask for a path, a run or "demo", and load it."""
        question = AskText(
            _("Load a model"),
            _(
                "The path of a GGUF file, a server's address, “hf:” and a published model, "
                "“person:” and a name, “demo”, or “replay:” and a run."
            ),
            "",
            typed_entry,
        )
        self.app.push_screen(question, lambda entry: self._load(entry) if entry else None)

    # -- fetching a published model -------------------------------------------------------------

    def _offer(self, entry: Entry) -> None:
        """Ask whether a published model is to be fetched now; say so where that cannot be."""
        if self._fetching:
            self._detail(_("Another model is being fetched."), bad=True)
            return
        try:
            client.check_possible(entry.source)
        except HubError as error:
            self._detail(f"{error} {command_for(entry.source)}", bad=True)
            return
        question = PickOne(
            _("Get {model}", model=entry.name),
            _(
                "{facts}. Leaving the list stops the download; the next time it continues from "
                "there. On the command line: {command}",
                facts=" · ".join(entry.facts),
                command=command_for(entry.source),
            ),
            [_("Fetch it now, under this licence"), _("Not now")],
        )
        self.app.push_screen(question, lambda line: self._start(entry) if line == 0 else None)

    def _start(self, entry: Entry) -> None:
        self._fetching = True
        self._fetch(entry)

    @work(thread=True, group="fetch", exit_on_error=False)
    def _fetch(self, entry: Entry) -> None:
        """Fetch a published model in a thread; note how far it is."""
        worker = get_current_worker()

        def note(text: str, role: Role = Role.MUTED) -> None:
            self.post_message(self.Noted(Kind.PUBLISHED, text, role))

        try:
            path = fetch_model(entry, note, lambda: worker.is_cancelled)
        except CommonsenseError as error:
            note(str(error), Role.BAD)
        else:
            if path is not None:
                note("")
                self.post_message(self.Fetched(entry, file_entry(path)))
        finally:
            self._fetching = False

    @on(Fetched)
    def show_fetched(self, event: Fetched) -> None:
        """List the file in the place of what was published, and go to it."""
        self.entries = [entry for entry in self.entries if entry != event.published]
        if all(entry.source != event.file.source for entry in self.entries):
            self.entries.append(event.file)
        self._show()
        self.query_one(ModelList).cursor = f"{event.file.kind}:{event.file.source}"
        self._detail(_("{model} is here. Enter loads it.", model=event.published.name))

    # -- leaving -------------------------------------------------------------------------------

    def action_leave(self) -> None:
        """Close the filter and list everything again; without a filter, leave."""
        if self.query_one(FilterLine).close():
            self.query_one(ModelList).focus()
        else:
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
            kind = _("(recorded)") if info.recorded else info.quantisation
            words = (info.name, kind, _("(demonstration)") if info.demo else "")
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
        case Kind.PUBLISHED:
            return command_for(entry.source)
        case Kind.DEMO:
            return _("Small, shipped with the program, good for trying things out.")
        case _:
            return _("A file that is not in the list.")
