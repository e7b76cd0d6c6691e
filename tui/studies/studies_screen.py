"""The screen of all studies: see, begin, open and delete them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static
from textual.worker import Worker

from core.contract.benchmark import Benchmark
from core.contract.collection import Collection
from core.contract.view import Role
from core.files import paths
from core.runs.questions import QuestionSource
from core.runs.records import RunState
from core.studies.conducting import StudyProgress, conduct
from core.studies.kinds import KINDS, StudyKind
from core.studies.plan import Study
from core.studies.study_store import StudyStore
from core.studies.subject import Subject, task_layer
from core.text.errors import CommonsenseError
from core.text.escaping import escape_control_characters
from core.text.language import N_, _, ngettext
from core.text.quantities import items_in_words
from tui.shell.background_errors import report_worker_error
from tui.shell.command import Place
from tui.shell.commands import bindings
from tui.shell.prompts import PickOne
from tui.studies.choices import StudyChoices, StudyForm
from tui.studies.choices_dialogue import ChooseStudy
from tui.studies.study_list import StudyList
from tui.studies.study_screen import StudyScreen
from tui.widgets.bars import KeyBar, TopBar
from tui.widgets.rows_screen import RowsScreen


@dataclass(frozen=True, slots=True)
class OpenCollection:
    """The collection that studies are begun on."""

    benchmark: Benchmark
    path: Path
    collection: Collection
    setting: Mapping[str, str]
    """The values that are changed on the item screen."""

    def source(self, choices: StudyChoices) -> QuestionSource:
        """The questions that were chosen."""
        values = self.setting if choices.as_shown else {}
        return QuestionSource(self.benchmark, self.collection, values, choices.limit)


class StudiesScreen(RowsScreen):
    """Lists the recorded studies, the newest first."""

    HELP = N_("""
    ## Studies

    A study measures a whole collection between a model's blocks, where a trace is about one pair
    of prompts. **n** begins one on the open collection with the loaded model: it looks for a valid
    pair of every item, counts why others have none, measures each pair and a control, and gives
    means with intervals over families of items. Before it begins you choose its kind, then the task
    layer, how many items and the seed.

    **enter** opens what a study found; **s** stops the one that is going on. What was measured is
    kept, and the same study goes on where it stopped. **d** deletes one.

    `▶` is going on, `‖` can go on, `✓` is done.
    """)
    WHERE = Place.STUDIES
    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.STUDIES)

    def __init__(self, opened: OpenCollection) -> None:
        super().__init__()
        self.opened = opened
        self._conducting: Worker[None] | None = None
        self._choices = StudyChoices()
        """What was chosen last."""

    @property
    def list(self) -> StudyList:
        """The table."""
        return self.query_one(StudyList)

    def compose(self) -> ComposeResult:
        """The table, and how far a study is that is going on, between the two bars."""
        yield TopBar()
        with Vertical() as box:
            box.border_title = _("Studies")
            yield StudyList()
            yield Static("", id="detail", markup=False)
        yield KeyBar(Place.STUDIES, "studies")

    def on_mount(self) -> None:
        """Read the store."""
        self.query_one(TopBar).show(_("Studies"), paths.shortened(paths.runs()))
        self.say("")
        self.list.focus()
        self.read()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report a worker that failed, below the studies."""
        if (defect := report_worker_error(self.app, event)) is not None:
            self.say(str(defect), bad=True)

    def read(self, at: str = "") -> None:
        """Read the studies, and put the cursor on the one with an id."""
        studies: Sequence[Study] = ()
        note = self._how_to_begin(), Role.MUTED
        try:
            with StudyStore(paths.runs(), create=False) as store:
                studies, damaged = store.studies()[::-1], store.damaged_studies()
            if damaged:
                note = str(damaged[0]), Role.BAD
        except CommonsenseError as error:
            note = str(error), Role.BAD
        self.list.show(studies, note)
        if studies and note[1] is Role.BAD:
            self.say(note[0], bad=True)
        if at:
            self.list.cursor = at
        count = ngettext("{n:,} study", "{n:,} studies", len(studies), n=len(studies))
        self.query_one(Vertical).border_subtitle = count if studies else ""

    def _how_to_begin(self) -> str:
        return _(
            "No study is recorded yet. {begin} begins one on the open collection: {benchmark}, "
            "{items}.",
            begin=self.program.key("studies.begin"),
            benchmark=self.opened.benchmark.title,
            items=items_in_words(len(self.opened.collection)),
        )

    # -- commands ------------------------------------------------------------------------------

    def action_open(self) -> None:
        """Open what the study under the cursor found."""
        study = self.list.study
        if study is None or self.app.screen is not self:
            return
        if study.result is None:
            what = _("This study has no result yet; {begin} goes on with an equal one.")
            self.say(what.format(begin=self.program.key("studies.begin")))
            return
        self.app.push_screen(StudyScreen(study))

    def action_begin(self) -> None:
        """Ask which study to begin, then conduct it."""
        if self._conducting is not None and self._conducting.is_running:
            stop = self.program.key("studies.stop")
            self.say(_("A study is going on; {stop} stops it.", stop=stop))
            return
        if not self.program.model_state.ready:
            self.say(_("No model is loaded. Go back and choose one."), bad=True)
            return
        offered = [
            (kind, f"{_(kind.title)}: {_(label)}" if label else _(kind.title), options)
            for kind in KINDS.values()
            for label, options in (kind.variants or (("", {}),))
        ]
        about = _(
            "Over {items} of {benchmark} with {model}.",
            items=items_in_words(len(self.opened.collection)),
            benchmark=self.opened.benchmark.title,
            model=escape_control_characters(self.program.model_state.name, limit=60),
        )

        def answer(picked: int | None) -> None:
            if picked is not None:
                kind, label, options = offered[picked]
                self._choose(kind, label, options)

        source = self.opened.source(StudyChoices())

        def told(line: int) -> str:
            kind, _label, _options = offered[line]
            return f"{_(kind.asks)} {kind.obstacle(source, None) or _(kind.needs)}"

        lines = [label for _kind, label, _options in offered]
        self.app.push_screen(PickOne(_("Begin a study"), about, lines, about=told), answer)

    def _choose(self, kind: StudyKind, label: str, options: Mapping[str, str]) -> None:
        """Ask for the choices of a kind of study, then conduct it."""
        opened = self.opened
        form = StudyForm(
            opened.benchmark.layers, len(opened.collection), opened.setting, self._choices
        )

        def answer(choices: StudyChoices | None) -> None:
            if choices is not None:
                self._choices = choices
                self._conducting = self.conduct(kind, options, choices)

        def told(choices: StudyChoices) -> str:
            try:
                return kind.obstacle(opened.source(choices), choices.layer) or _(kind.needs)
            except CommonsenseError as error:
                return str(error)

        self.app.push_screen(ChooseStudy(label, _(kind.asks), form, told), answer)

    @work(exclusive=True, group="study", exit_on_error=False)
    async def conduct(
        self, kind: StudyKind, options: Mapping[str, str], choices: StudyChoices
    ) -> None:
        """Conduct a study of the open collection, and show how far it is."""
        model = self.program.model_state.model
        if model is None:
            return
        opened = self.opened
        self.say(_("The study begins…"))
        try:
            source = opened.source(choices)
            layer = await asyncio.to_thread(task_layer, source, choices.layer)
            subject = await Subject.of(model, source, opened.path, layer)
            if choices.layer is not None and not options:
                options = kind.one_layer
            # Its prompts are part of the plan, so every item is read.
            plan = await asyncio.to_thread(subject.plan, kind.name, options, choices.seed)
            with StudyStore(paths.runs()) as store:
                study = store.start(plan)
                done, phase = study.state is RunState.DONE, ""

                def report(progress: StudyProgress) -> None:
                    nonlocal phase
                    if progress.phase != phase:
                        phase = progress.phase
                        self.read(study.id)
                    self.say(self._progress_text(progress))

                try:
                    await conduct(store, study, kind.work(subject, plan), report)
                finally:
                    if self.is_attached:
                        self.read(study.id)
        except CommonsenseError as error:
            self.say(str(error), bad=True)
            return
        open_key = self.program.key("studies.open")
        text = _("The study is done; {open} opens it.", open=open_key)
        if done:
            text = _("This study was done before; {open} opens it.", open=open_key)
        self.say(text)

    def _progress_text(self, progress: StudyProgress) -> str:
        return _(
            "{phase}: {done:,} of {total:,}; {stop} stops, and what was measured is kept.",
            phase=progress.phase,
            done=progress.done,
            total=progress.total,
            stop=self.program.key("studies.stop"),
        )

    def action_stop(self) -> None:
        """Stop the study that is going on."""
        if self._conducting is not None and self._conducting.is_running:
            self._conducting.cancel()
            self.say(_("Stopped; what was measured is kept."))

    def action_delete(self) -> None:
        """Ask whether to delete the study under the cursor."""
        study = self.list.study
        if study is None or self.app.screen is not self:
            return

        def answer(picked: int | None) -> None:
            if picked == 0:
                self._delete(study.id)

        title = _("Delete {study}?", study=study.id)
        what = _("What it measured is lost. This cannot be taken back.")
        lines = [_("Delete the study"), _("Keep it")]
        self.app.push_screen(PickOne(title, what, lines, at=1), answer)

    def _delete(self, study_id: str) -> None:
        try:
            with StudyStore(paths.runs()) as store:
                store.delete(study_id)
        except CommonsenseError as error:
            self.say(str(error), bad=True)
        self.read()
