"""The wizard: asks an author's steps one at a time and shows the item beside them."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import BindingType
from textual.containers import Container, Vertical
from textual.content import Content
from textual.geometry import Region
from textual.timer import Timer
from textual.widgets import Static
from textual.worker import Worker

from core.contract.authoring import Author, Step
from core.contract.benchmark import Benchmark
from core.contract.setting import Switch
from core.contract.view import Note, Section, View
from core.layout.rows import plain
from core.text.errors import CommonsenseError, NotFoundError, SettingError
from core.text.escaping import escape_control_characters
from core.text.language import N_, _, ngettext
from tui.authoring import drafts
from tui.authoring.drafts import Draft
from tui.authoring.step_editors import Accepted, Edited, Hints, editor
from tui.browse.view_pane import ViewPane
from tui.shell.background_errors import report_worker_error
from tui.shell.command import Command, Place
from tui.shell.commands import bindings
from tui.shell.dialogue import DismissedOnce
from tui.shell.program import program_of
from tui.shell.prompts import PickOne
from tui.widgets.bars import TopBar

_STORE_AFTER = 0.3
"""Seconds without a key after which the typed text is stored."""


class WizardScreen(DismissedOnce[Path | None]):
    """Asks an author's steps; dismisses with the collection the item went into, or None."""

    HELP = N_("""
    ## Making an item

    One question at a time; the item grows below or beside it. An answer that cannot stand is
    told why, and you may always go back and change an earlier one. Everything you type is kept
    as a draft, also when the program is killed.
    """)
    WHERE = Place.WIZARD
    CSS_PATH = "wizard.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - typed so in Textual
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-high")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.WIZARD)

    def __init__(self, benchmark: Benchmark, path: Path) -> None:
        super().__init__()
        if benchmark.author is None:
            raise NotFoundError(
                _("{benchmark} has no way to make an item.", benchmark=benchmark.title)
            )
        self._benchmark = benchmark
        self._author: Author = benchmark.author
        self._path = path
        self._holding = ExitStack()
        """Keeps other windows from writing the draft."""
        self._file = drafts.place(benchmark.name)
        self._soon: Timer | None = None
        self._saving = False
        self._drawn: list[str] = []
        self.draft = Draft()
        self.step: Step | None = None
        """What is being asked; None before the first question and after the last."""

    def compose(self) -> ComposeResult:
        yield TopBar()
        with Container(id="body"):
            with Vertical(id="ask"):
                yield Static("", id="help", markup=False)
                yield Container(id="field")
                yield Static("", id="error", markup=False)
            yield ViewPane(id="preview")
        yield Static("", id="keys")

    def on_mount(self) -> None:
        self.query_one(TopBar).show(self._benchmark.title, _("an item of your own"))
        self._file = self._holding.enter_context(drafts.own_place(self._benchmark.name))
        self.open_draft()

    def dismiss(self, result: Path | None = None) -> AwaitComplete:
        """Close the wizard; the next one may go on with its draft, however soon it is opened."""
        self._holding.close()
        return super().dismiss(result)

    def on_unmount(self) -> None:
        if self._soon is not None:
            self._store()
        self._holding.close()

    @work(group="dialogue", exit_on_error=False)
    async def open_draft(self) -> None:
        """Offer to go on with a stored draft, and begin."""
        trouble = ""
        try:
            draft = drafts.settled(drafts.read(self._file), self._author)
        except CommonsenseError as error:
            draft = Draft()
            trouble = self._set_aside(error)
        if not draft.empty:
            n = len(draft.answers)
            picked = await self.app.push_screen_wait(
                PickOne(
                    _("Your draft is still here"),
                    _("You began an item and did not finish it."),
                    (
                        ngettext(
                            "Go on where you stopped ({n} answer)",
                            "Go on where you stopped ({n} answers)",
                            n,
                            n=n,
                        ),
                        _("Start over; this draft is thrown away"),
                    ),
                )
            )
            if picked is None:
                self.dismiss(None)
                return
            if picked == 1:
                draft = Draft()
        self.draft = draft
        await self._ask_next(trouble)

    def _set_aside(self, error: CommonsenseError) -> str:
        """Keep a damaged draft under another name; returns a message."""
        try:
            aside = drafts.set_aside(self._file)
        except CommonsenseError as second:
            return f"{error} {second}"
        return _("{problem} It is kept as {path}. You start over.", problem=error.what, path=aside)

    # -- asking --------------------------------------------------------------------------------

    async def _ask_next(self, trouble: str = "") -> None:
        """Ask the first open step, or show the finished item."""
        self.step = step = self._author.next_step(self.draft.answers)
        field = self.query_one("#field", Container)
        await field.remove_children()
        count = len(self.draft.answers)
        box = self.query_one("#ask")
        self.set_class(step is None, "-complete")
        if step is None:
            box.border_title = _("Complete")
            help_text = _(
                "This is your item. Press {key} to save it to {path}",
                key=program_of(self.app).key(f"{Place.WIZARD}.save"),
                path=self._path,
            )
            self.query_one("#preview").focus()
            here = ((("save",), N_("save")), (("cursor_down", "cursor_up"), N_("look through")))
            self._show_keys(_keys_of(self._commands(Place.WIZARD), here))
        else:
            switch = step.switch
            box.border_title = Content(
                _(
                    "Step {n}: {question}",
                    n=count + 1,
                    question=escape_control_characters(_(switch.label)),
                )
            )
            help_text = _(step.help)
            start = self.draft.typed.get(switch.key, switch.default)
            widget = editor(switch, start)
            widget.add_class("editor")
            await field.mount(widget)
            widget.focus()
            self._show_keys(_keys_of(self._commands(Place.EDITOR), getattr(widget, "HINTS", ())))
        box.border_subtitle = "●" * min(count, 24) + ("" if step is None else "○")
        self.query_one("#help", Static).update(escape_control_characters(help_text))
        self._show_error(trouble)
        self._preview(self.draft.answers)

    def _commands(self, where: Place) -> tuple[Command, ...]:
        return program_of(self.app).commands(where)

    def _show_keys(self, hints: Sequence[tuple[str, str]]) -> None:
        keys = (
            *hints,
            *_keys_of(
                self._commands(Place.WIZARD), ((("back",), N_("back")), (("leave",), N_("leave")))
            ),
        )
        self.query_one("#keys", Static).update(
            Content.assemble(
                *(
                    part
                    for key, word in keys
                    for part in ((f" {key} ", "bold $cs-key"), (f"{word} ", "$cs-muted"))
                )
            )
        )

    def _show_error(self, trouble: str) -> None:
        line = self.query_one("#error", Static)
        line.update(escape_control_characters(trouble))
        line.set_class(bool(trouble), "-shown")

    @on(Edited)
    def edited(self, event: Edited) -> None:
        """Preview the item with the typed text, and keep the text."""
        step = self.step
        if step is None or event.key != step.switch.key:
            return
        before = self.draft.typed.get(event.key, step.switch.default)
        if event.text != before:
            self.draft = self.draft.with_typed(event.key, event.text)
            self._store_soon()
            self._show_error("")
        answer = _answer(step.switch, event.text)
        self._preview({**self.draft.answers, event.key: answer} if answer else self.draft.answers)

    @on(Accepted)
    async def accepted(self, event: Accepted) -> None:
        """Accept the answer and ask the next step, or say why it is refused."""
        step = self.step
        if step is None or event.key != step.switch.key:
            return
        try:
            answer = drafts.canonical(step.switch, event.text)
        except SettingError as error:
            self._show_error(f"{error.what} {error.hint}".strip())
            return
        draft = self.draft.with_answer(event.key, answer)
        following = self._author.next_step(draft.answers)
        if following is not None and following.switch.key == event.key:
            problem = following.problem
            self._show_error(problem or _("This cannot be the answer here: change it first."))
            return
        self.draft = draft
        await self._ask_next(self._store())

    async def action_back(self) -> None:
        """Ask the last answered step again."""
        if self._saving:
            return
        if not self.draft.answers:
            self.action_leave()
            return
        self.draft = self.draft.back()
        await self._ask_next(self._store())

    # -- the draft -----------------------------------------------------------------------------

    def _store_soon(self) -> None:
        self._stop_timer()
        self._soon = self.set_timer(_STORE_AFTER, self._store_typed)

    def _store_typed(self) -> None:
        trouble = self._store()
        if trouble:
            self._show_error(trouble)

    def _store(self) -> str:
        """Store the draft; returns the error message, empty where it was stored."""
        self._stop_timer()
        try:
            drafts.write(self._file, self.draft)
        except CommonsenseError as error:
            return str(error)
        return ""

    def _stop_timer(self) -> None:
        if self._soon is not None:
            self._soon.stop()
            self._soon = None

    @work(group="dialogue", exclusive=True, exit_on_error=False)
    async def action_leave(self) -> None:
        """Ask what to do with the draft, and leave."""
        if self._saving:
            return
        if self.draft.empty:
            self._discard()
            self.dismiss(None)
            return
        trouble = self._store()
        leave = _("Leave; the draft cannot be kept") if trouble else _("Leave; the draft is kept")
        picked = await self.app.push_screen_wait(
            PickOne(
                _("Leave?"),
                trouble or _("You can go on with it any time."),
                (leave, _("Stay"), _("Leave and throw the draft away")),
            )
        )
        if picked == 2:
            self._discard()
        if picked in (0, 2) or (picked is None and not trouble):
            self.dismiss(None)

    def _discard(self) -> None:
        self._stop_timer()
        try:
            drafts.discard(self._file)
        except CommonsenseError as error:
            self.notify(escape_control_characters(str(error)), severity="warning", markup=False)

    # -- the end -------------------------------------------------------------------------------

    @work(group="save", exit_on_error=False)
    async def action_save(self) -> None:
        """Add the finished item to the collection."""
        if self.step is not None or not self.draft.answers or self._saving:
            return
        self._saving = True
        self._show_error("")
        try:
            ids = await asyncio.to_thread(self._author.save, self.draft.answers, self._path)
        except CommonsenseError as error:
            self._show_error(_("{error} The draft is kept.", error=error))
            return
        finally:
            self._saving = False
        self._discard()
        saved = _("Saved {items}.", items=escape_control_characters(", ".join(ids)))
        self.notify(saved, markup=False)
        self.dismiss(self._path)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report a worker that failed, where errors of the present step stand."""
        if (defect := report_worker_error(self.app, event)) is not None:
            self._show_error(str(defect))

    # -- the preview ---------------------------------------------------------------------------

    def _preview(self, answers: Mapping[str, str]) -> None:
        """Draw the item so far, and scroll to what has changed."""
        pane = self.query_one("#preview", ViewPane)
        view = self._author.preview(answers)
        steps = (self.step, self._author.next_step(answers))
        pane.show(_unasked(view, {step.help for step in steps if step}), glosses=False)
        pane.border_title = Content(escape_control_characters(view.title))
        badges = "  ".join(escape_control_characters(badge.text) for badge in view.badges)
        pane.border_subtitle = Content(badges)
        before, self._drawn = self._drawn, plain(pane.draw(max(8, pane.size.width - 1))).split("\n")
        changed = [i for i, (a, b) in enumerate(zip_longest(before, self._drawn)) if a != b]
        if self.step is None:
            self.call_after_refresh(pane.scroll_home, animate=False)
        elif changed:
            top = max(changed[0], changed[-1] - max(1, pane.size.height - 1))
            region = Region(0, top, 1, changed[-1] - top + 1)
            pane.scroll_to_region(region, animate=False, force=True, immediate=True)

    def action_page_up(self) -> None:
        self._pan(-1)

    def action_page_down(self) -> None:
        self._pan(1)

    def _pan(self, by: int) -> None:
        pane = self.query_one("#preview")
        pane.scroll_relative(y=by * max(1, pane.size.height - 2), animate=False)

    def action_cursor_down(self) -> None:
        self.query_one("#preview", ViewPane).move_cursor(1)

    def action_cursor_up(self) -> None:
        self.query_one("#preview", ViewPane).move_cursor(-1)


def _keys_of(commands: Iterable[Command], hints: Hints) -> list[tuple[str, str]]:
    """Each hint's keys, the first of each command, with the word for what they do together."""
    keys = {command.id: command.shown_keys.split()[0] for command in commands}
    return [(" ".join(keys[name] for name in names), _(word)) for names, word in hints]


def _answer(switch: Switch, text: str) -> str:
    """The answer that a text gives; empty where it is refused."""
    try:
        return drafts.canonical(switch, text)
    except SettingError:
        return ""


def _unasked(view: View, asked: Collection[str]) -> View:
    """The view without notes that repeat the question."""
    sections: list[Section] = [
        section
        for section in view.sections
        if not (isinstance(section, Note) and section.text in asked)
    ]
    if not sections:
        sections.append(Note(_("Nothing here yet. Your item grows here as you answer.")))
    return replace(view, sections=tuple(sections))
